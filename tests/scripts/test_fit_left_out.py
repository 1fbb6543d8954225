"""`evaluate-qa fit --leave-one-out`: whose figures its file has, and what an interrupted run goes on from."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from evaluate_qa.cli import app
from evaluate_qa.metrics._shared.matcher import Matcher, save
from evaluate_qa.training import left_out, run
from evaluate_qa.training.examples import Mixture
from evaluate_qa.training.job import Job
from evaluate_qa.training.left_out import leave_one_out, left_out_file
from evaluate_qa.training.recipe import Recipe

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
    data = [str(file) for file in files]
    return Job(None, tmp_path / "m.safetensors", Recipe(("bem",), epochs=1, device="cpu"), Mixture(), data=data)


@pytest.fixture
def done(monkeypatch):
    """What was left out by the runs, which are none: each only makes up scores for the layers of its metrics."""
    done = []

    def pretended(job, report):
        (name,) = job.left_out
        done.append(name)
        scores = {f"{task}, lengths": [0.9, 0.1] for task in job.recipe.tasks}
        both = {"before": scores, "after": scores}
        return {"sets": {name: {"question_ids": ["a", "b"], "labels": [1, 0], "scores": both}}}

    monkeypatch.setattr(left_out, "_run", pretended)
    return done


def kept(job):
    """The file's recipe, and by set the layers that it has figures of; those of the means are the same."""
    record = json.loads(left_out_file(job.output).read_text())
    layers = {name: list(run["sets"][name]["scores"]["after"]) for name, run in record["runs"].items()}
    assert all(found == list(record["means"]) for found in layers.values())
    return record["recipe"], layers


def quiet(_):
    """Is told of nothing."""


def test_runs_of_the_same_job_are_gathered_and_done_once(job, done):
    for names in (["amber"], ["birch"], [], []):
        leave_one_out(job, names, quiet)
    assert done == list(NAMES)
    assert list(kept(job)[1]) == list(NAMES)


def test_the_figures_of_another_metric_give_way_and_that_is_told_before(job, done):
    leave_one_out(job, ["amber", "birch"], quiet)
    other, told = replace(job, recipe=replace(job.recipe, tasks=("nli_lex",))), []
    leave_one_out(other, ["birch"], told.append)
    assert "m.left-out.json has runs of other options or rows, whose place these take: amber, birch" in told[0]
    assert told[1] == "without birch:"
    recipe, layers = kept(other)
    assert recipe["recipe"]["tasks"] == ["nli_lex"]
    assert layers == {"birch": ["nli_lex, lengths"]}
    assert done == ["amber", "birch", "birch"]


def test_a_set_that_this_job_has_not_is_of_another(job, done):
    leave_one_out(job, ["cedar"], quiet)
    other = replace(job, data=job.data[:2])
    leave_one_out(other, ["amber"], quiet)
    assert list(kept(other)[1]) == ["amber"]


def test_a_file_with_runs_of_two_recipes_keeps_those_of_this_one(job, done):
    """Until now a run that was stopped left the others of the recipe before in the file."""
    leave_one_out(job, ["amber", "birch"], quiet)
    file = left_out_file(job.output)
    record = json.loads(file.read_text())
    record["runs"]["birch"]["key"] = "another"
    file.write_text(json.dumps(record))
    leave_one_out(job, ["amber"], quiet)
    assert list(kept(job)[1]) == ["amber"]
    assert done == ["amber", "birch"]


def test_other_matchers_to_average_or_other_layers_are_another_job(job, done, tmp_path):
    averaged = []
    for bias in (0.0, 1.0):
        head = np.zeros((2, 1153), np.float32), np.full(2, bias, np.float32)
        averaged.append(tmp_path / f"bias{bias}.safetensors")
        save(Matcher({}, {"bem": head}, {"bem": {}}), averaged[-1])
    jobs = [replace(job, average=[file], layers=layers) for file in averaged for layers in (None, ["lengths"])]
    # What is learned from, begun with or averaged is not the same either, though it be one file.
    jobs += [job, replace(job, start=averaged[0]), replace(job, teachers=averaged[:1])]
    for number, one in enumerate(jobs, 1):
        leave_one_out(one, ["amber"], quiet)
        leave_one_out(one, ["amber"], quiet)
        assert len(done) == number
        assert kept(one)[0]["average"] == [str(file) for file in one.average]
        assert kept(one)[0]["layers"] == one.layers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "place", "more", "trained"),
    [
        (left_out, "scored_by", ["--leave-one-out", "--leave-out", "amber"], "m.without-amber"),
        (run, "run_compared", [], "m"),
    ],
)
def test_what_is_interrupted_while_it_is_tested_is_not_trained_again(
    files, tmp_path, monkeypatch, module, place, more, trained
):
    def interrupted(*_):
        raise KeyboardInterrupt

    data = [argument for file in files for argument in ("--data", str(file))]
    short = ["--epochs", "1", "--device", "cpu", "--frozen", "6", "--mix", "padded=0", "--token-budget", "512"]
    arguments = ["fit", "bem", *data, "-o", str(tmp_path / "m.safetensors"), *short, *more]
    with monkeypatch.context() as patched:
        patched.setattr(module, place, interrupted)
        result = CliRunner().invoke(app, arguments)
    assert result.exit_code != 0
    assert "epoch 1: loss" in result.output
    state = tmp_path / f"{trained}.training.pt"
    assert state.is_file()
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "epoch 1: loss" not in result.output
    assert not state.exists()
    assert len(list(tmp_path.glob("*.epoch-*"))) == (0 if more else 1)
    assert left_out_file(tmp_path / "m.safetensors").exists() == bool(more)
