"""The path through transformers with a tiny model: against plain forward passes, streamed, stopped, in batches."""

from __future__ import annotations

import logging
import warnings

import pytest

from psirag.errors import PsiragError, PsiragWarning
from psirag.readers import AgentState, HuggingFaceModel, ModelReader
from psirag.readers.hugging_face import BLOCK
from tests.tiny_model import CHATML, CONTROL, tiny_llama, tiny_tokenizer, tiny_weights

ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which planet is nearest to the Sun?"}]
LONG = [{"role": "user", "content": "Bees dance. " * 100}]


def made(**settings):
    return HuggingFaceModel(tiny_weights(), **settings)


def said(model, messages=ASKED, *, opening="Thought:", limit=24, stop=(), on_text=lambda _: None):
    return model.complete(messages, opening=opening, limit=limit, stop=stop, on_text=on_text)


def never(_text):
    return False


def naive_greedy(model, ids, limit, penalty=1.0):
    """One full forward pass a token, the penalty over new tokens by hand."""
    import torch

    new = []
    for _ in range(limit):
        logits = model.model(input_ids=torch.tensor([ids + new])).logits[0, -1].float()
        for token in set(new):
            logits[token] = logits[token] / penalty if logits[token] > 0 else logits[token] * penalty
        new.append(int(logits.argmax()))
        if new[-1] == model.tokenizer.eos_token_id:
            break
    return new


@pytest.mark.oracle
@pytest.mark.parametrize("penalty", [1.0, 1.3])
@pytest.mark.parametrize("messages", [ASKED, LONG])
def test_greedy_text_is_the_naive_loop_s(penalty, messages):
    model = made(repetition_penalty=penalty)
    prompt, ids = model._ids(messages, "Thought:")
    expected = naive_greedy(model, ids, 24, penalty)
    for _ in range(2):  # the second time with the prompt in the cache
        done = said(model, messages)
        assert done.text == model.tokenizer.decode(expected, skip_special_tokens=True).rstrip("�")
        assert (done.prompt, done.tokens) == (prompt, len(expected))


@pytest.mark.oracle
def test_log_probabilities_are_those_of_plain_forward_passes():
    import torch

    model, endings = made(), ("\nAnswer:", "\nRetrieve:", "\nA")
    for messages in (ASKED, LONG, ASKED):
        got = model.log_probabilities(messages, opening="Thought: hm", endings=endings, on_text=lambda _: None)
        for ending, value in zip(endings, got, strict=True):
            ids = model._ids(messages, "Thought: hm" + ending)[1]
            rows = model.model(input_ids=torch.tensor([ids])).logits[0].detach().log_softmax(-1)
            new = range(len(ids) - len(ending) + 1, len(ids))  # the line end is the same for all
            assert value == pytest.approx(sum(float(rows[i - 1, ids[i]]) for i in new), abs=1e-4)


def test_only_new_tokens_are_the_reply():
    import torch

    mute = tiny_llama()
    model = HuggingFaceModel(tiny_weights(model=mute))
    with torch.no_grad():  # every state points the same way, and the end token lies there: the model says nothing
        mute.model.norm.weight.zero_()
        mute.lm_head.weight.zero_()
    mute.generation_config.eos_token_id = [0, model.tokenizer.eos_token_id]
    decision = ModelReader(model).decide(AgentState("Who?", (), (), 0, 0), may_retrieve=False)
    assert decision.tokens == 1
    assert (decision.action, decision.text, decision.raw.strip("!")) == ("unparsed", "", "")
    assert "Answer: Turku" in decision.prompt


def test_pieces_make_the_text_and_stop_ends_it_within_one_token():
    whole = said(made())
    pieces = []
    model = made()
    assert said(model, on_text=pieces.append).text == "".join(pieces) == whole.text
    for after in (1, 5):
        heard = []

        def stop(piece, heard=heard, after=after):
            heard.append(piece)
            return len([one for one in heard if one]) >= after

        done = said(model, on_text=stop)
        assert done.text == "".join(heard)
        assert whole.text.startswith(done.text)
        assert len([one for one in heard if one]) == after
    assert said(model).text == whole.text


def test_a_stop_while_the_prompt_is_read_comes_within_one_block():
    model, looks = made(), []
    length = model.count(LONG, "Thought:")
    done = said(model, LONG, on_text=lambda piece: looks.append(piece) or len(looks) == 3)
    assert (done.text, done.tokens) == ("", 0)
    assert looks == ["", "", ""]
    assert len(model._read_ids) == 2 * BLOCK < length
    fresh = made()
    assert said(model, LONG).text == said(fresh, LONG).text


def test_what_was_read_is_not_read_again(monkeypatch):
    model = made()
    said(model, LONG)
    read = []
    forward = model.model.model.forward
    monkeypatch.setattr(
        model.model.model, "forward", lambda *a, **k: read.append(k["input_ids"].shape[1]) or forward(*a, **k)
    )
    said(model, LONG, limit=1)
    said(model, [*LONG, {"role": "assistant", "content": "Yes."}], limit=1)
    assert sum(read) < BLOCK


def test_an_exception_mid_stream_leaves_a_model_that_still_works():
    model, whole = made(), said(made()).text

    def broken(piece):
        if piece:
            raise RuntimeError("the panel broke")

    with pytest.raises(RuntimeError, match="the panel broke"):
        said(model, on_text=broken)
    assert said(model).text == whole


def test_stop_strings_end_the_text_before_them():
    whole = said(made()).text
    at = 6
    done = said(made(), stop=("never there", whole[at : at + 3]))
    assert done.text == whole[: whole.find(whole[at : at + 3])]


def test_greedy_is_silent_and_the_same_twice_whatever_the_model_s_own_settings(caplog, monkeypatch):
    import torch

    loud = tiny_llama(do_sample=True, temperature=0.6, top_p=0.9, top_k=20, repetition_penalty=1.1)
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)  # so that caplog hears it
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        texts = {said(HuggingFaceModel(tiny_weights(model=loud), temperature=0)).text for _ in range(2)}
    assert texts == {said(made()).text}
    assert not caplog.records
    logging.getLogger("transformers.generation").warning("heard")
    assert {record.getMessage() for record in caplog.records} == {"heard"}
    with pytest.raises(ValueError, match="temperature"):  # what temperature 0 does when it is passed on
        loud.generate(input_ids=torch.tensor([[1, 2]]), do_sample=True, temperature=0.0, max_new_tokens=1)


def test_a_temperature_draws_from_the_seed_and_leaves_the_process_s_own():
    import torch

    models = [made(temperature=2.0, seed=seed) for seed in (1, 1, 2)]
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    texts = [said(model).text for model in models]
    assert texts[0] == texts[1] != texts[2]
    assert torch.rand(1) == expected


def test_a_batch_says_what_each_says_alone():
    model = made(batch_size=2)
    several = [ASKED, LONG, [{"role": "user", "content": "?"}]]
    together = model.complete_many(several, limit=16, until=never)
    assert [done.text for done in together] == [said(made(), m, opening="", limit=16).text for m in several]
    assert [done.prompt for done in together] == [model._ids(m, "")[0] for m in several]
    assert model.complete_many([], limit=16, until=never) == []


def test_each_of_a_batch_ends_where_its_text_is_enough():
    model = made()
    whole = [done.text for done in model.complete_many([ASKED, LONG], limit=16, until=never)]
    mark = whole[1][4]
    done = model.complete_many([ASKED, LONG], limit=16, until=lambda text: mark in text)
    for text, one in zip(whole, done, strict=True):
        assert one.text.startswith(text[: text.find(mark) + 1] if mark in text else text)
    assert done[1].text == whole[1][: whole[1].find(mark) + 1]


def test_prompt_and_reply_never_exceed_the_window():
    model = HuggingFaceModel(tiny_weights(model=tiny_llama(window=300)), context=4096)
    assert model.context == 300
    with pytest.raises(PsiragError, match=r"must fit the context of 300 tokens, but got \d+ tokens of prompt"):
        said(model, LONG)
    room = 300 - model.count(ASKED, "Thought:")
    assert said(model, limit=room).tokens <= room
    with pytest.raises(PsiragError, match="must fit the context"):
        said(model, limit=room + 1)
    with pytest.raises(PsiragError, match="must fit the context"):
        model.complete_many([ASKED, LONG], limit=16, until=never)


def test_no_template_is_one_notice_and_plain_text():
    with pytest.warns(PsiragWarning, match="tiny has no chat template: prompts are plain text"):
        model = HuggingFaceModel(tiny_weights(None))
    assert said(model).prompt.endswith("User: Which planet is nearest to the Sun?\n\nAssistant: Thought:")


def test_control_tokens_and_identity():
    model = made()
    assert set(CONTROL) <= set(model.control)
    assert model.identity == made().identity
    changed = [made(seed=1), made(context=512), made(repetition_penalty=1.0), made(temperature=0.5)]
    assert len({one.identity for one in [model, *changed]}) == 5
    assert model.count_text("Bees") == 4


def test_a_model_whose_cache_cannot_be_cut_is_read_afresh_each_time():
    import torch
    from transformers import MistralConfig, MistralForCausalLM

    torch.manual_seed(0)
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = MistralConfig(
        vocab_size=264, sliding_window=16, num_key_value_heads=2, bos_token_id=None, eos_token_id=None, **shape
    )
    sliding = HuggingFaceModel(tiny_weights(model=MistralForCausalLM(config).eval()), repetition_penalty=1.0)
    expected = naive_greedy(sliding, sliding._ids(ASKED, "Thought:")[1], 12)
    for _ in range(2):
        text = said(sliding, limit=12).text
        assert text == sliding.tokenizer.decode(expected, skip_special_tokens=True).rstrip("�")
    logs = sliding.log_probabilities(
        ASKED, opening="Thought:", endings=("\nAnswer:", "\nRetrieve:"), on_text=lambda _: None
    )
    ids = sliding._ids(ASKED, "Thought:\nAnswer:")[1]
    rows = sliding.model(input_ids=torch.tensor([ids])).logits[0].detach().log_softmax(-1)
    assert logs[0] == pytest.approx(sum(float(rows[i - 1, ids[i]]) for i in range(len(ids) - 7, len(ids))), abs=1e-4)
    assert said(sliding, on_text=lambda _: True).tokens == 0
    assert sliding.log_probabilities(ASKED, opening="", endings=("a", "b"), on_text=lambda _: True) == []


def test_the_tiny_tokenizer_is_what_the_tests_think():
    assert tiny_tokenizer()("<|im_start|>é")["input_ids"].__len__() == 3
    assert CHATML in tiny_tokenizer().chat_template
