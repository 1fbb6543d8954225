"""Read verdicts from a judge's replies.

A label is read at the position that the protocol defines; a reply that only mentions a label has no verdict.
"""

import ast
import json
import math
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any

from .._shared.chat_models import Reply, Token
from .._shared.messages import short_repr
from .._shared.options import is_number
from .protocols import LABEL, REASON, Protocol

# A reply in JSON is short; a longer one is not parsed.
_LONGEST_JSON = 10_000
_END_OF_THOUGHTS = "</think>"
_MOST_ENDS = 20

_MARKS = "*_\"'`“”„‘’«»"  # emphasis and quotes
_NAMED = rf"(?:final +)?(?:verdict|judge?ment|label|rating|answer)[\s{_MARKS}]*[:=][\s{_MARKS}]*"
_BEFORE = rf"\s*(?:```\w+\s+)?[\s{_MARKS}#>(\[{{]*(?:{_NAMED})?"
_AFTER = rf"(?![\w.,]*\d)[{_MARKS})\]}}]*\s*(?:$|(?P<mark>[.,:;!。，：；！\n—–]|-(?=\s))(?P<rest>.*))"
# After these, another label makes the first one ambiguous, as in a list of all labels. After other marks, which may
# begin a reason, it only does so before a mark.
_GOES_ON = frozenset(",:;，：；")
_LISTED = rf"[\s{_MARKS})\]}}.]*(?:$|[\n,;:–—-])"


class UnreadableReply(ValueError):  # noqa: N818 - an outcome of one row
    """A reply without a verdict; the message says why."""


@dataclass(frozen=True)
class Verdict:
    """A judge's verdict on an answer."""

    label: str  # one of the labels of the protocol
    # From 0 to 1. The expected score of the label, from log-probabilities; without them, the label's own score; or the
    # grade divided by the highest grade.
    score: float
    correct: bool  # whether the label's own score is above one half
    how: str  # source of the score: `logprobs`, `schema`, `parse`, `probabilities`, `recorded`, `matcher` or `rule`
    reason: str | None = None  # the judge's reason, if the protocol asks for it
    # The confidence that a decision endpoint returns, from 0 to 1; servers define it differently.
    confidence: float | None = None
    # The probabilities of further statements about the answer, None for a statement without an answer.
    aspects: Mapping[str, float | None] | None = None


def read_verdict(reply: Reply, protocol: Protocol) -> Verdict:
    """Return the verdict in a reply; raise UnreadableReply if there is none."""
    if reply.refusal:
        raise UnreadableReply(f"the judge refuses to answer: {reply.refusal}")
    starts = _answer_starts(reply.text)
    if len(starts) > _MOST_ENDS:  # the reply is read once from each of them
        raise UnreadableReply(f"the reply has {len(starts):,} </think> tags; expected one")
    start = 0 if protocol.fields and _parse_object(reply.text) else starts[-1]
    answer = reply.text[start:]
    if not answer.strip():
        raise UnreadableReply("the reply is empty" + _hint(reply))
    reason = None
    if protocol.fields:
        label, score, reason = _read_fields(answer, protocol, reply)
        how = "schema" if reply.granted else "parse"
    else:
        # If labels at several starts differ, one of them is part of a quotation.
        found = [_find_label(reply.text, start, protocol.labels) for start in starts]
        if found[-1] is None:
            names = " or ".join(protocol.labels)
            raise UnreadableReply(f"the reply does not begin with {names}: {short_repr(answer.strip())}" + _hint(reply))
        label, at = found[-1]
        if {one[0] for one in found if one} != {label}:
            raise UnreadableReply(
                f"the reply has several </think> tags and different labels: {short_repr(answer.strip())}"
            )
        score = _expected_score(reply, at, label, protocol) if protocol.first_token_decides else None
        how = "parse" if score is None else "logprobs"
    own = protocol.labels[label]
    return Verdict(label, own if score is None else score, own > 0.5, how, reason)  # noqa: PLR2004


def _answer_starts(text: str) -> list[int]:
    """Return the positions where the answer may begin: the start of the text, and each end of thoughts."""
    ended = [match.end() for match in re.finditer(_END_OF_THOUGHTS, text)]
    thinks = text.lstrip().startswith("<think>")
    return [*([] if thinks else [0]), *ended] or [len(text)]


def _find_label(text: str, start: int, labels: Mapping[str, float]) -> tuple[str, int] | None:
    """Return the label that an answer from `start` on begins with, and its position in the text."""
    answer = text[start:]
    patterns = {label: _pattern(label) for label in sorted(labels, key=len, reverse=True)}
    for label, pattern in patterns.items():
        match = re.match(f"{_BEFORE}(?P<label>{pattern}){_AFTER}", answer, re.IGNORECASE | re.DOTALL)
        end = r"\b" if match and match["mark"] in _GOES_ON else _LISTED
        if match and not (match["mark"] and _begins_with_label(match["rest"], patterns.values(), end)):
            return label, start + match.start("label")
    return None


@cache
def _pattern(label: str) -> str:
    """Match a label in any case, with its words joined in any way; an integer may have decimals of 0."""
    words = r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", label.strip())))
    return words + (r"(?:\.0+)?" if label.strip().isdecimal() else "")


def _begins_with_label(text: str, patterns: Iterable[str], end: str) -> bool:
    return any(re.match(rf"\W*{pattern}{end}", text, re.IGNORECASE) for pattern in patterns)


def _read_fields(answer: str, protocol: Protocol, reply: Reply) -> tuple[str, float | None, str | None]:
    """Return the label in a JSON reply, its grade divided by the highest grade, and its reason."""
    value = _parse_object(answer)
    if value is None:
        raise UnreadableReply(f"the reply is not a JSON object: {short_repr(answer.strip())}" + _hint(reply))
    label, score, reason = None, None, None
    for key, content in protocol.fields.items():
        if key not in value:
            raise UnreadableReply(f"the reply lacks {key!r}: {short_repr(answer.strip())}")
        if content == LABEL:
            said = str(value[key]).strip() if type(value[key]) in {str, int, float} else ""
            label = next((name for name in protocol.labels if re.fullmatch(_pattern(name), said, re.IGNORECASE)), None)
            if label is None:
                raise UnreadableReply(
                    f"{key!r} is not one of {', '.join(protocol.labels)}: {short_repr(answer.strip())}"
                )
        elif content == REASON:
            reason = str(value[key])
        else:
            score = _grade_score(value[key], int(content))
            if score is None:
                raise UnreadableReply(
                    f"{key!r} is not a whole number from 0 to {content}: {short_repr(answer.strip())}"
                )
    return str(label), score, reason


def _parse_object(answer: str) -> dict[str, Any] | None:
    """Return the answer as a JSON object or Python dict, with or without a code fence; None if it is neither."""
    text = re.sub(r"^```\w*\n(.*)\n?```$", r"\1", answer.strip(), flags=re.DOTALL).strip()
    if len(text) > _LONGEST_JSON or not text.startswith("{"):
        return None
    for decode in (json.loads, ast.literal_eval):
        try:
            with warnings.catch_warnings(action="ignore"):  # Python warns of escapes such as "\d"
                value = decode(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return value if isinstance(value, dict) else None
    return None


def _grade_score(grade: object, highest: int) -> float | None:
    if isinstance(grade, str) and grade.strip().isdecimal():
        grade = int(grade)
    whole = is_number(grade) and grade == grade // 1
    return grade / highest if whole and 0 <= grade <= highest else None  # type: ignore[operator]


def _expected_score(reply: Reply, start: int, label: str, protocol: Protocol) -> float | None:
    r"""Return Σ p(l) · score(l) over the labels, p(l) ∝ Σ exp(log-probability) of the candidates that begin l.

    None if the label has no log-probabilities, if one of them is NaN or infinite, or if no candidate begins the label.
    """
    token = _token_at(reply, start)
    if token is None or not all(logprob < math.inf for logprob in token.top.values()):  # False for NaN, too
        return None
    mass = dict.fromkeys(protocol.labels, 0.0)
    for candidate, logprob in token.top.items():
        begun = candidate.strip(f" \t\r\n{_MARKS}#>([{{").casefold()
        meant = [name for name in protocol.labels if begun and _begins_label(name.casefold(), begun)]
        if len(meant) == 1:
            mass[meant[0]] += math.exp(min(logprob, 0.0))
    total = sum(mass.values())
    if not mass[label] > 0:
        return None
    return min(1.0, sum(mass[name] / total * score for name, score in protocol.labels.items()))


@lru_cache(1024)
def _begins_label(label: str, begun: str) -> bool:
    """Return whether a token is the beginning of the label, or begins with the whole label."""
    return label.startswith(begun) or re.match(rf"{_pattern(label)}\b", begun) is not None


def _token_at(reply: Reply, start: int) -> Token | None:
    """Return the token with the character at `start`; None if the tokens are not those of the text."""
    if not "".join(token.text for token in reply.tokens).startswith(reply.text):
        return None
    ends = accumulate(len(token.text) for token in reply.tokens)
    return next(token for token, end in zip(reply.tokens, ends, strict=True) if end > start)


def _hint(reply: Reply) -> str:
    return "; it was cut off: increase max_tokens" if reply.cut_off else ""
