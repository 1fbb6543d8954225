"""`evaluate-qa fit` on several sets and on rows of one's own: what is read, drawn, held out, left out and reported."""

import json
import random
import sys
import weakref
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from commands import run_command

from evaluate_qa.labeled_data.rows import LabeledRow
from evaluate_qa.metrics._shared.checkpoints import MINILM, find
from evaluate_qa.metrics._shared.lexical import COLUMNS
from evaluate_qa.training import epochs, layers, left_out
from evaluate_qa.training.balance import Balance, Balanced, ExamplePool, drawn
from evaluate_qa.training.checkpoint import TrainingCheckpoint
from evaluate_qa.training.epochs import Course
from evaluate_qa.training.examples import Generator, Mixture
from evaluate_qa.training.figures import by_set, mean
from evaluate_qa.training.heads import Heads
from evaluate_qa.training.layers import Classified, check_folds, fit_layers, held_out_scores
from evaluate_qa.training.learner import ROUNDED
from evaluate_qa.training.left_out import left_out_file
from evaluate_qa.training.recipe import TrainingRecipe
from evaluate_qa.training.sources import WRITTEN, divided, read_sets, sample, without
from evaluate_qa.training.style import chances, evening_weights
from evaluate_qa.uncertainty.resampling import Bootstrap

NOTHING = Mixture(**dict.fromkeys(vars(Mixture()), 0.0))


def row(name, label, language="en"):
    return LabeledRow(
        name, f"question {name}?", [f"reference {name}"], f"answer {name}", label, frozenset(), (), (), language
    )


def own_file(folder, name="mine", questions=10, **changed):
    """Rows of a user's own: a right and a wrong answer to each question, with the file's name in all texts."""
    lines = []
    for number in range(questions):
        told = {"question": f"{name} question {number}?", "references": [f"{name} {number} miles"]}
        lines += [{**told, "answer": f"{name} says {number} miles", "verdict": True}]
        lines += [{**told, "answer": f"{name} knows nothing", "verdict": "incorrect"}]
    lines[3] |= changed
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


# How much of each set an epoch draws.


def test_a_sets_share_is_its_size_to_the_temperature():
    sizes = [100, 400, 900]
    assert Balance(rows=90, temperature=0).counts(sizes) == [30, 30, 30]
    # The roots are 10, 20 and 30, so the shares are a sixth, a third and a half.
    assert Balance(rows=90, temperature=0.5).counts(sizes) == [15, 30, 45]
    assert Balance(rows=140, temperature=1).counts(sizes) == [10, 40, 90]
    assert Balance(temperature=1).counts(sizes) == sizes
    # A third of 100 each: the ends 33.3, 66.7 and 100 are rounded, so that the sum holds.
    assert Balance(rows=100, temperature=0).counts(sizes) == [33, 34, 33]


def test_a_data_set_of_many_parts_weighs_by_its_answers_not_by_its_parts():
    # 100 answers, and 900 in parts of 400, 400 and 100. The roots of 100 and 900 are 10 and 30, a quarter and three
    # quarters; the parts' are 20, 20 and 10, so of 300 two fifths are 120 and a fifth is 60.
    sizes, names = [100, 400, 400, 100], ["a", "b", "b", "b"]
    assert Balance(rows=400, temperature=0.5).counts(sizes, names) == [100, 120, 120, 60]
    assert Balance(rows=400, temperature=0).counts(sizes, names) == [200, 67, 66, 67]
    assert Balance(temperature=1).counts(sizes, names) == sizes


def test_half_of_what_is_drawn_is_right_and_every_answer_comes_as_often_as_others():
    rows = [row(f"r{n}", 1.0) for n in range(3)] + [row(f"w{n}", 0.0) for n in range(20)]
    found = Counter(one.question_id for one in drawn(rows, 15, random.Random(0)))
    # Half of 15 is 7 right ones, of three: 2, 2 and 3 times. The other 8 are wrong ones, each once at most.
    assert sorted(found[f"r{n}"] for n in range(3)) == [2, 2, 3]
    assert Counter(found[f"w{n}"] for n in range(20)) == {1: 8, 0: 12}
    one_kind = drawn(rows[:3], 4, random.Random(0))
    assert sorted(Counter(one.question_id for one in one_kind).values()) == [1, 1, 2]


def test_an_answer_is_drawn_as_often_as_its_weight_says():
    rows = [row(f"r{n}", 1.0) for n in range(2)] + [row(f"w{n}", 0.0) for n in range(3)]
    weights, draw = np.array([1.0, 1.0, 3.0, 1.0, 1.0]), random.Random(0)
    found = Counter(one.question_id for _ in range(4000) for one in drawn(rows, 2, draw, weights))
    # One right one of two alike; one wrong one of three, with chances 3/5, 1/5 and 1/5. Five deviations of the largest,
    # sqrt(4000 * 1/4) = 32, are 160.
    expected = {"r0": 2000, "r1": 2000, "w0": 2400, "w1": 800, "w2": 800}
    assert {name: pytest.approx(count, abs=160) for name, count in expected.items()} == found


def in_a_style(told, questions=400):
    """A right and a wrong answer to each question; in so many of ten questions the wrong one says "because"."""
    rows = []
    for number in range(questions):
        word = "because" if number % 10 < told else "just"
        other = "just" if word == "because" else "because"
        question, references = f"question {number}?", [f"reference {number}"]
        for answer, label in ((f"thing{number} {other}", 1.0), (f"stuff{number} {word}", 0.0)):
            rows.append(LabeledRow(str(number), question, references, answer, label, frozenset()))
    return rows


def test_habits_of_who_wrote_the_answers_are_evened_out_by_weights():
    rows = in_a_style(told=8)
    weights, usual = evening_weights(rows), np.array([int(one.question_id) % 10 < 8 for one in rows])
    # "because" is wrong in 80 of 100 answers: an answer in the usual style has the chance .8 by its words, one against
    # it .2, so that it is drawn four times as often: 80 / .8 = 20 / .2. The penalty keeps the chances nearer to a half.
    ratio = weights[~usual].mean() / weights[usual].mean()
    assert 2 < ratio <= 4.5
    assert weights.min() == 1
    assert weights.max() <= 5
    even = evening_weights(in_a_style(told=5))
    assert even.max() / even.min() < 1.5


def test_too_few_answers_tell_of_no_habits():
    rows = in_a_style(told=8, questions=4)
    answers, verdicts = [one.answer for one in rows], [bool(one.label) for one in rows]
    assert chances(answers, verdicts, [one.question_id for one in rows]).tolist() == [0.5] * 8
    assert evening_weights(rows).tolist() == [1.0] * 8
    assert evening_weights([]).tolist() == []


def test_an_epoch_draws_from_each_set_what_the_balance_says():
    small = [row(f"small {n}", float(n == 0)) for n in range(4)]
    large = [row(f"large {n}", float(n % 2)) for n in range(64)]
    pools = [ExamplePool(Generator(rows, NOTHING), name) for name, rows in (("small", small), ("large", large))]
    balanced = Balanced(pools, Balance(rows=40, temperature=0.5))
    examples = balanced.epoch(3)
    # The roots are 2 and 8: a fifth of 40 is 8 of the small set, 32 of the large one; half of each are right.
    found = Counter((example.question.split()[1], example.label) for example in examples)
    assert found == {("small", 1.0): 4, ("small", 0.0): 4, ("large", 1.0): 16, ("large", 0.0): 16}
    assert examples == balanced.epoch(3) != balanced.epoch(4)
    assert [e.question for e in examples] != sorted((e.question for e in examples), key=lambda q: q.split()[1])


def test_what_is_made_for_a_set_is_made_of_that_set():
    sets = [[row(f"{name} {n}", float(n % 3 > 0)) for n in range(12)] for name in ("alpha", "beta")]
    for example in Balanced([ExamplePool(Generator(rows, Mixture()), "one") for rows in sets], Balance()).epoch(0):
        texts = f"{example.question} {example.answer} {example.reference}"
        assert ("alpha" in texts) != ("beta" in texts)


def test_wordings_of_our_own_stand_beside_english_texts_only():
    mixture = replace(NOTHING, refused=1.0, rejected=1.0, yes_no=1.0)
    for language, more in (("en", True), ("de", False)):
        rows = [row(str(n), 1.0, language) for n in range(4)]
        assert (len(Generator(rows, mixture).epoch(0)) > len(rows)) == more


# What is read, and how it is divided.


def test_data_sets_are_read_by_part_from_their_training_parts(tmp_path, efficientqa_dir, semeval2013_dir, saf_dir):
    found = {one.name: one for one in read_sets(["efficientqa", "semeval2013", "saf"], tmp_path)}
    assert list(found) == ["efficientqa", "semeval2013/Beetle", "semeval2013/SciEntsBank", "saf/English", "saf/German"]
    answers = {name: [row.answer for row in one.train] for name, one in found.items()}
    assert answers["efficientqa"] == ["hi", "hallo", "good night"]
    assert answers["semeval2013/Beetle"] == ["a cut wire", "the wire is whole"]
    assert answers["saf/German"] == ["Kälte", "Hitze"]
    assert found["saf/German"].train[0].language == "de"


def test_only_the_traps_for_training_are_read():
    from evaluate_qa.labeled_data.files import TRAPS

    part_of = {(r["question"], r["prediction"]): r["part"] for r in map(json.loads, TRAPS.read_text().splitlines())}
    (found,) = read_sets(["traps"])
    rows = [*found.train, *found.dev]
    assert len(rows) == 240
    assert {part_of[row.question, row.answer] for row in rows} == {"train"}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_is_read_as_a_set_for_each_file(name):
    found = {one.name: one for one in read_sets([name])}
    files = sorted(WRITTEN[name].glob("*.jsonl"))
    assert list(found) == [f"{name}/{path.stem}" for path in files]
    assert len(files) >= 5
    for path in files:
        one = found[f"{name}/{path.stem}"]
        assert one.seen
        first = json.loads(path.read_text(encoding="utf-8").split("\n")[0])
        rows = [row for row in (*one.train, *one.dev) if row.question == first["question"]]
        assert [row.answer for row in rows if row.label] == first["right"]
        assert [row.answer for row in rows if not row.label] == first["wrong"]
        assert {row.language for row in rows} == {"de" if path.stem.endswith("german") else "en"}
        assert len({row.question_id for row in (*one.train, *one.dev)}) == len(path.read_text("utf-8").splitlines())


def test_held_out_questions_are_a_share_of_all_whatever_their_answers():
    rows = [row(str(number % 20), float(number % 3 > 0)) for number in range(90)]
    kept, held_out = divided(rows, 0.2)
    assert len({r.question_id for r in held_out}) == 4  # a fifth of 20
    assert not {r.question_id for r in kept} & {r.question_id for r in held_out}
    assert len(kept) + len(held_out) == 90
    fewer = divided(rows[:40], 0.2).held_out
    assert {r.question_id for r in fewer} == {r.question_id for r in held_out}


def test_a_sample_keeps_the_order_and_does_not_change():
    rows = [row(str(number), 1.0) for number in range(30)]
    found = sample(rows, 10)
    assert found == sample(rows, 10) == [one for one in rows if one in found]
    assert len(found) == 10
    assert sample(rows, None) == sample(rows, 99) == rows


def test_rows_of_ones_own_are_divided_by_question(tmp_path):
    (found,) = read_sets([str(own_file(tmp_path, questions=20))])
    questions = [{row.question for row in part} for part in (found.train, found.dev, found.test)]
    assert [len(part) for part in questions] == [12, 4, 4]
    assert len(set.union(*questions)) == 20
    assert [row.label for row in found.train[:2]] == [1.0, 0.0]
    assert not found.seen


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"verdict": "maybe"},
            "mine.jsonl, line 4: verdict is 'maybe'; expected true or false, 1 or 0, correct or inc",
        ),
        ({"verdict": 0.5}, "mine.jsonl, line 4: verdict is 0.5"),
        ({"references": []}, "mine.jsonl, line 4: a question or a reference is blank"),
        ({"references": ["x", None]}, "mine.jsonl, line 4: references has None; expected a text or a list of texts"),
        ({"answer": 3}, "mine.jsonl, line 4: answer has 3; expected a text"),
        ({"question": " "}, "mine.jsonl, line 4: a question or a reference is blank"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path, monkeypatch, changed, message):
    monkeypatch.chdir(tmp_path)
    own_file(tmp_path, **changed)
    assert message in run_command("fit", "bem", "--data", "mine.jsonl", "-o", "m.safetensors", code=1).output
    assert not list(tmp_path.glob("m.*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["evoona"],
            "there is no data set 'evoona'; expected a file that ends in .jsonl, .csv or .parquet, or one of evouna, "
            "efficientqa, semeval2013, saf, traps, written, natural",
        ),
        (
            ["mine.jsonl", "--data", "mine.jsonl"],
            "two of the data sets are named 'mine'; leave one out, or rename a file",
        ),
        (["none.jsonl"], "none.jsonl: there is no such file. Check the path."),
        (
            ["few.jsonl"],
            "few.jsonl has 9 correct and 9 incorrect answers to 9 questions; training needs both kinds, and at least "
            "10 questions, because some are held out; label more rows",
        ),
    ],
)
def test_errors_come_before_a_model_is_loaded(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Heads, "__init__", lambda *_: pytest.fail("a model was loaded"))
    own_file(tmp_path)
    own_file(tmp_path, "few", questions=9)
    output = run_command("fit", "bem", "-o", "m.safetensors", "--data", *arguments, code=1).output
    assert output == f"evaluate-qa fit: {message}\n"


def test_data_that_only_the_repository_has_is_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.setitem(WRITTEN, "natural", tmp_path / "not installed")
    output = run_command("fit", "bem", "-o", tmp_path / "m.safetensors", "--data", "natural", code=1).output
    assert output == (
        "evaluate-qa fit: the data set 'natural' is in the repository, but not in the installed package; clone the "
        "repository and install it with `pip install -e .`, or leave the data set out\n"
    )


# Leaving sets out.


def test_a_set_that_is_left_out_is_gone_and_so_are_its_questions_elsewhere(tmp_path):
    one, other = (own_file(tmp_path, name) for name in ("one", "other"))
    asked = json.loads(one.read_text().splitlines()[0])
    with other.open("a") as file:
        file.write(json.dumps({**asked, "question": asked["question"].upper().replace("?", " ?")}) + "\n")
    sets = read_sets([str(one), str(other)])
    (kept,) = without(sets, ["one"])
    rows = [*kept.train, *kept.dev, *kept.test]
    assert len(rows) == 20  # the twenty-first asks a question of the set that is left out
    assert all("one question" not in row.question.lower() for row in rows)
    assert [found.name for found in without(sets, [])] == ["one", "other"]


@pytest.mark.slow
def test_left_out_runs_learn_from_nothing_of_the_set(tmp_path, monkeypatch):
    names = ("amber", "birch", "cedar")
    files = [own_file(tmp_path, name) for name in names]
    tokenizer = Heads(find("fit", MINILM).folder, TrainingRecipe(device="cpu")).classifiers["bem"].tokenizer
    learned, step, of_run = [], Course.step, left_out._run

    def watched(course, batch, *more):
        learned[-1].extend(tokenizer.decode(ids) for ids, _ in batch.inputs["bem"])
        return step(course, batch, *more)

    monkeypatch.setattr(Course, "step", watched)
    monkeypatch.setattr(left_out, "_run", lambda *arguments: learned.append([]) or of_run(*arguments))
    data = [argument for file in files for argument in ("--data", file)]
    output = tmp_path / "m.safetensors"
    arguments = [*data, "-o", output, "--epochs", "1", "--device", "cpu", "--leave-one-out"]
    result = run_command("fit", "bem", *arguments)
    for name, texts in zip(names, learned, strict=True):
        assert not any(name in text for text in texts)
        for other in {*names} - {name}:
            assert any(other in text for text in texts)
    content = json.loads(left_out_file(output).read_text())
    assert list(content["runs"]) == list(names)
    for name, found in content["runs"].items():
        (tested,) = found["sets"].values()
        assert found["sets"].keys() == {name}
        assert found["trained_on"].keys() == {*names} - {name}
        assert len(tested["labels"]) == 20  # every row of the file
        assert tested["after"]["bem, lengths"]["answers"] == 20
        assert tested["before"].keys() == {"bem, recall", "bem, lengths"}
    assert "without cedar" in result.output
    assert "bem, lengths: mean MCC " in result.output


def test_the_mean_over_left_out_sets_and_its_difference_to_before():
    def found(labels, before, after):
        scores = {"before": {"bem, recall": before}, "after": {"bem, recall": after}}
        return {"question_ids": [str(n % 4) for n in range(len(labels))], "labels": labels, "scores": scores}

    right, wrong = [0.9, 0.1] * 4, [0.1, 0.9] * 4
    labels = [1, 0] * 4
    half = [0.9, 0.1, 0.1, 0.9] * 2  # half of the right and half of the wrong ones are accepted: MCC 0
    runs = {"a": {"sets": {"a": found(labels, half, right)}}, "b": {"sets": {"b": found(labels, wrong, right)}}}
    # Before: 0 and -1, after: 1 and 1. Questions hold two rows alike, so that a set of all 1 or -1 is so in each draw.
    means = left_out.means(runs, Bootstrap(resamples=50))["bem, recall"]
    assert means["before"][0] == -0.5
    assert means["after"][0] == 1
    assert means["difference"][0] == 1.5
    for value, low, high in means.values():
        assert low <= value <= high


# Memory.

HOLES = """
import sys
from pathlib import Path
from evaluate_qa.training.memory import give_back

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

begun = resident()
kept = [bytearray(100_000) for _ in range(2000)][::50]
held = resident()
give_back()
print(held - begun, resident() - begun)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")
def test_what_is_freed_between_what_lives_on_is_given_back(processes):
    """200 MB in pieces, of which one in 50 lives on, 4 MB: no piece is large enough to be given back by itself."""
    held, left = map(int, processes.run("-c", HOLES, check=True).stdout.split())
    assert held > 150e6
    assert left < 20e6


@pytest.mark.slow
def test_batches_have_few_shapes_within_the_budget():
    """In bfloat16 on a CPU torch keeps what it compiled for every number of tokens it was given."""
    heads = Heads(find("fit", MINILM).folder, TrainingRecipe(("bem",), device="cpu"))
    rows = [replace(row(str(n), float(n % 2)), answer="word " * (n % 97)) for n in range(600)]
    batches = epochs._prepared([heads], Generator(rows, NOTHING).epoch(0), TrainingRecipe(("bem",), token_budget=512))
    found = {tuple(heads.classifiers["bem"].tensors(b.inputs["bem"], ROUNDED)["input_ids"].shape) for b in batches}
    assert sum(len(batch.labels) for batch in batches) == 600
    assert all(length % ROUNDED == 0 and count * length <= 512 for count, length in found)
    assert len({count * length for count, length in found}) <= 512 / ROUNDED < len(batches)


@pytest.mark.slow
def test_only_one_epoch_is_prepared_at_a_time(tmp_path, monkeypatch):
    seen, of_epoch, prepare = [], [], epochs._prepared

    def prepared(*arguments):
        assert all(batch() is None for batch in seen), "batches of an epoch before are still there"
        batches = prepare(*arguments)
        seen.extend(map(weakref.ref, batches))
        of_epoch.append(len(batches))
        return batches

    monkeypatch.setattr(epochs, "_prepared", prepared)
    generator = Generator([row(f"r{n}", float(n % 2)) for n in range(8)], NOTHING)
    checkpoint = TrainingCheckpoint(tmp_path / "m.training.pt", "key")
    recipe = TrainingRecipe(("bem",), epochs=3, device="cpu", token_budget=64)
    found = epochs.train(Heads(find("fit", MINILM).folder, recipe), generator, recipe, lambda *_: 0.5, checkpoint)
    assert found == [0.5] * 3
    assert of_epoch == [2, 2, 2]


# Figures and layers over several sets.


def classified(margins, labels, sets):
    count = len(labels)
    columns = {name: np.zeros(count) for name in COLUMNS}
    return Classified(
        np.arange(count),
        np.ones(count, dtype=bool),
        {"margin": np.asarray(margins, dtype=float), **columns},
        np.asarray(labels, dtype=bool),
        [str(number) for number in range(count)],
        sets,
    )


def test_a_set_weighs_as_much_as_any_other_whatever_its_size():
    rng = np.random.default_rng(0)
    margins, labels = rng.normal(size=60), rng.random(60) < 0.5
    small = classified(margins, labels, ["a"] * 20 + ["b"] * 40)
    # The large set three times over is the same to it; that all rows count for more only weakens the penalty.
    order = [*range(20), *[*range(20, 60)] * 3]
    large = classified(margins[order], labels[order], ["a"] * 20 + ["b"] * 120)
    one, other = (fit_layers(found, "bem")["recall"] for found in (small, large))
    assert one["margin"] == pytest.approx(other["margin"], abs=5e-3)
    assert one["intercept"] == pytest.approx(other["intercept"], abs=5e-3)
    unequal = fit_layers(classified(margins[order], labels[order], ["a"] * 140), "bem")["recall"]
    assert abs(unequal["margin"] - one["margin"]) > 2e-2


def test_the_sets_of_a_data_set_weigh_together_as_the_root_of_their_number():
    sets = ["a"] * 2 + ["b/1"] * 2 + ["b/2", "b/3", "b/4"]
    labels = [1, 0, 1, 0, 1, 0, 1]
    weights = layers._alike(classified(np.zeros(7), labels, sets), np.array(labels, bool))
    # `a` weighs 1, `b` √4 = 2, each of its four sets 1/2; a mean of 1 over 7 rows makes a 3 in all 7.
    assert (weights * 3 / 7).tolist() == pytest.approx([0.5, 0.5, 0.25, 0.25, 0.5, 0.5, 0.5])
    # All that a set has of a kind weighs a half of it, were it one row or two.
    kinds = layers._alike(classified(np.zeros(3), [1, 1, 0], ["a"] * 3), np.array([1, 1, 0], bool))
    assert kinds.tolist() == pytest.approx([0.75, 0.75, 1.5])


def test_held_out_scores_do_not_depend_on_the_rows_own_label():
    rng = np.random.default_rng(1)
    margins = rng.normal(size=40)
    labels = (margins + rng.normal(size=40)) > 0
    turned = labels.copy()
    turned[7] = not turned[7]
    one, other = (
        held_out_scores(classified(margins, given, ["a"] * 40), "bem")["recall"] for given in (labels, turned)
    )
    assert one[7] == other[7]
    assert not np.allclose(one, other)


def test_figures_of_each_set_and_their_mean():
    scores = np.array([0.9, 0.8, 0.2, 0.4, 0.6, 0.7])
    labels = np.array([True, False, False, True, True, True])
    found = by_set(scores, labels, list("abcdef"), ["x"] * 4 + ["y"] * 2)
    # x: right .9 and .4, wrong .8 and .2: three of four pairs are in order; one of each kind is accepted, MCC 0.
    assert found["x"]["auc"] == 0.75
    assert found["x"]["mcc"] == 0
    assert found["x"]["accuracy"] == 0.5
    assert found["y"]["auc"] is None
    assert found["y"]["accuracy"] == 1
    assert mean(found, "auc") == 0.75
    assert mean(found, "accuracy") == 0.75


def test_too_few_verdicts_to_choose_by():
    rows = [row(str(n), float(n == 0)) for n in range(20)]
    message = (
        r"^only 20 answers, 1 of them correct, are held out to choose the epoch and to fit the final layers; each "
        r"fifth of their questions must leave answers of both kinds; label more rows$"
    )
    with pytest.raises(ValueError, match=message):
        check_folds(rows)
    check_folds([*rows, row("1", 1.0), row("2", 1.0)])
