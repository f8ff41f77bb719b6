"""The rules reader: names, bridges, short answers; what it may see; the set "toy" end to end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.agent import Agent
from psirag.corpus import Corpus, Document, load_questions
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.readers import NOT_MENTIONED, AgentState, RulesReader
from psirag.readers.rules import PARTS
from psirag.readers.rules.bridging import find_bridges, rank_passages
from psirag.readers.rules.dates import date_value, number_value
from psirag.readers.rules.descriptions import innermost, replaced
from psirag.readers.rules.explanation import asks_to_explain
from psirag.readers.rules.named_spans import contains_run, folded_words, match_quality, named_spans
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.questions import QuestionView, answer_type
from psirag.readers.rules.reader import queries_for
from psirag.readers.rules.relation_words import forms, relations, tokens
from psirag.readers.rules.spans import Reading
from psirag.transcript import gather_evidence
from tests.hashing_encoder import HashingEncoder

SHELF = [
    ("Ines Vale", "Ines Vale (born 4 May 1901) was a painter. She studied in Lisbon and was married to Otto Brandt."),
    ("Otto Brandt", "Otto Brandt was a clockmaker, born in Graz on 2 March 1895. He built nine tower clocks."),
    ("The Blue Ferry", "The Blue Ferry is a 1950 film directed by Ines Vale. The film was shot on the river Mur."),
    ("Graz", "Graz is a city in Austria. The river Mur flows through it."),
    ("Lisbon", "Lisbon is the capital of Portugal. It stands where the river Tagus meets the sea."),
]


def build(rows):
    documents = tuple(Document(i, text, title) for i, (title, text) in enumerate(rows))
    return Index.build(
        Corpus(documents, kind="passages", name="shelf"), encoder=HashingEncoder(), abstraction="centroid"
    )


@pytest.fixture(scope="module")
def shelf():
    return build(SHELF)


@pytest.fixture(scope="module")
def toy():
    return Index.build("toy", encoder=HashingEncoder(), abstraction="centroid")


def views(index, *queries):
    evidence = gather_evidence([index.retrieve(list(queries), 5)])
    return {item.id: PassageView.of(item) for item in evidence}, {item.id: item.score for item in evidence}


def names(text):
    return [span.text for span in named_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("nothing here in lower case.", []),
        ("The film was shown.", []),
        ("Who is the wife of David Gest?", ["David Gest"]),
        ("Ada and Bo met Cy.", ["Ada", "Bo", "Cy"]),
        ("He met Duke Hugh of Tours in Rome.", ["Duke Hugh of Tours", "Rome"]),
        ("The song When the Stars Go Blue won.", ["When the Stars Go Blue"]),
        ("Is 3 Dots older than Dying God?", ["3 Dots", "Dying God"]),
        ("On 20 March 1851 it rained in May.", []),
        ("On 3 May 1920 Hugh of Tours met Ada Lee.", ["Hugh of Tours", "Ada Lee"]),
        ("On May 3, 1920 April Stone met Theresa May.", ["April Stone", "Theresa May"]),
        ("In October 821 Emperor Lothair came.", ["Emperor Lothair"]),
        ("J. S. Bach died. Handel lived.", ["J. S. Bach", "Handel"]),
        ("Lisbeth Palme's husband", ["Lisbeth Palme"]),
        ("Émile Zola’s café", ["Émile Zola"]),
        ("Paris\n\nLondon", ["Paris", "London"]),
        ("日本 and Tokyo", ["Tokyo"]),
    ],
)
def test_names_in_a_text(text, expected):
    assert names(text) == expected


@given(st.text(max_size=200))
def test_names_lie_in_the_text_in_order(text):
    spans = named_spans(text)
    assert all(text[span.start : span.end].startswith(span.text) and span.words for span in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))


def quality(name, title, text):
    words = folded_words(text)
    return match_quality(folded_words(name), folded_words(title), words[:24], words)


def test_a_passage_is_about_its_title_more_than_about_what_it_mentions():
    text = "The Blue Ferry is a 1950 film by Ines Vale. " + "It runs and runs. " * 6 + "Otto Brandt paid."
    assert quality("Blue Ferry", "The Blue Ferry", text) == 1.0
    assert quality("Blue Ferry", "", text) == 0.95
    assert quality("Ferry", "The Blue Ferry", text) == 0.85
    assert quality("Blue", "The Old Blue Ferry of Graz", "It runs.") == pytest.approx(0.5 + 0.4 / 5)
    assert quality("Ines Vale", "The Blue Ferry", text) == 0.6
    assert quality("Otto Brandt", "The Blue Ferry", text) == 0.3
    assert quality("Graz", "The Blue Ferry", text) == 0.0
    assert quality("", "The Blue Ferry", text) == 0.0


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc"), max_size=3))
@pytest.mark.oracle
def test_a_run_of_words_is_a_substring(words, run):
    """One letter a word: a run stands in the words where its letters stand in theirs."""
    assert contains_run(words, run) == (bool(run) and "".join(run) in "".join(words))


def test_runs_of_words():
    assert contains_run("a b c".split(), ["b", "c"])
    assert not contains_run("a b c".split(), ["a", "c"])
    assert not contains_run("a b c".split(), [])


def test_phrases_stand_for_a_relation():
    assert [token.word for token in tokens("Fever carried him off.")] == ["fever", "died"]
    assert [token.word for token in tokens("It came out in May.")] == ["it", "released", "in", "may"]


def test_words_of_one_stem_are_akin():
    assert forms("director") & forms("directed")
    assert forms("married") & forms("marries")
    assert not forms("man") & forms("many")
    assert relations("wife") & relations("married")
    assert not relations("river")


def test_a_question_is_names_and_cues():
    question = QuestionView("In which year was the director of The Blue Ferry born?")
    assert [span.text for span in question.names] == ["The Blue Ferry"]
    assert [(cue.token.word, cue.main) for cue in question.cues] == [("director", False), ("born", True)]


def test_a_bridge_leads_from_the_film_to_its_director(shelf):
    question = QuestionView("Who directed The Blue Ferry?")
    passages, fused = views(shelf, "The Blue Ferry", "Ines Vale")
    ranks = rank_passages(question, passages, fused)
    assert find_bridges(question, passages, ranks)[0].name.text == "Ines Vale"
    order = sorted(ranks, key=lambda key: -ranks[key].score)
    assert order[:2] == [2, 0]
    assert ranks[2].bridge is None
    assert (ranks[0].bridge.source, ranks[0].bridge.name.text) == (2, "Ines Vale")


def test_ranking_nothing_is_nothing():
    assert rank_passages(QuestionView("Who?"), {}, {}) == {}
    assert Reading({}).best(QuestionView("Who?")) is None


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who painted it?", "person"),
        ("When did Ines Vale die?", "date"),
        ("In which year was it built?", "year"),
        ("What is the date of death of Ines Vale?", "date"),
        ("How many clocks did he build?", "number"),
        ("Is Graz in Austria?", "yes_no"),
        ("Which is older, Graz or Lisbon?", "choice"),
        ("", "thing"),
        ("Which river flows by?", "place"),
        ("How tall is it?", "quantity"),
        ("What is the film called?", "work"),
    ],
)
def test_kinds_of_question(question, kind):
    assert answer_type(QuestionView(question)).kind == kind


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who directed The Blue Ferry?", "Ines Vale"),
        ("Who was the director of The Blue Ferry married to?", "Otto Brandt"),
        ("When was Otto Brandt born?", "2 March 1895"),
        ("How many tower clocks did Otto Brandt build?", "nine"),
        ("Where was Otto Brandt born?", "Graz"),
        ("Who was born first, Ines Vale or Otto Brandt?", "Otto Brandt"),
        ("Who was born later, Ines Vale or Otto Brandt?", "Ines Vale"),
        ("Is Lisbon the capital of Portugal?", "yes"),
        ("Do Graz and Lisbon share the same river?", "no"),
        ("Do Graz and The Blue Ferry share the same river?", "yes"),
        ("Which river flows through the city where Otto Brandt was born?", "Mur"),
        ("How tall was Otto Brandt?", NOT_MENTIONED),
        ("Who directed The Red Ferry?", NOT_MENTIONED),
        ("Is Lisbon the oldest port of Portugal?", NOT_MENTIONED),
        ("Who is taller, Ines Vale or Otto Brandt?", NOT_MENTIONED),
        ("Who was born first, Ines Vale or Mara Quist?", NOT_MENTIONED),
    ],
)
def test_answers_on_a_small_shelf(shelf, question, expected):
    result = Agent(shelf, "rules").ask(question)
    assert result.text == expected
    assert result.status == ("not_mentioned" if expected == NOT_MENTIONED else "answered")


def test_toy_is_answered_and_its_missing_fact_is_not(toy):
    agent = Agent(toy, "rules")
    for question in load_questions("toy"):
        result = agent.ask(question.question)
        assert result.text in (question.answers or (NOT_MENTIONED,)), question.question
        found = [hit.chunk.title for hit in result.hits[: len(question.supporting_titles)]]
        assert set(found) == set(question.supporting_titles), question.question


def test_it_sees_only_what_was_retrieved(toy):
    """Every name it asks for stands in the question or in a passage returned before, and every score is of one."""
    agent = Agent(toy, "rules", max_retrievals=4)
    for question in load_questions("toy"):
        result = agent.ask(question.question)
        seen, text = set(), question.question
        for step in result.steps:
            for hit in (hit for found in step.retrievals for hit in found):
                seen.add(hit.chunk.id)
                text += "\n" + hit.chunk.title + "\n" + hit.text
            assert set(step.decision.evidence) == seen
            asked = [words for query in step.decision.queries for words in folded_words(query)]
            assert set(asked) <= set(folded_words(text))
        assert {hit.chunk.id for hit in result.hits} == seen


def test_the_same_question_gives_the_same_steps(toy):
    runs = [Agent(toy, RulesReader()).ask("In which country is the city where Beethoven died?") for _ in range(2)]
    assert runs[0].queries == runs[1].queries
    assert [hit.chunk.id for hit in runs[0].hits] == [hit.chunk.id for hit in runs[1].hits]
    assert [step.decision for step in runs[0].steps] == [step.decision for step in runs[1].steps]


def test_the_paper_s_budget_is_one_more_query(toy):
    result = Agent(toy, "rules", max_retrievals=2, max_queries=2).ask("Who wrote the oratorio Messiah?")
    assert len(result.queries) == 2


def test_without_the_right_to_ask_it_answers(toy):
    state = AgentState("Who wrote the oratorio Messiah?", (), (), retrievals_left=3, queries_left=3)
    assert RulesReader().decide(state, may_retrieve=True).action == "retrieve"
    assert RulesReader().decide(state, may_retrieve=False).action == "not_mentioned"


def test_titles_are_not_needed():
    bare = build([("", text) for _, text in SHELF])
    result = Agent(bare, "rules").ask("Who was the director of The Blue Ferry married to?")
    assert result.text == "Otto Brandt"
    assert {hit.chunk.id for hit in result.hits[:2]} == {0, 2}


@pytest.mark.parametrize(
    ("names", "room", "expected"),
    [
        ([], 3, ()),
        (["a"], 0, ()),
        (["a"], 1, ("a",)),
        (["a", "b", "c", "d"], 1, ("a b c",)),
        (["a", "b", "c", "d", "e"], 2, ("a", "b c d")),
        (["a", "a", "b"], 5, ("a", "b")),
        (["a", "asked"], 5, ("a",)),
    ],
)
def test_queries_from_names(names, room, expected):
    assert queries_for(names, ["asked"], room=room) == expected


class OnlyRetrieve:
    """An index of which nothing but `retrieve` can be reached."""

    def __init__(self, index):
        self.__retrieve = index.retrieve

    def retrieve(self, *given, **settings):
        return self.__retrieve(*given, **settings)


def test_nothing_of_the_index_but_retrieve_is_touched(toy):
    for question in load_questions("toy"):
        seen, whole = (
            Agent(OnlyRetrieve(toy), "rules").ask(question.question),
            Agent(toy, "rules").ask(question.question),
        )
        retrieved = {hit.chunk.id for step in seen.steps for found in step.retrievals for hit in found}
        assert {hit.chunk.id for hit in seen.hits} == retrieved
        assert (seen.text, seen.queries) == (whole.text, whole.queries)


@pytest.mark.parametrize(
    ("part", "question"),
    [
        ("bridging", "Who was the director of The Blue Ferry married to?"),
        ("descriptions", "Who was the director of The Blue Ferry married to?"),
        ("hops", "Who was the director of The Blue Ferry married to?"),
        ("relations", "Who was the wife of Otto Brandt?"),
        ("types", "Where was Otto Brandt born?"),
        ("comparison", "Who was born first, Ines Vale or Otto Brandt?"),
        ("support", "Who directed The Red Ferry?"),
        ("path first", "Where was the husband of Ines Vale born?"),
        ("shared names", "Which river flows through the city where Otto Brandt was born?"),
        ("explanation", "Why was the film shot on the river Mur?"),
    ],
)
def test_each_part_can_be_switched_off(shelf, part, question):
    """Without a part the reader still runs, deterministically."""
    runs = [Agent(shelf, RulesReader(without=[part])).ask(question) for _ in range(2)]
    assert part in PARTS
    assert runs[0].text == runs[1].text
    assert runs[0].status in {"answered", "not_mentioned"}


def test_parts_that_decide(shelf):
    film, ferry = "Who was the director of The Blue Ferry married to?", "Who directed The Red Ferry?"
    assert Agent(shelf, RulesReader(without=["hops", "descriptions"])).ask(film).text != "Otto Brandt"
    alone = Agent(shelf, RulesReader(without=["bridging", "descriptions"])).ask(film)
    assert len(alone.queries) < len(Agent(shelf).ask(film).queries)
    assert Agent(shelf, RulesReader(without=["support"])).ask(ferry).text != NOT_MENTIONED
    assert Agent(shelf, RulesReader(without=["comparison"])).ask("Is Lisbon the capital of Portugal?").text != "yes"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Why did it sink?", True),
        ("Which ship sank, and how did it?", True),
        ("For what reason did it sink?", True),
        ("How many sank?", False),
        ("How long is it?", False),
        ("Who did it?", False),
        ("?", False),
    ],
)
def test_which_questions_ask_to_explain(question, expected):
    assert asks_to_explain(QuestionView(question)) is expected


def test_why_and_how_are_answered_with_the_nearest_sentence(shelf):
    why = "How was the film about the ferry shot?"
    answer = Agent(shelf).ask(why)
    assert (answer.text, answer.status) == ("The film was shot on the river Mur.", "answered")
    assert answer.hits[0].chunk.title == "The Blue Ferry"
    assert Agent(shelf, RulesReader(without=["explanation"])).ask(why).text != answer.text
    assert Agent(shelf).ask("Why do zebras xylophone?").text == NOT_MENTIONED


@pytest.mark.parametrize("without", ["bridging", ["bridges"], ["hops", "x"]])
def test_unknown_parts_are_refused(without):
    with pytest.raises(PsiragError, match="collection of its parts"):
        RulesReader(without=without)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("14 August 1899", (1899, 8, 14)),
        ("May 3, 1920", (1920, 5, 3)),
        ("October 821", (821, 10, 0)),
        ("1859", (1859, 0, 0)),
        ("4 May", None),
        ("", None),
    ],
)
def test_dates(text, value):
    assert date_value(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("673", 673),
        ("1,047", 1047),
        ("2.5", 2.5),
        ("twenty-one", 21),
        ("a hundred and two", 102),
        ("six million", 6_000_000),
        ("twice", 2),
        ("some", None),
        ("", None),
        ("and", None),
    ],
)
def test_numbers(text, value):
    assert number_value(text) == value


@pytest.mark.parametrize(
    ("question", "asks", "left"),
    [
        ("Where was the director of Emma born?", "Who was the director of Emma?", "Where was Ada Lee born?"),
        ("Where did the man who built Fort Hill die?", "Which man built Fort Hill?", "Where did Ada Lee die?"),
        ("Where was the man born who built Fort Hill?", "Which man built Fort Hill?", "Where was Ada Lee born?"),
        ("What did Bo Dahl's wife paint?", "Who was Bo Dahl's wife?", "What did Ada Lee paint?"),
        (
            "Which river crosses the town in which Bo Dahl was born?",
            "In which town Bo Dahl was born?",
            "Which river crosses Ada Lee?",
        ),
        ("Bo Dahl sailed on a lake. How deep is that lake?", "Which lake Bo Dahl sailed on ?", "How deep is Ada Lee?"),
    ],
)
def test_descriptions_are_asked_for_and_replaced(question, asks, left):
    view = QuestionView(question)
    found = innermost(view)
    assert found.asks == asks
    assert replaced(view, found, "Ada Lee").text == left


@pytest.mark.parametrize("question", ["Who was the director of Emma?", "Who painted it?", ""])
def test_what_is_all_that_is_asked_is_no_description(question):
    assert innermost(QuestionView(question)) is None


@pytest.mark.parametrize(
    ("question", "title", "text", "expected"),
    [
        ("What colour is the lamp of Fort Hill?", "Fort Hill", "Fort Hill has a green lamp and a tall mast.", "green"),
        ("How much did the bell of Fort Hill cost?", "Fort Hill", "The bell of Fort Hill cost 40 crowns.", "40 crowns"),
        ("What did Ada Lee lose in the marsh?", "Ada Lee", "Ada Lee lost her left boot in the marsh.", "left boot"),
        ("On what did Ada Lee write her songs?", "Ada Lee", "Ada Lee wrote her songs on paper bags.", "paper bags"),
        ("Who was Fort Hill designed by?", "Fort Hill", "Fort Hill was designed by Bo Dahl in Graz.", "Bo Dahl"),
        ("Who designed the old bridge?", "", "Ada Lee designed the old bridge over the Rhine.", "Ada Lee"),
        ("Who directed Fort Hill?", "Fort Hill", "Its director was Bo Dahl and its producer Cy Vane.", "Bo Dahl"),
        ("What is the nickname of Fort Hill?", "Fort Hill", "Soldiers call it the Anvil.", "Anvil"),
        (
            "What did Bo Dahl pay for it?",
            "Bo Dahl",
            "Bo Dahl bought it in Graz for two crowns and six pence.",
            "two crowns and six pence",
        ),
        ("Fort Hill is built of one stone; which?", "Fort Hill", "Bo Dahl had Fort Hill built of granite.", "granite"),
        ("Which river flows past Fort Hill?", "Fort Hill", "Coming from Austria, the Mur flows past Fort Hill.", "Mur"),
        ("Which architect built it?", "Fort Hill", "Fort Hill, on Fifth Avenue, was built for Bo Dahl.", "Bo Dahl"),
    ],
)
def test_answers_by_their_look_and_their_place(question, title, text, expected):
    reading = Reading({0: PassageView(title, text), 1: PassageView("Lisbon", SHELF[4][1])})
    assert reading.best(reading.view(question)).candidate.text == expected


def test_headlines_are_no_subjects():
    assert PassageView("Ferry sinks in the night", "Bo Dahl swam ashore.").subject == "Bo Dahl"
    assert PassageView("The Blue Ferry", "It sank.").subject == "The Blue Ferry"


def test_irregular_verbs_share_a_stem():
    assert forms("took") & forms("taking")
    assert forms("spoken") & forms("speaks")
