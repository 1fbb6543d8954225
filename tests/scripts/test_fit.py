"""`evaluate-qa fit`: the labels of made examples, gradients, and whole runs on a few questions."""

import json
import random
import signal
from dataclasses import fields

import numpy as np
import pytest
from commands import run_command

from evaluate_qa.files.claiming import claimed
from evaluate_qa.labeled_data.rows import LabeledRow
from evaluate_qa.metrics._shared.checkpoints import MINILM, find
from evaluate_qa.metrics._shared.lexical import recall
from evaluate_qa.metrics._shared.matcher import Matcher, read
from evaluate_qa.metrics._shared.matcher import find as shipped
from evaluate_qa.metrics._shared.words import exact_words
from evaluate_qa.training.checkpoint import TrainingCheckpoint
from evaluate_qa.training.epochs import backward
from evaluate_qa.training.examples import Generator, Mixture, batches
from evaluate_qa.training.heads import Heads
from evaluate_qa.training.learner import FORMATS, TrainingBatch
from evaluate_qa.training.recipe import TrainingRecipe
from evaluate_qa.training.wording import in_words, number_variant, sentences, yes_no

NOTHING = {field.name: 0.0 for field in fields(Mixture)}


def row(number, answer, reference, label):
    return LabeledRow(f"q{number}", f"which city has the number {number}", [reference], answer, label, frozenset())


ROWS = [
    row(1, "The city that you mean is Paris.", "Paris", 1.0),
    row(2, "It is Rome, of course.", "Rome", 1.0),
    row(3, "Berlin is the city.", "Berlin", 1.0),
    row(4, "I think it is Oslo.", "Madrid", 0.0),
]


def made(kind, seed=0):
    """The examples of one kind, without the labeled answers themselves."""
    examples = Generator(ROWS, Mixture(**{**NOTHING, kind: 1.0})).epoch(seed)
    plain = {(r.question, r.answer, r.references[0], r.label) for r in ROWS}
    return [e for e in examples if (e.question, e.answer, e.reference, e.label) not in plain]


def test_labeled_answers_are_all_there():
    examples = Generator(ROWS, Mixture(**NOTHING)).epoch(0)
    assert sorted((e.question, e.answer, e.label) for e in examples) == [(r.question, r.answer, r.label) for r in ROWS]


@pytest.mark.parametrize("kind", ["wrong_reference", "swapped", "refused", "cut"])
def test_negatives_lack_the_reference(kind):
    examples = [example for seed in range(20) for example in made(kind, seed)]
    assert examples
    for example in examples:
        assert example.label == 0
        assert recall(exact_words(example.answer), exact_words(example.reference)) == 0


def test_counterfactuals_agree():
    examples = [example for seed in range(20) for example in made("counterfactual", seed)]
    assert examples
    assert all(e.label == 1 and e.reference in e.answer for e in examples)


def test_a_rejected_reference_is_wrong_and_a_rejected_other_is_not():
    examples = [example for seed in range(40) for example in made("rejected", seed)]
    assert {e.label for e in examples} == {0, 1}
    assert all(e.reference in e.answer for e in examples if e.label)


def test_padding_keeps_the_answer_and_adds_no_reference():
    generator = Generator(ROWS, Mixture(**{**NOTHING, "padded": 1.0}))
    for example in generator.epoch(3):
        original = next(r for r in ROWS if r.question == example.question)
        assert original.answer in example.answer
        around = example.answer.replace(original.answer, "")
        assert original.references[0] not in around


def test_epochs_differ_and_repeat():
    generator = Generator(ROWS, Mixture())
    assert generator.epoch(1) == generator.epoch(1) != generator.epoch(2)


@pytest.mark.parametrize("seed", range(30))
def test_yes_and_no(seed):
    """The label says whether the claim in the answer agrees with the truth that the reference states."""
    question, answer, reference, label = yes_no("capital?", "It is Paris.", "Paris", "Lyon", random.Random(seed))
    truth = "Paris" in question
    assert reference == ("yes" if truth else "no")
    claimed = {True: "yes", False: "no"}.get(answer.lower().startswith("yes"), "no")
    if answer.lower().startswith(("yes", "no")):
        assert (claimed == reference) == bool(label)
    else:
        assert label == 1


def test_numbers_and_dates_in_another_form():
    assert number_variant("on 8 September 2010", random.Random(0)) == "on September 8, 2010"
    assert number_variant("on September 8, 2010", random.Random(0)) == "on 8 September 2010"
    variants = {number_variant("40 or seven, not 1987", random.Random(seed)) for seed in range(9)}
    assert variants == {"forty or seven, not 1987", "40 or 7, not 1987"}
    assert [in_words(n) for n in (0, 13, 20, 99)] == ["zero", "thirteen", "twenty", "ninety-nine"]


def test_sentences():
    assert sentences('One. Two? "Three" e.g. four') == ["One.", "Two?", '"Three" e.g. four']


def test_batches_hold_every_example_once_within_the_budget():
    lengths = random.Random(0).choices(range(5, 60), k=300)
    listed = list(batches(lengths, 200))
    assert sorted(number for batch in listed for number in batch) == list(range(300))
    assert all(len(batch) * max(lengths[n] for n in batch) <= 200 for batch in listed)


def test_the_mean_of_matchers():
    from evaluate_qa.training.run import average

    def one(value):
        array = np.full((2, 2), value, dtype=np.float32)
        return Matcher({"w": array}, {"bem": (array, array[0])}, {})

    middle = average([one(1.0), one(4.0)])
    assert middle.difference["w"].tolist() == [[2.5, 2.5], [2.5, 2.5]]
    assert middle.heads["bem"][1].tolist() == [2.5, 2.5]


@pytest.mark.slow
@pytest.mark.parametrize("taught", [False, True])
def test_gradients_are_those_of_the_mean_loss_of_both_heads(taught):
    import torch

    recipe = TrainingRecipe(device="cpu", label_smoothing=0.1, teacher_weight=0.7)
    heads, teacher = (Heads(find("fit", MINILM).folder, recipe) for _ in range(2))
    heads.train(False)
    teacher.train(False)
    texts = [("Where?", "It is in Paris.", "Paris"), ("Who?", "Ada did, they say.", "Charles")]
    inputs = {
        task: classifier.encode([FORMATS[task](*t) for t in texts]) for task, classifier in heads.classifiers.items()
    }
    batch = TrainingBatch(inputs, [1.0, 0.0], ["en", "en"])
    loss = backward(heads, batch, [teacher] if taught else [], recipe)
    found = {name: parameter.grad.clone() for name, parameter in heads.parameters().items()}
    # Labels smoothed by a tenth towards a half are .95 and .05; of a teacher's probability p they keep 3 tenths.
    margins = [heads.margin(task, batch, half=False) for task in heads.classifiers]
    targets = torch.tensor([0.95, 0.05])
    if taught:
        probability = sum(teacher.margin(task, batch, half=False) for task in heads.classifiers).div(2).sigmoid()
        targets = 0.3 * targets + 0.7 * probability.detach()
    expected = -sum(targets * m.sigmoid().log() + (1 - targets) * (-m).sigmoid().log() for m in margins).mean() / 2
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    gradients = torch.autograd.grad(expected, list(heads.parameters().values()), allow_unused=True)
    for (name, gradient), wanted in zip(found.items(), gradients, strict=True):
        assert torch.allclose(gradient, wanted, rtol=1e-3, atol=1e-6), name


@pytest.mark.slow
def test_in_bfloat16_without_fused_attention_the_margins_are_nearly_those_of_float32():
    texts = [("Where?", "It is in Paris.", "Paris"), ("Who?", "Ada did, they say, long ago.", "Charles"), ("", "", "4")]
    found = []
    for half in (False, True):
        heads = Heads(find("fit", MINILM).folder, TrainingRecipe(device="cpu", bfloat16=half))
        heads.load(read(shipped("fit")))
        heads.train(False)
        assert heads.encoder.config._attn_implementation == ("eager" if half else "sdpa")
        inputs = {
            task: heads.classifiers[task].encode([FORMATS[task](*t) for t in texts]) for task in heads.classifiers
        }
        batch = TrainingBatch(inputs, [1.0, 0.0, 0.0], ["en"] * 3)  # of unlike lengths, so that some tokens are padding
        found.append([heads.margin(task, batch, half).tolist() for task in heads.classifiers])
    # bfloat16 keeps 8 bits: 12 sums of some units are within a few hundredths of each.
    assert np.allclose(*found, atol=0.15)
    assert np.ptp(found[0]) > 1


@pytest.fixture
def data_dir(tmp_path):
    """EVOUNA's form with nine made-up questions, which five systems answer well and badly."""
    cities = ["Paris", "Rome", "Berlin", "Oslo", "Madrid", "Vienna", "Lisbon", "Dublin", "Athens"]
    questions = []
    for number, city in enumerate(cities):
        item = {"question": f"which city has the number {number}", "golden_answer": city, "improper": False}
        for k, system in enumerate(("fid", "gpt35", "chatgpt", "gpt4", "newbing")):
            item[f"answer_{system}"] = f"It is {city}." if k % 2 else f"It is {cities[number - 1]}."
            item[f"judge_{system}"] = bool(k % 2)
        questions.append(item)
    for name in ("NQ", "TQ"):
        (tmp_path / f"{name}.json").write_text(json.dumps(questions))
    split = {"train": [0, 1, 2, 3], "dev": [4, 5, 6, 7, 8], "test": []}
    (tmp_path / "split.json").write_text(json.dumps({"NQ": split, "TQ": split}))
    return tmp_path


@pytest.mark.slow
def test_a_run_writes_a_matcher_that_both_metrics_can_use(data_dir, tmp_path):
    output, averaged = tmp_path / "matcher.safetensors", tmp_path / "averaged.safetensors"
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("epochs: 1\nfrozen_layers: 3\nmixture: {near: 0.5}\n")
    arguments = ["--data-dir", data_dir, "--device", "cpu", "--recipe", recipe]
    run_command("fit", "both", *arguments, "-o", output)
    found = read(output)
    assert set(found.weights["nli_lex"]) == {"match", "recall", "lengths"}
    for layer in range(6):
        changed = found.difference[f"encoder.layer.{layer}.output.dense.weight"]
        assert bool(changed.any()) == (layer >= 3)
    assert (tmp_path / "matcher.epoch-1.safetensors").is_file()
    recipe.write_text(f"average: [{output}]\nrefit_layers: [match]\n")
    run_command("fit", "nli_lex", *arguments, "-o", averaged)
    assert read(averaged).heads.keys() == {"nli_lex"}
    assert np.array_equal(read(averaged).heads["nli_lex"][0], found.heads["nli_lex"][0])
    # Only the named layer is fitted again, here on all rows that the shipped matcher was not trained on.
    first, second = (read(file).weights["nli_lex"] for file in (output, averaged))
    assert all(first[name] == second[name] for name in ("recall", "lengths"))


KILLED = """
import os, signal, sys
from pathlib import Path
from evaluate_qa.cli import app
from evaluate_qa.files.claiming import claimed
from evaluate_qa.training.epochs import Course
step, epoch_done = Course.step, Path(sys.argv.pop(1))
def until_the_second_epoch(*arguments):
    if epoch_done.exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return step(*arguments)
Course.step = until_the_second_epoch
app()
"""


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_matcher(processes, data_dir, tmp_path):
    own = tmp_path / "own.jsonl"
    rows = [
        {"question": f"how far is {n}", "references": [f"{n} miles"], "answer": f"{n + k} miles", "verdict": not k}
        for n in range(10)
        for k in range(2)
    ]
    own.write_text("\n".join(map(json.dumps, rows)))
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("balance: {rows: 15}\nmixture: {padded: 0}\nfrozen_layers: 4\ntoken_budget: 256\n")
    sets = ["--data", "evouna", "--data-dir", data_dir, "--data", own]
    arguments = ["fit", "both", *sets, "--epochs", "2", "--device", "cpu", "--recipe", recipe]

    def run(output, killed_after):
        return processes.run("-c", KILLED, killed_after, *arguments, "-o", output)

    whole, broken = tmp_path / "whole.safetensors", tmp_path / "broken.safetensors"
    done = run(whole, tmp_path / "never")
    assert done.returncode == 0, done.stderr
    assert "on held-out questions, before → after: nli_lex, lengths" in done.stderr
    state = tmp_path / "broken.training.pt"
    assert run(broken, state).returncode == -signal.SIGKILL
    assert not broken.exists()
    again = run(broken, tmp_path / "never")
    assert again.returncode == 0, again.stderr
    assert "epoch 2: loss" in again.stderr
    assert "epoch 1: loss" not in again.stderr
    assert broken.read_bytes() == whole.read_bytes()
    assert not state.exists()


def test_two_runs_do_not_write_the_same_output(data_dir, tmp_path):
    output = tmp_path / "m.safetensors"
    with claimed(output):
        result = run_command("fit", "bem", "--data-dir", data_dir, "-o", output, code=1)
    assert "another run is writing it" in result.output


def test_the_state_of_another_training_stays(tmp_path):
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
