"""The files of a gate for CI: a Markdown summary for a pull request, and JUnit XML. The same inputs give the same."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from ..files.rows import Row
from ..files.values import text
from .gated import Gated, told
from .keys import either
from .report import interval

_MOST = 300  # characters of a text
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KINDS = (("loss", "Lost"), ("win", "Won"))


def markdown(gated: Gated, most: int) -> str:
    """Return the summary: the decision, figures, and at most so many rows of those lost and of those won."""
    drop = gated.drop
    lines = [
        f"### {'✅ Passed' if drop.passed else '❌ Failed'}: {gated.figure}",
        "",
        _escaped(told(gated)),
        "",
        f"| {_in_cell(gated.baseline)} | {_in_cell(gated.system)} | drop | allowed | lost | won |",
        "|---:|---:|---:|---:|---:|---:|",
        f"| {gated.before:.3f} | {gated.after:.3f} | {interval(drop.drop)} | {drop.allowed:g} | "
        f"{len(gated.of('loss')):,} | {len(gated.of('win')):,} |",
        "",
    ]
    lines += [f"- {_escaped(note)}" for note in gated.notes]
    for change, heading in _KINDS:
        rows = gated.of(change)
        if rows and most:
            shown = f" (the first {most:,} are shown)" if len(rows) > most else ""
            lines += ["", "<details>", f"<summary>{heading}: {len(rows):,} rows{shown}</summary>", ""]
            lines += [line for row in rows[:most] for line in _item(gated, row)]
            lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _item(gated: Gated, row: Row) -> Iterator[str]:
    yield f"- {code(_name(row))}"
    if references := _references(row):
        yield f"  - reference: {' · '.join(map(code, references))}"
    for title, ending in ((gated.baseline, "_before"), (gated.system, "")):
        yield f"  - {code(title)}: {code(text(row['prediction' + ending]))}, score {row['score' + ending]:.3f}"


def _name(row: Row) -> str:
    """Return the question, or else what identifies the row."""
    question = next((text(row[name]) for name in either("question") if row.get(name)), "")
    return question or text(next(iter(row.values())))


def _references(row: Row) -> list[str]:
    found: object = next((row[name] for name in either("reference") if row.get(name)), [])
    return [text(one) for one in (found if isinstance(found, list) else [found])]


def code(words: str) -> str:
    """Return a text as code in Markdown, in which nothing is markup, a link or somebody's name.

    >>> print(code("<b> `x` @you"))
    `` <b> `x` @you ``
    """
    line = _short(words)
    if not line:
        return "(empty)"
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    pad = " " * (len(fence) > 1)
    return f"{fence}{pad}{line}{pad}{fence}"


def _escaped(words: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|~&])", r"\\\1", _short(words))


def _in_cell(words: str) -> str:
    return code(words.replace("\\", "/").replace("|", "¦"))


def _short(words: str) -> str:
    line = " ".join(_NO_XML.sub("\ufffd", words).split())
    return line if len(line) <= _MOST else f"{line[:_MOST]}…"


def junit(gated: Gated, most: int) -> bytes:
    """Return JUnit XML with one test: it fails if the gate does, and tells rows that changed, lost ones first."""
    suites = ElementTree.Element("testsuites")
    failures = {"tests": "1", "failures": str(int(not gated.drop.passed)), "errors": "0", "skipped": "0"}
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "evaluate-qa gate", **failures})
    name = _short(f"{gated.system} against {gated.baseline}: {gated.figure}")
    case = ElementTree.SubElement(suite, "testcase", {"classname": "evaluate-qa.gate", "name": name})
    rows = "\n".join(_line(gated, row) for change, _ in _KINDS for row in gated.of(change)[:most])
    if not gated.drop.passed:
        failure = ElementTree.SubElement(case, "failure", {"type": "drop", "message": _short(told(gated))})
        failure.text = "\n".join([*map(_short, gated.notes), rows])
    else:
        ElementTree.SubElement(case, "system-out").text = "\n".join(
            [_short(told(gated)), *map(_short, gated.notes), rows]
        )
    ElementTree.indent(suites)
    return bytes(ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)) + b"\n"


def _line(gated: Gated, row: Row) -> str:
    answers = (f"{_short(text(row['prediction' + end]))!r} ({row['score' + end]:.3f})" for end in ("_before", ""))
    heading = dict(_KINDS)[row["change"]].lower()
    return f"{heading}: {_short(_name(row))!r}: {' → '.join(answers)}"
