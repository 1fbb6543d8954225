"""Save tiny sequence-classification checkpoints with random weights."""

from pathlib import Path

import torch
from tiny_checkpoints import ROBERTA, word_pieces
from tokenizers import processors
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
)

# fmt: off
WORDS = [
    "who", "what", "is", "the", "of", "it", "was", "question", "answer", "capital", "france", "paris", "lyon", "curie",
    "marie", "one", "two", "three",
]
# fmt: on
PIECES = [
    "##s",
    "##n",
    *"abcdefghijklmnopqrstuvwxyz0123456789.,?:[]",
    *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz"),
]
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def bert(folder: Path, labels: list[str], *, limit: int = 64, seed: int = 0) -> Path:
    """Save a BERT of two layers with these classes; return its folder."""
    tokens = [*SPECIALS, *WORDS, *PIECES]
    tokenizer = word_pieces(tokens, "[UNK]")
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    config = BertConfig(vocab_size=len(tokens), max_position_embeddings=limit, **_small(labels))
    names = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]"}
    names["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    return _saved(folder, BertForSequenceClassification, config, tokenizer, names, limit, seed)


def roberta(folder: Path, labels: list[str], *, limit: int = 64, seed: int = 0) -> Path:
    """Save a RoBERTa of two layers: no token types, two separators between the sides, other special tokens."""
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *WORDS, *PIECES]
    tokenizer = word_pieces(tokens, "<unk>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    config = RobertaConfig(vocab_size=len(tokens), max_position_embeddings=limit + 2, **_small(labels), **ROBERTA)
    names = {"unk_token": "<unk>", "sep_token": "</s>", "pad_token": "<pad>", "cls_token": "<s>"}
    return _saved(folder, RobertaForSequenceClassification, config, tokenizer, names, limit, seed)


def _small(labels: list[str]) -> dict:
    """Return the sizes and classes of both architectures."""
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    classes = {"id2label": dict(enumerate(labels)), "label2id": {label: n for n, label in enumerate(labels)}}
    return size | classes | {"initializer_range": 0.5}


def _saved(folder, kind, config, tokenizer, names, limit, seed) -> Path:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        kind(config).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=limit, **names).save_pretrained(folder)
    return Path(folder)
