"""A causal model of a few thousand numbers and a byte tokenizer, made here and not downloaded."""

from __future__ import annotations

from pathlib import Path

from psirag.readers import Weights

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
# As Gemma's, which knows no system turn, and Mistral's, which wants user and assistant by turns.
NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + CHATML
ALTERNATING = (
    "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('user and assistant by turns') }}{% endif %}{% endfor %}" + CHATML
)
ONE_USER = "{% if messages|length > 1 %}{{ raise_exception('one turn') }}{% endif %}" + CHATML
DROPS_SYSTEM = CHATML.replace("{{ '<|im", "{% if message['role'] != 'system' %}{{ '<|im", 1).replace(
    "{% endfor %}", "{% endif %}{% endfor %}", 1
)
CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<file_sep>", "ENDOFTURN")


def tiny_tokenizer(template: str | None = CHATML):
    """One token a byte, and five control tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.add_special_tokens(
        {"additional_special_tokens": [t for t in CONTROL if t not in ("<|im_end|>", "<|endoftext|>")]}
    )
    made.chat_template = template
    return made


def tiny_llama(window: int = 8192, seed: int = 0, **settings):
    """Random weights, two layers of width 32."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    torch.manual_seed(seed)
    config = LlamaConfig(vocab_size=264, max_position_embeddings=window, eos_token_id=None, bos_token_id=None, **shape)
    model = LlamaForCausalLM(config).eval()
    model.generation_config.update(**settings)
    return model


def tiny_weights(template: str | None = CHATML, *, model=None) -> Weights:
    """Model and tokenizer as a reader takes them."""
    return Weights("tiny", tiny_llama() if model is None else model, tiny_tokenizer(template))


def tiny_folder(folder: Path, template: str | None = CHATML) -> Path:
    """The same, saved as transformers does."""
    tiny_llama().save_pretrained(folder)
    tiny_tokenizer(template).save_pretrained(folder)
    return folder
