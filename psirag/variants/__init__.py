"""Variants: other tree methods of the field on the same chunks, encoder and budget."""

from __future__ import annotations
