"""Progress of what may take seconds: our own bars, and those of the libraries that load models."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

_SECONDS = 10
"""Between two lines of a log."""


def progress(describe: str | None, total: int | None, unit: str, initial: int = 0, stays: bool = False) -> Any:
    """Return a tqdm bar, or on what is no terminal something like it that writes a line now and then.

    Neither shows itself where bars are disabled: by evaluate, by datasets, or by the variable TQDM_DISABLE.

    Args:
        describe: Its title; None for no bar.
        total: Of what is to be done; None if it is not known.
        unit: One of it.
        initial: How much is done already.
        stays: Whether it shows itself at once and stays at the end; else after two seconds, and it goes.
    """
    from tqdm.auto import tqdm

    if describe is None or not _wanted():
        return tqdm(disable=True)
    if not _is_live():
        return Lines(describe, total, unit, initial, stays)
    return tqdm(total=total, desc=describe, unit=unit, initial=initial, delay=0 if stays else 2, leave=stays)


class Lines:
    """What a bar is in a log: a line every ten seconds at most, and where it stays a first and a last one.

    Args:
        describe: Its title.
        total: Of what is to be done; None if it is not known.
        unit: One of it.
        initial: How much is done already.
        stays: Whether it shows itself at once and at the end.
    """

    def __init__(self, describe: str, total: int | None, unit: str, initial: int, stays: bool) -> None:
        self._describe, self._total, self._unit, self._initial, self._stays = describe, total, unit, initial, stays
        self._done, self._start, self._more = initial, monotonic(), ""
        self._shown = self._start
        if stays:
            self._show()

    def update(self, count: int = 1) -> None:
        """Count what was done."""
        self._done += count
        if monotonic() - self._shown >= _SECONDS:
            self._show()

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        """Have a text at the end of the next lines; like tqdm's, but for a line at once."""
        self._more = text

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        if self._stays:
            self._show()

    def _show(self) -> None:
        from tqdm.std import tqdm

        self._shown = monotonic()
        line = tqdm.format_meter(
            self._done,
            self._total or 0,
            self._shown - self._start,
            prefix=self._describe,
            unit=self._unit,
            initial=self._initial,
            postfix=self._more,
        )
        print(line, file=sys.stderr, flush=True)


@contextmanager
def library_bars() -> Iterator[None]:
    """Hide the bars of libraries (downloads, loading of weights) where ours are hidden, and in logs."""
    if _wanted() and _is_live():
        yield
        return
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    from transformers.utils import logging

    bars: Any = logging
    loading, downloading = bars.is_progress_bar_enabled(), not are_progress_bars_disabled()
    bars.disable_progress_bar()  # those of downloads as well
    try:
        yield
    finally:
        if loading:
            bars.enable_progress_bar()  # those of downloads as well
        if downloading == are_progress_bars_disabled():
            (enable_progress_bars if downloading else disable_progress_bars)()


def _wanted() -> bool:
    """Whether no switch hides bars; what was never imported was not told to."""
    datasets, evaluate = sys.modules.get("datasets"), sys.modules.get("evaluate.utils.logging")
    return not (
        os.environ.get("TQDM_DISABLE")
        or (datasets and datasets.are_progress_bars_disabled())
        or (evaluate and not evaluate.is_progress_bar_enabled())
    )


def _is_live() -> bool:
    """Whether a bar can be drawn over: on a terminal and in a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())
