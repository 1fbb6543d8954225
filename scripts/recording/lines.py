"""A verdict as a row of a file.

    {"model": "gpt-4o", "protocol": "default", "question": "Who?", "references": ["Marie Curie"], "prediction": "Curie",
     "label": "correct", "score": 0.93, "tokens_in": 310, "tokens_out": 1}

Exported rows also have `generator`, `request` and `how`; a row without them holds a verdict of an endpoint's model.
Verdicts of a decision endpoint also have `confidence` and a column for each aspect.
"""

from dataclasses import asdict, dataclass
from typing import Any

from evaluate_qa.metrics._shared.arguments import ANSWERS, Kind, Number, Unexpected, Whole
from evaluate_qa.metrics.judge.decisions import PROBABILITIES, Decisions, decisions
from evaluate_qa.metrics.judge.protocols import LABEL, PROTOCOLS, REASON, Protocol, protocol
from evaluate_qa.metrics.judge.reading import Verdict
from evaluate_qa.metrics.judge.verdicts import ENDPOINT, JudgedRow, JudgeName, Record

from ..files.rows import Row as Line
from ..scoring.columns import MetricColumns

RECORDED = "recorded"
"""Source of the score of a verdict that was not exported from a cache."""

_HOW = ("logprobs", "schema", "parse", PROBABILITIES, RECORDED)
_SHARE, _COUNT = Number(0, 1), Whole(0)


@dataclass(frozen=True)
class VerdictDefaults:
    """Values from the command line, for rows without a model or protocol."""

    model: str | None
    protocol: Protocol
    columns: MetricColumns


def line(record: Record) -> Line:
    """Return a record as a row."""
    judge, row, verdict = asdict(record.judge), asdict(record.row), asdict(record.verdict)
    verdict["verdict"] = verdict.pop("correct")
    more = {"confidence": verdict.pop("confidence"), **(verdict.pop("aspects") or {})}
    verdict |= {name: value for name, value in more.items() if value is not None}
    row["references"] = list(row["references"])
    return {**judge, **row, **verdict, "tokens_in": record.tokens_in, "tokens_out": record.tokens_out}


def record(line: Line, given: VerdictDefaults) -> Record:
    """Return the record in a row; raise ValueError, which names the column, for a missing or invalid value."""
    named = _text(line, "protocol", given.protocol.signature)
    known = [given.protocol, *map(protocol, PROTOCOLS)]
    judged_by = decisions(named) or next((one for one in known if named in (one.name, one.signature)), None)
    if judged_by is None:
        raise ValueError(
            f"protocol is {named!r}; expected one of {', '.join(PROTOCOLS)}. Give the file of another protocol: "
            "--protocol FILE."
        )
    generator, request = _text(line, "generator", ENDPOINT), _text(line, "request", "")
    return Record(
        JudgeName(_text(line, "model", given.model), judged_by.signature, generator, request),
        _row(line, given.columns, judged_by),
        _verdict(line, judged_by),
        _checked(line, "tokens_in", _COUNT),
        _checked(line, "tokens_out", _COUNT),
    )


def _row(line: Line, columns: MetricColumns, judged_by: Protocol | Decisions) -> JudgedRow:
    found = {}
    for name, column in ANSWERS.items():
        place = columns.name_in(line, name)
        try:
            found[name] = column.check(line.get(place))
        except Unexpected as unexpected:
            raise ValueError(f"{place} is {line.get(place)!r:.80}; expected {unexpected}") from None
    if judged_by.needs_question and not found["questions"].strip():
        raise ValueError(f"there is no question, which the protocol {judged_by.name!r} needs")
    sample = _checked(line, "sample", _COUNT) or 0
    return JudgedRow(found["questions"], tuple(found["references"]), found["predictions"], sample)


def _verdict(line: Line, judged_by: Protocol | Decisions) -> Verdict:
    correct, score = line.get("verdict"), _share(line, "score")
    how, reason = _text(line, "how", RECORDED), _text(line, "reason", "") or None
    if correct is not None and not isinstance(correct, bool):
        raise ValueError(f"verdict is {correct!r}; expected true or false")
    if how not in _HOW:
        raise ValueError(f"how is {how!r:.80}; expected one of {', '.join(_HOW)}")
    label = _label(line, judged_by, correct)
    own = judged_by.labels[label]
    if correct is not None and correct != (own > 0.5):  # noqa: PLR2004
        raise ValueError(f"verdict is {correct}, which contradicts the label {label!r}. Leave one of them out.")
    has_grade = any(held not in (LABEL, REASON) for held in judged_by.fields.values())
    if score is not None and abs(score - own) >= 1 and not has_grade:
        raise ValueError(f"score is {score:g}, which contradicts the label {label!r}. Leave one of them out.")
    aspects = {name: _share(line, name) for name in getattr(judged_by, "aspects", ())}
    given = own if score is None else score
    return Verdict(label, given, own > 0.5, how, reason, _share(line, "confidence"), aspects or None)  # noqa: PLR2004


def _label(line: Line, judged_by: Protocol | Decisions, correct: bool | None) -> str:
    """Return the label as the protocol spells it, or the best or worst label for a verdict without one."""
    labels = judged_by.labels
    if line.get("label") is None and correct is not None:
        return (max if correct else min)(labels, key=lambda label: labels[label])
    if line.get("label") is None:
        raise ValueError(f"there is no verdict. Expected verdict (true or false) or label ({', '.join(labels)}).")
    given = _text(line, "label", None).strip().casefold()
    found = next((label for label in labels if label.casefold() == given), None)
    if found is None:
        raise ValueError(f"label is {line['label']!r}; expected one of {', '.join(labels)}")
    return found


def _share(line: Line, name: str) -> float | None:
    value = _checked(line, name, _SHARE)
    return None if value is None else float(value)


def _checked(line: Line, name: str, kind: Kind) -> Any:
    """Return a value that the row may lack."""
    value = line.get(name)
    if value is not None and not kind.accepts(value):
        raise ValueError(f"{name} is {value!r}; expected {kind.expected}")
    return value


def _text(line: Line, name: str, default: str | None) -> str:
    value: Any = line.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or not (value.strip() or default == ""):
        hint = " Add it, or give --model." if name == "model" else ""
        raise ValueError(f"{name} is {value!r:.80}; expected a string.{hint}")
    return value
