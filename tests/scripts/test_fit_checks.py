"""`evaluate-qa fit`: what is refused before any row is read, and what `--help` tells of it."""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from evaluate_qa.cli import app
from evaluate_qa.metrics._shared.checkpoints import MINILM, find
from evaluate_qa.metrics._shared.matcher import Matcher, save
from evaluate_qa.training import job
from evaluate_qa.training.heads import check_limits
from evaluate_qa.training.recipe import Recipe


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a matcher for bem alone, a file that is none, and a folder named like a matcher."""
    monkeypatch.chdir(tmp_path)
    head = np.zeros((2, 1153), np.float32), np.zeros(2, np.float32)
    save(Matcher({}, {"bem": head}, {"bem": {"recall": {"margin": 1.0}}}), tmp_path / "bem.safetensors")
    (tmp_path / "text.safetensors").write_text("no matcher")
    (tmp_path / "folder.safetensors").mkdir()
    return tmp_path


_NO_HEAD = "bem.safetensors has no head for nli_lex; give a matcher that has one, or fit what it is for: bem"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bem", "-o", "folder.safetensors"], "folder.safetensors is a folder; name a file to write to"),
        (["bem", "-o", "m.bin"], "--output is m.bin; expected a name that ends in .safetensors"),
        (["bem", "-o", "m"], "--output is m; expected a name that ends in .safetensors"),
        (["bem", "--max-tokens", "513"], "max_tokens is 513; expected at most 512, the longest input"),
        (["bem", "--frozen", "7"], "frozen is 7; expected at most 6, the layers"),
        (["bem", "--learning-rate", "0"], "learning_rate is 0.0; expected more than 0"),
        (["bem", "--learning-rate", "nan"], "learning_rate is nan; expected more than 0"),
        (["bem", "--device", "nonsense"], "device is 'nonsense', which torch cannot use here"),
        (["nli_lex", "--average", "bem.safetensors"], f"--average {_NO_HEAD}"),
        (["both", "--start", "bem.safetensors"], f"--start {_NO_HEAD}"),
        (["both", "--teacher", "bem.safetensors"], f"--teacher {_NO_HEAD}"),
        (["bem", "--average", "text.safetensors"], "--average text.safetensors is no matcher of evaluate-qa fit"),
    ],
)
def test_errors_come_before_rows_are_read(folder, monkeypatch, arguments, message):
    monkeypatch.setattr(job, "read_sets", lambda *_: pytest.fail("rows were read"))
    before = {file.name for file in folder.iterdir()}
    result = CliRunner().invoke(app, ["fit", "-o", "m.safetensors", *arguments])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    assert message in result.output
    assert len(result.output.splitlines()) == 1
    assert {file.name for file in folder.iterdir()} == before


def test_the_most_tokens_and_layers_are_those_of_minilm():
    config = json.loads((find("fit", MINILM).folder / "config.json").read_text())
    tokens, layers = config["max_position_embeddings"], config["num_hidden_layers"]
    check_limits(Recipe(max_tokens=tokens, frozen=layers))
    for more in (Recipe(max_tokens=tokens + 1), Recipe(frozen=layers + 1)):
        with pytest.raises(ValueError, match="expected at most"):
            check_limits(more)


@pytest.mark.parametrize("command", ["fit", "agreement"])
def test_help_tells_all_that_is_said_of_an_option(command):
    """Typer takes what stands in square brackets for the name of a style, and drops it."""
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "500"}).output
    told = [option.help for option in typer.main.get_command(app).commands[command].params if option.help]
    assert len(told) > 10
    assert [text for text in told if text not in shown] == []
