"""Messages to a prompt, through templates that refuse what others want."""

from __future__ import annotations

import pytest

from psirag.readers.chat import render_chat
from tests.tiny_model import ALTERNATING, CHATML, DROPS_SYSTEM, NO_SYSTEM, ONE_USER, tiny_tokenizer

MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "One?"},
    {"role": "assistant", "content": "Yes."},
    {"role": "user", "content": "Two?"},
]
TURN = "<|im_start|>{}\n{}<|im_end|>\n"


def chatml(*turns, opening=""):
    return "".join(TURN.format(*turn) for turn in turns) + "<|im_start|>assistant\n" + opening


PLAIN = "Be brief.\n\nUser: One?\n\nAssistant: Yes.\n\nUser: Two?"
FOLDED = (("user", "Be brief.\n\nOne?"), ("assistant", "Yes."), ("user", "Two?"))


@pytest.mark.parametrize(
    ("template", "turns"),
    [
        (CHATML, [("system", "Be brief."), ("user", "One?"), ("assistant", "Yes."), ("user", "Two?")]),
        (NO_SYSTEM, FOLDED),
        (DROPS_SYSTEM, FOLDED),
        (ALTERNATING, FOLDED),
        (ONE_USER, [("user", "User: Be brief.\n\nUser: One?\n\nAssistant: Yes.\n\nUser: Two?")]),
    ],
)
def test_every_template_gets_every_word(template, turns):
    prompt, templated = render_chat(tiny_tokenizer(template), MESSAGES, "Thought:")
    assert prompt == chatml(*turns, opening="Thought:")
    assert templated


@pytest.mark.parametrize("template", [None, "{{ raise_exception('never') }}", "{{ 1 + 'a' }}", "nothing of it"])
def test_without_a_usable_template_the_prompt_is_plain_text(template):
    assert render_chat(tiny_tokenizer(template), MESSAGES, "Thought:") == (f"{PLAIN}\n\nAssistant: Thought:", False)
    assert render_chat(tiny_tokenizer(template), MESSAGES) == (f"{PLAIN}\n\nAssistant:", False)


def test_turns_of_one_role_in_a_row_are_joined():
    two = [{"role": "user", "content": "One."}, {"role": "user", "content": "Two."}]
    assert render_chat(tiny_tokenizer(ALTERNATING), two)[0] == chatml(("user", "One.\n\nTwo."))


def test_a_text_is_data_to_the_template():
    text = "{{ 7 * 6 }} {% raw %} {0} {name} %s"
    assert text in render_chat(tiny_tokenizer(), [{"role": "user", "content": text}])[0]
