"""`python -m evaluate_qa.dev.bench`: all cases of a metric do the same work, and the command prints their ratios."""

import json
import re

import pytest
from commands import run_program

from evaluate_qa.dev import bench
from evaluate_qa.dev.benchmarks import measure
from evaluate_qa.dev.benchmarks.measure import Measurement
from evaluate_qa.dev.benchmarks.text import cases, deltableu_cases, shuffled
from evaluate_qa.metrics._shared.devices import multiplies_int8
from evaluate_qa.terminal import new_table

COLUMNS = {
    "predictions": ["Paris", "Lyon, as everybody knows.", "", "Paris"],
    "references": [["Paris", "Paris, France"], ["Paris"], ["x"], ["Paris"]],
    "questions": ["Capital?"] * 4,
}


@pytest.mark.parametrize("metric", ["smile", "bem", "nli_lex"])
def test_engines_score_alike(metric):
    listed = cases(metric, COLUMNS, "cpu")
    int8 = ["dtype=int8"] * multiplies_int8()
    assert [*listed][1:] == ["default", "engine=torch", "dtype=bfloat16", *int8]
    loop, default, with_torch = (prepare(job)() for prepare, job in list(listed.values())[:3])
    assert with_torch == pytest.approx(default, abs=1e-5)
    if metric != "smile":
        assert loop == pytest.approx(default, abs=1e-5)


def test_loop_of_smile_compares_the_texts_themselves():
    prepare, job = cases("smile", COLUMNS, "cpu")["sentence-transformers, row by row"]
    same, different, _, repeated = prepare(job)()
    assert same == repeated == pytest.approx(1)
    assert 0.2 < different < 0.9


@pytest.mark.parametrize(("lang", "tokenize"), [("en", "13a"), ("zh", "zh")])
def test_deltableu_scores_like_sacrebleu(shared, lang, tokenize):
    items = json.loads((shared / "oracles/deltableu_public.json").read_text())["items"]
    given = {"predictions": [item["hyp"][lang] for item in items], "references": [item["refs"][lang] for item in items]}
    made = shuffled(given, 500, 8)
    assert made == shuffled(given, 500, 8)
    assert [len(row) for row in made["references"]] == [8] * 500
    sacrebleu, ours = (prepare(job)() for prepare, job in deltableu_cases(made, tokenize).values())
    assert sacrebleu[0] > 0
    assert ours == pytest.approx(sacrebleu, abs=1e-9)


def test_ratios_by_hand():
    # For 20 rows, the baseline takes 10 s, and torch 2 s.
    seconds = {"loop": (10.0, [1.0, 1.0]), "default": (4.0, [0.5, 0.25]), "engine=torch": (2.0, [0.5, 0.5])}
    measured = {name: Measurement(took, 8 * 10**8, result) for name, (took, result) in seconds.items()}
    grid = new_table("here", bench.FIGURES, bench.NAMES)
    bench.add(grid, "bem", 20, measured)
    baseline, default, torch = zip(*(column.cells for column in grid.columns), strict=True)
    assert baseline == ("bem", "loop", "10.000", "2.0", "1.00", "800", "")
    assert default[-1] == "0.0e+00"
    assert torch == ("bem", "engine=torch", "2.000", "10.0", "5.00", "800", "2.5e-01")


def test_command_prints_ratios(monkeypatch):
    monkeypatch.setattr(measure, "_in_own_process", measure._run)
    output = run_program("bench", "deltableu", "--rows", 2, "--rounds", 1).output
    assert "largest change" in output
    assert re.search(r"deltableu +sacrebleu .* 1\.00 ", output)
    assert re.search(r"deltableu +default ", output)
