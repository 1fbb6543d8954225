"""`evaluate-qa fit`: whole runs on a few questions, gradients, and what an interrupted run leaves behind."""

import json
import re

import numpy as np
import pytest
from commands import run_command
from damage import no_room
from toy_sets import evouna_question, write_evouna

from evaluate_qa.datasets_scripts.evouna.rows import SYSTEMS
from evaluate_qa.files.work_folder import lock_work_folder
from evaluate_qa.metrics._shared.checkpoints import MINILM, find_checkpoint
from evaluate_qa.metrics._shared.matcher import Matcher, read, save
from evaluate_qa.metrics._shared.matcher import find_matcher as shipped
from evaluate_qa.training import run as run_module
from evaluate_qa.training.epochs import Course, TrainingCheckpoint, backward
from evaluate_qa.training.learner import FORMATS, Heads, TrainingBatch
from evaluate_qa.training.recipe import TrainingRecipe


def matcher_of(value):
    array = np.full((2, 2), value, dtype=np.float32)
    return Matcher({"w": array}, {"bem": (array, array[0])}, {})


def test_average_is_the_mean_of_each_tensor():
    middle = run_module.average([matcher_of(1.0), matcher_of(4.0)], ["bem"])
    assert middle.difference["w"].tolist() == [[2.5, 2.5], [2.5, 2.5]]
    assert middle.heads["bem"][1].tolist() == [2.5, 2.5]


def test_a_full_disk_raises_the_error_that_commands_report(tmp_path):
    import torch

    file, state = tmp_path / "m", {"values": torch.zeros(9999)}
    for write in (lambda: save(matcher_of(1.0), file), lambda: TrainingCheckpoint(file, "").save(state, [])):
        with no_room(99), pytest.raises(OSError, match="File too large"):
            write()


@pytest.fixture(scope="module")
def untrained():
    """Two learners with different random heads."""
    both = [Heads(find_checkpoint("fit", MINILM).folder, TrainingRecipe(device="cpu")) for _ in range(2)]
    for heads in both:
        heads.train(False)
    return both


@pytest.mark.slow
@pytest.mark.parametrize("taught", [False, True])
def test_gradients_are_those_of_the_mean_loss_of_both_heads(untrained, taught):
    import torch

    heads, teacher = untrained
    for parameter in heads.parameters().values():
        parameter.grad = None
    texts = [("Where?", "It is in Paris.", "Paris"), ("Who?", "Ada did, they say.", "Charles")]
    inputs = {
        task: classifier.encode([FORMATS[task](*t) for t in texts]) for task, classifier in heads.classifiers.items()
    }
    margin = sum(teacher.margins(inputs, 64, bfloat16=False).values()) / 2 if taught else np.full(2, np.nan)
    loss = backward(heads, TrainingBatch(inputs, [1.0, 0.0], margin.tolist()))
    found = {name: parameter.grad.clone() for name, parameter in heads.parameters().items()}
    # Labels that are smoothed by .05 are .975 and .025; a teacher's probability has half of the weight, unless it is on
    # the other side of .5.
    margins = [heads.margin(task, inputs[task], bfloat16=False) for task in heads.classifiers]
    targets = torch.tensor([0.975, 0.025])
    if taught:
        probability = sum(teacher.margin(task, inputs[task], bfloat16=False) for task in inputs).div(2).sigmoid()
        agrees = (probability > 0.5) == (targets > 0.5)
        targets = torch.where(agrees, 0.5 * targets + 0.5 * probability.detach(), targets)
    expected = -sum(targets * m.sigmoid().log() + (1 - targets) * (-m).sigmoid().log() for m in margins).mean() / 2
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    gradients = torch.autograd.grad(expected, list(heads.parameters().values()), allow_unused=True)
    for (name, gradient), wanted in zip(found.items(), gradients, strict=True):
        assert torch.allclose(gradient, wanted, rtol=1e-3, atol=1e-6), name


@pytest.mark.slow
def test_margins_in_bfloat16_are_close_to_float32():
    texts = [("Where?", "It is in Paris.", "Paris"), ("Who?", "Ada did, they say, long ago.", "Charles"), ("", "", "4")]
    found = []
    for half in (False, True):
        heads = Heads.read(
            shipped("fit"), find_checkpoint("fit", MINILM).folder, TrainingRecipe(device="cpu", bfloat16=half)
        )
        assert heads.encoder.config._attn_implementation == ("eager" if half else "sdpa")
        inputs = {
            task: heads.classifiers[task].encode([FORMATS[task](*t) for t in texts]) for task in heads.classifiers
        }
        # The texts have different lengths: some tokens are padding.
        found.append([heads.margin(task, inputs[task], half).tolist() for task in heads.classifiers])
    # bfloat16 keeps 8 bits: after 12 sums of a few units, margins differ by a few hundredths each.
    assert np.allclose(*found, atol=0.15)
    assert np.ptp(found[0]) > 1


@pytest.fixture
def data_dir(tmp_path):
    """EVOUNA's files with nine made-up questions, which five systems answer well and badly."""
    cities = ["Paris", "Rome", "Berlin", "Oslo", "Madrid", "Vienna", "Lisbon", "Dublin", "Athens"]
    questions = []
    for number, city in enumerate(cities):
        item = evouna_question(question=f"which city has the number {number}", golden_answer=city)
        for k, system in enumerate(SYSTEMS):
            item[f"answer_{system}"] = f"It is {city}." if k % 2 else f"It is {cities[number - 1]}."
            item[f"judge_{system}"] = bool(k % 2)
        questions.append(item)
    split = {"train": [0, 1, 2, 3], "dev": [4, 5, 6, 7, 8], "test": []}
    return write_evouna(tmp_path, questions, questions, {"NQ": split, "TQ": split})


def write_own(file, questions):
    """Write a user's labels: three answers to each question, the last one wrong; every seventh label is mistaken."""
    rows = [
        {
            "question": f"how far is {n}",
            "references": [f"{n} miles"],
            "prediction": f"{n + k // 2} miles",
            "label": (k < 2) != (n % 7 == 3),
        }
        for n in range(questions)
        for k in range(3)
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


@pytest.mark.slow
def test_run_writes_a_matcher_with_final_layers(data_dir, tmp_path):
    output, averaged = tmp_path / "matcher.safetensors", tmp_path / "averaged.safetensors"
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("device: cpu\nepochs: 1\nmixture: {near: 0.5}\nbalance: {rows: 12}\neval_rows: 20\n")
    arguments = ["--data-dir", data_dir, "--recipe", recipe]
    run_command("fit", "both", *arguments, "-o", output)
    found = read(output)
    assert set(found.weights["nli_lex"]) == {"match", "recall", "lengths"}
    assert (tmp_path / "matcher.epoch-1.safetensors").is_file()
    recipe.write_text(f"device: cpu\naverage: [{output}]\nrefit_layers: [match]\neval_rows: 12\n")
    run_command("fit", "nli_lex", *arguments, "-o", averaged)
    assert read(averaged).heads.keys() == {"nli_lex"}
    assert np.array_equal(read(averaged).heads["nli_lex"][0], found.heads["nli_lex"][0])
    first, second = (read(file).weights["nli_lex"] for file in (output, averaged))
    assert {name for name in first if first[name] != second[name]} == {"match"}


def check_figures(output, questions, enough):
    """Check that figures have an interval if there are enough questions; else, that there is a warning."""
    warning = f"warning: own holds out {questions // 5} questions to test the result, but an interval needs at least 20"
    assert (warning in output) is not enough
    figure = r"-?\d\.\d{3} \[-?\d\.\d{3}, -?\d\.\d{3}\]" if enough else r"-?\d\.\d{3} \(no interval\)"
    assert re.search(rf"MCC on {questions // 5 * 3} dev answers to {questions // 5} questions: bem {figure}", output)
    assert re.search(rf"bem: mean MCC: before {figure}, after {figure}, difference ", output)


@pytest.mark.slow
def test_figures_of_many_questions_have_intervals(tmp_path, monkeypatch):
    file, output = write_own(tmp_path / "own.jsonl", 100), tmp_path / "m.safetensors"
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("device: cpu\nmixture: {padded: 0}\nbalance: {rows: 6}\n")
    result = run_command("fit", "bem", "--data", file, "-o", output, "--epochs", "1", "--recipe", recipe)
    check_figures(result.output, 100, enough=True)


@pytest.mark.slow
def test_interrupted_run_resumes_and_ends_with_the_same_matcher(tmp_path, monkeypatch):
    """With 30 labels, two questions test the result: an MCC of 1 there is no evidence."""
    own, recipe = write_own(tmp_path / "own.jsonl", 10), tmp_path / "recipe.yaml"
    recipe.write_text("device: cpu\nbalance: {rows: 6}\nmixture: {padded: 0}\ntoken_budget: 128\n")
    whole, broken, state = (tmp_path / name for name in ("w.safetensors", "b.safetensors", "b.training.pt"))
    step = Course.step

    def fit(output, code=0):
        options = ["--data", own, "--epochs", "2", "--recipe", recipe, "-o", output]
        return run_command("fit", "bem", *options, code=code).output

    def interrupted(*arguments):
        raise KeyboardInterrupt

    def interrupted_in_the_second_epoch(*arguments):
        return interrupted() if state.exists() else step(*arguments)

    check_figures(fit(whole), 10, enough=False)
    with monkeypatch.context() as patched:
        patched.setattr(Course, "step", interrupted_in_the_second_epoch)
        assert "epoch 1: loss" in fit(broken, code=130)
    assert not broken.exists()
    with monkeypatch.context() as patched:
        patched.setattr(run_module, "run_compared", interrupted)
        output = fit(broken, code=130)
    assert "epoch 2: loss" in output
    assert "epoch 1: loss" not in output
    assert "loss" not in fit(broken)
    assert broken.read_bytes() == whole.read_bytes()
    assert not state.exists()


def test_two_runs_do_not_write_the_same_output(data_dir, tmp_path):
    output = tmp_path / "m.safetensors"
    with lock_work_folder(output):
        result = run_command("fit", "bem", "--data-dir", data_dir, "-o", output, code=1)
    assert "another run is writing it" in result.output


def test_state_of_another_training_is_kept(tmp_path):
    file = tmp_path / "m.training.pt"
    TrainingCheckpoint(file, "one").save({"step": 1}, [0.5])
    assert TrainingCheckpoint(file, "one").load() == ({"step": 1}, [0.5])
    before = file.read_bytes()
    message = (
        f"{file} holds another training that was interrupted; resume it with its options and data, or start over "
        f"after: rm {file}"
    )
    with pytest.raises(ValueError, match=f"^{message}$"):
        TrainingCheckpoint(file, "other").load()
    assert file.read_bytes() == before
    file.write_bytes(before[:-99])
    with pytest.raises(ValueError, match=rf"is not the state of a training \(.*\); start over after: rm {file}$"):
        TrainingCheckpoint(file, "one").load()
