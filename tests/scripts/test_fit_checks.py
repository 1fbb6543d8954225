"""`evaluate-qa fit`: what it refuses before it reads any row, recipe files, and what `--help` shows."""

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from commands import run_command
from typer.testing import CliRunner

from evaluate_qa.cli import app
from evaluate_qa.metrics._shared import matcher
from evaluate_qa.metrics._shared.checkpoints import MINILM, find
from evaluate_qa.metrics._shared.matcher import Matcher, save
from evaluate_qa.training import job
from evaluate_qa.training.examples import Mixture
from evaluate_qa.training.heads import check_limits
from evaluate_qa.training.job import complete
from evaluate_qa.training.recipe import TrainingRecipe
from evaluate_qa.training.recipe_file import read_recipe


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a matcher for bem alone, a file that is no matcher, and a folder."""
    monkeypatch.chdir(tmp_path)
    head = np.zeros((2, 1153), np.float32), np.zeros(2, np.float32)
    save(Matcher({}, {"bem": head}, {"bem": {"recall": {"margin": 1.0}}}), tmp_path / "bem.safetensors")
    (tmp_path / "text.safetensors").write_text("no matcher")
    (tmp_path / "folder.safetensors").mkdir()
    (tmp_path / "list.yaml").write_text("- epochs")
    return tmp_path


_NO_HEAD = "has bem.safetensors, which has no head for nli_lex; give a matcher that has one, or train only bem"


@pytest.mark.parametrize(
    ("arguments", "recipe", "message"),
    [
        (["bem", "-o", "folder.safetensors"], "", "folder.safetensors is a folder. Name a file to write to."),
        (["bem", "-o", "m.bin"], "", "--output is m.bin; expected a name that ends in .safetensors"),
        (["bem", "--epochs", "0"], "", "epochs is 0; expected a whole number of at least 1"),
        (["bem", "--recipe", "none.yaml"], "", "there is no recipe none.yaml; give --recipe the path of a YAML file"),
        (
            ["bem", "--recipe", "list.yaml"],
            "",
            "list.yaml holds ['epochs']; expected one field on each line, such as `epochs: 3`",
        ),
        (["bem"], "epoch: 3", "recipe.yaml has an unknown field 'epoch'; rename it to 'epochs'"),
        (["bem"], "device: cpu", "recipe.yaml has an unknown field 'device'; expected some of kind, data, encoder, "),
        (["bem"], "epochs: 1.5", "recipe.yaml: epochs is 1.5; expected a whole number"),
        (["bem"], "kind: pupil", "recipe.yaml: kind is 'pupil'; expected matcher or teacher"),
        (["bem"], "data: saf", "recipe.yaml: data is 'saf'; expected a list of texts, such as [one, two]"),
        (["bem"], "bfloat16: 1", "recipe.yaml: bfloat16 is 1; expected true or false"),
        (
            ["bem"],
            "max_tokens: 513",
            "max_tokens is 513; expected at most 512, the longest input of the matchers' encoder",
        ),
        (
            ["bem"],
            "frozen_layers: 7",
            "frozen_layers is 7; expected at most 6, the number of layers of the matchers' encoder",
        ),
        (["bem"], "eval_rows: 0", "recipe.yaml: eval_rows is 0; expected a whole number of at least 1"),
        (
            ["bem"],
            "learning_rate: .nan",
            "recipe.yaml: learning_rate is nan; expected a number between 0 and 1, such as 1e-4",
        ),
        (["bem"], "balance: {rows: 0}", "recipe.yaml: balance: rows is 0; expected a whole number of at least 1"),
        (
            ["bem"],
            "balance: {temperature: 2}",
            "recipe.yaml: balance: temperature is 2.0; expected a number from 0 to 1",
        ),
        (["bem"], "mixture: {nearer: 1}", "recipe.yaml: mixture has an unknown field 'nearer'; rename it to 'near'"),
        (
            ["bem"],
            "balance: {pairs: 5}",
            "`pairs` is 5, but pairs have no labels and the recipe has no teachers that judge them; add `teachers` or "
            "remove `pairs`",
        ),
        (["bem"], "start: none.safetensors", "there is no file none.safetensors; correct `start` in the recipe"),
        (
            ["bem"],
            "encoder: tiny",
            "`encoder` is 'tiny', but only teachers have another encoder; add `kind: teacher` or remove `encoder`",
        ),
        (
            ["bem"],
            "refit_layers: [lengths]",
            "`refit_layers` copies the other layers from the first file in `average`, but the recipe has no `average`; "
            "add it or remove `refit_layers`",
        ),
        (
            ["bem"],
            "average: [bem.safetensors]\nrefit_layers: [length]",
            "`refit_layers` has 'length', which is not a layer; expected some of recall, lengths, match",
        ),
        (["nli_lex"], "average: [bem.safetensors]", f"`average` {_NO_HEAD}"),
        (["both"], "start: bem.safetensors", f"`start` {_NO_HEAD}"),
        (["both"], "teachers: [bem.safetensors]", f"`teachers` {_NO_HEAD}"),
        (
            ["bem"],
            "average: [text.safetensors]",
            "`average` has text.safetensors, which is not a matcher of evaluate-qa fit (",
        ),
        (
            ["bem", "-o", "bem.safetensors"],
            "start: bem.safetensors",
            "start and --output must be different files, but both are bem.safetensors.",
        ),
        (["bem", "--device", "nonsense"], "", "fit: device is 'nonsense', which torch cannot use here"),
    ],
)
def test_errors_are_one_line_and_come_before_rows_are_read(folder, monkeypatch, arguments, recipe, message):
    monkeypatch.setattr(job, "read_sets", lambda *_: pytest.fail("rows were read"))
    Path("recipe.yaml").write_text(recipe or "epochs: 1")
    before = {file.name for file in folder.iterdir()}
    given = ["-o", "m.safetensors", *([] if "--recipe" in arguments else ["--recipe", "recipe.yaml"])]
    output = run_command("fit", *given, *arguments, code=1).output
    (line,) = output.splitlines()
    told = line.removeprefix("evaluate-qa fit: ")
    # A message that ends within a sentence here goes on with what a library says, or with a list.
    assert told.startswith(message) if message.endswith((" ", "(", "here")) else told == message
    assert {file.name for file in folder.iterdir()} == before


def test_a_recipe_file_sets_fields_and_options_override_it(tmp_path):
    file = tmp_path / "recipe.yaml"
    file.write_text("data: [saf]\nlearning_rate: 7e-5\nteachers: [a, b]\nmixture: {near: 1}\nepochs: 2\n")
    found = complete({**read_recipe(file), "epochs": 3})
    assert (found.data, found.learning_rate, found.epochs) == (("saf",), 7e-5, 3)
    assert found.teachers == (Path("a"), Path("b"))
    assert found.mixture == Mixture(near=1.0)


def test_defaults_depend_on_what_is_trained_on_what():
    """A few hundred of a user's own answers are not enough to learn from MiniLM itself."""
    own, mixed, teacher = (
        complete({"data": data, "kind": kind})
        for data, kind in ((("mine.jsonl",), "matcher"), (("traps", "mine.jsonl"), "matcher"), (("saf",), "teacher"))
    )
    assert (own.start, own.learning_rate) == (matcher.find("fit"), 3e-5)
    assert (mixed.start, mixed.learning_rate) == (None, 1e-4)
    assert (teacher.start, teacher.learning_rate) == (None, 5e-5)
    assert complete({"data": ("mine.jsonl",), "learning_rate": 1e-3}).learning_rate == 1e-3


def test_the_recipes_in_the_repository_can_be_read(root):
    recipes = sorted((root / "scripts" / "training" / "recipes").glob("*.yaml"))
    kinds = {file.stem: complete(read_recipe(file)).kind for file in recipes}
    assert {name for name, kind in kinds.items() if kind == "teacher"} == {"teacher"}
    assert kinds.keys() >= {"evouna", "mixed", "distilled", "layers"}


def test_the_most_tokens_and_layers_are_those_of_minilm():
    config = json.loads((find("fit", MINILM).folder / "config.json").read_text())
    tokens, layers = config["max_position_embeddings"], config["num_hidden_layers"]
    check_limits(TrainingRecipe(max_tokens=tokens, frozen_layers=layers))
    for more in (TrainingRecipe(max_tokens=tokens + 1), TrainingRecipe(frozen_layers=layers + 1)):
        with pytest.raises(ValueError, match="expected at most"):
            check_limits(more)


@pytest.mark.parametrize("command", ["fit", "agreement"])
def test_help_shows_the_whole_text_of_each_option(command):
    """Typer takes text in square brackets for the name of a style, and drops it."""
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "500"}).output
    told = [option.help for option in typer.main.get_command(app).commands[command].params if option.help]
    assert len(told) > 5
    assert [text for text in told if text not in shown] == []
