"""The board's page is built from entries as `evaluate-qa agreement --data board --json` writes them."""

import json
import re
from html import escape

import pytest

from evaluate_qa.spaces.board import page
from evaluate_qa.spaces.board.page import build, columns, entries, labels

ATTACK = "<script>alert(1)</script>\"'&{{7*7}}"


def figure(value):
    ends = {"low": None, "high": None} if value is None else {"low": value - 0.5, "high": value + 0.5}
    return {"value": value} | ends


def table(group, found, examples=()):
    """Return a group's table; `found` has the MCC of each metric."""
    estimates = {
        name: {"mcc": figure(mcc), "auc": figure(0.9), "calibration_error": figure(None)} for name, mcc in found.items()
    }
    shown = {name: list(examples) for name in found}
    return {"group": group, "rows": 4, "questions": 2, "mean_label": 0.5, "estimates": estimates, "examples": shown}


def run(found, *, signatures=None, date="2026-11-01", efforts=None, examples=(), groups=("EVOUNA", "mean")):
    """Return the result of a run of metrics with their MCC on each group."""
    data = {"selection": {"limit": None}, "signatures": signatures or {}, "efforts": efforts or {}}
    board = data | {"tables": [table(group, found) for group in groups]}
    traps = data | {"tables": [table("kind near_name", found, examples)]}
    return {"evaluate_qa": "1.0", "date": date, "data_sets": {"board": board, "traps": traps}}


@pytest.fixture
def built(tmp_path):
    def build_of(*files):
        for number, content in enumerate(files):
            (tmp_path / f"{number}.json").write_text(json.dumps(content))
        return build(tmp_path)

    return build_of


def test_names_and_rows_are_escaped(built):
    row = {"question": ATTACK, "references": [ATTACK], "answer": ATTACK, "label": 0.0, "score": 0.9, "verdict": True}
    text = built(run({ATTACK: 0.5}, signatures={ATTACK: ATTACK}, examples=[row]))
    assert ATTACK not in text
    assert text.count("<script>") == 1
    escaped = str(escape(ATTACK)).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
    assert f'<p class="answer right">{escaped}</p>' in text
    assert f"Signature: {escaped}" in text
    assert "metric: right</span>" in text
    assert "person: wrong</span>" in text


def test_figures_have_keys_to_sort_by_and_missing_ones_are_not_measured(built):
    text = built(run({"a": -0.0512, "b": None}), run({"c": 0.5}, groups=("mean", "K-QA")))
    cells = re.findall(r'<td data-mcc="(.*?)" data-auc="(.*?)" data-calibration_error="(.*?)">(.*?)<', text)
    assert [cell[:3] for cell in cells[:3]] == [("-0.0512", "0.9", "")] * 2 + [("", "", "")]  # mean, EVOUNA, K-QA
    assert ">−.051</span>" in text
    assert text.count('<span class="mcc">not measured</span>') == 3  # b
    assert text.count('<td data-mcc="" data-auc="" data-calibration_error=""><span class="quiet">not measured') == 3
    assert text.count('<td data-sort=""><span class="quiet">not measured</span></td>') == 6  # speed and cost
    assert '<span class="mcc quiet">[−.551, .449]</span>' in text


def test_speed_and_cost_are_of_all_parts(built, tmp_path):
    effort = {"judge": {"rows": 100, "seconds": 25.0, "cost": 0.3}}
    text = built(run({"judge": 0.5}, efforts=effort))
    (entry,) = entries(tmp_path)
    assert (entry.speed, entry.cost) == (4, pytest.approx(3))
    assert '<td data-sort="4.0">4.0</td>' in text
    effort["judge"] |= {"cost": None, "rows": 0}
    built(run({"judge": 0.5}, efforts=effort))
    (entry,) = entries(tmp_path)
    assert (entry.speed, entry.cost) == (None, None)


def test_runs_are_joined_and_the_latest_of_a_signature_is_shown(tmp_path, built):
    old, new = (
        run({"bem": mcc}, signatures={"bem": "bem|v:1"}, date=date)
        for mcc, date in ((0.1, "2026-11-02"), (0.2, "2026-11-03"))
    )
    models = [run({"judge": 0.3}, signatures={"judge": f"judge|model:{name}|v:1"}) for name in ("x", "y")]
    built(new, [old, *models])
    found = entries(tmp_path)
    assert [one.tables["board", "mean"]["estimates"][one.name]["mcc"]["value"] for one in found] == [0.2, 0.3, 0.3]
    assert labels(found) == ["bem", "judge (model:x)", "judge (model:y)"]


def test_a_run_on_all_answers_is_shown_rather_than_a_later_one_on_some(tmp_path, built):
    some, everything = (
        run({"word recall": mcc}, date=date) for mcc, date in ((0.1, "2026-11-03"), (0.2, "2026-11-02"))
    )
    some["data_sets"]["board"]["selection"] = {"limit": 50}
    built(some, everything)
    (entry,) = entries(tmp_path)
    assert entry.tables["board", "mean"]["estimates"]["word recall"]["mcc"]["value"] == 0.2


def test_other_json_is_refused(built):
    with pytest.raises(ValueError, match=r"0\.json is not an entry of the board .*agreement --data board --json FILE"):
        built({"evaluate_qa": "1.0"})


def test_figures_of_others_are_apart(built):
    ours, theirs = built(run({"bem": 0.5})).split("Published by others</h2>")
    assert "another person" in theirs
    assert "Wang et al. 2023" in theirs
    assert "another person" not in ours


def test_our_page_has_figures_of_all_columns_and_names_the_sources():
    found = entries(page.FOLDER)
    text = build()
    assert {part for entry in found for part, _ in entry.tables} == {*page.PARTS}
    named = [column for column in columns(found, "board") if not column.startswith("mean")]
    assert {column.split(" ")[0] for column in named} == {*page.SOURCES}
    assert "/work/" not in text
