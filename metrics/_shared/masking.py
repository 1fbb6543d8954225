"""Secrets masked in texts that others wrote."""

import html
import re
from itertools import groupby

# A character, or how it may be quoted: %41 (also %2541), \u0041, \x41, \/, &#65;, &amp;.
_QUOTED = re.compile(
    r"%(?:25)*[0-9a-f]{2}|\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|.)|&(?:#\d+|#x[0-9a-f]+|amp|lt|gt|quot|apos);|.",
    re.IGNORECASE | re.DOTALL,
)

# So many characters of a secret in a row are masked, too. What is shorter than the other number is none.
_TELLING, _SHORTEST_SECRET = 8, 4


def masked(text: str, secret: str) -> str:
    """Return a text with `***` for the secret and for long parts of it, also where they are quoted."""
    if len(secret) < _SHORTEST_SECRET:
        return text
    quoted: list[str] = _QUOTED.findall(text)
    plain, key = ("".join(map(_unquoted, characters)) for characters in (quoted, _QUOTED.findall(secret)))
    size = min(len(key), _TELLING)
    parts = {key[start : start + size] for start in range(len(key) - size + 1)}
    hidden = {at + offset for at in range(len(plain)) if plain[at : at + size] in parts for offset in range(size)}
    runs = groupby(enumerate(quoted), lambda numbered: numbered[0] in hidden)
    return "".join("***" if is_hidden else "".join(one for _, one in run) for is_hidden, run in runs)


def _unquoted(quoted: str) -> str:
    """Return the character that stands there quoted, in lower case."""
    code = re.sub(r"^(%(25)*|\\+[ux])(?=[0-9a-fA-F]{2})", "", quoted)
    if code != quoted:
        return chr(int(code, 16)).lower()[0]
    return (html.unescape(quoted).lstrip("\\").lower() or "\\")[0]
