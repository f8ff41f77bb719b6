"""From text to chunks: corpora, questions, sentences, tokens."""

from psirag.corpus.chunks import Chunk, Chunks
from psirag.corpus.documents import Corpus, Document, Question
from psirag.corpus.loading import load_corpus, load_questions
from psirag.corpus.public_sets import Dataset, datasets
from psirag.corpus.sentences import split_into_sentences
from psirag.corpus.splitting import passages_as_chunks, split_into_chunks
from psirag.corpus.tokens import count_tokens

__all__ = [
    "Chunk",
    "Chunks",
    "Corpus",
    "Dataset",
    "Document",
    "Question",
    "count_tokens",
    "datasets",
    "load_corpus",
    "load_questions",
    "passages_as_chunks",
    "split_into_chunks",
    "split_into_sentences",
]
