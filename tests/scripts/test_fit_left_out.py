"""`evaluate-qa fit --leave-one-out`: whose figures its file has, and where an interrupted run continues."""

import json
from dataclasses import replace

import numpy as np
import pytest
from commands import run_command

from evaluate_qa.metrics._shared.matcher import Matcher, save
from evaluate_qa.training import left_out, run
from evaluate_qa.training.job import TrainingJob
from evaluate_qa.training.left_out import leave_one_out, left_out_file
from evaluate_qa.training.recipe import TrainingRecipe

NAMES = ("amber", "birch", "cedar")


@pytest.fixture
def files(tmp_path):
    """Three files, each with a right and a wrong answer to ten questions."""
    made = []
    for name in NAMES:
        rows = [
            {"question": f"{name} {n}?", "references": [f"{n} miles"], "answer": answer, "verdict": answer != "no idea"}
            for n in range(10)
            for answer in (f"{name} says {n} miles", "no idea")
        ]
        made.append(tmp_path / f"{name}.jsonl")
        made[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    return made


@pytest.fixture
def job(files, tmp_path):
    """Training for bem on all three."""
    recipe = TrainingRecipe(("bem",), data=tuple(map(str, files)), epochs=1, device="cpu")
    return TrainingJob(recipe, tmp_path / "m.safetensors")


@pytest.fixture
def done(monkeypatch):
    """The sets that were left out; a run only makes up scores, and the third one is interrupted."""
    done = []

    def pretended(job, report):
        (name,) = job.left_out
        if len(done) == 2:
            done.append(None)
            raise KeyboardInterrupt
        done.append(name)
        scores = {f"{task}, lengths": [0.9, 0.1] for task in job.recipe.tasks}
        both = {"before": scores, "after": scores}
        return {"sets": {name: {"question_ids": ["a", "b"], "labels": [1, 0], "scores": both}}}

    monkeypatch.setattr(left_out, "_run", pretended)
    return done


def quiet(_):
    """Ignores reports."""


def test_an_interrupted_command_goes_on_with_the_sets_that_are_missing(job, done):
    with pytest.raises(KeyboardInterrupt):
        leave_one_out(job, quiet)
    for _ in range(2):
        leave_one_out(job, quiet)
    assert done == ["amber", "birch", None, "cedar"]
    content = json.loads(left_out_file(job.output).read_text())
    assert list(content["runs"]) == list(NAMES)
    assert list(content["means"]) == ["bem, lengths"]
    assert content["recipe"]["epochs"] == 1


def test_the_runs_of_another_job_are_neither_used_nor_replaced(job, done, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        leave_one_out(job, quiet)
    file = left_out_file(job.output)
    before = file.read_bytes()
    head = np.zeros((2, 1153), np.float32), np.zeros(2, np.float32)
    save(Matcher({}, {"bem": head}, {"bem": {}}), tmp_path / "other.safetensors")
    other = (tmp_path / "other.safetensors",)
    # The same file to start from, to learn from or to average is not the same job.
    changes = [{"seed": 1}, {"data": job.recipe.data[:2]}, {"start": other[0]}, {"teachers": other}, {"average": other}]
    message = f"^{file} has runs with other options or rows; give another --output, or start over after: rm {file}$"
    for change in changes:
        with pytest.raises(ValueError, match=message):
            leave_one_out(replace(job, recipe=replace(job.recipe, **change)), quiet)
    assert file.read_bytes() == before
    file.write_text("[]")
    with pytest.raises(ValueError, match=r"is not a file of fit --leave-one-out .*; move it or give another --output"):
        leave_one_out(job, quiet)


def test_one_data_set_alone_cannot_be_left_out(job):
    recipe = replace(job.recipe, data=job.recipe.data[:1])
    message = "^--leave-one-out needs at least two data sets, but there is only amber; add another one with --data$"
    with pytest.raises(ValueError, match=message):
        leave_one_out(replace(job, recipe=recipe), quiet)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "place", "more", "trained"),
    [(left_out, "scored_by", ["--leave-one-out"], "m.without-amber"), (run, "run_compared", [], "m")],
)
def test_what_is_interrupted_while_it_is_tested_is_not_trained_again(
    files, tmp_path, monkeypatch, module, place, more, trained
):
    def interrupted(*_):
        raise KeyboardInterrupt

    recipe, state = tmp_path / "recipe.yaml", tmp_path / f"{trained}.training.pt"
    recipe.write_text("frozen_layers: 6\nmixture: {padded: 0}\ntoken_budget: 512\n")
    data = [argument for file in files[:2] for argument in ("--data", file)]
    arguments = [*data, "-o", tmp_path / "m.safetensors", "--epochs", "1", "--device", "cpu", "--recipe", recipe, *more]
    with monkeypatch.context() as patched:
        patched.setattr(module, place, interrupted)
        result = run_command("fit", "bem", *arguments, code=130)
    assert "epoch 1: loss" in result.output
    assert state.is_file()
    result = run_command("fit", "bem", *arguments)
    assert result.output.count("epoch 1: loss") == (1 if more else 0)  # the run without the second set
    assert not state.exists()
    assert len(list(tmp_path.glob("*.epoch-*"))) == (0 if more else 1)
    assert left_out_file(tmp_path / "m.safetensors").exists() == bool(more)
