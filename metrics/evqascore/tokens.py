"""Texts as the token windows that a CLIP text encoder reads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

LongText = Literal["mean", "truncate"]

# open_clip's own tokenizer takes time that grows with the square of a word's length.
_LONGEST_WORD = 200


@dataclass(frozen=True)
class Tokens:
    """What a tokenizer makes of a text, and what the encoder wants around it.

    Args:
        encode: Gives the token numbers of a text, without any special ones.
        before: Special tokens that a text begins with.
        after: Special tokens that it ends with.
        pad: Fills up the shorter texts of a batch.
        length: Tokens of the longest text, special ones counted; CLIP's 77.
    """

    encode: Callable[[str], list[int]]
    before: list[int]
    after: list[int]
    pad: int
    length: int

    def windows(self, text: str, long_text: LongText) -> list[list[int]]:
        """Split a text into as many windows as its tokens need, or keep its first alone.

        Args:
            text: Any text; an empty one is a window without a token of its own.
            long_text: "mean" (all windows, whose vectors are to be averaged) or "truncate" (the first).
        """
        if long_text not in get_args(LongText):
            raise ValueError(f"evqascore: long_text is {long_text!r}; expected one of {', '.join(get_args(LongText))}")
        room = self.length - len(self.before) - len(self.after)
        ids = self.encode(text)
        ids = ids[:room] if long_text == "truncate" else ids
        pieces = [ids[start : start + room] for start in range(0, len(ids), room)] or [[]]
        return [[*self.before, *piece, *self.after] for piece in pieces]

    def batch(self, windows: Sequence[list[int]], length: int | None = None) -> NDArray[np.int64]:
        """Return windows as a matrix, filled up to the longest of them, or to `length`."""
        filled = np.full((len(windows), length or max(map(len, windows))), self.pad, dtype=np.int64)
        for row, window in enumerate(windows):
            filled[row, : len(window)] = window
        return filled


def of_open_clip(tokenizer: Any, length: int) -> Tokens:
    """Return the tokens of an open_clip tokenizer: CLIP's own, or one of transformers that open_clip has wrapped."""
    if hasattr(tokenizer, "tokenizer"):
        return of_transformers(tokenizer.tokenizer, length, clean=tokenizer.clean_fn)
    special = set(tokenizer.all_special_ids)

    def encode(text: str) -> list[int]:
        words = " ".join(_cut(word) for word in text.split())
        return [token for token in tokenizer.encode(words) if token not in special]

    return Tokens(encode, [tokenizer.sot_token_id], [tokenizer.eot_token_id], 0, length)


def of_transformers(tokenizer: Any, length: int, clean: Callable[[str], str] = str) -> Tokens:
    """Return the tokens of a transformers tokenizer; what it puts around a text is seen by trying."""

    def encode(text: str) -> list[int]:
        ids = tokenizer(clean(text), add_special_tokens=False, split_special_tokens=True, verbose=False)["input_ids"]
        return list(ids)

    bare, whole = tokenizer("a", add_special_tokens=False)["input_ids"], tokenizer("a")["input_ids"]
    begin = next(i for i in range(len(whole)) if whole[i : i + len(bare)] == bare)
    after = whole[begin + len(bare) :]
    pad = tokenizer.pad_token_id
    return Tokens(encode, whole[:begin], after, (after or [0])[-1] if pad is None else pad, length)


def _cut(word: str) -> str:
    return " ".join(word[start : start + _LONGEST_WORD] for start in range(0, len(word), _LONGEST_WORD))
