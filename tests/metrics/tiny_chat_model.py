"""A chat model of two layers that has learnt a few replies by heart. It is no test itself."""

from collections.abc import Mapping
from pathlib import Path

from evaluate_qa.metrics.evqascore.keyword_prompt import conversation

_SPECIAL = ["<pad>", "<unk>", "<end>", "<user>", "<assistant>"]
_TEMPLATE = """\
{%- for message in messages %}<{{ message.role }}> {{ message.content }} <end> {% endfor -%}
{%- if add_generation_prompt %}<assistant>{% endif -%}"""


def save_chat_model(folder: Path, replies: Mapping[str, str]) -> Path:
    """Save a Llama that replies to the prompt for each text; words are what white space separates."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(0)
    split = pre_tokenizers.WhitespaceSplit()
    prompts = {text: f"<user> {conversation(text)[0]['content']} <end> <assistant>" for text in replies}
    words = {
        word for pair in zip(prompts.values(), replies.values(), strict=True) for text in pair for word in text.split()
    }
    vocabulary = {word: number for number, word in enumerate([*_SPECIAL, *sorted(words - {*_SPECIAL})])}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = split
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, unk_token="<unk>", eos_token="<end>", chat_template=_TEMPLATE
    )
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=1024,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    model = LlamaForCausalLM(config)
    _learn(model, tokenizer, {prompts[text]: reply for text, reply in replies.items()})
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _learn(model, tokenizer, replies):
    import torch
    from torch.nn.utils.rnn import pad_sequence

    inputs, targets = [], []
    for prompt, reply in replies.items():
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
