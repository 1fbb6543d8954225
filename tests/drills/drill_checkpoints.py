"""Checkpoints that lack weights, are damaged, hold pickles, or contain code: same scores, or one error."""

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import tiny_checkpoints
import tiny_classifiers
import torch
from damage import flip
from safetensors.torch import load_file, save_file
from tiny_chat_model import train_chat_model

import evaluate_qa
from evaluate_qa.metrics._shared.chat_models import LocalModel
from evaluate_qa.metrics.evqascore.clip_models import demo_folder

ROWS = {"predictions": ["It was Marie Curie.", "Paris"], "references": ["Marie Curie", "the capital of France"]}
QUESTIONS = {"questions": ["Who was it?", "What is it?"]}
ASKED = [{"role": "user", "content": "What is it ?"}]

# Runs when it is imported or unpickled.
CODE = "import pathlib\npathlib.Path({marker!r}).touch()\nfrom transformers import *\n"


class Touch:
    """An object whose pickle creates a file when it is loaded."""

    def __init__(self, marker):
        self._marker = marker

    def __reduce__(self):
        return Path.touch, (self._marker,)


def smile(folder):
    return score("smile", folder, ROWS)


def bem(folder):
    return score("bem", folder, ROWS | QUESTIONS)


def nli_lex(folder):
    return score("nli_lex", folder, ROWS)


def evqascore(folder):
    frames = np.random.default_rng(0).normal(size=(2, 4, 32))
    return score("evqascore", folder, {"predictions": ROWS["predictions"], "video_features": list(frames)})


def chat_model(folder):
    found = {}
    LocalModel(str(folder), device="cpu", max_tokens=5).answer([ASKED], found.__setitem__)
    return found[0]


def score(metric, folder, rows):
    loaded = evaluate_qa.load(metric, model=str(folder), device="cpu")
    return loaded.compute(**rows)["per_example"]["score"]


def save_chat_model(folder):
    model, tokenizer = train_chat_model([(ASKED, "a ball")])
    for part in (model, tokenizer):
        part.save_pretrained(folder)


SAVE = {
    smile: tiny_checkpoints.bert,
    bem: lambda folder: tiny_classifiers.bert(folder, ["not equivalent", "equivalent"]),
    nli_lex: lambda folder: tiny_classifiers.roberta(folder, ["contradiction", "entailment", "neutral"]),
    evqascore: lambda folder: shutil.copytree(demo_folder(), folder),
    chat_model: save_chat_model,
}


def without_a_weight(folder, rng, marker):
    file, tensors = weights(folder)
    del tensors[rng.choice(sorted(tensors))]
    save_file(tensors, file, metadata={"format": "pt"})


def another_shape(folder, rng, marker):
    file, tensors = weights(folder)
    name = rng.choice(sorted(tensors))
    tensors[name] = torch.zeros(3, *tensors[name].shape)
    save_file(tensors, file, metadata={"format": "pt"})


def cut(folder, rng, marker):
    file = any_file(folder, rng)
    file.write_bytes(file.read_bytes()[: rng.randrange(file.stat().st_size)])


def flipped(folder, rng, marker):
    """Change settings only: changed weights or tokenizers cannot be detected."""
    file = rng.choice([file for file in files(folder) if file.suffix == ".json" and file.name != "tokenizer.json"])
    content = file.read_bytes()
    file.write_bytes(flip(content, rng.randrange(len(content))))


def deleted(folder, rng, marker):
    any_file(folder, rng).unlink()


def pickled(folder, rng, marker):
    file, _ = weights(folder)
    content = pickle.dumps(Touch(marker))
    if rng.random() < 0.5:  # in place of the weights, or else next to them
        file.write_bytes(content)
        return
    file.unlink()
    for name in ("pytorch_model.bin", "model.bin", "model.pt", "model.pkl"):
        file.with_name(name).write_bytes(content)


def with_code(folder, rng, marker):
    (folder / "code.py").write_text(CODE.format(marker=str(marker)))
    for name in ("config.json", "tokenizer_config.json", "modules.json"):
        if (folder / name).exists() and isinstance(settings := json.loads((folder / name).read_text()), dict):
            parts = ["AutoConfig", "AutoModel", "AutoModelForCausalLM", "AutoModelForSequenceClassification"]
            settings["auto_map"] = dict.fromkeys(parts, "code.Model") | {"AutoTokenizer": ["code.Words", "code.Words"]}
            settings[rng.choice(["model_type", "tokenizer_class"])] = "of_its_own"
            (folder / name).write_text(json.dumps(settings))
        elif (folder / name).exists():
            settings[rng.randrange(len(settings))]["type"] = rng.choice(["code.Model", "os.system", "builtins.exec"])
            (folder / name).write_text(json.dumps(settings))


def odd_settings(folder, rng, marker):
    file = rng.choice([file for file in files(folder) if file.suffix == ".json"])
    file.write_text(rng.choice(["[]", "5", "null", "[" * 100_000, "{", "\0", '{"a": 1e999}', "{}", '"x"']))


def files(folder):
    return sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".md")


def any_file(folder, rng):
    return rng.choice([file for file in files(folder) if file.stat().st_size])


def weights(folder):
    file = next(file for file in files(folder) if file.suffix == ".safetensors")
    return file, load_file(file)


ATTACKS = [without_a_weight, another_shape, cut, flipped, deleted, pickled, with_code, odd_settings]


# Files that are not needed may be missing, and settings may differ.
HARMLESS = {cut, flipped, deleted, with_code, odd_settings}


def refusal(load, folder):
    """Return the error for a checkpoint; None if it loads."""
    try:
        load(folder)
    except (ValueError, FileNotFoundError) as error:
        return str(error)


@pytest.mark.parametrize("load", SAVE, ids=lambda load: load.__name__)
def test_checkpoints(drill, rng, load, tmp_path, monkeypatch):
    """Hostile checkpoints.

    They lack weights, are damaged, hold pickles or contain code: one error each, and no code runs.
    """
    whole, marker, asked = tmp_path / "whole", tmp_path / "it_ran", []
    monkeypatch.setattr("builtins.input", lambda question="": asked.append(question) or "y")
    SAVE[load](whole)
    load(whole)
    for attack in ATTACKS * 5:
        folder = tmp_path / "model"
        shutil.copytree(whole, folder)
        attack(folder, rng, marker)
        with drill.attempt(f"{load.__name__} {attack.__name__}"):
            output = refusal(load, folder)
            assert output is not None or attack in HARMLESS
            if output is not None:  # one line that names the folder or the metric
                assert str(folder) in output or output.startswith(f"{load.__name__}: "), output
                assert len(output.splitlines()) <= (1 if load is not chat_model else 9), output
            assert not marker.exists()
            assert asked == []
        shutil.rmtree(folder)
        marker.unlink(missing_ok=True)
        asked.clear()
