"""Tests of `evaluate-qa verdicts`: imported verdicts replace an endpoint, and export keeps all values."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from commands import run_command

import evaluate_qa
from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows


@pytest.fixture
def run(working_folder):
    return lambda *arguments, code=0: run_command("verdicts", *arguments, code=code).output


judge = partial(evaluate_qa.load, "judge")


def rows(*predictions):
    return {
        "predictions": [*predictions],
        "references": [["right", "not wrong"]] * len(predictions),
        "questions": ["Who?"] * len(predictions),
    }


def lines(*labels, **more):
    return [
        {
            "question": "Who?",
            "references": ["right", "not wrong"],
            "prediction": f"answer {row}",
            "label": label,
            **more,
        }
        for row, label in enumerate(labels)
    ]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_exported_verdicts_replace_endpoint(run, server, suffix):
    """Scores, samples and signature are the same; nothing is asked, and nothing costs."""
    columns = rows("right 1", "wrong", "", 'right "2"\n<|x|>')
    options = {"samples": 2, "prices": (1, 1)}
    first = judge(endpoint=server.url, model="m", cache_dir="cache").compute(**columns, **options)
    assert run("export", "--cache-dir", "cache", "--output", f"v.{suffix}") == "Exported 6 verdicts.\n"
    asked = len(server.bodies)
    assert run("import", "--input", f"v.{suffix}", "--cache-dir", "other") == "Imported 6 verdicts.\n"
    again = judge(model="m", cache_dir="other").compute(**columns, **options)
    assert len(server.bodies) == asked == 6
    assert first.pop("cost") > again.pop("cost") == 0
    assert first["per_example"].pop("cached") != again["per_example"].pop("cached")
    assert first == again
    run("export", "--cache-dir", "other", "--output", f"w.{suffix}")
    assert Path(f"v.{suffix}").read_bytes() == Path(f"w.{suffix}").read_bytes()


def test_score_command_uses_recorded_verdicts(run):
    write_rows("v.jsonl", lines("correct", model="gpt"))
    run("import", "--input", "v.jsonl", "--cache-dir", "cache")
    given = [{name: texts[n] for name, texts in rows("answer 0", "other").items()} for n in range(2)]
    write_rows("in.jsonl", given)
    write_rows("rest.jsonl", given[1:])
    load = [argument for given in ("model=gpt", "cache_dir=cache") for argument in ("--load", given)]
    for source, numbers in (("in.jsonl", (1, 1)), ("rest.jsonl", (0, 1))):
        files = ["--input", source, "--output", f"out-{source}"]
        for more in ([], ["--resume"]):  # which scores rows without a verdict again
            arguments = ["--metric", evaluate_qa.path("judge"), *files, *load, *more, "--max-unscored", 0.5]
            done = run_command("score", *arguments, code=int(numbers[0] == 0))
        assert ("The judge gave no verdict on 1 of 1 row." in done.output) is (numbers[0] == 0)
        printed = re.search(r"rows scored *│ *(\d+) .*rows without a score *│ *(\d+) ", done.output, re.DOTALL)
        assert tuple(map(int, printed.groups())) == numbers
        assert "The column error says why scores are missing, such as: " in done.output
        scored = [row for _, row in read_rows(Path(f"out-{source}"))]
        assert [row["score"] is None for row in scored] == [False] * numbers[0] + [True] * numbers[1]
        assert "import it" in scored[-1]["error"]


def test_score_command_prints_the_cost(run, server):
    """Two replies to requests of 100 tokens, of 2 tokens each: 2 · (100 · 10,000 + 2 · 20,000) / 10⁶."""
    write_rows("in.jsonl", [{"question": "Who?", "references": "right", "prediction": text} for text in ("a", "b")])
    options = ["--load", f"endpoint={server.url}", "--load", "model=m", "--compute", "prices=[10000, 20000]"]
    done = run_command("score", "--metric", "judge", "--input", "in.jsonl", "--output", "o.csv", *options)
    assert re.search(r"cost *│ *2\.08 ", done.output)


def test_unrecorded_row_has_no_score(run):
    write_rows("v.jsonl", lines("correct", "incorrect", model="gpt"))
    run("import", "--input", "v.jsonl", "--cache-dir", "cache")
    metric = judge(model="gpt", cache_dir="cache")
    out = metric.compute(**rows("answer 0", "answer 1", "answer 2"))
    assert out["per_example"]["score"] == [1, 0, None]
    assert out["per_example"]["asked"] == [True, True, False]
    assert (out["accuracy"], out["unscored"]) == (0.5, 1)
    why = out["per_example"]["error"][2]
    assert why.startswith("no verdict of 'gpt' by default@")
    assert "is recorded for this row; import it (evaluate-qa verdicts import), or load the judge with endpoint=" in why
    with pytest.raises(ValueError, match=r"^judge: a row has no verdict: no verdict of 'gpt' .* 'answer 2'$"):
        metric.compute(**rows("answer 0", "answer 2"), unscored="raise")
    others = {**rows("answer 0"), "references": ["right"]}
    assert metric.compute(**others)["unscored"] == 1
    assert metric.compute(**rows("answer 0"), samples=2)["per_example"]["samples"] == [1]
    assert judge(model="gpt", cache_dir="cache", protocol="evouna").compute(**rows("answer 0"))["unscored"] == 1
    assert judge(model="gpt", cache_dir="cache", extra_body={"seed": 1}).compute(**rows("answer 0"))["unscored"] == 1


def test_endpoint_is_asked_only_about_unrecorded_rows(run, server):
    write_rows("v.jsonl", lines("correct", "incorrect", tokens_in=10, tokens_out=1))
    run("import", "--input", "v.jsonl", "--cache-dir", "cache", "--model", "m")
    out = judge(endpoint=server.url, model="m", cache_dir="cache").compute(**rows("answer 0", "answer 1", "answer 2"))
    assert server.asked == {"answer 2": 1}
    assert out["per_example"]["score"] == [1, 0, pytest.approx(0.01)]
    assert out["per_example"]["tokens_in"] == [10, 10, 100]
    assert out["per_example"]["score_source"] == ["recorded", "recorded", "logprobs"]


def test_forms_of_rows(run):
    """A label in any case, a verdict instead, a score next to it; columns with other names."""
    given = [
        {"prediction": "a", "label": "Correct"},
        {"prediction": "b", "label": "NOT ATTEMPTED", "verdict": False},
        {"prediction": "c", "verdict": True},
        {"prediction": "d", "verdict": False},
        {"prediction": "e", "label": "correct", "score": 0.7},
        {"prediction": "f", "label": "yes", "protocol": "evouna", "question": "Who?"},
    ]
    write_rows("v.jsonl", [{"gold": "x", "other": [1], **line} for line in given])
    options = ("--cache-dir", "cache", "--model", "gpt")
    assert "Imported 6 verdicts." in run("import", "--input", "v.jsonl", *options, "--column", "references=gold")
    columns = {"predictions": [*"abcde"], "references": ["x"] * 5}
    out = judge(model="gpt", cache_dir="cache").compute(**columns)["per_example"]
    assert out["judge_label"] == ["correct", "not attempted", "correct", "incorrect", "correct"]
    assert out["score"] == [1, 0, 1, 0, 0.7]
    evouna = judge(model="gpt", cache_dir="cache", protocol="evouna")
    assert evouna.compute(predictions=["f"], references=["x"], questions=["Who?"])["judge"] == 1


def test_own_protocol(run):
    Path("mine.j2").write_text('---\nlabels: {"good": 1, "fair": 0.6, "bad": 0}\n---\n{{ prediction }}\n')
    write_rows("v.jsonl", lines("fair", "bad", model="gpt"))
    run("import", "--input", "v.jsonl", "--cache-dir", "cache", "--protocol", "mine.j2")
    run("export", "--cache-dir", "cache", "--output", "w.jsonl")
    again = ["import", "--input", "w.jsonl", "--cache-dir", "other"]
    assert "expected one of default" in run(*again, code=1)
    assert "Imported 2 verdicts." in run(*again, "--protocol", "mine.j2")
    out = judge(model="gpt", cache_dir="other", protocol="mine.j2").compute(**rows("answer 0", "answer 1"))
    assert out["per_example"]["score"] == [0.6, 0]
    assert out["per_example"]["verdict"] == [True, False]


ROW = {"model": "gpt", "references": "x", "prediction": "a", "label": "correct"}
BAD = {
    "not JSON": ("{", "not JSON"),
    "no model": ({**ROW, "model": None}, "model is None; expected a string. Add it, or give --model."),
    "no reference": ({**ROW, "references": []}, r"references is \[\]; expected a non-empty"),
    "no prediction": ({**ROW, "prediction": None}, "prediction is None; expected a string"),
    "a number": ({**ROW, "prediction": 5}, "prediction is 5; expected a string"),
    "no label": ({**ROW, "label": None}, "there is no verdict"),
    "a label": ({**ROW, "label": "yess"}, "label is 'yess'; expected one of correct, incorrect, not attempted"),
    "a verdict": ({**ROW, "verdict": "yes"}, "verdict is 'yes'; expected true or false"),
    "two verdicts": ({**ROW, "verdict": False}, "verdict is False, which contradicts the label 'correct'"),
    "a score": ({**ROW, "score": 5}, "score is 5; expected a number from 0 to 1"),
    "a contradicting score": ({**ROW, "score": 0}, "score is 0, which contradicts the label 'correct'"),
    "how": (
        {**ROW, "how": "<b>x</b>"},
        "how is '<b>x</b>'; expected one of logprobs, schema, parse, probabilities, recorded",
    ),
    "NaN": ({**ROW, "score": float("nan")}, "score is nan; expected a number from 0 to 1"),
    "tokens": ({**ROW, "tokens_in": 1.5}, "tokens_in is 1.5; expected a whole number"),
    "a sample": ({**ROW, "sample": -1}, "sample is -1; expected a whole number"),
    "a protocol": ({**ROW, "protocol": "mine"}, "protocol is 'mine'; expected one of default, yes-no, smile"),
    "no question": ({**ROW, "protocol": "evouna", "label": "yes"}, "there is no question, which the protocol 'evouna'"),
}


@pytest.mark.parametrize(("row", "message"), BAD.values(), ids=BAD)
def test_bad_row_is_named(run, row, message):
    text = row if isinstance(row, str) else json.dumps(row)
    Path("v.jsonl").write_text(f"{json.dumps(ROW)}\n{text}\n{json.dumps({**ROW, 'prediction': 'b'})}\n")
    output = run("import", "--input", "v.jsonl", "--cache-dir", "cache", code=1)
    assert output.startswith("evaluate-qa verdicts import: v.jsonl, line 2: ")
    assert re.search(message, output)


def test_cached_verdict_is_not_replaced(run):
    write_rows("v.jsonl", lines("correct", "correct", model="gpt"))
    write_rows("w.jsonl", lines("correct", "incorrect", "correct", model="gpt") * 2)
    run("import", "--input", "v.jsonl", "--cache-dir", "cache")
    printed = run("import", "--input", "w.jsonl", "--cache-dir", "cache")
    assert printed.splitlines()[:2] == ["Imported 1 verdict.", "The cache had 3 verdicts already."]
    assert printed.splitlines()[2].startswith("The cache, which was not changed, has other values for 2 verdicts.")
    out = judge(model="gpt", cache_dir="cache").compute(**rows("answer 1"))
    assert out["per_example"]["verdict"] == [True]


def test_secrets_are_not_exported(run, server):
    body = {"secret": "sk-0123456789abcdef"}
    judge(endpoint=server.url, model="m", cache_dir="cache", extra_body=body).compute(**rows("right"))
    run("export", "--cache-dir", "cache", "--output", "v.jsonl")
    assert "0123456789" not in Path("v.jsonl").read_text()
    run("import", "--input", "v.jsonl", "--cache-dir", "other")
    assert judge(model="m", cache_dir="other", extra_body=body).compute(**rows("right"))["unscored"] == 0
    assert judge(model="m", cache_dir="other").compute(**rows("right"))["unscored"] == 1


@pytest.mark.filterwarnings("always:judge")
def test_error_messages(run, tmp_path):
    assert "holds no verdicts. Give the cache_dir" in run("export", "--cache-dir", "none", "-o", "v.jsonl", code=1)
    Path("damaged").mkdir()
    Path("damaged/verdicts.sqlite").write_text("no database")
    message = run("export", "--cache-dir", "damaged", "-o", "v.jsonl", code=1)
    assert "damaged/verdicts.sqlite cannot be used (file is not a database). Restore the file, or" in message
    assert not Path("v.jsonl").exists()
    assert "CSV cannot hold verdicts." in run("export", "--cache-dir", "none", "-o", "v.csv", code=1)
    assert "no such file" in run("import", "--input", "none.jsonl", "--cache-dir", "cache", code=1)
    write_rows("v.jsonl", lines("correct", model="gpt"))
    assert "expected" in run("import", "-i", "v.jsonl", "--cache-dir", "c", "--protocol", "none", code=1)
    run("import", "-i", "v.jsonl", "--cache-dir", "c", "--column", "videos=x", code=1)
    message = run("import", "-i", "v.jsonl", "--cache-dir", "v.jsonl", code=1)
    assert "verdicts import: warning: " in message
    assert "verdicts cannot be stored in" in message
