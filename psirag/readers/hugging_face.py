"""A causal model of transformers on this machine: read in blocks, streamed, stopped between two tokens."""

from __future__ import annotations

import gc
import inspect
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from psirag.errors import PsiragError, PsiragWarning
from psirag.readers.chat import render_chat
from psirag.readers.text_model import Completion, Message, OnText
from psirag.readers.weights import Weights

CONTEXT = 4096  # tokens of prompt and reply together, Ψ-RAG App. C
TEMPERATURE = 0.0  # Ψ-RAG App. C
REPETITION_PENALTY = 1.3  # Ψ-RAG App. C; over what is generated: over the prompt it would forbid quoting passages
BLOCK = 256  # prompt tokens read between two looks at `on_text`


class HuggingFaceModel:
    """A local model as a `TextModel`; see there for the methods. What it has read is kept for the next prompt.

    Parameters
    ----------
    weights : Weights
        Model and tokenizer, as `load_weights` gives them.
    context : int
        Tokens of prompt and reply together; at most the model's own window.
    temperature : float
        0 is greedy, and two runs give the same text.
    repetition_penalty : float
        Divides the score of every token generated before.
    seed : int
        For a temperature above 0.
    batch_size : int

    Source: Ψ-RAG App. C (models and settings).
    """

    def __init__(
        self, weights: Weights, *, context: int = CONTEXT, temperature: float = TEMPERATURE,
        repetition_penalty: float = REPETITION_PENALTY, seed: int = 0, batch_size: int = 8,
    ) -> None:  # fmt: skip
        self._weights, self.name, self.batch_size = weights, weights.name, batch_size
        self.temperature, self.repetition_penalty, self.seed = temperature, repetition_penalty, seed
        window = getattr(weights.model.config.get_text_config(), "max_position_embeddings", None)
        self.context = min(context, window) if isinstance(window, int) else context
        added = weights.tokenizer.added_tokens_decoder.values()
        self.control = tuple({*weights.tokenizer.all_special_tokens, *(one.content for one in added if one.special)})
        settings = f"context {self.context} temperature {temperature} penalty {repetition_penalty} seed {seed}"
        self.identity = f"{weights.name}\n{weights.identity} {settings}"
        self._read_ids: list[int] = []
        self._cache: Any = None
        if not getattr(weights.tokenizer, "chat_template", None):
            warnings.warn(f"{self.name} has no chat template: prompts are plain text", PsiragWarning, stacklevel=3)

    @property
    def model(self) -> Any:
        """The model of transformers."""
        return self._weights.model

    @property
    def tokenizer(self) -> Any:
        """Its tokenizer."""
        return self._weights.tokenizer

    def unload(self) -> None:
        """Let go of the weights and of what was read; the next call loads them again."""
        self._cache, self._read_ids = None, []
        self._weights.unload()
        gc.collect()
        import torch

        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def count(self, messages: Sequence[Message], opening: str = "") -> int:
        """Count the prompt's tokens."""
        return len(self._ids(messages, opening)[1])

    def count_text(self, text: str) -> int:
        """Count a text's tokens."""
        return len(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def complete(
        self, messages: Sequence[Message], *, opening: str, limit: int, stop: Sequence[str], on_text: OnText
    ) -> Completion:
        """Generate at most `limit` tokens after `opening`, up to a stop string or until `on_text` returns True."""
        prompt, ids = self._ids(messages, opening)
        self._check_room(len(ids), limit)
        if not self._read(ids[:-1], on_text):
            return Completion("", 0, prompt)
        watch = _Watch(self.tokenizer, len(ids), stop, on_text)
        cache, self._cache = self._cache, None  # an exception on the way leaves no half-filled cache behind
        new = self._generate([ids], limit, watch=watch, cache=cache)[0]
        self._cache, self._read_ids = cache, [*ids, *new][:-1] if cache is not None else []
        return Completion(watch.text, len(new), prompt)

    def complete_many(
        self, conversations: Sequence[Sequence[Message]], *, limit: int, until: Callable[[str], bool]
    ) -> list[Completion]:
        """Generate for several conversations, `batch_size` of them in one batch."""
        done: list[Completion] = []
        for start in range(0, len(conversations), self.batch_size):
            prompts = [self._ids(messages, "") for messages in conversations[start : start + self.batch_size]]
            self._check_room(max(len(ids) for _, ids in prompts), limit)
            enough = _Enough(self.tokenizer, max(len(ids) for _, ids in prompts), until)
            replies = self._generate([ids for _, ids in prompts], limit, watch=enough)
            for (prompt, _), new in zip(prompts, replies, strict=True):
                done.append(Completion(_decoded(self.tokenizer, new), len(new), prompt))
        return done

    def log_probabilities(
        self, messages: Sequence[Message], *, opening: str, endings: Sequence[str], on_text: OnText
    ) -> list[float]:
        """Log-probability of each ending after `opening`, without penalty; nothing when `on_text` returned True."""
        import torch

        prompts = [self._ids(messages, opening + ending)[1] for ending in endings]
        shared = min(len(_common(prompts[0], ids)) for ids in prompts)
        shared = min(shared, *(len(ids) - 1 for ids in prompts))
        if not self._read(prompts[0][: shared - 1], on_text):
            return []
        sums = []
        for ids in prompts:
            tail = self._tensor([ids[len(self._read_ids) :]])
            cache, self._cache = self._cache, None
            with torch.inference_mode():
                out = self.model(input_ids=tail, use_cache=cache is not None, **_cached(self.model, cache))
            logits = out.logits[0].float()
            if cache is not None:
                cache.crop(-tail.shape[1])
            self._cache = cache
            rows = logits[-(len(ids) - shared) - 1 : -1].log_softmax(-1)
            sums.append(float(rows.gather(1, self._tensor([ids[shared:]]).T.to(rows.device)).sum()))
        return sums

    def _ids(self, messages: Sequence[Message], opening: str) -> tuple[str, list[int]]:
        """The prompt and its token ids."""
        prompt, templated = render_chat(self.tokenizer, messages, opening)
        encoded = self.tokenizer(prompt, add_special_tokens=not templated, verbose=False)
        return prompt, list(encoded["input_ids"])

    def _check_room(self, length: int, limit: int) -> None:
        """Raise when prompt and reply do not fit the context, before the model sees any of it."""
        if not 0 < length <= self.context - limit:
            asked = f"Prompt and reply must fit the context of {self.context} tokens"
            given = f"{length} tokens of prompt and {limit} of reply"
            raise PsiragError(asked, given, "Ask a shorter question, or load a reader with a larger context.")

    def _tensor(self, rows: list[list[int]]) -> Any:
        """Token ids where the model wants them."""
        import torch

        return torch.tensor(rows, dtype=torch.long, device=self.model.get_input_embeddings().weight.device)

    def _read(self, ids: list[int], on_text: OnText) -> bool:
        """Read a prompt into the cache, without what is there already; False when `on_text` returned True."""
        import torch

        if not self._can_crop():
            self._cache, self._read_ids = None, []
            return on_text("") is not True
        if self._cache is None:
            self._cache, self._read_ids = _empty_cache(self.model), []
        kept = len(_common(self._read_ids, ids))
        if kept < len(self._read_ids):
            self._cache.crop(kept - len(self._read_ids))
        for start in range(kept, len(ids), BLOCK):
            self._read_ids = ids[:start]
            if on_text("") is True:
                return False
            block, cache = self._tensor([ids[start : start + BLOCK]]), self._cache
            self._cache = None
            with torch.inference_mode():
                self.model.base_model(input_ids=block, use_cache=True, **_cached(self.model, cache))
            self._cache = cache
        self._read_ids = ids
        return on_text("") is not True

    def _can_crop(self) -> bool:
        """Whether the model keeps every token it read, so that the last ones can be taken back."""
        from transformers.cache_utils import DynamicLayer

        return all(type(layer) is DynamicLayer for layer in _empty_cache(self.model).layers)

    def _generate(self, prompts: list[list[int]], limit: int, *, watch: Any, cache: Any = None) -> list[list[int]]:
        """New token ids for prompts, which are padded on the left."""
        import torch
        from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList
        from transformers.generation.logits_process import RepetitionPenaltyLogitsProcessor

        ends = self.model.generation_config.eos_token_id
        ends = [
            end for end in (ends if isinstance(ends, list) else [ends, self.tokenizer.eos_token_id]) if end is not None
        ]
        pad, width = (ends or [0])[0], max(map(len, prompts))
        sampled = {"do_sample": True, "temperature": self.temperature} if self.temperature else {"do_sample": False}
        settings = GenerationConfig(  # type: ignore[no-untyped-call]
            max_new_tokens=limit, eos_token_id=ends or None, pad_token_id=pad,
            **{"temperature": 1.0, "top_p": 1.0, "top_k": 50, "repetition_penalty": 1.0, **sampled},
        )  # fmt: skip
        penalty = RepetitionPenaltyLogitsProcessor(self.repetition_penalty, prompt_ignore_length=width)
        with torch.inference_mode(), self._seeded():
            out = self.model.generate(
                self._tensor([[pad] * (width - len(ids)) + ids for ids in prompts]),
                attention_mask=self._tensor([[0] * (width - len(ids)) + [1] * len(ids) for ids in prompts]),
                generation_config=settings,
                logits_processor=LogitsProcessorList([penalty] if self.repetition_penalty != 1 else []),
                stopping_criteria=StoppingCriteriaList([watch]),
                **_cached(self.model, cache),
            )
        rows: list[list[int]] = out[:, width:].tolist()
        return [row[: next((i + 1 for i, token in enumerate(row) if token in ends), len(row))] for row in rows]

    @contextmanager
    def _seeded(self) -> Iterator[None]:
        """Draw from this reader's seed and leave the process's generators as they were."""
        import torch

        if not self.temperature:
            yield
            return
        with torch.random.fork_rng([self.model.device] if self.model.device.type == "cuda" else []):
            torch.manual_seed(self.seed)
            yield


class _Watch:
    """Called by `generate` after every token: passes the new text on, and says when to stop."""

    def __init__(self, tokenizer: Any, start: int, stop: Sequence[str], on_text: OnText) -> None:
        self.tokenizer, self.start, self.stop, self.on_text = tokenizer, start, stop, on_text
        self.text = ""

    def __call__(self, input_ids: Any, _scores: Any, **_: Any) -> Any:
        """True, as a tensor, when a stop string came or `on_text` returned True."""
        import torch

        text = _decoded(self.tokenizer, input_ids[0, self.start :])
        ends = [at for at in map(text.find, self.stop) if at >= 0]
        text = text[: min(ends)] if ends else text
        piece, self.text = text[len(self.text) :], text
        stopped = self.on_text(piece) is True
        return torch.full((input_ids.shape[0],), stopped or bool(ends), dtype=torch.bool, device=input_ids.device)


class _Enough:
    """Called by `generate` after every token of a batch: which rows are done."""

    def __init__(self, tokenizer: Any, start: int, until: Callable[[str], bool]) -> None:
        self.tokenizer, self.start, self.until = tokenizer, start, until

    def __call__(self, input_ids: Any, _scores: Any, **_: Any) -> Any:
        """True, as a tensor, for rows whose text is enough."""
        import torch

        done = [self.until(_decoded(self.tokenizer, row)) for row in input_ids[:, self.start :]]
        return torch.tensor(done, dtype=torch.bool, device=input_ids.device)


def _decoded(tokenizer: Any, new: Any) -> str:
    """New tokens as text, without half a character at the end that the next token would complete."""
    text: str = tokenizer.decode(new, skip_special_tokens=True)
    return text.rstrip("�")


def _empty_cache(model: Any) -> Any:
    """A cache of the layers that this model has."""
    from transformers import DynamicCache

    return DynamicCache(config=model.config)


def _cached(model: Any, cache: Any) -> dict[str, Any]:
    """The cache as keyword argument, under the name that this version of transformers gives it."""
    name = "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"
    return {} if cache is None else {name: cache}


def _common(first: list[int], second: list[int]) -> list[int]:
    """The beginning that two lists share."""
    pairs = zip(first, second, strict=False)
    return [a for a, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)]
