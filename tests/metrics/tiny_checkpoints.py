"""Save tiny sentence-transformers checkpoints with random weights."""

from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, StaticEmbedding, Transformer
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, RobertaConfig, RobertaModel

WORDS = ["the", "of", "was", "it", "who", "marie", "pierre", "curie", "paris", "radium", "discovered", "in", "is"]
PIECES = ["##s", "##ly", *(f"##{letter}" for letter in "aeioursnt"), *"abcdefghijklmnopqrstuvwxyz0123456789.,?"]
WIDTH = 32
ROBERTA = {"type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
SIZE = {"hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 2 * WIDTH}


def word_pieces(vocabulary, unknown) -> Tokenizer:
    """Return BERT's tokenizer with this vocabulary."""
    tokenizer = Tokenizer(models.WordPiece({word: n for n, word in enumerate(vocabulary)}, unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def bert(folder, *, pooling="mean", normalize=True, dense=0, prompts=None, default=None, limit=64, seed=0) -> Path:
    """Save a BERT of two layers; `dense` is the output width of a Dense module, if any; return its folder."""
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *PIECES]
    tokenizer = word_pieces(vocabulary, "[UNK]")
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]"}
    config = BertConfig(vocab_size=len(vocabulary), **SIZE, max_position_embeddings=limit)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        modules = [*_transformer(folder, BertModel(config), tokenizer, names, limit), Pooling(WIDTH, pooling)]
        modules += [Dense(WIDTH, dense)] if dense else []
    return _saved(folder, modules + [Normalize()] * normalize, prompts=prompts, default_prompt_name=default)


def roberta(folder, *, limit=64) -> Path:
    """Save a RoBERTa of two layers; its byte-level tokenizer cuts a word differently after a space."""
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    letters = pre_tokenizers.ByteLevel.alphabet()
    merges = [("Ġ", "p"), ("a", "r"), ("i", "s"), ("Ġp", "ar"), ("Ġpar", "is"), ("p", "ar"), ("par", "is")]
    vocabulary = [*specials, *sorted(letters), *("".join(pair) for pair in merges)]
    tokenizer = Tokenizer(models.BPE({word: n for n, word in enumerate(vocabulary)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    names = {"unk_token": "<unk>", "sep_token": "</s>", "pad_token": "<pad>", "cls_token": "<s>"}
    config = RobertaConfig(vocab_size=len(vocabulary), **SIZE, max_position_embeddings=limit + 2, **ROBERTA)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        modules = _transformer(folder, RobertaModel(config), tokenizer, names, limit)
    return _saved(folder, [*modules, Pooling(WIDTH, "mean")])


def static(folder) -> Path:
    """Save static embeddings: a table of word vectors and a bare tokenizer."""
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(["[UNK]", *WORDS])}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    with torch.random.fork_rng():
        torch.manual_seed(2)
        modules = [StaticEmbedding(tokenizer, embedding_dim=WIDTH)]
    return _saved(folder, modules)


def in_hub_cache(cache: Path, name: str, revisions: dict[str, Path], main: str) -> None:
    """Move folders into a local Hub cache: one snapshot per revision, and the target of `main`."""
    repository = cache / f"models--{name.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(main)
    (repository / "snapshots").mkdir()
    for revision, folder in revisions.items():
        folder.rename(repository / "snapshots" / revision)


def _transformer(folder, network, tokenizer, names, limit) -> list[Transformer]:
    bare = Path(folder).with_name(f"{Path(folder).name}-transformer")
    network.save_pretrained(bare)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=limit, **names).save_pretrained(bare)
    return [Transformer(str(bare), max_seq_length=limit)]


def _saved(folder, modules, **settings) -> Path:
    SentenceTransformer(modules=modules, device="cpu", **settings).save_pretrained(str(folder), create_model_card=False)
    return Path(folder)
