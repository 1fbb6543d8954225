"""`python -m evaluate_qa.dev.default_band`: a band chosen by estimate on several sets, each of which counts alike."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import run_program
from toy_metric import write_toy_metric

from evaluate_qa.cascading.testing import find_band
from evaluate_qa.dev.default_band import band, choose, labelled
from evaluate_qa.files.writing import write_rows


def small_set(low, right_low, high, right_high, middle):
    """So many answers with a score of .03 and of .95, of which the matcher has so many right, and some with .6."""
    scores = np.array([0.03] * low + [0.95] * high + [0.6] * middle)
    labels = np.array(
        [at >= right_low for at in range(low)] + [at < right_high for at in range(high)] + [True, False] * (middle // 2)
    )
    return labelled(scores, labels, 0.5)


def test_a_band_of_several_sets_counts_them_alike():
    """By shares of 100 and of 1,000 rows, so that the second set's ten times as many count no more.

    Below: (.19 + .38) / (.2 + .4) = .95. Above: (.20 + .17) / (.2 + .2) = .925, by the rows (20 + 170) / 220 = .864;
    with the middle, of which half is right, less.
    """
    sets = {"a": small_set(20, 19, 20, 20, 60), "b": small_set(400, 380, 200, 170, 400)}
    assert band(list(sets.values()), 0.949) == (0.5, 1)
    assert band(list(sets.values()), 0.9) == (0.5, 0.61)
    assert band(list(sets.values()), 0.96) == (0, 1)
    found = choose(sets, 0.9, 0.6)
    assert found.sets["b"].chosen.decided == pytest.approx((380 + 170) / 600)
    assert found.sets["b"].own == find_band(sets["b"].scores, sets["b"].labels, 0.5, 0.9, 0.6)
    assert found.sets["b"].own != find_band(sets["b"].scores, sets["b"].labels, 0.5, 0.9, 0.95)


def test_a_band_holds_its_lower_end_and_not_its_upper_one():
    """All of .02 and .97 are right, all of .03 and .96 wrong: these are asked from .03 on, and up to below .97.

    Of four answers three are right: 3/4, of which no more is wanted.
    """
    scores = np.repeat([0.02, 0.03, 0.96, 0.97], 10)
    assert band([labelled(scores, np.tile(np.repeat([False, True], 10), 2), 0.5)], 0.9) == (0.03, 0.97)
    assert band([labelled(np.full(4, 0.02), np.arange(4) == 0, 0.5)], 0.75) == (0.5, 1)
    assert band([labelled(np.full(4, 0.98), np.arange(4) > 0, 0.5)], 0.75) == (0, 0.5)


def test_sets_are_scored_and_shown(tmp_path, monkeypatch):
    """The toy metric's score is the share of the reference's words, 1 or 0 here; it is always right."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    toy = write_toy_metric(tmp_path)
    for name in ("one", "two"):
        write_rows(
            f"{name}.jsonl",
            [
                {
                    "question": f"Q{at}",
                    "references": [f"w{at}"],
                    "answer": f"w{at}" if at % 2 else "no",
                    "verdict": at % 2,
                }
                for at in range(20)
            ],
        )
    options = ["--metric", str(toy), "--data", "one.jsonl", "--data", "two.jsonl", "--rows", "10", "--json", "out.json"]
    done = run_program("default_band", *options)
    found = json.loads(Path("out.json").read_text())
    assert found["ask"] == [0.5, 0.5]
    assert {name: (one["rows"], one["asked"], one["decided"]) for name, one in found["sets"].items()} == {
        "one": (10, 0, 1),
        "two": (10, 0, 1),
    }
    assert "own band, 95% confidence" in done.stdout
    assert "1.000 of 10" in done.stdout
    for wrong in (["--rows", "0"], ["--target", "2"]):
        assert run_program("default_band", *options, *wrong, code=2 if "--rows" in wrong else 1)
