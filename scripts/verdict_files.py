"""Export and import judge verdicts, for `evaluate-qa verdicts`, while other processes may use the cache.

A verdict is a row of a file:

    {"model": "gpt-4o", "protocol": "default", "question": "Who?", "references": ["Marie Curie"], "prediction": "Curie",
     "judge_label": "correct", "score": 0.93, "tokens_in": 310, "tokens_out": 1}

A row without `judge_label` may have its column `label`. Exported rows also have `generator`, `request` and `how`; a row
without them holds a verdict of an endpoint's model.
Verdicts of a decision endpoint also have `confidence` and a column for each aspect.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.columns import ANSWERS, Unexpected
from evaluate_qa.metrics._shared.options import Kind, Number, Whole
from evaluate_qa.metrics._shared.progress import progress, track_progress
from evaluate_qa.metrics.judge.decision_api import PROBABILITIES, DecisionQuestions, parse_questions
from evaluate_qa.metrics.judge.protocols import LABEL, PROTOCOLS, REASON, Protocol, load_protocol
from evaluate_qa.metrics.judge.reading import Verdict
from evaluate_qa.metrics.judge.verdict_store import ENDPOINT, FILE, JudgedRow, JudgeId, StoredVerdict, VerdictStore

from .files.rows import Row as Line
from .files.rows import place, read_rows
from .files.writing import write_rows
from .scoring.columns import MetricColumns

RECORDED = "recorded"
"""Source of the score of a verdict that was not exported from a cache."""

_HOW = ("logprobs", "schema", "parse", PROBABILITIES, RECORDED)
_SHARE, _COUNT = Number(0, 1), Whole(0)

_BATCH = 5000
"""Number of verdicts per transaction."""


@dataclass(frozen=True)
class VerdictDefaults:
    """Values from the command line, for rows without a model or protocol."""

    model: str | None
    protocol: Protocol
    columns: MetricColumns


def export_verdicts(folder: Path, target: str) -> int:
    """Write all verdicts of a cache to a file, and return their number."""
    if not (folder / FILE).is_file():
        raise FileNotFoundError(f"{folder} holds no verdicts. Give the cache_dir of a judge.")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # otherwise, an unreadable cache would look empty
        try:
            return write_rows(target, map(_format, track_progress(VerdictStore(folder), "verdicts: export", "verdict")))
        except UserWarning as warning:
            problem = str(warning).partition(". ")[0]
            raise OSError(f"{problem}. Restore the file, or give another --cache-dir.") from None


def import_verdicts(source: str, folder: Path, defaults: VerdictDefaults) -> Counter[str]:
    """Add the verdicts in a file to a cache. A file may be imported again after an error.

    Return the numbers of verdicts that are `new`, `known` to the cache, and `differing` from it, which it keeps.
    """
    counts, store = Counter[str](), VerdictStore(folder)
    verdicts = _read(source, defaults)
    with progress("verdicts: import", None, "verdict") as bar:
        while batch := list(islice(verdicts, _BATCH)):
            _add(batch, store, counts)
            bar.update(len(batch))
    return counts


def _read(source: str, defaults: VerdictDefaults) -> Iterator[StoredVerdict]:
    for number, line in read_rows(source):
        try:
            yield _parse(line, defaults)
        except ValueError as error:
            raise ValueError(f"{place(source, number)}: {error}") from None


def _add(verdicts: Iterable[StoredVerdict], store: VerdictStore, counts: Counter[str]) -> None:
    """Add and count the verdicts that are not in the cache."""
    by_judge: dict[JudgeId, list[StoredVerdict]] = {}
    for one in verdicts:
        by_judge.setdefault(one.judge, []).append(one)
    for judge, of_judge in by_judge.items():
        there = store.read(judge, list(dict.fromkeys(one.row for one in of_judge)))
        new: dict[JudgedRow, StoredVerdict] = {}
        for one in of_judge:
            if (other := there.get(one.row) or new.setdefault(one.row, one)) is one:
                counts["new"] += 1
            else:
                counts["known" if other.verdict == one.verdict else "differing"] += 1
        store.write(list(new.values()))
        if len(store.read(judge, list(new))) < len(new):
            raise OSError(f"verdicts cannot be stored in {store.folder / FILE}. Make the file writable.")


def _format(stored: StoredVerdict) -> Line:
    judge, row, verdict = asdict(stored.judge), asdict(stored.row), asdict(stored.verdict)
    verdict = {"judge_label": verdict.pop("label"), "verdict": verdict.pop("correct"), **verdict}
    more = {"confidence": verdict.pop("confidence"), **(verdict.pop("aspects") or {})}
    verdict |= {name: value for name, value in more.items() if value is not None}
    row["references"] = list(row["references"])
    return {**judge, **row, **verdict, "tokens_in": stored.tokens_in, "tokens_out": stored.tokens_out}


def _parse(line: Line, defaults: VerdictDefaults) -> StoredVerdict:
    """Return the verdict in a line; raise ValueError, which names the column, for a missing or invalid value."""
    named = _text(line, "protocol", defaults.protocol.signature)
    known = [defaults.protocol, *map(load_protocol, PROTOCOLS)]
    judged_by = parse_questions(named) or next((one for one in known if named in (one.name, one.signature)), None)
    if judged_by is None:
        raise ValueError(
            f"protocol is {named!r}; expected one of {', '.join(PROTOCOLS)}. Give the file of another protocol: "
            "--protocol FILE."
        )
    generator, request = _text(line, "generator", ENDPOINT), _text(line, "request", "")
    return StoredVerdict(
        JudgeId(_text(line, "model", defaults.model), judged_by.signature, generator, request),
        _parse_row(line, defaults.columns, judged_by),
        _parse_verdict(line, judged_by),
        _optional(line, "tokens_in", _COUNT),
        _optional(line, "tokens_out", _COUNT),
    )


def _parse_row(line: Line, columns: MetricColumns, judged_by: Protocol | DecisionQuestions) -> JudgedRow:
    found = {}
    for name, column in ANSWERS.items():
        place = columns.name_in(line, name)
        try:
            found[name] = column.check(line.get(place))
        except Unexpected as unexpected:
            raise ValueError(f"{place} is {line.get(place)!r:.80}; expected {unexpected}") from None
    if judged_by.needs_question and not found["questions"].strip():
        raise ValueError(f"there is no question, which the protocol {judged_by.name!r} needs")
    sample = _optional(line, "sample", _COUNT) or 0
    return JudgedRow(found["questions"], tuple(found["references"]), found["predictions"], sample)


def _parse_verdict(line: Line, judged_by: Protocol | DecisionQuestions) -> Verdict:
    correct, score = line.get("verdict"), _optional_share(line, "score")
    how, reason = _text(line, "how", RECORDED), _text(line, "reason", "") or None
    if correct is not None and not isinstance(correct, bool):
        raise ValueError(f"verdict is {correct!r}; expected true or false")
    if how not in _HOW:
        raise ValueError(f"how is {how!r:.80}; expected one of {', '.join(_HOW)}")
    label = _parse_label(line, judged_by, correct)
    own = judged_by.labels[label]
    is_correct = own > 0.5  # noqa: PLR2004 - half of the scale
    if correct is not None and correct != is_correct:
        raise ValueError(f"verdict is {correct}, which contradicts the label {label!r}. Leave one of them out.")
    has_grade = any(content not in (LABEL, REASON) for content in judged_by.fields.values())
    if score is not None and abs(score - own) >= 1 and not has_grade:
        raise ValueError(f"score is {score:g}, which contradicts the label {label!r}. Leave one of them out.")
    aspects = {name: _optional_share(line, name) for name in getattr(judged_by, "aspects", ())}
    confidence = _optional_share(line, "confidence")
    return Verdict(label, own if score is None else score, is_correct, how, reason, confidence, aspects or None)


def _parse_label(line: Line, judged_by: Protocol | DecisionQuestions, correct: bool | None) -> str:
    """Return the label as the protocol spells it, or the best or worst label for a verdict without one."""
    labels = judged_by.labels
    column = "label" if line.get("judge_label") is None else "judge_label"
    if line.get(column) is None and correct is not None:
        return (max if correct else min)(labels, key=lambda label: labels[label])
    if line.get(column) is None:
        raise ValueError(f"there is no verdict. Expected verdict (true or false) or judge_label ({', '.join(labels)}).")
    given = _text(line, column, None).strip().casefold()
    found = next((label for label in labels if label.casefold() == given), None)
    if found is None:
        raise ValueError(f"{column} is {line[column]!r}; expected one of {', '.join(labels)}")
    return found


def _optional_share(line: Line, name: str) -> float | None:
    value = _optional(line, name, _SHARE)
    return None if value is None else float(value)


def _optional(line: Line, name: str, kind: Kind) -> Any:
    """Return a value that the row may lack."""
    value = line.get(name)
    if value is not None and not kind.accepts(value):
        raise ValueError(f"{name} is {value!r:.80}; expected {kind.expected}")
    return value


def _text(line: Line, name: str, default: str | None) -> str:
    value: Any = line.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or not (value.strip() or default == ""):
        hint = " Add it, or give --model." if name == "model" else ""
        raise ValueError(f"{name} is {value!r:.80}; expected a string.{hint}")
    return value
