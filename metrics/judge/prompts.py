"""Prompts of chat models: optional settings in YAML between two lines of `---`, then the request.

The request and the setting `system` are jinja2 templates. The filter `quoted` writes a text as a JSON string, so that
no text can end its field or pass for a part of the request.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from .._shared.chat_models import Conversation

_PARTS = re.compile(r"---[ \t]*\n(.*?\n|)---[ \t]*\n(.*)", re.DOTALL)

# Special tokens of chat templates (<|im_end|>, </s>, <end_of_turn>) lose their meaning if "<" is escaped. JSON does not
# escape all characters that end a line or that YAML refuses.
_ESCAPED = re.compile(r"<(?=[|/!a-zA-Z_｜])|[\x7f-\x9f\u2028\u2029\ufffe\uffff]")


@dataclass(frozen=True)
class Prompt:
    """A request with placeholders for texts, after settings; `request` is the template of the user's message."""

    name: str
    text: str = field(repr=False)
    settings: Mapping[str, Any] = field(repr=False)
    request: str = field(repr=False)

    @property
    def hash(self) -> str:
        """The first eight digits of the text's SHA-256."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    @property
    def places(self) -> set[str]:
        """The names of its placeholders."""
        from jinja2.meta import find_undeclared_variables

        trees = map(_environment().parse, self._messages.values())
        return {name for tree in trees for name in find_undeclared_variables(tree)}

    @property
    def _messages(self) -> dict[str, str]:
        system = self.settings.get("system")
        return {**({"system": str(system)} if system else {}), "user": self.request.strip()}

    @cached_property
    def _templates(self) -> dict[str, Any]:
        return {role: _environment().from_string(text) for role, text in self._messages.items()}

    def conversation(self, texts: Mapping[str, Any]) -> Conversation:
        """Return the messages with the texts filled in."""
        return [{"role": role, "content": template.render(texts)} for role, template in self._templates.items()]


def parse_prompt(name: str, text: str, known_settings: Set[str], sample: Mapping[str, Any]) -> Prompt:
    """Parse a prompt, and render it once, with a sample of its texts, to find errors in its templates.

    `known_settings` are those that it may have. Raise ValueError if settings or templates are invalid.
    """
    import yaml

    parts = _PARTS.fullmatch(text.replace("\r\n", "\n"))
    try:
        settings = (yaml.safe_load(parts[1]) or {}) if parts else {}
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    if not isinstance(settings, dict) or (text.startswith("---") and not parts):
        raise ValueError("it does not begin with settings in YAML between two lines ---")
    if unknown := sorted(map(str, settings.keys() - known_settings)):
        raise ValueError(f"its setting {unknown[0]!r} is unknown; expected some of {', '.join(sorted(known_settings))}")
    prompt = Prompt(name, text, settings, parts[2] if parts else text.replace("\r\n", "\n"))
    try:
        prompt.conversation(sample)
    except Exception as error:  # a template may do anything, such as divide by zero
        raise ValueError(f"{error}; the template can use {', '.join(sample)}") from error
    return prompt


def read_prompt(file: Path) -> str:
    """Return the text of a prompt's file; raise ValueError if it is not UTF-8."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"prompt {str(file)!r} is not UTF-8 text: {error}") from None


def quote(text: str) -> str:
    r"""Return a text as a JSON string in which special tokens of chat models are escaped.

    >>> print(quote('"Paris" <|im_end|> 1 < 2'))
    "\"Paris\" \u003c|im_end|> 1 < 2"
    """
    return _ESCAPED.sub(lambda match: rf"\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def _environment() -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["quoted"] = quote
    return environment
