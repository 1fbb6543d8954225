"""Scores as probabilities: the figures by hand, by definition, and through the command."""

import json

import numpy as np
import pytest
from commands import run_command
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.agreement.calibration import calibrate, has_calibration
from evaluate_qa.agreement.comparison import Comparison
from evaluate_qa.uncertainty.resampling import Bootstrap

NONE = Bootstrap(resamples=0)


def compared(scores, labels, questions=None):
    count = len(scores)
    return Comparison(
        np.array(scores, dtype=float),
        None,
        np.array(labels, dtype=float),
        np.arange(count) if questions is None else np.array(questions),
    )


def test_the_error_by_hand():
    # (0.2, 0.3]: scores .25 and .29, mean .27, none right: gap .27. (0.9, 1]: .92, .94, 1, mean 2.86 / 3, 2 of 3
    # right: gap .28667. Weighted by rows: (2 · .27 + 3 · .28667) / 5 = .28.
    found = calibrate("m", compared([0.25, 0.94, 0.29, 0.92, 1], [0, 1, 0, 0, 1]), NONE)
    assert found.error == pytest.approx(0.28)
    assert [(bin.begin, bin.rows) for bin in found.bins] == [(0.2, 2), (0.9, 3)]
    assert [bin.score for bin in found.bins] == pytest.approx([0.27, 2.86 / 3])
    assert [bin.correct.value for bin in found.bins] == pytest.approx([0, 2 / 3])
    assert [bin.correct.low for bin in found.bins] == [None, None]
    # A score on an edge is in the bin below.
    found = calibrate("m", compared([0.5, 0.45, 0, 1], [1, 0, 0, 1]), NONE)
    assert [(bin.begin, bin.rows) for bin in found.bins] == [(0, 1), (0.4, 2), (0.9, 1)]


rows = st.lists(st.tuples(st.integers(0, 1000), st.booleans()), min_size=1, max_size=60)


@given(rows)
def test_the_error_by_its_definition(rows):
    scores, labels = np.array([score / 1000 for score, _ in rows]), np.array([label for _, label in rows])
    found = calibrate("m", compared(scores, labels), NONE)
    expected = 0.0
    for number in range(10):
        low, high = np.linspace(0, 1, 11)[number : number + 2]
        inside = (scores > low) & (scores <= high) | (scores == 0) & (number == 0)
        if inside.any():
            expected += abs(labels[inside].sum() - scores[inside].sum()) / len(rows)
    assert found.error == pytest.approx(expected, abs=1e-12)
    assert sum(bin.rows for bin in found.bins) == len(rows)


def test_intervals_draw_questions_not_rows():
    """The share of one question's hundred answers is as uncertain as that of one answer."""
    scores, labels = [0.55] * 200, [1] * 100 + [0] * 100
    (together,) = calibrate("m", compared(scores, labels, [0] * 100 + [1] * 100), Bootstrap(500)).bins
    (apart,) = calibrate("m", compared(scores, labels), Bootstrap(500)).bins
    assert (together.correct.low, together.correct.high) == (0, 1)
    # Of 200 draws with p = .5: standard error √(.25 / 200) = .035, times 1.96 = .07.
    assert apart.correct.low == pytest.approx(0.43, abs=0.02)
    assert apart.correct.high == pytest.approx(0.57, abs=0.02)


def test_a_bin_that_no_replicate_fills_has_no_interval():
    """One draw of ten questions, each of which is alone in its bin, misses some."""
    bins = calibrate("m", compared([0.05 + 0.1 * number for number in range(10)], [1] * 10), Bootstrap(1)).bins
    assert {(bin.correct.low, bin.correct.high) for bin in bins} == {(1, 1), (None, None)}


def test_what_is_no_probability_has_no_calibration():
    assert has_calibration(compared([0, 1], [0, 1]))
    assert not has_calibration(compared([0, 1.01], [0, 1]))
    assert not has_calibration(compared([-0.01, 1], [0, 1]))
    assert not has_calibration(compared([0, 1], [1, 3]))


def agreement(*arguments, code=0):
    done = run_command("agreement", *arguments, code=code)
    return done.output


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_command_draws_writes_and_prints(evouna_dir, diver_qa_dir, blend, tmp_path, suffix):
    drawing, target = tmp_path / f"out{suffix}", tmp_path / "out.json"
    printed = agreement(
        *("--data", "evouna", "--data", "diver_qa", "--data-dir", evouna_dir.parent, "--metric", blend),
        *("--bootstrap", 20, "--json", target, "--calibration", drawing),
    )
    assert drawing.read_bytes()[:5] in (b"\x89PNG\r", b"<?xml", b"%PDF-")
    sets = json.loads(target.read_text())["data_sets"]
    for data in ("evouna", "diver_qa"):
        (found,) = sets[data]["calibrations"]
        assert found["metric"] == "blend"
        assert sum(bin["rows"] for bin in found["bins"]) == sets[data]["counts"]["labels"]
        told = f"{found['error']:.3f}".removeprefix("0")
        assert f"blend: expected calibration error {told} (10 bins of equal width)" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--data", "evouna"), "a calibration needs a metric, for example --metric bem"),
        (("--data", "evouna", "--metric", "bem", "--calibration", "out.bmp"), "expected .png, .svg or .pdf"),
    ],
)
def test_errors_are_told_before_any_work(evouna_dir, tmp_path, arguments, message):
    given = "--calibration", tmp_path / "out.png", "--data-dir", evouna_dir.parent, *arguments
    assert message in agreement(*given, code=1)


def test_ratings_have_no_calibration(morqa_dir, tmp_path):
    given = "--data", "morqa", "--data-dir", morqa_dir, "--metric", "bem", "--calibration", tmp_path / "out.png"
    assert "morqa has ratings; a calibration needs verdicts" in agreement(*given, code=1)
    assert not (tmp_path / "out.png").exists()
