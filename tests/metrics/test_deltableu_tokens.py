"""Tokens are those of sacrebleu; errors name what a tokenizer needs."""

import socket
from unittest.mock import Mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from evaluate_qa.metrics.deltableu.tokens import load_tokenizer

# What the rules of 13a look for, and what Python counts as white space.
DELICATE = [
    *"ab19.,-&;<>'\"()!?$ \t\n\r\x1c\x85\xa0\u2028\u3000湿疹。，…éＡ１０—\u2000",
    *("&quot;", "&amp;", "&lt;", "&gt;", "<skipped>", "-\n", "..", ",.", "1.", ".1", ". "),
]
TEXTS = st.lists(st.sampled_from(DELICATE) | st.characters(codec="utf-8"), max_size=12).map("".join)


def sacrebleu_tokens(name, text):
    return BLEU(tokenize=name)._preprocess_segment(text).split()


@pytest.mark.parametrize("name", ["13a", "zh"])
@given(text=TEXTS)
@example(text="well-\nknown 3.5-\n4")
@example(text=".5 mg")
@example(text="5. 5,")
@example(text="&amp;lt;skipped&gt;")
def test_tokens_equal_those_of_sacrebleu(name, text):
    assert load_tokenizer(name).split(text) == sacrebleu_tokens(name, text)


@pytest.mark.parametrize(
    ("tokenize", "lang", "cure"),
    [("ja-mecab", "", "ja"), (None, "ja", "ja"), ("ko-mecab", "", "ko"), (None, "ko", "ko")],
)
def test_missing_package_is_named(tokenize, lang, cure):
    package = {"ja": "ipadic", "ko": "mecab_ko"}[cure]
    try:
        __import__(package)
    except ImportError:
        with pytest.raises(ImportError, match=rf"needs a package that is missing; pip install 'sacrebleu\[{cure}\]'"):
            load_tokenizer(tokenize, lang)
    else:
        assert load_tokenizer(tokenize, lang).signature.startswith(f"{cure}-mecab")


@pytest.mark.parametrize("content", [None, b"damaged"])
def test_missing_model_is_named_with_its_path(tmp_path, monkeypatch, content):
    pytest.importorskip("sentencepiece")
    monkeypatch.setattr(socket, "create_connection", Mock(side_effect=OSError("no network")))
    for module in ("sacrebleu.tokenizers.tokenizer_spm", "evaluate_qa.metrics.deltableu.tokens"):
        monkeypatch.setattr(f"{module}.SACREBLEU_DIR", str(tmp_path))
    model = tmp_path / "models/flores200sacrebleuspm"
    if content is not None:
        model.parent.mkdir()
        model.write_bytes(content)
    with pytest.raises(OSError, match="environment variable SACREBLEU") as raised:
        load_tokenizer("flores200")
    assert str(model) in str(raised.value)
    assert "https://tinyurl.com/flores200sacrebleuspm" in str(raised.value)


def test_missing_sentencepiece_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sentencepiece", None)
    with pytest.raises(ImportError, match="tokenizer flores200 needs a package that is missing; pip install sentencep"):
        load_tokenizer("flores200")


def test_downloaded_model_is_used(tmp_path, monkeypatch):
    """A tiny sentencepiece model replaces the model of 200 languages."""
    sentencepiece = pytest.importorskip("sentencepiece")
    (tmp_path / "models").mkdir()
    lines = ["eczema of the hand", "tinea of the foot", "psoriasis of the scalp", "the rash is dry"] * 5
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_prefix=str(tmp_path / "tiny"),
        vocab_size=40,
        hard_vocab_limit=False,
        minloglevel=3,
    )
    (tmp_path / "tiny.model").rename(tmp_path / "models/flores200sacrebleuspm")
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.SACREBLEU_DIR", str(tmp_path))
    load_tokenizer.cache_clear()
    tokenizer = load_tokenizer("flores200")
    load_tokenizer.cache_clear()
    assert tokenizer.signature == "flores200"
    assert "".join(tokenizer.split("the hand")).replace("▁", " ").strip() == "the hand"
