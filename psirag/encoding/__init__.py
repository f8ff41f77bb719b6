"""Texts to unit vectors: `load_encoder`, `as_encoder`, and what an `Encoder` is."""

from __future__ import annotations

from psirag.encoding.names import ENCODER_NAMES
from psirag.encoding.protocol import Encoder
from psirag.encoding.sentence_encoder import SentenceEncoder, load_encoder
from psirag.encoding.wrapping import WrappedEncoder, as_encoder

__all__ = ["ENCODER_NAMES", "Encoder", "SentenceEncoder", "WrappedEncoder", "as_encoder", "load_encoder"]
