"""A memory for sacrebleu's tokenisers 13a and zh: a piece of text that was met before costs a tenth.

Both insert spaces by rules that look one character far and never past white space. So a text can be cut at white space,
and the tokens of the pieces, one after the other, are those of the text. All tokens come from sacrebleu; a text that
may not be cut is handed to it whole.
"""

from collections.abc import Callable
from itertools import chain

Line = Callable[[str], str]
"""One of sacrebleu's tokenisers: takes a text, returns its tokens joined by spaces."""

# Enough for the vocabulary of most sets; keeps what ten million rows of random strings would take below 100 MB.
_REMEMBERED = 2**18


class Pieces(dict[str, tuple[str, ...]]):
    """The tokens of each piece met so far; splits texts with them.

    Args:
        line: The tokeniser.
        name: Its name; only `"13a"` and `"zh"` allow pieces.
    """

    def __init__(self, line: Line, name: str) -> None:
        super().__init__()
        self._line = line
        cuts: dict[str, Callable[[str], list[str] | None]] = {"13a": cut_13a, "zh": CutChinese(line)}
        self._cut = cuts.get(name, leave_whole)

    def split(self, text: str) -> list[str]:
        """Return the tokens of one text."""
        pieces = self._cut(text)
        if pieces is None:
            return self._line(text.rstrip()).split()
        return list(chain.from_iterable(map(self.__getitem__, pieces)))

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        # Between two words, as within a text.
        tokens = self[piece] = tuple(self._line(f"x {piece} x").split()[1:-1])
        return tokens


def leave_whole(text: str) -> None:
    """Return None: a tokeniser of which nothing is known wants the whole text."""


def cut_13a(text: str) -> list[str] | None:
    """Return the words of a text; None for one with a line break, which 13a removes after "-", joining two words."""
    return None if "\n" in text else text.split()


class CutChinese(dict[int, str]):
    """Cuts texts for zh: at white space, and around each character that is a token of its own wherever it stands.

    As a mapping it is the table for `str.translate` that puts spaces around those characters.
    """

    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line

    def __call__(self, text: str) -> list[str] | None:
        """Return the pieces of a text; None for one with a full stop or comma at either end.

        zh does not pad texts with spaces as 13a does, so that its rules for these two miss a neighbour there.
        """
        text = text.strip()
        if text.startswith((".", ",")) or text.endswith((".", ",")):
            return None
        return text.translate(self).split()

    def __missing__(self, code: int) -> str:
        character = chr(code)
        alone = all(
            self._line(f"{beside}{character}{beside}").split() == [beside, character, beside] for beside in "x1"
        )
        self[code] = f" {character} " if alone else character
        return self[code]
