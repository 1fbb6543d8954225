"""The configurations with one row per question, which `eval.yaml` runs as evaluations of language models."""

from collections.abc import Iterable, Iterator
from typing import Any

Row = dict[str, Any]


def is_questions(config: str) -> bool:
    """Return whether a configuration has one row per question: `questions`, `nq_questions`."""
    return config.rpartition("_")[2] == "questions"


def features() -> dict[str, Any]:
    """Return the fields of a question for `datasets.Features`."""
    from datasets import List, Value

    return {"question": Value("string"), "references": List(Value("string")), "target": Value("string")}


def unique_questions(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield `question`, `references` and `target` of each question that has references, once.

    `target` is one text for graders: the references, joined by "or".
    """
    seen = set()
    for row in rows:
        question, references = row["question"].strip(), [text for text in row["references"] if text.strip()]
        if question and references and question not in seen:
            seen.add(question)
            yield {"question": question, "references": references, "target": " or ".join(references)}
