"""A `TextModel` that says what the test wrote down, word by word, and counts words as tokens."""

from __future__ import annotations

import re

from psirag.readers import Completion


class ScriptedModel:
    """Each call of `complete` plays the next reply, the last one again and again; an exception is raised mid-stream."""

    name, batch_size, control = "scripted", 2, ("<file_sep>",)

    def __init__(self, *replies, context=4096, logs=((0.0, -1.0),)):
        self.replies, self.context, self.logs = list(replies), context, list(logs)
        self.identity = f"scripted\n{replies}"
        self.prompts, self.openings, self.limits, self.batches, self.weighed = [], [], [], [], []
        self.loaded = True

    def count(self, messages, opening=""):
        return sum(len(message["content"].split()) for message in messages) + len(opening.split())

    def count_text(self, text):
        return len(text.split())

    def complete(self, messages, *, opening, limit, stop, on_text):
        assert self.count(messages, opening) + limit <= self.context
        self.prompts.append(messages)
        self.openings.append(opening)
        self.limits.append(limit)
        if on_text("") is True:
            return Completion("", 0, messages[-1]["content"])
        reply = self.replies[min(len(self.prompts), len(self.replies)) - 1]
        text, pieces = "", re.findall(r"\s*\S+|\s+", reply if isinstance(reply, str) else reply[0])
        for count, piece in enumerate(pieces, start=1):
            text += piece
            cut = [text.find(one) for one in stop if one in text]
            if cut:
                return Completion(text[: min(cut)], count, messages[-1]["content"])
            if on_text(piece) is True or count == limit:
                return Completion(text, count, messages[-1]["content"])
        if not isinstance(reply, str):
            raise reply[1]
        return Completion(text, len(pieces), messages[-1]["content"])

    def complete_many(self, conversations, *, limit, until):
        assert all(self.count(messages) + limit <= self.context for messages in conversations)
        self.batches.append(conversations)
        return [Completion(self.replies[0], 1, "") for _ in conversations]

    def log_probabilities(self, messages, *, opening, endings, on_text):
        self.weighed.append((opening, tuple(endings)))
        if on_text("") is True:
            return []
        return list(self.logs[min(len(self.weighed), len(self.logs)) - 1])

    def unload(self):
        self.loaded = False
