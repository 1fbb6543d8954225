"""`python -m evaluate_qa.dev.bench deltableu`: both sides score the same texts alike, and the cost is linear."""

import json
import sys

import pytest
from commands import run_program

from evaluate_qa.dev.benchmarks import measure
from evaluate_qa.dev.benchmarks.deltableu import cases, lengthened, shuffled
from evaluate_qa.metrics.deltableu.ngrams import row_statistics

GIVEN = {
    "predictions": ["the rash is dry", "手掌有点像梅毒疹"],
    "references": [["a dry rash of the hand", "eczema of the hand"], ["手上像梅毒疹"]],
}


def test_rows_are_made_by_shuffling():
    job = shuffled(GIVEN, 50, 4, "13a")
    assert job == shuffled(GIVEN, 50, 4, "13a")
    assert [len(row) for row in job.references] == [4] * 50
    for number in range(0, 50, 2):
        english, chinese = job.references[number], job.references[number + 1]
        assert sorted(job.predictions[number].split()) == ["dry", "is", "rash", "the"]
        assert sorted(english[0].split()) == sorted(["a", "dry", "rash", "of", "the", "hand"])
        assert sorted(english[2]) == sorted(chinese[0]) == sorted("手上像梅毒疹")
        assert sorted(chinese[1].split()) == sorted(["a", "dry", "rash", "of", "the", "hand"])
    assert len(set(job.predictions)) > 10


def test_the_samples_references_get_their_questions():
    given = {"predictions": ["W"], "questions": ["Symbol of tungsten?"], "references": [["W"]]}
    assert lengthened(given) == given | {"references": [["Symbol of tungsten? W"]]}


def test_every_case_runs_and_agrees_with_the_baseline():
    scores = {name: prepare(job)() for name, (prepare, job) in cases(shuffled(GIVEN, 30, 4, "13a")).items()}
    assert scores["deltableu"] == pytest.approx(scores["sacrebleu"], abs=1e-9)
    assert scores["sacrebleu"] > 0
    assert scores["deltableu, weighted"] != pytest.approx(scores["sacrebleu"])


@pytest.mark.slow
def test_the_command_prints_ratios(monkeypatch):
    # In this process: that each case gets one of its own, tests of its memory show.
    monkeypatch.setattr(measure, "_in_own_process", measure._run)
    result = run_program("bench", "deltableu", "--rows", "20", "--references", "3", "--rounds", "1")
    assert "20 rows, 3.0 references each" in result.output
    assert "× sacrebleu" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tokenize", "13b"], "tokenize is '13b'; expected one of"),
        (["--input", "missing.jsonl"], "missing.jsonl: there is no such file"),
        (["--column", "predictions=predicted"], "no column 'predicted'. Did you mean 'prediction'?"),
    ],
)
def test_what_cannot_be_measured_is_said(arguments, message):
    result = run_program("bench", "deltableu", *arguments, code=1)
    assert message in result.stderr


@pytest.mark.parametrize(("lang", "tokenize"), [("en", "13a"), ("zh", "zh")])
def test_both_score_what_is_measured_alike(shared, lang, tokenize):
    items = json.loads((shared / "oracles/deltableu_public.json").read_text())["items"]
    given = {
        "predictions": [item["hyp"][lang] for item in items],
        "references": [item["refs"][lang] for item in items],
    }
    scores = {name: prepare(job)() for name, (prepare, job) in cases(shuffled(given, 500, 8, tokenize)).items()}
    assert scores["deltableu"] == pytest.approx(scores["sacrebleu"], abs=1e-9)


def test_the_cost_is_linear_in_references():
    tokens = [f"word{n % 13}" for n in range(16)]
    references = [[tokens[(i * j) % len(tokens)] for i in range(15)] for j in range(1, 400)]

    def bytecodes(number):
        counted = 0

        def trace(frame, event, _):
            nonlocal counted
            frame.f_trace_opcodes = True
            counted += event == "opcode"
            return trace

        sys.settrace(trace)
        try:
            row_statistics(tokens, references[:number], [1.0] * number)
        finally:
            sys.settrace(None)
        return counted

    # Ten times the references, and no less than ten times the work; a quadratic cost would be a hundred times as high.
    assert bytecodes(390) < 12 * bytecodes(39)
