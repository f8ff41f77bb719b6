"""Readers: who decides, from the question and the evidence, whether to answer or to retrieve again."""

from __future__ import annotations

from psirag.readers.endpoint import EndpointModel
from psirag.readers.hugging_face import HuggingFaceModel
from psirag.readers.loading import load_reader
from psirag.readers.model_reader import ModelReader
from psirag.readers.names import READERS
from psirag.readers.protocol import NOT_MENTIONED, AgentState, Decision, Evidence, Reader, StreamingReader
from psirag.readers.rules import RulesReader
from psirag.readers.text_model import Completion, Message, TextModel
from psirag.readers.weights import Weights

__all__ = [
    "NOT_MENTIONED",
    "READERS",
    "AgentState",
    "Completion",
    "Decision",
    "EndpointModel",
    "Evidence",
    "HuggingFaceModel",
    "Message",
    "ModelReader",
    "Reader",
    "RulesReader",
    "StreamingReader",
    "TextModel",
    "Weights",
    "load_reader",
]
