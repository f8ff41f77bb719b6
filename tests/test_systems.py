"""Systems: an index or an agent under a name, what cannot run, and what is refused."""

from __future__ import annotations

import json

import pytest

from psirag.agent import Agent
from psirag.errors import PsiragError
from psirag.evaluation import AgentSystem, NotRun, SearchSystem, System
from psirag.evaluation.systems import as_systems
from psirag.index import Index
from psirag.readers import Decision
from tests.hashing_encoder import HashingEncoder

TEXTS = ["Beavers build dams.", "Dams slow rivers.", "Bats hunt moths.", "Owls hunt mice."]


class Summarizer:
    """Answers with the texts it sees."""

    name, summarizes = "summarizer", True

    def decide(self, state, *, may_retrieve):
        return Decision("answer", f"{state.task}: " + " ".join(item.text for item in state.evidence))


@pytest.fixture(scope="module")
def index():
    return Index.build(TEXTS, encoder=HashingEncoder(), abstraction="centroid")


def test_a_search_system_passes_its_settings_on(index):
    system = SearchSystem("BM25", index, sides=("sparse",))
    assert isinstance(system, System)
    assert [hit.node for hit in system.retrieve("moths", 3)] == [2]
    assert [hit.node for hit in system.retrieve("hunt", 3, document=3)] == [3]
    assert system.chunks is index.chunks


def test_an_index_is_built_when_it_is_first_needed_and_once(index):
    built = []
    system = SearchSystem("lazy", lambda: built.append(1) or index)
    assert built == []
    assert len(system.retrieve("dams", 2)) == len(system.retrieve("rivers", 2)) == 2
    assert built == [1]


def test_settings_say_how_and_from_which_index(index):
    settings = SearchSystem("BM25", index, sides=("sparse",)).settings
    assert settings["retrieve"] == {"sides": ("sparse",)}
    other = Index.build(TEXTS[:3], encoder=HashingEncoder(), abstraction="centroid")
    digests = [SearchSystem("s", each).settings["index"]["sha256"] for each in (index, other, index)]
    assert digests[0] == digests[2] != digests[1]
    budget = AgentSystem("agent", Agent(index, Summarizer(), max_queries=3), passages=2).settings
    assert (budget["reader"], budget["max_queries"], budget["passages"]) == ("summarizer", 3, 2)
    assert json.dumps(budget["index"]["settings"])


def test_an_agent_system_asks_or_summarises_within_a_document(index):
    agent = Agent(index, Summarizer(), retrieve={"sides": ("flat",)})
    system = AgentSystem("agent", agent, passages=2)
    assert isinstance(system, System)
    assert len(system.ask("hunt").hits) == 2
    assert len(system.ask("hunt", 3).hits) == 3
    assert system.ask("hunt", document=3).text == "question: Owls hunt mice."
    assert [hit.node for hit in system.retrieve("hunt", document=2)] == [2]
    summary = AgentSystem("summary", lambda: agent, passages=15, task="summary").ask("Summarise.", document=0)
    assert summary.text == "summary: Beavers build dams."


def test_what_cannot_run_says_what_it_needs():
    with pytest.raises(PsiragError, match="IRCoT needs a Hugging Face model"):
        NotRun("IRCoT", "a Hugging Face model").retrieve("Who?")


def test_an_index_and_an_agent_are_wrapped(index):
    assert [system.name for system in as_systems([index, Agent(index, Summarizer())])] == ["index", "agent"]
    assert [system.name for system in as_systems(NotRun("x", "y"))] == ["x"]


@pytest.mark.parametrize("wrong", [None, 5, "BM25", {"a": 1}])
def test_what_is_no_system_is_refused(wrong):
    with pytest.raises(PsiragError, match="needs a system"):
        as_systems(wrong)


@pytest.mark.parametrize("wrong", [[5], [NotRun], [object()]])
def test_a_system_needs_a_name_and_retrieve(wrong):
    with pytest.raises(PsiragError, match="has a name and retrieves"):
        as_systems(wrong)


def test_names_are_distinct(index):
    with pytest.raises(PsiragError, match=r"distinct names.*'index', 'index'"):
        as_systems([index, index])
    with pytest.raises(PsiragError, match="at least one system"):
        as_systems([])


def test_wrong_arguments_are_refused(index):
    with pytest.raises(PsiragError, match="name"):
        SearchSystem(None, index)
    with pytest.raises(PsiragError, match="task"):
        AgentSystem("a", Agent(index, Summarizer()), task="poem")
    with pytest.raises(PsiragError, match="passages"):
        AgentSystem("a", Agent(index, Summarizer()), passages=0)
