"""Chat models: a checkpoint runs no code of its own, one that is not whole is told, and keys are masked."""

import html
import json
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tiny_chat_model import save_chat_model

from evaluate_qa.metrics._shared.chat_models import LocalModel
from evaluate_qa.metrics._shared.endpoint import masked

QUESTION = [{"role": "user", "content": "What is red ?"}]

# What a checkpoint may bring along; to be imported is enough.
CODE = """
from pathlib import Path
Path(__file__).with_name("it_ran").touch()
Path({marker!r}).touch()
from transformers import LlamaConfig as Config, LlamaForCausalLM as Model, PreTrainedTokenizerFast as Words
"""


@pytest.fixture(scope="module")
def chat_model(tmp_path_factory):
    return save_chat_model(tmp_path_factory.mktemp("chat"), [(QUESTION, "a ball")])


@pytest.fixture
def folder(chat_model, tmp_path):
    return shutil.copytree(chat_model, tmp_path / "model")


def answer(folder):
    found = {}
    LocalModel(str(folder), device="cpu", max_tokens=5).answer([QUESTION], found.__setitem__)
    return found[0]


def update(file: Path, **values):
    file.write_text(json.dumps(json.loads(file.read_text()) | values))


def test_a_whole_checkpoint_answers(folder):
    assert answer(folder) == "a ball"


@pytest.mark.parametrize("part", ["model", "tokenizer"])
def test_no_code_of_a_checkpoint_runs_and_nobody_is_asked(folder, tmp_path, monkeypatch, part):
    """Whoever answers "y", as `yes |` does, is not asked either."""
    asked, marker = [], tmp_path / "it_ran"
    monkeypatch.setattr("builtins.input", lambda question="": asked.append(question) or "y")
    (folder / "code.py").write_text(CODE.format(marker=str(marker)))
    if part == "model":
        names = {"AutoConfig": "code.Config", "AutoModelForCausalLM": "code.Model"}
        update(folder / "config.json", model_type="of_its_own", auto_map=names)
    else:
        update(
            folder / "tokenizer_config.json",
            tokenizer_class="OfItsOwn",
            auto_map={"AutoTokenizer": [None, "code.Words"]},
        )
    with pytest.raises(ValueError, match=r"^cannot load the chat model") as caught:
        answer(folder)
    assert "trust_remote_code" in str(caught.value)
    assert not marker.exists()
    assert asked == []


def without(folder, name):
    tensors = load_file(folder / "model.safetensors")
    del tensors[name]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def reshaped(folder, name):
    tensors = load_file(folder / "model.safetensors")
    tensors[name] = tensors[name][:, :8].clone()
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def cut(folder):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


DAMAGE = {
    "without its last layer": (lambda folder: without(folder, "lm_head.weight"), "lm_head.weight are missing"),
    "of another shape": (lambda folder: reshaped(folder, "model.embed_tokens.weight"), "embed_tokens.weight"),
    "cut": (cut, "cannot load"),
    "a text": (lambda folder: (folder / "model.safetensors").write_text("no weights"), "cannot load"),
    "a list for settings": (lambda folder: (folder / "config.json").write_text("[]"), "cannot load"),
    "settings that do not end": (lambda folder: (folder / "config.json").write_text("[" * 100_000), "cannot load"),
}


@pytest.mark.parametrize(("damage", "told"), DAMAGE.values(), ids=DAMAGE)
def test_a_checkpoint_that_is_not_whole_is_told(folder, damage, told):
    damage(folder)
    with pytest.raises(ValueError, match=rf"^cannot load the chat model '{folder}'") as caught:
        answer(folder)
    assert told in str(caught.value)


QUOTINGS = [
    str,
    lambda text: quote(text, safe=""),
    lambda text: quote(quote(text, safe=""), safe=""),
    lambda text: "".join(f"%{ord(one):02x}" for one in text),
    lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    lambda text: json.dumps(json.dumps(text))[3:-3],
    lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
    html.escape,
    lambda text: "".join(f"&#{ord(one)};" for one in text),
    str.upper,
]
# Of what a header may hold, all that does not quote itself.
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="%&\\"), min_size=8, max_size=40)


@given(key=KEYS, pieces=st.lists(st.tuples(st.integers(1, 40), st.sampled_from(QUOTINGS)), max_size=5))
def test_a_key_is_masked_however_its_pieces_are_quoted(key, pieces):
    text, at = "", 0
    for length, quoting in [*pieces, (len(key), str)]:
        text, at = text + quoting(key[at : at + length]), at + length
    told = masked(f"«{text}»", key)
    assert told == "«***»"


@given(st.text() | st.text(r"q7Zk\u0025%&#;"))
@example("\0")
def test_a_text_without_the_key_stays(text):
    assert masked(text, "q7Zk2mW9xT4v") == text


def test_eight_characters_of_a_key_are_masked_and_seven_are_not():
    key = "abcdefghijklmnop"
    assert masked("say efghijkl!", key) == "say ***!"
    assert masked("say efghijk!", key) == "say efghijk!"
    assert masked(f"{key} and {key}", key) == "*** and ***"
    assert masked("key secret", "secret") == "key ***"
    assert masked("EMPTY is no key", "EMP") == "EMPTY is no key"
    assert masked(r"a %41&amp;\u0041 key", r"%41&amp;\u0041") == "a *** key"
