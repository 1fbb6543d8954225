"""A verdict as a row of a file. Pure: no I/O.

    {"model": "gpt-4o", "protocol": "default", "question": "Who?", "references": ["Marie Curie"], "prediction": "Curie",
     "label": "correct", "score": 0.93, "tokens_in": 310, "tokens_out": 1}

`generator`, `request` and `how` are told by what was exported; a row without them is of an endpoint's model.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from evaluate_qa.metrics._shared.arguments import ANSWERS, Unexpected
from evaluate_qa.metrics.judge.protocols import LABEL, PROTOCOLS, REASON, Protocol, protocol
from evaluate_qa.metrics.judge.reading import Verdict
from evaluate_qa.metrics.judge.verdicts import ENDPOINT, JudgedRow, JudgeName, Record

from ..files.rows import Row as Line
from ..scoring.columns import MetricColumns

RECORDED = "recorded"
"""Where a score comes from, for verdicts that were not exported from a cache."""

_HOW = ("logprobs", "schema", "parse", RECORDED)


@dataclass(frozen=True)
class VerdictDefaults:
    """What the command line says of all rows.

    Args:
        model: The judge's name, where a row has none.
        protocol: The protocol where a row has none.
        columns: Where question, references and prediction are found.
    """

    model: str | None
    protocol: Protocol
    columns: MetricColumns


def line(record: Record) -> Line:
    """Return a record as a row: texts first judge, then row, then verdict."""
    judge, row, verdict = asdict(record.judge), asdict(record.row), asdict(record.verdict)
    verdict["verdict"] = verdict.pop("correct")
    row["references"] = list(row["references"])
    return {**judge, **row, **verdict, "tokens_in": record.tokens_in, "tokens_out": record.tokens_out}


def record(line: Line, given: VerdictDefaults) -> Record:
    """Return the record that a row holds.

    Raises:
        ValueError: a value is missing or cannot be; the message names its column.
    """
    model = _text(line, "model", given.model)
    signature, known = _protocol(line, given)
    generator, request = _text(line, "generator", ENDPOINT), _text(line, "request", "")
    return Record(
        JudgeName(model, signature, generator, request),
        _row(line, given.columns, known),
        _verdict(line, signature, known),
        _count(line, "tokens_in"),
        _count(line, "tokens_out"),
    )


def _protocol(line: Line, given: VerdictDefaults) -> tuple[str, Protocol | None]:
    """Return the signature, and the protocol itself where it is known."""
    named = _text(line, "protocol", given.protocol.signature)
    known = [given.protocol, *map(protocol, PROTOCOLS)]
    for one in known:
        if named in (one.name, one.signature):
            return one.signature, one
    if "@" not in named:
        raise ValueError(f"protocol is {named!r}; expected one of {', '.join(PROTOCOLS)}, or a file: --protocol FILE")
    return named, None


def _row(line: Line, columns: MetricColumns, known: Protocol | None) -> JudgedRow:
    found = {}
    for name, column in ANSWERS.items():
        value = line.get(columns.name_in(line, name))
        try:
            found[name] = column.check(value)
        except Unexpected as unexpected:
            raise ValueError(f"{columns.name_in(line, name)} is {value!r:.80}; expected {unexpected}") from None
    if known and known.needs_question and not found["questions"].strip():
        raise ValueError(f"there is no question, which the protocol {known.name!r} needs")
    sample = _count(line, "sample") or 0
    return JudgedRow(found["questions"], tuple(found["references"]), found["predictions"], sample)


def _verdict(line: Line, signature: str, known: Protocol | None) -> Verdict:
    correct, score, labels = line.get("verdict"), line.get("score"), known.labels if known else None
    how, reason = _text(line, "how", RECORDED), _text(line, "reason", "") or None
    if correct is not None and not isinstance(correct, bool):
        raise ValueError(f"verdict is {correct!r}; expected true or false")
    if score is not None and (isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1):
        raise ValueError(f"score is {score!r}; expected a number from 0 to 1")
    if how not in _HOW:
        raise ValueError(f"how is {how!r:.80}; expected one of {', '.join(_HOW)}")
    if labels is None:
        if score is None or correct is None:
            raise ValueError(f"the protocol {signature} is not known here, so score and verdict are needed")
        return Verdict(_text(line, "label", None), float(score), correct, how, reason)
    label = _label(line, labels, correct)
    own = labels[label]
    if correct is not None and correct != (own > 0.5):  # noqa: PLR2004
        raise ValueError(f"verdict is {correct}, but the label {label!r} says otherwise; leave one of them out")
    has_grade = known is not None and any(held not in (LABEL, REASON) for held in known.fields.values())
    if score is not None and abs(score - own) >= 1 and not has_grade:
        raise ValueError(f"score is {score:g}, but the label {label!r} says otherwise; leave one of them out")
    return Verdict(label, own if score is None else float(score), own > 0.5, how, reason)  # noqa: PLR2004


def _label(line: Line, labels: Mapping[str, float], correct: bool | None) -> str:
    """Return the label, written as the protocol writes it; by the verdict where there is none."""
    if line.get("label") is None and correct is not None:
        return (max if correct else min)(labels, key=lambda label: labels[label])
    said = _text(line, "label", None).strip().casefold()
    found = next((label for label in labels if label.casefold() == said), None)
    if found is None:
        raise ValueError(f"label is {line['label']!r}; expected one of {', '.join(labels)}")
    return found


def _text(line: Line, name: str, otherwise: str | None) -> str:
    value: Any = line.get(name)
    if value is None and otherwise is not None:
        return otherwise
    if not isinstance(value, str) or not (value.strip() or otherwise == ""):
        what = "it is missing" if value is None else f"it is {value!r:.80}"
        raise ValueError(f"expected a text as {name}, but {what}" + ("; or give --model" if name == "model" else ""))
    return value


def _count(line: Line, name: str) -> int | None:
    value = line.get(name)
    if value is not None and (type(value) is not int or value < 0):
        raise ValueError(f"{name} is {value!r}; expected a whole number of at least 0")
    return value
