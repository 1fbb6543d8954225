"""Print five answers of the sample with the verdicts of a person and of each metric, and why: `python answers.py`."""

import json
from collections.abc import Mapping
from textwrap import shorten
from typing import Any

import evaluate_qa

TELLING = ("numeric-07", "verbose-07", "negated-10", "wrong_but_similar-09", "paraphrase-10")

WHY = {
    "smile": "mean of {semantic:.2f} for meaning and {lexical:.2f} for words",
    "bem": "probability that both mean the same",
    "nli_lex": "{entailment:.2f} for entailment, {recall:.0%} of the reference's words",
}


def verdict(correct: bool) -> str:
    """Return a verdict as a word."""
    return "right" if correct else "wrong"


def line(name: str, scores: Mapping[str, list[Any]], number: int, correct: bool) -> str:
    """Return a metric's verdict on an answer, and the reason."""
    found = {column: values[number] for column, values in scores.items()}
    decided = evaluate_qa.Decision(*(found[f"value_{column}"] for column in ("kind", "verdict", "reference", "answer")))
    why = decided.explanation or WHY[name].format(**found)
    against = "" if found["verdict"] == correct else "  (disagrees with the person)"
    return f"  {name:9} {verdict(found['verdict'])}, {found['score']:.2f}: {why}{against}"


with evaluate_qa.sample_path().open(encoding="utf-8") as sample:
    by_id = {row["id"]: row for row in map(json.loads, sample)}
rows = [by_id[name] for name in TELLING]
columns = {"predictions": "prediction", "references": "references", "questions": "question"}
given = {column: [row[name] for row in rows] for column, name in columns.items()}
scored = {name: evaluate_qa.load(name).compute(**given)["per_example"] for name in WHY}
for number, row in enumerate(rows):
    print(f"{row['question']}\n  reference {' / '.join(row['references'])}")
    print(f"  answer    {shorten(row['prediction'], 108)}\n  a person  {verdict(row['correct'])}")
    print(*(line(name, scores, number, row["correct"]) for name, scores in scored.items()), sep="\n", end="\n\n")
