"""Protocols: the prompt of a judge, and the form of its reply.

A protocol is a prompt (`prompts.py`) with these settings:

    labels: {"correct": 1, "incorrect": 0}      the labels, each with its score from 0 to 1
    fields: {pred: label, score: 5}             the keys of a JSON reply: `label` is one of the labels, a number is the
                                                highest grade, `reason` is a text (default: the reply is a label)
    question: required                          every row needs a question (default: optional)
    system: …                                   the template of a system message
    source: …                                   the source of the protocol
    examples: [{prediction: …, references: [...], question: …, label: correct}]
                                                judged answers that precede each row in the conversation; only if the
                                                reply is a label

The template can use `question` (may be ""), `references` (a list) and `prediction`, which it must contain. This
package's protocols are in `protocols.jinja`; all requests are in our own words.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from .._shared.chat_models import Conversation
from .._shared.messages import short_repr
from .._shared.options import is_number
from .._shared.probes import is_file
from .prompts import Prompt, parse_prompt, read_prompt

LABEL, REASON = "label", "reason"
"""The contents of a field other than a grade."""

# Candidates per token of a reply; some servers return no more.
_CANDIDATES = 8

_SETTINGS = frozenset({"labels", "fields", "question", "system", "source", "examples"})
_SAMPLE = {"question": "a question", "references": ["a reference"], "prediction": "an answer"}

LABELS = {
    "correct": "it means the same as one of the references, even if the words, spelling, or units differ.",
    "incorrect": "it says something else, contradicts the references, or leaves out part of what was asked for.",
    "not attempted": "it gives no answer: it refuses, says that it does not know, or asks a question instead.",
}
"""The labels of our own protocol, with their descriptions."""

_FILE = Path(__file__).with_name("protocols.jinja").read_text(encoding="utf-8")
_, *_SECTIONS = re.split("^=== (.+)\n", _FILE, flags=re.MULTILINE)
_TEXTS = dict(zip(_SECTIONS[::2], _SECTIONS[1::2], strict=True))
_TEXTS["{LABELS}"] = "".join(f"- {label}: {meaning}\n" for label, meaning in LABELS.items())

RULES = _TEXTS["{RULES}"].rstrip()
"""How our own protocol decides."""


def _fill_in_parts(text: str) -> str:
    return re.sub(r"^\{[A-Z]+\}\n", lambda part: _TEXTS[part[0].rstrip()], text, flags=re.MULTILINE)


PROTOCOLS = {name: _fill_in_parts(text) for name, text in _TEXTS.items() if not name.startswith("{")}
"""Protocols by name, as the texts of their files."""


@dataclass(frozen=True)
class Protocol:
    """A protocol, ready for use."""

    prompt: Prompt
    labels: Mapping[str, float]  # the score of each label
    # The contents of each key of a JSON reply: `LABEL`, `REASON`, or the highest grade; empty if the reply is a label.
    fields: Mapping[str, str | int]
    needs_question: bool  # whether every row needs a question
    examples: Conversation  # messages with judged answers

    api: ClassVar[str] = "chat"

    @property
    def name(self) -> str:
        """Name of the protocol or of its file."""
        return self.prompt.name

    @property
    def signature(self) -> str:
        """Name and hash."""
        return f"{self.name}@{self.prompt.hash}"

    @property
    def first_token_decides(self) -> bool:
        """Whether all labels differ in their first character, so that the first token's log-probabilities suffice."""
        return not self.fields and len({label[0].lower() for label in self.labels}) == len(self.labels)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `per_example` that only some protocols have."""
        return (REASON,) if REASON in self.fields.values() else ()

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of a reply with fields."""
        named: dict[str | int, dict[str, Any]] = {
            LABEL: {"enum": [*self.labels], "type": "string"},
            REASON: {"type": "string"},
        }
        kinds = {
            key: named.get(content) or {"enum": [*range(int(content) + 1)], "type": "integer"}
            for key, content in self.fields.items()
        }
        return {"type": "object", "properties": kinds, "required": [*kinds], "additionalProperties": False}

    @property
    def wanted_fields(self) -> dict[str, Any]:
        """Optional fields of a request that make the reply more informative."""
        if self.first_token_decides:
            return {"logprobs": True, "top_logprobs": _CANDIDATES}
        if self.fields:
            schema = {"name": "verdict", "strict": True, "schema": self.schema}
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        return {}

    def conversation(self, question: str, references: list[str], prediction: str) -> Conversation:
        """Return the messages of a request."""
        texts = {"question": question, "references": references, "prediction": prediction}
        *system, row = self.prompt.conversation(texts)
        return [*system, *self.examples, row]


def load_protocol(name_or_file: str | Path) -> Protocol:
    """Return a protocol by name or from a file.

    Raise FileNotFoundError if there is neither, and ValueError if the protocol is invalid.
    """
    if (name := str(name_or_file)) in PROTOCOLS:
        return parse_protocol(name, PROTOCOLS[name])
    file = Path(name).expanduser()
    if not is_file(file):
        raise FileNotFoundError(f"protocol is {short_repr(name)}; expected a file or one of {', '.join(PROTOCOLS)}")
    return parse_protocol(file.name, read_prompt(file))


@lru_cache(maxsize=16)
def parse_protocol(name: str, text: str) -> Protocol:
    """Parse a protocol; raise ValueError if it is invalid."""
    try:
        prompt = parse_prompt(name, text, _SETTINGS, _SAMPLE)
        settings = prompt.settings
        labels, fields = _check_labels(settings.get("labels")), _check_fields(settings.get("fields"))
        if settings.get("question") not in {None, "required", "optional"}:
            raise ValueError(f"its question is {settings['question']!r}; expected required or optional")
        if "prediction" not in prompt.places:
            raise ValueError("it does not contain the answer: {{ prediction | quoted }}")
        examples = _example_messages(settings.get("examples"), prompt, labels, bool(fields))
    except (ValueError, TypeError) as error:
        raise ValueError(f"protocol {name!r} cannot be used: {error}") from error
    return Protocol(prompt, labels, fields, settings.get("question") == "required", examples)


def _check_labels(labels: object) -> dict[str, float]:
    if not isinstance(labels, dict) or len(labels) < 2:  # noqa: PLR2004
        raise ValueError('it has no labels; expected two or more with their scores: labels: {"yes": 1, "no": 0}')
    for label, score in labels.items():
        if not isinstance(label, str) or not label.strip():
            raise ValueError(f'its label {label!r} is not a text; write labels such as "yes", "no" and "0" in quotes')
        if not is_number(score) or not 0 <= score <= 1:
            raise ValueError(f"the score of its label {label!r} is {score!r}; expected a number from 0 to 1")
    if len({re.sub(r"[\s_-]+", " ", label.strip()).casefold() for label in labels}) < len(labels):
        raise ValueError("two of its labels differ only in case or spaces")
    return {label: float(score) for label, score in labels.items()}


def _check_fields(fields: object) -> dict[str, str | int]:
    if fields is None:
        return {}
    contents = list(fields.values()) if isinstance(fields, dict) else []
    grades = [content for content in contents if content not in (LABEL, REASON)]
    are_valid = len(grades) <= 1 and all(type(grade) is int and grade > 0 for grade in grades)
    if not isinstance(fields, dict) or not are_valid or contents.count(LABEL) != 1 or contents.count(REASON) > 1:
        raise ValueError(
            f"its fields are {short_repr(fields)}; expected exactly one label, at most one reason, and at most one "
            "grade (the highest one, a positive whole number): fields: {pred: label, why: reason, score: 5}"
        )
    return {str(key): content for key, content in fields.items()}


def _example_messages(examples: object, prompt: Prompt, labels: Mapping[str, float], fields: bool) -> Conversation:
    if examples is None:
        return []
    if fields:
        raise ValueError("it has examples and fields, but examples are only for replies that are a label")
    if not isinstance(examples, list):
        raise ValueError(f"its examples are {short_repr(examples)}; expected a list")
    messages = []
    for number, example in enumerate(examples):
        texts: dict[str, Any] = {"question": "", **example} if isinstance(example, dict) else {}
        label, references = texts.pop("label", None), texts.get("references")
        strings = [*references, texts["question"], texts.get("prediction")] if isinstance(references, list) else [None]
        if not references or texts.keys() != _SAMPLE.keys() or not all(isinstance(text, str) for text in strings):
            raise ValueError(
                f"its example {number} is {short_repr(example)}; expected texts: a prediction, references (a list), a "
                "label and optionally a question"
            )
        if label not in labels:
            raise ValueError(f"the label of its example {number} is {label!r}; expected one of {', '.join(labels)}")
        messages += [prompt.conversation(texts)[-1], {"role": "assistant", "content": label}]
    return messages
