"""Checkpoints that lack files, have changed settings, or contain code: same scores, or one error."""

import json
import shutil

import pytest
import tiny_checkpoints
import tiny_classifiers
from damage import flip

import evaluate_qa

ROWS = {"predictions": ["It was Marie Curie.", "Paris"], "references": ["Marie Curie", "the capital of France"]}
QUESTIONS = {"questions": ["Who was it?", "What is it?"]}

# Runs when it is imported.
CODE = "import pathlib\npathlib.Path({marker!r}).touch()\nfrom transformers import *\n"

SAVE = {
    "smile": tiny_checkpoints.bert,
    "bem": lambda folder: tiny_classifiers.bert(folder, ["not equivalent", "equivalent"]),
    "nli_lex": lambda folder: tiny_classifiers.roberta(folder, ["contradiction", "entailment", "neutral"]),
}


def flipped(folder, rng, marker):
    """Change settings only: changed weights or tokenizers cannot be detected."""
    file = rng.choice([file for file in files(folder) if file.suffix == ".json" and file.name != "tokenizer.json"])
    content = file.read_bytes()
    file.write_bytes(flip(content, rng.randrange(len(content))))


def deleted(folder, rng, marker):
    rng.choice(files(folder)).unlink()


def with_code(folder, rng, marker):
    (folder / "code.py").write_text(CODE.format(marker=str(marker)))
    for name in ("config.json", "tokenizer_config.json", "modules.json"):
        if (folder / name).exists() and isinstance(settings := json.loads((folder / name).read_text()), dict):
            parts = ["AutoConfig", "AutoModel", "AutoModelForSequenceClassification"]
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


def refusal(metric, folder):
    """Return the error for a checkpoint; None if it scores."""
    rows = ROWS | (QUESTIONS if metric == "bem" else {})
    try:
        evaluate_qa.load(metric, model=str(folder), device="cpu").compute(**rows)
    except (ValueError, FileNotFoundError) as error:
        return str(error)


@pytest.mark.parametrize("metric", SAVE)
def test_checkpoints(drill, rng, metric, tmp_path, monkeypatch):
    """Hostile checkpoints.

    They lack files, have changed settings, or contain code: at most one error each, and no code runs.
    """
    whole, marker, asked = tmp_path / "whole", tmp_path / "it_ran", []
    monkeypatch.setattr("builtins.input", lambda question="": asked.append(question) or "y")
    SAVE[metric](whole)
    assert refusal(metric, whole) is None
    for attack in [flipped, deleted, with_code, odd_settings] * 5:
        folder = tmp_path / "model"
        shutil.copytree(whole, folder)
        attack(folder, rng, marker)
        with drill.attempt(f"{metric} {attack.__name__}"):
            output = refusal(metric, folder)
            if output is not None:  # one line that names the folder or the metric
                assert str(folder) in output or output.startswith(f"{metric}: "), output
                assert len(output.splitlines()) == 1, output
            assert not marker.exists()
            assert asked == []
        shutil.rmtree(folder)
        marker.unlink(missing_ok=True)
        asked.clear()
