"""Chat models that are run here: a checkpoint runs no code of its own, and one that is not whole is told."""

import json
import shutil
from pathlib import Path

import pytest
from evaluate_qa.metrics._shared.chat_models import LocalModel
from safetensors.torch import load_file, save_file
from tiny_chat_model import save_chat_model

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
