"""Signatures next to scores."""

from pathlib import Path

import pytest
from commands import run_command

from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows
from evaluate_qa.joining.signatures import merge_signatures


def scored(name, signature_of, prefix="", **more):
    """Write 40 scored rows, as `score` does."""
    rows = [{"id": at, "question": f"Q{at}?", "prediction": f"{at}", f"{prefix}score": at % 5 / 4} for at in range(40)]
    write_rows(name, [row | ({f"{prefix}signature": signature_of} if signature_of else {}) | more for row in rows])


COMMANDS = {
    "compare": ["compare", "a.parquet", "b.csv"],
    "gate": ["gate", "--baseline", "a.parquet", "--scored", "b.csv"],
    "report": ["report", "a.parquet", "b.csv", "-o", "report.html"],
}
ESTIMATE = ["estimate", "--scored", "both.jsonl", "--labels", "labels.jsonl"]
ERRORS = {"gate": 2}


@pytest.fixture
def files(working_folder):
    labels = [{"id": at, "prediction": f"{at}", "label": at % 3 > 0} for at in range(30)]
    write_rows("labels.jsonl", labels)

    def files(first, second):
        scored("a.parquet", first)
        scored("b.csv", second)
        write_rows("both.jsonl", [
            {"id": at, "prediction": f"{at}", "score": at % 5 / 4, "signature": (first, second)[at % 2]}
            for at in range(40)
        ])  # fmt: skip

    return files


@pytest.mark.parametrize("command", COMMANDS)
def test_mixed_signatures_need_allow_mixed(files, command):
    files("smile|w:0.5", "bem|v:2")
    done = run_command(*COMMANDS[command], code=ERRORS.get(command, 1))
    assert "the scores were made by different metrics or options: " in done.stderr
    assert "give --allow-mixed" in done.stderr
    done = run_command(*COMMANDS[command], "--allow-mixed", code=0)
    assert f"evaluate-qa {command}: warning: the scores were made by different metrics" in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_different_references_need_allow_mixed(working_folder, command):
    """Otherwise, a corrected reference looks like a change of the system."""
    scored("a.parquet", "bem|v:2", references=["Paris", "paris"])
    scored("b.csv", "bem|v:2", references=["paris ", "Paris"])
    run_command(*COMMANDS[command], code=0)
    scored("b.csv", "bem|v:2", reference="Rome")
    message = (
        "b.csv, row 1: the reference is 'Rome', but the reference of the same row in a.parquet, row 1 is '[\"Paris\""
    )
    assert message in run_command(*COMMANDS[command], code=ERRORS.get(command, 1)).stderr
    run_command(*COMMANDS[command], "--allow-mixed", code=0)


def test_estimate_warns_of_mixed_signatures(files):
    """Labels correct the errors of any scores."""
    files("smile|w:0.5", "bem|v:2")
    message = "evaluate-qa estimate: warning: the scores were made by different metrics or options: "
    assert message in run_command(*ESTIMATE, code=0).stderr


@pytest.mark.parametrize("command", [*COMMANDS.values(), ESTIMATE], ids=lambda command: command[0])
def test_equal_signatures_give_no_warning(files, command):
    files("bem|v:2", "bem|v:2")
    assert "warning" not in run_command(*command, code=0).stderr


def test_missing_signatures_give_a_warning(files):
    files(None, "bem|v:2")
    output = run_command(*COMMANDS["compare"], code=0).stderr
    assert output.count("warning") == 1
    assert "a.parquet has no signature, so it is unknown whether its scores are comparable; if they are from" in output


def test_scores_of_one_file_need_no_signature(working_folder):
    """Nothing is compared, and the scores may be a judge's of the user."""
    scored("a.jsonl", None)
    write_rows("labels.jsonl", [{"id": at, "prediction": f"{at}", "label": at % 3 > 0} for at in range(30)])
    assert "warning" not in run_command("estimate", "--scored", "a.jsonl", "--labels", "labels.jsonl").stderr
    assert "warning" not in run_command("report", "a.jsonl", "-o", "report.html").stderr


@pytest.mark.parametrize("column", ["bem_score", "bem_verdict"])
def test_prefixed_columns_have_a_prefixed_signature(working_folder, column):
    for name, signature in (("a.jsonl", "x"), ("b.jsonl", "y")):
        scored(name, signature, "bem_", signature="of another metric", score=1.0, bem_verdict=True)
    command = ["compare", "a.jsonl", "b.jsonl"]
    assert "warning" not in run_command(*command, code=0).stderr
    output = run_command(*command, "--column", f"score={column}", code=1).stderr
    assert "x in a.jsonl; y in b.jsonl" in output


def test_score_writes_a_signature_in_each_row(working_folder):
    write_rows("in.jsonl", [{"prediction": "a b", "reference": "a"}, {"prediction": "b", "reference": "b"}])
    target = Path("out.csv")
    options = ["--column", "references=reference", "--column", "predictions=prediction", "--prefix", "d_"]
    run_command("score", "-m", "deltableu", "-i", "in.jsonl", "-o", target, *options, code=0)
    signatures = {row["d_signature"] for _, row in read_rows(target)}
    assert len(signatures) == 1
    assert signatures.pop().startswith("deltableu|")


@pytest.mark.parametrize(
    ("signatures", "merged"),
    [
        (["smile|v:1|w:1", "smile|v:1|syn:given|w:1|questions:given"], "smile|v:1|syn:given|w:1|questions:given"),
        (["judge|first:bem,v:1|ask:0-1", "judge|first:bem,v:1,questions:given|ask:0-1"], None),
        (["e|kw:yake-1|av:16|mode:qa", "e|kw:given|mode:caption"], "e|kw:given+yake-1|av:16|mode:caption+qa"),
        (["deltableu|nrefs:1|weights:ones", "deltableu|nrefs:var|weights:given"], "deltableu|nrefs:var|weights:given"),
    ],
)
def test_signatures_of_chunks_are_merged(signatures, merged):
    for order in (signatures, signatures[::-1]):
        (found,) = merge_signatures(order)
        assert found.endswith(merged or signatures[1])
    assert merge_signatures(["bem|v:2|thr:0.4", "bem|v:2"]) == ["bem|v:2|thr:0.4", "bem|v:2"]


def test_chunks_of_one_run_with_different_rows_can_be_compared(working_folder):
    """The number of references, weights and questions may differ from chunk to chunk."""
    texts = [{"id": at, "prediction": "a b", "references": ["a b", "c"][: 1 + at // 3]} for at in range(6)]
    write_rows("in.jsonl", texts)
    for name, size in (("a.parquet", 3), ("b.csv", 2)):
        done = run_command("score", "-m", "deltableu", "-i", "in.jsonl", "-o", name, "--chunk-size", size)
        assert done.stderr.count("signature: deltableu|v:1.2.0|nrefs:var|") == 1
    for command in COMMANDS.values():
        assert "warning" not in run_command(*command).stderr
    questions = [{"score": at % 2, "signature": "bem|v:2" + "|questions:given" * (at < 5)} for at in range(9)]
    write_rows("a.jsonl", questions)
    run_command("results", "--scored", "a.jsonl", "--model", "a/b", "--dataset", "a/c", "--task", "d")
    notes = Path(".eval_results/c-d.yaml").read_text()
    assert notes.count("bem|v:2") == notes.count("bem|v:2|questions:given") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_files_with_and_without_questions_need_allow_mixed(files, command):
    files("bem|v:2", "bem|v:2|questions:given")
    assert "different metrics or options" in run_command(*COMMANDS[command], code=ERRORS.get(command, 1)).stderr
