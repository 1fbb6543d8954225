"""Write the decision of a gate as Markdown for a pull request and as JUnit XML."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from evaluate_qa.metrics._shared.messages import pluralize

from ..files.rows import Row
from ..files.values import text
from ..joining.keys import cell_of, references_of
from .run import GateResult

_LONGEST = 300  # characters
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KINDS = (("loss", "Lost"), ("win", "Won"))


def as_markdown(result: GateResult, most: int) -> str:
    """Return the decision, the figures, and at most this many lost rows and won rows."""
    lines = [
        f"### {'✅ Passed' if result.drop.passed else '❌ Failed'}: {result.verdict}",
        "",
        f"{_escape(result.figures)}.",
        "",
        f"{as_code(result.system)} against {as_code(result.baseline)}: "
        f"{pluralize(len(result.rows_of('loss')), 'row')} lost, {len(result.rows_of('win')):,} won.",
        "",
    ]
    lines += [f"- {_escape(note)}" for note in result.notes]
    for change, heading in _KINDS:
        rows = result.rows_of(change)
        if rows:
            shown = f" (the first {most:,} are shown)" if len(rows) > most else ""
            lines += ["", "<details>", f"<summary>{heading}: {pluralize(len(rows), 'row')}{shown}</summary>", ""]
            lines += [line for row in rows[:most] for line in _item(result, row)]
            lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _item(result: GateResult, row: Row) -> Iterator[str]:
    yield f"- {as_code(_name(row))}"
    if references := references_of(row):
        yield f"  - reference: {' · '.join(map(as_code, references))}"
    for title, ending in ((result.baseline, "_before"), (result.system, "")):
        yield f"  - {as_code(title)}: {as_code(text(row['prediction' + ending]))}, score {row['score' + ending]:.3f}"


def _name(row: Row) -> str:
    """Return the question, or else the first column, which identifies the row."""
    return text(cell_of(row, "questions") or next(iter(row.values())))


def as_code(words: str) -> str:
    """Return text as code in Markdown, without markup, links or mentions.

    >>> print(as_code("<b> `x` @you"))
    `` <b> `x` @you ``
    """
    line = _shorten(words)
    if not line:
        return "(empty)"
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    pad = " " if len(fence) > 1 else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _escape(words: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|~&])", r"\\\1", _shorten(words))


def _shorten(words: str) -> str:
    """Return text on one short line, with � for characters that XML cannot hold."""
    line = " ".join(_NO_XML.sub("\ufffd", words).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def as_junit(result: GateResult, most: int) -> bytes:
    """Return JUnit XML with one test, which fails if the gate does, and at most this many lost rows and won rows."""
    suites = ElementTree.Element("testsuites")
    failures = {"tests": "1", "failures": str(int(not result.drop.passed)), "errors": "0", "skipped": "0"}
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "evaluate-qa gate", **failures})
    name = _shorten(f"{result.system} against {result.baseline}: {result.statistic}")
    case = ElementTree.SubElement(suite, "testcase", {"classname": "evaluate-qa.gate", "name": name})
    message = _shorten(result.message)
    if result.drop.passed:
        output = ElementTree.SubElement(case, "system-out")
    else:
        output = ElementTree.SubElement(case, "failure", {"type": "drop", "message": message})
    rows = [_line(row) for change, _ in _KINDS for row in result.rows_of(change)[:most]]
    output.text = "\n".join([message, *map(_shorten, result.notes), *rows])
    ElementTree.indent(suites)
    return bytes(ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)) + b"\n"


def _line(row: Row) -> str:
    answers = (f"{_shorten(text(row['prediction' + end]))!r} ({row['score' + end]:.3f})" for end in ("_before", ""))
    return f"{dict(_KINDS)[row['change']].lower()}: {_shorten(_name(row))!r}: {' → '.join(answers)}"
