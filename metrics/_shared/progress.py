"""Progress bars on terminals and in notebooks, and lines in logs."""

import os
import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, TypeVar

_Item = TypeVar("_Item")

_SECONDS = 10  # between two lines of a log


def progress(describe: str | None, total: int | None, unit: str, initial: int = 0, stays: bool = False) -> Any:
    """Return a tqdm bar; in a log it writes a line every ten seconds. Without a title (`describe`) it is hidden.

    It is also hidden if bars are disabled in evaluate or datasets, or by the variable TQDM_DISABLE. A bar that `stays`
    appears immediately. Another bar appears after some seconds, and disappears from a terminal at the end.
    """
    from tqdm.auto import tqdm

    if describe is None or not _is_wanted():
        return tqdm(disable=True)
    live = _is_live()
    return tqdm(
        total=total,
        desc=describe,
        unit=unit,
        initial=initial,
        file=None if live else _Log(),
        position=None if live else 0,  # a nested bar would otherwise move the cursor
        mininterval=0.1 if live else _SECONDS,
        miniters=1,
        delay=0 if stays else 2 if live else _SECONDS,
        leave=stays or not live,
    )


def track_progress(items: Iterable[_Item], describe: str, unit: str) -> Iterator[_Item]:
    """Yield the items under a progress bar."""
    with progress(describe, len(items) if isinstance(items, Sized) else None, unit) as bar:
        for item in items:
            yield item
            bar.update()


class _Log:
    """A stream that writes each state of a bar as a line to the standard error."""

    def write(self, text: str) -> None:
        """Write the state after the carriage return."""
        if line := text.strip():
            print(line, file=sys.stderr)

    def flush(self) -> None:
        """Write everything out."""
        sys.stderr.flush()


@contextmanager
def library_bars() -> Iterator[None]:
    """Hide the bars of libraries (downloads, loading of weights) where ours are hidden, and in logs."""
    if _is_wanted() and _is_live():
        yield
        return
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    from transformers.utils import logging

    bars: Any = logging
    loading, downloading = bars.is_progress_bar_enabled(), not are_progress_bars_disabled()
    bars.disable_progress_bar()  # also hides downloads
    try:
        yield
    finally:
        if loading:
            bars.enable_progress_bar()  # also shows downloads
        (enable_progress_bars if downloading else disable_progress_bars)()


def _is_wanted() -> bool:
    """Return whether there is a place for bars and no switch hides them; a module not yet imported sets no switch."""
    datasets, evaluate = sys.modules.get("datasets"), sys.modules.get("evaluate.utils.logging")
    return not (
        sys.stderr is None  # a program without a console
        or os.environ.get("TQDM_DISABLE")
        or (datasets and datasets.are_progress_bars_disabled())
        or (evaluate and not evaluate.is_progress_bar_enabled())
    )


def _is_live() -> bool:
    """Return whether a bar can be redrawn: on a terminal or in a notebook."""
    return "ipykernel" in sys.modules or sys.stderr.isatty()
