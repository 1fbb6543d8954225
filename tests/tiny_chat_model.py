"""Trains a chat model of two layers that memorizes a few replies."""

from collections.abc import Mapping, Sequence
from pathlib import Path

Messages = Sequence[Mapping[str, str]]

_SPECIAL = ["<pad>", "<unk>", "<end>", "<system>", "<user>", "<assistant>"]
TEMPLATE = """\
{%- for message in messages %}<{{ message.role }}> {{ message.content }} <end> {% endfor -%}
{%- if add_generation_prompt %}<assistant>{% endif -%}"""


def train_chat_model(replies: Sequence[tuple[Messages, str]], template: str = TEMPLATE):
    """Return a Llama that has memorized a reply per conversation, and its tokenizer, which splits at white space."""
    import torch

    torch.manual_seed(0)
    prompts = [f"{_literal(messages)}<assistant>" for messages, _ in replies]
    tokenizer = _tokenizer([*prompts, *(reply for _, reply in replies)], template)
    model = _model(tokenizer)
    _learn(model, tokenizer, zip(prompts, (reply for _, reply in replies), strict=True))
    return model, tokenizer


def save_chat_model(folder: Path, replies: Sequence[tuple[Messages, str]]) -> Path:
    for part in train_chat_model(replies):
        part.save_pretrained(folder)
    return folder


def _literal(messages):
    """Return the messages as the template formats them."""
    return "".join(f"<{message['role']}> {message['content']} <end> " for message in messages)


def _tokenizer(texts, template):
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {word for text in texts for word in text.split()} - {*_SPECIAL}
    inner = Tokenizer(
        models.WordLevel({word: n for n, word in enumerate([*_SPECIAL, *sorted(words)])}, unk_token="<unk>")
    )
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="<unk>", eos_token="<end>", chat_template=template)


def _model(tokenizer):
    from transformers import LlamaConfig, LlamaForCausalLM

    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    tokens = {"vocab_size": len(tokenizer), "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id}
    return LlamaForCausalLM(LlamaConfig(**size, **tokens, max_position_embeddings=1024))


def _learn(model, tokenizer, pairs):
    import torch
    from torch.nn.utils.rnn import pad_sequence

    inputs, targets = [], []
    for prompt, reply in pairs:
        before, ids = tokenizer(prompt)["input_ids"], tokenizer(f"{reply} <end>")["input_ids"]
        inputs.append(torch.tensor(before + ids))
        targets.append(torch.tensor([-100] * len(before) + ids))
    batch = pad_sequence(inputs, batch_first=True)
    labels = pad_sequence(targets, batch_first=True, padding_value=-100)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(300):
        loss = model(input_ids=batch, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.01:
            return
    raise AssertionError(f"the tiny model did not learn: {loss.item()}")
