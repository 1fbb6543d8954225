"""`evaluate-qa gate`."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import run_command
from markdown_it import MarkdownIt

from evaluate_qa import estimate, gate
from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows

COUNT = 120
GENERATOR = np.random.default_rng(0)
OLD = GENERATOR.beta(3, 1, COUNT)
SCORES = {"old": OLD, "new": np.where(np.arange(COUNT) % 6 == 0, OLD / 4, OLD), "same": OLD}
QUESTIONS = np.arange(COUNT) // 2
ATTACK = "<script>alert(1)</script> | `x` ``y`` \\| ![i](http://x) @you #1\n</details>\x00\x1b[31m\ud800]]>"


def rows(name, **more):
    return [
        {"id": f"r{at}", "question": f"Q{at // 2}?", "references": ["a", "b"], "prediction": f"{name} says {at}"}
        | {"score": SCORES[name][at], "verdict": bool(SCORES[name][at] > 0.5), **more}
        for at in range(COUNT)
    ]


@pytest.fixture
def run(working_folder):
    write_rows("old.parquet", rows("old"))
    write_rows("new.jsonl", rows("new")[::-1])
    write_rows("same.csv", rows("same"))

    def run(scored, *arguments, code=0):
        given = ["--scored", scored, "--baseline", "old.parquet", *arguments, "--json", "out.json"]
        done = run_command("gate", *given, code=code)
        return done.stderr if code == 2 else (done.stdout, json.loads(Path("out.json").read_text()))

    return run


def test_gate_writes_the_figures_of_the_function(run):
    verdicts = {name: scores > 0.5 for name, scores in SCORES.items()}
    for options, values in (([], verdicts), (["--by-score"], SCORES)):
        output, found = run("new.jsonl", "--max-drop", 0.02, *options, code=1)
        expected = gate(values["old"], values["new"], max_drop=0.02, clusters=QUESTIONS)
        assert found["drop"] == pytest.approx(vars(expected.drop))
        assert repr(expected).startswith("Drop(passed=False, drop=")
        assert (found["rows"], found["clusters"], found["passed"]) == (COUNT, 60, expected.passed)
        assert found["detectable"] == pytest.approx(expected.detectable)
        assert (found["before"], found["after"]) == pytest.approx((values["old"].mean(), values["new"].mean()))
        assert output.startswith(f"FAILED: a drop of more than {'0.02' if options else '2 points'} was detected; with")
        assert f" power). {'Mean score' if options else 'Judged correct'}: " in output
    turned = verdicts["old"] & ~verdicts["new"]
    assert (found["losses"], found["wins"]) == (turned.sum(), 0)


def test_rows_may_come_from_stdin(run):
    rows = Path("new.jsonl").read_text()
    command = ["gate", "--scored", "-", "--baseline", "old.parquet", "--json", "out.json"]
    output = run_command(*command, code=1, input=rows).stdout
    assert output.splitlines()[0] == run("new.jsonl", code=1)[0].splitlines()[0].replace("new.jsonl", "-")


def test_exit_code_depends_on_the_bound(run):
    _, found = run("new.jsonl", code=1)
    low, value = found["drop"]["low"], found["drop"]["value"]
    output, _ = run("new.jsonl", "--max-drop", low + 0.001)
    assert low + 0.001 < value, "an estimate above the allowed drop is not enough to fail"
    assert f"no drop of more than {100 * (low + 0.001):g} points was detected; with these 120 rows, only" in output
    run("new.jsonl", "--max-drop", low - 0.001, code=1)
    output, found = run("same.csv")
    assert (found["passed"], found["drop"]["value"]) == (True, 0)
    assert found["drop"]["low"] < 0 < found["drop"]["high"]
    assert output.startswith("PASSED: no drop was detected; with these 120 rows, only drops of ")


def test_files_for_ci_begin_with_the_detectable_drop(run):
    options = ["--markdown", "gate.md", "--junit", "gate.xml"]
    output, found = run("new.jsonl", *options, code=1)
    suite = ElementTree.parse("gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure.get("message") == output.splitlines()[0]
    run_command("compare", "old.parquet", "new.jsonl", "--changed", "changed.jsonl", code=0)
    changed = [row for _, row in read_rows("changed.jsonl")]
    assert len(changed) == found["losses"]
    assert changed[0]["references"] == ["a", "b"]
    lost = [line for line in failure.text.splitlines() if line.startswith("lost: ")]
    first = changed[0]
    assert len(lost) == 10
    assert lost[0] == (
        f"lost: {first['question']!r}: {first['prediction_before']!r} ({first['score_before']:.3f}) → "
        f"{first['prediction']!r} ({first['score']:.3f})"
    )
    text = Path("gate.md").read_text()
    clause = output.partition("FAILED: ")[2].partition(" Judged correct")[0].rstrip(".")
    assert text.startswith(f"### ❌ Failed: {clause}\n")
    assert f"Lost: {found['losses']} rows (the first 10 are shown)" in text
    assert text.count("reference: `a` · `b`") == 10
    run("same.csv", *options)
    case = ElementTree.parse("gate.xml").getroot().find("testsuite/testcase")
    assert case.find("failure") is None
    assert case.find("system-out").text.startswith("PASSED: no drop was detected; with these 120 rows, only drops of")
    assert Path("gate.md").read_text().startswith("### ✅ Passed: no drop was detected; with these 120 rows, only")


def test_same_inputs_give_the_same_bytes(run):
    files = ["gate.md", "gate.xml", "out.json"]
    found = []
    for _ in range(2):
        run("new.jsonl", "--markdown", files[0], "--junit", files[1], code=1)
        found.append([Path(file).read_bytes() for file in files])
        for file in files:
            Path(file).unlink()
    assert found[0] == found[1]


def test_hostile_rows_stay_text(run):
    odd = [row | {"prediction": ATTACK, "references": [ATTACK], "question": ATTACK[:40]} for row in rows("new")]
    write_rows("a|b `c` <b>.jsonl", odd)
    write_rows("old.parquet", [row | {"question": ATTACK[:40]} for row in rows("old")])
    files = "--markdown", "gate.md", "--junit", "gate.xml"
    run("a|b `c` <b>.jsonl", "--column", "cluster=id", *files, "--allow-mixed", code=1)
    tokens = MarkdownIt("commonmark").parse(Path("gate.md").read_text("utf-8"))
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert {line.split(":")[0] for block in html for line in block.splitlines()} == {
        "<details>", "<summary>Lost", "</details>"
    }  # fmt: skip
    inline = [child for token in tokens for child in token.children or ()]
    assert not {"html_inline", "link_open", "image", "strong_open", "em_open"} & {token.type for token in inline}
    codes = {token.content for token in inline if token.type == "code_inline"}
    shown = "<script>alert(1)</script> | `x` ``y`` \\| ![i](http://x) @you #1 </details>\ufffd\ufffd[31m\ufffd]]>"
    assert shown in codes
    failure = ElementTree.parse("gate.xml").getroot().find("testsuite/testcase/failure")
    assert repr(shown) in failure.text


def test_labels_decide_by_estimated_accuracies(run):
    generator = np.random.default_rng(1)
    labels = {name: generator.random(COUNT) < SCORES[name] for name in ("old", "new")}
    for name, found in labels.items():
        write_rows(f"{name}.labels.csv", [{"id": f"r{at}", "label": bool(found[at])} for at in range(70)])
    _, found = run("new.jsonl", "--labels", "new.labels.csv", "--baseline-labels", "old.labels.csv")
    marks = [np.where(np.arange(COUNT) < 70, labels[name], np.nan) for name in ("old", "new")]
    expected = estimate(
        np.concatenate([SCORES["old"], SCORES["new"]]), np.concatenate(marks), clusters=np.tile(QUESTIONS, 2),
        groups=np.repeat(["old", "new"], COUNT), differences=[("old", "new")], confidence=0.9,
    )  # fmt: skip
    assert found["drop"] == pytest.approx(vars(expected.differences["old", "new"]))
    assert found["before"] == pytest.approx(expected.groups["old"].accuracy.value)
    assert "old: 70 labels." in found["notes"]
    message = run("new.jsonl", "--labels", "new.labels.csv", code=2)
    assert "--labels and --baseline-labels go together." in message


@pytest.mark.parametrize(
    ("second", "options", "message"),
    [
        (rows("new")[:-2], [], "2 rows only in one of the files, such as old.parquet, row 119"),
        (rows("new"), ["--junit", "none/gate.xml"], "there is no folder none"),
        (rows("new"), ["--markdown", "b.jsonl"], "--scored and --markdown must be different files"),
        (rows("new"), ["--markdown", "labels.csv"], "--markdown is labels.csv; expected a file that ends in .md"),
        (rows("new"), ["--junit", "notes.txt"], "--junit is notes.txt; expected a file that ends in .xml"),
        (rows("new"), ["--markdown", "m", "--junit", "m"], "--markdown and --junit must be different files"),
        (rows("new", kind="a"), ["--column", "cluster=kind"], "old.parquet: there is no column 'kind'"),
        (rows("new"), ["--max-dorp", "1"], "No such option"),
    ],
)
def test_bad_input_exits_with_2(run, second, options, message):
    write_rows("b.jsonl", second)
    assert message in run("b.jsonl", *options, code=2)
    assert not Path("out.json").exists()


def test_rows_without_a_score_are_left_out_up_to_a_share(run):
    """4 rows lack the new score and 3 the old verdict, one of them both: 6 of 120 are exactly 5%; then one more."""
    old, new = rows("old"), rows("new")
    for at in (0, 1, 2, 3):
        new[at] |= {"score": None, "verdict": None}
    for at in (3, 4, 5):
        old[at] |= {"verdict": None}
    write_rows("old.parquet", old)
    write_rows("new.jsonl", new)
    _, found = run("new.jsonl", "--max-drop", 0.99)
    assert found["rows"] == 114
    assert "The figures leave out 6 rows without a score or verdict (old 3, new 4)." in found["notes"]
    new[6] |= {"score": None}
    write_rows("new.jsonl", new)
    message = "gate: the files have 7 rows without a score or verdict (old 3, new 5), more than 5.0% of 120."
    assert message in run("new.jsonl", "--max-drop", 0.99, code=2)
    _, found = run("new.jsonl", "--max-drop", 0.99, "--max-unscored", 0.06)
    assert found["rows"] == 113
    assert "--max-unscored is 2; expected a share" in run("new.jsonl", "--max-unscored", 2, code=2)


def test_file_names_that_are_not_utf_8_are_written_readably(run):
    """Outputs have � for bytes that are not UTF-8, and XML also for control characters."""
    name = os.fsdecode(b"new\xff\x1b.jsonl")
    Path("new.jsonl").rename(name)
    options = ["--markdown", "gate.md", "--junit", "gate.xml", "--max-drop", 0.99, "--max-unscored", 1]
    output, found = run(name, *options)
    assert (found["system"], output.startswith("PASSED")) == ("new\ufffd\x1b", True)
    (case,) = ElementTree.parse("gate.xml").iter("testcase")
    assert case.get("name").startswith("new\ufffd\ufffd against old")
    assert run_command("compare", "old.parquet", name, "--json", "compared.json", code=0).stdout
