"""Check an audit, and run it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.messages import pluralize
from evaluate_qa.metrics.judge.options import JudgeOptions

from .. import __version__
from ..files.rows import did_you_mean
from ..labeled_data.files import labeled_rows
from ..labeled_data.rows import LabeledRow
from ..loading import load
from ..uncertainty.arrays import factorize
from .requests import MOST_SAMPLES, PLAIN, Requests, ask, build_requests, count_requests
from .statistics import AuditedRows, compute_statistics, with_drift


@dataclass(frozen=True)
class PreparedAudit:
    """A checked audit; the judge was not asked yet.

    `earlier` is the JSON of an earlier audit, and `sending` the number of requests in words.
    """

    data: Path
    family: Sequence[str]
    earlier: Mapping[str, Any] | None
    judge: Any
    rows: Sequence[LabeledRow]
    asked: Requests
    notes: Sequence[str]
    sending: str

    @property
    def protocol(self) -> str:
        """The protocol of each judge."""
        return ", ".join(one.protocol.signature for one in self.judge.model.members)


def prepare(
    data: Path, loading: Mapping[str, Any], samples: int, family: Sequence[str], earlier: Mapping[str, Any] | None
) -> PreparedAudit:
    """Read and check everything, before the judge is asked; see the options of `evaluate-qa audit`."""
    if not 1 <= samples <= MOST_SAMPLES:
        raise ValueError(f"--samples is {samples}; expected 1 to {MOST_SAMPLES}")
    if loading.get("first") is not None:
        raise ValueError("--load first is given, but an audit asks the judge about every answer. Leave out first.")
    every, unlabeled = labeled_rows(data)
    rows = [row for row in every if row.answer.strip()]
    for label, name in enumerate(("wrong", "right")):
        if not any(row.label == label for row in rows):
            raise ValueError(f"{data} has no answer with the label {name}. An audit needs right and wrong answers.")
    systems = sorted({row.system for row in rows} - {""})
    for name in family:
        if name not in systems:
            raise ValueError(f"--family is {name!r}, which the column system lacks. {did_you_mean(name, systems)}")
    judge = load("judge", **loading)
    judge.prepare(JudgeOptions())
    asked = build_requests(judge, rows, samples, _round_number(earlier))
    total, left = count_requests(judge, asked)
    notes = [
        f"The audit leaves out {pluralize(count, 'answer')} {why}."
        for count, why in ((unlabeled, "without a label"), (len(every) - len(rows), "without any text"))
        if count
    ]
    about = f"{pluralize(total, 'request')} about {pluralize(len(rows), 'answer')}"
    sending = f"{about}. {pluralize(left, 'request')} without a stored verdict will be sent."
    prepared = PreparedAudit(data, family, earlier, judge, rows, asked, notes, sending)
    if earlier and earlier["protocol"] != prepared.protocol:
        raise ValueError(
            f"--against has the protocol {earlier['protocol']}, but this audit has {prepared.protocol}. Use the "
            "same --load protocol and api for both."
        )
    if earlier and not {row_key(row) for row in rows} & {row["key"] for row in earlier["rows"]}:
        raise ValueError(f"--against and {data} have no answer in common. Audit the same answers.")
    return prepared


def run(prepared: PreparedAudit) -> dict[str, Any]:
    """Ask the judge, and return all figures and verdicts as JSON. Hashes stand for the texts of rows."""
    rows, earlier = prepared.rows, prepared.earlier
    verdicts, scores, errors = ask(prepared.judge, prepared.asked)
    _, questions = factorize("questions", [row.question_id for row in rows], len(rows))
    audited = AuditedRows(
        labels=np.array([row.label for row in rows]),
        questions=questions,
        lengths=np.array([len(row.answer) for row in rows]),
        systems=[row.system for row in rows],
        family=prepared.family,
        verdicts=verdicts,
        scores=scores,
    )
    found = compute_statistics(audited)
    judge = ", ".join(one.name for one in prepared.judge.model.members)
    notes = [
        f"Judge: {judge}, {prepared.protocol}, round {_round_number(earlier)}. Rows: {prepared.data}.",
        f"95% intervals over {pluralize(questions.max() + 1, 'question')}. They assume that the rows are a random "
        "sample and that the labels are correct. One interval in twenty misses the true value by chance.",
        *prepared.notes,
    ]
    if errors:
        failed = pluralize(errors.total(), "request")
        notes.append(f"The audit leaves out {failed} without a verdict, such as: {next(iter(errors))}")
    keys = [row_key(row) for row in rows]
    if earlier:
        before, common = _earlier_rows(audited, keys, earlier)
        found = with_drift(found, audited, before)
        notes.append(
            f"Changes are differences from {earlier['judge']} on {earlier['date']} (round {earlier['round']}), on "
            f"{pluralize(common, 'answer')} in both audits."
        )
    return {
        "evaluate_qa": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "judge": judge,
        "protocol": prepared.protocol,
        "round": _round_number(earlier),
        "notes": notes,
        "figures": {group: {name: asdict(one) for name, one in ones.items()} for group, ones in found.items() if ones},
        "rows": [
            {
                "key": key,
                "label": int(audited.labels[row]),
                "score": _none_if_nan(scores[row]),
                "verdicts": {kind: _none_if_nan(values[row]) for kind, values in verdicts.items()},
            }
            for row, key in enumerate(keys)
        ],
    }


def _earlier_rows(audited: AuditedRows, keys: Sequence[str], earlier: Mapping[str, Any]) -> tuple[AuditedRows, int]:
    """Return the rows with the verdicts of an earlier audit, and the number of rows that it has."""
    saved = {row["key"]: row["verdicts"] for row in earlier["rows"]}
    verdicts = [saved.get(key, {}) for key in keys]
    kinds = dict.fromkeys([PLAIN, *(kind for row in verdicts for kind in row)])
    known = {kind: np.array([row.get(kind) for row in verdicts], dtype=np.float64) for kind in kinds}
    return replace(audited, verdicts=known), sum(map(bool, verdicts))


def _round_number(earlier: Mapping[str, Any] | None) -> int:
    """Return the number of the audit; each round has its own stored verdicts."""
    return earlier["round"] + 1 if earlier else 0


def row_key(row: LabeledRow) -> str:
    """Return a hash of what the judge reads."""
    text = json.dumps([row.question, row.references, row.answer])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _none_if_nan(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
