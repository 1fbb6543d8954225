"""Add synthetic answers from a file of `evaluate-qa synthesize` to labeled rows."""

from dataclasses import replace
from pathlib import Path

from evaluate_qa.metrics._shared.arguments import Unexpected, texts

from ..files.rows import RowsError, place, read_rows, require_columns
from .benchmark import Benchmark


def with_synthetic_answers(data: Benchmark, path: Path) -> Benchmark:
    """Return the data with a synthetic answer for each reference of each row.

    The file has rows with `question`, `references` and equally many `synthetic_answers`, in any order.
    """
    known: dict[tuple[str, str], str] = {}
    for number, line in read_rows(path):
        where = place(path, number)
        require_columns(where, line, ["question", "references", "synthetic_answers"])
        try:
            references, answers = texts(line["references"]), texts(line["synthetic_answers"])
        except Unexpected as unexpected:
            raise RowsError(f"{where}: references and synthetic_answers: expected {unexpected}") from None
        if len(references) != len(answers):
            raise RowsError(f"{where}: {len(references)} references but {len(answers)} synthetic answers")
        known.update(((line["question"], ref), answer) for ref, answer in zip(references, answers, strict=True))
    rows = []
    for row in data.rows:
        for reference in row.references:
            if (row.question, reference) not in known:
                raise RowsError(
                    f"{path} has no synthetic answer for {reference!r} to the question {row.question!r}. Make the "
                    f"file with `evaluate-qa synthesize` from all rows of {data.name}."
                )
        rows.append(replace(row, synthetic_answers=tuple(known[row.question, ref] for ref in row.references)))
    return replace(data, rows=rows)
