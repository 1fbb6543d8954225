"""`evaluate-qa fit`: errors before any row is read, and recipe files."""

from pathlib import Path

import numpy as np
import pytest
from commands import run_command

from evaluate_qa.metrics._shared import matcher
from evaluate_qa.metrics._shared.matcher import Matcher, save
from evaluate_qa.training import job
from evaluate_qa.training.examples import Mixture
from evaluate_qa.training.job import complete
from evaluate_qa.training.recipe import read_recipe


@pytest.fixture
def folder(working_folder, tmp_path):
    """The current folder, with a matcher for bem alone, a teacher, a file of another kind, and a folder."""
    from safetensors.numpy import save_file

    head = np.zeros((2, 1153), np.float32), np.zeros(2, np.float32)
    save(Matcher({}, {"bem": head}, {"bem": {"recall": {"margin": 1.0}}}), tmp_path / "bem.safetensors")
    save_file({}, tmp_path / "teacher.safetensors", metadata={"encoder": "tiny"})
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
        (["bem"], "epoch: 3", "recipe.yaml has an unknown field 'epoch'. Did you mean 'epochs'? Available: data, "),
        (["bem"], "tasks: [bem]", "recipe.yaml has an unknown field 'tasks'. Available: data, encoder, "),
        (["bem"], "epochs: 1.5", "recipe.yaml: epochs is 1.5; expected a whole number"),
        (["bem"], "data: saf", "recipe.yaml: data is 'saf'; expected a list, such as [one, two]"),
        (["bem"], "bfloat16: 1", "recipe.yaml: bfloat16 is 1; expected true or false"),
        (["bem"], "max_tokens: 513", "recipe.yaml: max_tokens is 513; expected at most 512"),
        (["bem"], "learning_rate: fast", "recipe.yaml: learning_rate is 'fast'; expected a number"),
        (
            ["bem"],
            "learning_rate: .nan",
            "recipe.yaml: learning_rate is nan; expected a number between 0 and 1, such as 1e-4",
        ),
        (
            ["bem"],
            "balance: {shares: 1}",
            "recipe.yaml: balance: shares is 1; expected a number for each name, such as polarity: 0.5",
        ),
        (["bem"], "balance: {shares: {saf: a}}", "recipe.yaml: balance: shares: saf is 'a'; expected a number"),
        (
            ["bem"],
            "data: [saf, traps]\nbalance: {shares: {sav: 0.5}}",
            "`shares` has 'sav', which is not in `data`; expected some of saf, traps",
        ),
        (
            ["bem"],
            "data: [saf]\nbalance: {shares: {saf: 0.5}}",
            "`shares` names all of `data`, but its sum is below 1; leave a data set out of it",
        ),
        (["bem"], "balance: {rows: 0}", "recipe.yaml: balance: rows is 0; expected a whole number of at least 1"),
        (
            ["bem"],
            "balance: {pairs: 5}",
            "`pairs` is 5, but pairs have no labels and the recipe has no teachers that judge them; add `teachers` or "
            "remove `pairs`",
        ),
        (["bem"], "start: none.safetensors", "there is no file none.safetensors; correct `start` in the recipe"),
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
        (["both"], "teachers: [bem.safetensors]", f"`teachers` {_NO_HEAD}"),
        (
            ["bem"],
            "average: [text.safetensors]",
            "`average` has text.safetensors, which is not a matcher written by evaluate-qa fit (",
        ),
        (
            ["bem"],
            "start: teacher.safetensors",
            "`start` has teacher.safetensors, which is not a matcher written by evaluate-qa fit (",
        ),
        (
            ["bem"],
            "encoder: tiny\nstart: bem.safetensors",
            "`start` is bem.safetensors, which is not a teacher; give a file from a recipe with `encoder`",
        ),
        (
            ["bem"],
            "encoder: tiny\nteachers: [teacher.safetensors]",
            "`teachers` is only for matchers, but the recipe trains a teacher; remove `teachers`",
        ),
        (
            ["bem", "-o", "bem.safetensors"],
            "start: bem.safetensors",
            "start and --output must be different files, but both are bem.safetensors.",
        ),
        (["bem"], "device: nonsense", "fit: device is 'nonsense', which torch cannot use here"),
    ],
)
def test_errors_are_one_line_and_come_before_rows_are_read(folder, monkeypatch, arguments, recipe, message):
    monkeypatch.setattr(job, "read_sets", lambda *_: pytest.fail("rows were read"))
    Path("recipe.yaml").write_text(recipe or "epochs: 1")
    before = {file.name for file in folder.iterdir()}
    given = ["-o", "m.safetensors", *([] if "--recipe" in arguments else ["--recipe", "recipe.yaml"])]
    output = run_command("fit", *given, *arguments, code=1).output
    (line,) = output.splitlines()
    shown = line.removeprefix("evaluate-qa fit: ")
    # A message that ends within a sentence here goes on with a library's message or with a list.
    assert shown.startswith(message) if message.endswith((" ", "(", "here")) else shown == message
    assert {file.name for file in folder.iterdir()} == before


def test_recipe_file_sets_fields_and_options_override_it(tmp_path):
    file = tmp_path / "recipe.yaml"
    file.write_text("data: [saf]\nlearning_rate: 7e-5\nteachers: [a, b]\nmixture: {near: 1}\nepochs: 2\n")
    found = complete({**read_recipe(file), "epochs": 3})
    assert (found.data, found.learning_rate, found.epochs) == (("saf",), 7e-5, 3)
    assert found.teachers == (Path("a"), Path("b"))
    assert found.mixture == Mixture(near=1.0)


def test_training_on_own_rows_starts_from_the_shipped_matcher():
    """A few hundred of a user's own answers are not enough to learn from MiniLM itself."""
    own, mixed = (complete({"data": data}) for data in (("mine.jsonl",), ("traps", "mine.jsonl")))
    assert (own.start, own.learning_rate) == (matcher.find_matcher("fit"), 3e-5)
    assert (mixed.start, mixed.learning_rate) == (None, 1e-4)
    assert complete({"data": ("mine.jsonl",), "learning_rate": 1e-3}).learning_rate == 1e-3


def test_recipes_in_the_repository_are_valid(root):
    recipes = sorted((root / "scripts" / "training" / "recipes").glob("*.yaml"))
    found = {file.stem: complete(read_recipe(file)) for file in recipes}
    assert {name for name, recipe in found.items() if recipe.teaches} == {"teacher"}
    assert found.keys() >= {"evouna", "mixed", "distilled", "layers"}
