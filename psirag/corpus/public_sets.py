"""The public sets by name: where each lies, under which licence, how large it is, and what counts as evidence."""

from __future__ import annotations

from dataclasses import dataclass

_HIPPORAG = "osunlp/HippoRAG_2"
_WIKIPEDIA = "passages from Wikipedia, CC BY-SA"
_BY_PASSAGE = "supporting passages, found in the corpus by title and text: one chunk each"
_BY_TITLE = "pages named in supporting_facts, found in the corpus by title and text: one chunk each"


@dataclass(frozen=True)
class Dataset:
    """One public set.

    Parameters
    ----------
    name : str
        What `load_corpus` and `load_questions` take.
    task : str
        "single-hop", "multi-hop", "narrative" or "summary".
    repository : str
        Dataset of the Hugging Face hub; "" where the set is not there in its own format.
    corpus, questions : tuple of str
        Names that a local file may have; the first is the one on the hub. Sets without a corpus of their own name the
        questions' file twice: the corpus is what their rows carry.
    kind : str
        "passages" (one chunk each) or "documents" (split by `Index.build`).
    documents : int
        Size of the corpus on the hub, or where its source has it.
    n_questions : int or None
        None where there is no count.
    licence : str
        As its publishers state it.
    evidence : str
        How supporting facts map to chunks.
    source : str
        Where the set comes from, and where its files are had when not on the hub.
    hops : int or None
        The number of hops of every question, where the set implies it; None: counted a question.

    Notes
    -----
    Source: Ψ-RAG Appendix C.1, Table 9 (which sets, their sizes).

    Examples
    --------
    >>> next(each.documents for each in datasets() if each.name == "musique")
    11656
    """

    name: str
    task: str
    repository: str
    corpus: tuple[str, ...]
    questions: tuple[str, ...]
    kind: str
    documents: int
    n_questions: int | None
    licence: str
    evidence: str
    source: str
    hops: int | None = None

    def files(self, part: str) -> tuple[str, ...]:
        """Return the names that the file of a part, "corpus" or "questions", may have."""
        return self.corpus if part == "corpus" else self.questions


_QMSUM = ("qmsum.jsonl", "test.jsonl")
_WCEP = ("test.zip", "wcep.txt", "test.txt", "test.jsonl.gz", "test.jsonl")
_DATASETS = (
    Dataset(
        name="hotpotqa",
        task="multi-hop",
        repository=_HIPPORAG,
        corpus=("hotpotqa_corpus.json", "hotpot_dev_distractor_v1.json"),
        questions=("hotpotqa.json", "hotpot_dev_distractor_v1.json"),
        kind="passages",
        documents=9_811,
        n_questions=1_000,
        licence=f"CC BY-SA 4.0 ({_WIKIPEDIA})",
        evidence=_BY_TITLE,
        source="arXiv:1809.09600; sample of arXiv:2502.14802",
    ),
    Dataset(
        name="2wikimultihopqa",
        task="multi-hop",
        repository=_HIPPORAG,
        corpus=("2wikimultihopqa_corpus.json", "dev.json"),
        questions=("2wikimultihopqa.json", "dev.json"),
        kind="passages",
        documents=6_119,
        n_questions=1_000,
        licence=f"Apache-2.0 ({_WIKIPEDIA})",
        evidence=_BY_TITLE,
        source="arXiv:2011.01060; sample of arXiv:2502.14802",
    ),
    Dataset(
        name="musique",
        task="multi-hop",
        repository=_HIPPORAG,
        corpus=("musique_corpus.json", "musique_ans_v1.0_dev.jsonl"),
        questions=("musique.json", "musique_ans_v1.0_dev.jsonl"),
        kind="passages",
        documents=11_656,
        n_questions=1_000,
        licence=f"CC BY 4.0 ({_WIKIPEDIA})",
        evidence=_BY_PASSAGE,
        source="arXiv:2108.00573; sample of arXiv:2502.14802",
    ),
    Dataset(
        name="nq",
        task="single-hop",
        repository=_HIPPORAG,
        corpus=("nq_rear_corpus.json", "nq_corpus.json"),
        questions=("nq_rear.json", "nq.json"),
        kind="passages",
        documents=9_633,
        n_questions=1_000,
        licence=f"CC BY-SA 3.0 ({_WIKIPEDIA})",
        evidence=_BY_PASSAGE,
        source="doi:10.1162/tacl_a_00276; sample of arXiv:2502.14802",
        hops=1,
    ),
    Dataset(
        name="popqa",
        task="single-hop",
        repository=_HIPPORAG,
        corpus=("popqa_corpus.json",),
        questions=("popqa.json",),
        kind="passages",
        documents=8_676,
        n_questions=1_000,
        licence=f"MIT ({_WIKIPEDIA})",
        evidence=_BY_PASSAGE,
        source="arXiv:2212.10511; sample of arXiv:2502.14802",
        hops=1,
    ),
    Dataset(
        name="multihop-rag",
        task="multi-hop",
        repository="yixuantt/MultiHopRAG",
        corpus=("corpus.json",),
        questions=("MultiHopRAG.json",),
        kind="documents",
        documents=609,
        n_questions=2_556,
        licence="ODC-By 1.0",
        evidence="articles named in evidence_list: every chunk of them; the facts stay in the metadata",
        source="arXiv:2401.15391; Ψ-RAG asks the first 1,000 questions",
    ),
    Dataset(
        name="narrativeqa",
        task="narrative",
        repository=_HIPPORAG,
        corpus=("narrativeqa_dev_10_doc_corpus.json", "narrativeqa_corpus.json", "documents.csv"),
        questions=("narrativeqa_dev_10_doc.json", "narrativeqa.json", "qaps.csv"),
        kind="documents",
        documents=10,
        n_questions=293,
        licence="Apache-2.0 (stories under their own terms)",
        evidence="the story that is asked about: every chunk of it",
        source="arXiv:1712.07040; 10 stories of arXiv:2502.14802",
    ),
    Dataset(
        name="qmsum",
        task="summary",
        repository="",
        corpus=_QMSUM,
        questions=_QMSUM,
        kind="documents",
        documents=35,
        n_questions=None,
        licence="for research only, as its authors ask",
        evidence="the meeting: every chunk of it; the turns of a specific query stay in the metadata",
        source="arXiv:2104.05938; https://github.com/Yale-LILY/QMSum holds data/ALL/jsonl/test.jsonl",
    ),
    Dataset(
        name="wcep",
        task="summary",
        repository="ccdv/WCEP-10",
        corpus=_WCEP,
        questions=_WCEP,
        kind="documents",
        documents=1_022,
        n_questions=1_022,
        licence="MIT (articles under their own terms)",
        evidence="the event, whose articles are one document: every chunk of it",
        source="arXiv:2005.10070; Ψ-RAG keeps the 119 events of more than 6,000 words",
    ),
)


def datasets() -> tuple[Dataset, ...]:
    """Return the public sets with their files, sizes, licences and evidence: a row each, as for a data frame.

    Notes
    -----
    Nothing is downloaded before a set is named in `load_corpus` or `load_questions`; `folder=` or the environment
    variable PSIRAG_DATA says where files lie that were fetched before.

    Source: Ψ-RAG §5.1 and Appendix C.1, Table 9.

    Examples
    --------
    >>> len(datasets()), datasets()[0].name, datasets()[0].licence[:12]
    (9, 'hotpotqa', 'CC BY-SA 4.0')
    """
    return _DATASETS
