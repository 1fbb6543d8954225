"""Chat models: checkpoints run no code, damaged ones raise errors, and keys are masked."""

import html
import json
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
import torch
from damage import change_weights
from tiny_chat_model import save_chat_model, train_chat_model
from transformers import MistralConfig, MistralForCausalLM

from evaluate_qa.metrics._shared.chat_models import LocalModel
from evaluate_qa.metrics._shared.endpoint import mask_secret

QUESTION = [{"role": "user", "content": "What is red ?"}]

# Code in a checkpoint, which runs if it is imported.
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


def test_a_checkpoint_answers(folder):
    assert answer(folder) == "a ball"


ASKED = [[{"role": "user", "content": f"What is {text} ?"}] for text in ("red", "round", "cold and very wet")]
COLORS = list(zip(ASKED, ("a ball", "a wheel", "the sea in winter"), strict=True))


@pytest.mark.parametrize("window", [None, 4], ids=["all tokens attend", "a sliding window"])
def test_the_common_start_of_prompts_runs_once(tmp_path, window):
    """The prompts start with "<user> What is"; the states of a sliding window cannot be shared."""
    model, tokenizer = train_chat_model(COLORS)
    if window:
        model = MistralForCausalLM(MistralConfig(**model.config.to_dict() | {"sliding_window": window}))
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path)
    alone, together, sizes = {}, {}, []
    one = LocalModel(str(tmp_path), device="cpu", max_tokens=6)
    for number, conversation in enumerate(ASKED):
        one.reply([conversation], lambda _, reply, number=number: alone.update({number: reply}), {})
    one._loaded[1].model.embed_tokens.register_forward_hook(lambda _, given, __: sizes.append(tuple(given[0].shape)))
    one.reply(ASKED, together.__setitem__, {})
    assert together == alone
    assert window or [together[n].text for n in range(3)] == [reply for _, reply in COLORS]
    # The longest prompt is "<user> What is cold and very wet ? <end> <assistant>".
    assert sizes[:2] == [(1, 3), (3, 10) if window else (3, 7)]


@pytest.mark.parametrize("part", ["model", "tokenizer"])
def test_code_in_a_checkpoint_does_not_run(folder, tmp_path, monkeypatch, part):
    """Transformers would ask on the terminal; the answer would be "y"."""
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


WEIGHTS, SETTINGS = "model.safetensors", "config.json"
EMBEDDINGS, LAST = "model.embed_tokens.weight", "lm_head.weight"
DAMAGE = {
    "without its last layer": (WEIGHTS, lambda file: change_weights(file, {LAST: None}), f"{LAST} are missing"),
    "of another shape": (WEIGHTS, lambda file: change_weights(file, {EMBEDDINGS: torch.zeros(5, 8)}), EMBEDDINGS),
    "cut": (WEIGHTS, lambda file: file.write_bytes(file.read_bytes()[:-100]), "cannot load"),
    "a text": (WEIGHTS, lambda file: file.write_text("no weights"), "cannot load"),
    "settings that do not end": (SETTINGS, lambda file: file.write_text("[" * 100_000), "cannot load"),
}


@pytest.mark.parametrize(("name", "damage", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_checkpoint_raises_an_error(folder, name, damage, reason):
    damage(folder / name)
    with pytest.raises(ValueError, match=rf"^cannot load the chat model '{folder}'") as caught:
        answer(folder)
    assert reason in str(caught.value)


KEY = 'sk-ab/cd"ef&gh<ij>kl'


@pytest.mark.parametrize("form", [KEY, KEY.upper(), quote(KEY, safe=""), json.dumps(KEY)[1:-1], html.escape(KEY)])
def test_a_key_is_masked_however_it_is_quoted(form):
    assert mask_secret(f"«{form}» and {form}", KEY) == "«***» and ***"


def test_eight_characters_of_a_key_are_masked_and_seven_are_not():
    key = "abcdefghijklmnop"
    assert mask_secret("say efghijkl!", key) == "say ***!"
    assert mask_secret("say efghijk!", key) == "say efghijk!"
    assert mask_secret("key secret", "secret") == "key ***"
    assert mask_secret("EMPTY is no key", "EMP") == "EMPTY is no key"
    assert mask_secret("a text without it", key) == "a text without it"
