"""`evaluate-qa fit`: the sets that it reads, how they are divided, and errors in them."""

import json
import math
from dataclasses import replace

import pytest
from commands import run_command

from evaluate_qa.labeled_data.rows import LabeledRow, hold_out
from evaluate_qa.metrics._shared.checkpoints import MINILM, find_checkpoint
from evaluate_qa.training import epochs
from evaluate_qa.training.examples import Generator, Mixture
from evaluate_qa.training.layers import check_folds
from evaluate_qa.training.learner import ROUNDED, Heads
from evaluate_qa.training.recipe import TrainingRecipe
from evaluate_qa.training.sources import GENERATED, read_sets, sample

NOTHING = Mixture(**dict.fromkeys(vars(Mixture()), 0.0))


def row(name, label):
    return LabeledRow(name, f"question {name}?", [f"reference {name}"], f"answer {name}", label, frozenset())


def own_file(folder, name="mine", questions=10, **changed):
    """Write a right and a wrong answer to each question; `changed` replaces fields of the fourth line."""
    lines = []
    for number in range(questions):
        asked = {"question": f"{name} question {number}?", "references": [f"{name} {number} miles"]}
        lines += [{**asked, "prediction": f"{name} says {number} miles", "verdict": True}]
        lines += [{**asked, "prediction": f"{name} knows nothing", "verdict": "incorrect"}]
    lines[3] |= changed
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_data_sets_are_read_by_part_from_their_training_parts(tmp_path, efficientqa_dir, semeval2013_dir, saf_dir):
    found = {one.name: one for one in read_sets(["efficientqa", "semeval2013", "saf"], tmp_path)}
    assert list(found) == ["efficientqa", "semeval2013/Beetle", "semeval2013/SciEntsBank", "saf/English", "saf/German"]
    answers = {name: [row.answer for row in one.train] for name, one in found.items()}
    assert answers["efficientqa"] == ["hi", "hallo", "good night"]
    assert answers["semeval2013/Beetle"] == ["a cut wire", "the wire is whole"]
    assert answers["saf/German"] == ["Kälte", "Hitze"]
    assert found["saf/German"].train[0].language == "de"


def test_only_the_training_part_of_the_traps_is_read():
    from evaluate_qa.labeled_data.files import TRAPS

    part_of = {(r["question"], r["prediction"]): r["part"] for r in map(json.loads, TRAPS.read_text().splitlines())}
    (found,) = read_sets(["traps"])
    rows = [*found.train, *found.dev]
    assert len(rows) == 240
    assert {part_of[row.question, row.answer] for row in rows} == {"train"}


@pytest.mark.parametrize("name", GENERATED)
def test_each_file_of_written_answers_is_a_set(name):
    found = {one.name: one for one in read_sets([name])}
    files = sorted(GENERATED[name].glob("*.jsonl"))
    assert list(found) == [f"{name}/{path.stem}" for path in files]
    assert len(files) >= {"polarity": 2}.get(name, 5)
    for path in files:
        one = found[f"{name}/{path.stem}"]
        first = json.loads(path.read_text(encoding="utf-8").split("\n")[0])
        rows = [row for row in (*one.train, *one.dev) if row.question == first["question"]]
        rows = [row for row in rows if list(row.references) == first["references"]]
        assert [row.answer for row in rows if row.label] == first["right"]
        assert [row.answer for row in rows if not row.label] == first["wrong"]
        assert {row.language for row in rows} == {"de" if path.stem.endswith("german") else "en"}
        read = [*one.train, *one.dev]
        # In `polarity`, a question has a line for each of two references.
        ids = {(row.question_id, tuple(row.references) if name == "polarity" else ()) for row in read}
        assert len(ids) == len(path.read_text("utf-8").splitlines())


def test_held_out_questions_do_not_depend_on_their_answers():
    rows = [row(str(number % 20), float(number % 3 > 0)) for number in range(90)]
    kept, held_out = hold_out(rows, 0.2)
    assert len({r.question_id for r in held_out}) == 4  # a fifth of 20
    assert not {r.question_id for r in kept} & {r.question_id for r in held_out}
    assert len(kept) + len(held_out) == 90
    fewer = hold_out(rows[:40], 0.2)[1]
    assert {r.question_id for r in fewer} == {r.question_id for r in held_out}


def test_sample_keeps_the_order_and_does_not_change():
    rows = [row(str(number), 1.0) for number in range(30)]
    found = sample(rows, 10)
    assert found == sample(rows, 10) == [one for one in rows if one in found]
    assert len(found) == 10
    assert sample(rows, None) == sample(rows, 99) == rows


def test_own_rows_are_divided_by_question(tmp_path):
    (found,) = read_sets([str(own_file(tmp_path, questions=20))])
    questions = [{row.question for row in part} for part in (found.train, found.dev, found.test)]
    assert [len(part) for part in questions] == [12, 4, 4]
    assert len(set.union(*questions)) == 20
    assert [row.label for row in found.train[:2]] == [1.0, 0.0]


def test_error_names_the_row(working_folder, tmp_path):
    """The test of the command agreement with users' files has the other errors."""
    own_file(tmp_path, verdict="maybe")
    message = "mine.jsonl, line 4: verdict is 'maybe'; expected true or false, 1 or 0, correct or inc"
    assert message in run_command("fit", "bem", "--data", "mine.jsonl", "-o", "m.safetensors", code=1).output
    assert not list(tmp_path.glob("m.*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["evoona"],
            "there is no data set 'evoona'; expected a file that ends in .jsonl, .csv or .parquet, or one of evouna, "
            "efficientqa, semeval2013, saf, traps, written, natural, polarity, everyday",
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
        (
            ["natural"],
            "the data set 'natural' is in the repository, but not in the installed package; clone the repository and "
            "install it with `pip install -e .`, or leave the data set out",
        ),
    ],
)
def test_errors_come_before_a_model_is_loaded(working_folder, tmp_path, monkeypatch, arguments, message):
    monkeypatch.setattr(Heads, "__init__", lambda *_: pytest.fail("a model was loaded"))
    monkeypatch.setitem(GENERATED, "natural", tmp_path / "not installed")
    own_file(tmp_path)
    own_file(tmp_path, "few", questions=9)
    output = run_command("fit", "bem", "-o", "m.safetensors", "--data", *arguments, code=1).output
    assert output.splitlines()[-1] == f"evaluate-qa fit: {message}"


@pytest.mark.slow
def test_batches_have_few_shapes_within_the_budget():
    """In bfloat16 on a CPU, torch keeps compiled code for every number of tokens."""
    heads = Heads(find_checkpoint("fit", MINILM).folder, TrainingRecipe(("bem",), device="cpu"))
    rows = [replace(row(str(n), float(n % 2)), answer="word " * (n % 97)) for n in range(600)]
    examples = Generator(rows, NOTHING).epoch(0)
    batches = epochs.training_batches(heads.encode(examples), examples, range(600), 512, [math.nan] * 600)
    found = {tuple(heads.classifiers["bem"].tensors(b.inputs["bem"], ROUNDED)["input_ids"].shape) for b in batches}
    assert sum(len(batch.labels) for batch in batches) == 600
    assert all(length % ROUNDED == 0 and count * length <= 512 for count, length in found)
    assert len({count * length for count, length in found}) <= 512 / ROUNDED < len(batches)


def test_dev_rows_need_both_verdicts_in_four_of_five_folds():
    rows = [row(str(n), float(n == 0)) for n in range(20)]
    message = (
        r"^only 20 answers, 1 of them correct, are held out to choose the epoch and to fit the final layers; each "
        r"fifth of their questions must leave answers of both kinds; label more rows$"
    )
    with pytest.raises(ValueError, match=message):
        check_folds(rows)
    check_folds([*rows, row("1", 1.0), row("2", 1.0)])
