"""Progress bars for what may take seconds: our own, and those of the libraries that load models."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def progress(describe: str | None, total: int, unit: str) -> Any:
    """Return a tqdm bar that shows itself only after two seconds, and not at all where bars are disabled.

    Args:
        describe: Its title; None for no bar.
        total: Of what is to be done.
        unit: One of it.
    """
    import datasets
    from evaluate.utils.logging import is_progress_bar_enabled
    from tqdm.auto import tqdm

    silent = describe is None or datasets.are_progress_bars_disabled() or not is_progress_bar_enabled()
    return tqdm(total=total, desc=describe, unit=unit, delay=2, disable=silent, leave=False)


@contextmanager
def library_bars() -> Iterator[None]:
    """Hide the bars of libraries (downloads, loading of weights) where evaluate's or datasets' are disabled."""
    import datasets
    from evaluate.utils.logging import is_progress_bar_enabled
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    from transformers.utils import logging

    bars: Any = logging
    loading, downloading = bars.is_progress_bar_enabled(), not are_progress_bars_disabled()
    if is_progress_bar_enabled() and not datasets.are_progress_bars_disabled():
        yield
        return
    bars.disable_progress_bar()  # those of downloads as well
    try:
        yield
    finally:
        if loading:
            bars.enable_progress_bar()  # those of downloads as well
        if downloading == are_progress_bars_disabled():
            (enable_progress_bars if downloading else disable_progress_bars)()
