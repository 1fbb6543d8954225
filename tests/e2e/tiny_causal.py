"""Write a tiny causal language model with random weights; its answers are random words.

Programs that train tiny models use the tokenizer, too.
"""

from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

WORDS = ["Paris", "London", "Marie", "Curie", "nitrogen", "piano", "It", "is", "the", "of", "no", "Question", "Answer"]
SPECIALS = ["<unk>", "</s>"]


def word_tokenizer(vocabulary: list[str], **options) -> PreTrainedTokenizerFast:
    """Return a tokenizer with one token for each word."""
    words = Tokenizer(models.WordLevel({word: n for n, word in enumerate(vocabulary)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>", eos_token="</s>", **options)


def write_tiny_causal(folder: Path) -> Path:
    torch.manual_seed(1)
    vocabulary = [*SPECIALS, *WORDS]
    tokenizer = word_tokenizer(vocabulary, pad_token="</s>", model_max_length=128)
    size = {"vocab_size": len(vocabulary), "n_positions": 128, "n_embd": 32, "n_layer": 2, "n_head": 2}
    model = GPT2LMHeadModel(GPT2Config(**size, initializer_range=0.5, bos_token_id=1, eos_token_id=1))
    model.generation_config.suppress_tokens = [0, 1]  # else it would stop immediately
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
