"""A progress bar for what may take seconds."""

from typing import Any


def progress(total: int, unit: str) -> Any:
    """Return a tqdm bar that shows itself only after two seconds, and not at all where bars are disabled."""
    import datasets
    from evaluate.utils.logging import is_progress_bar_enabled
    from tqdm.auto import tqdm

    silent = datasets.are_progress_bars_disabled() or not is_progress_bar_enabled()
    return tqdm(total=total, desc="deltableu", unit=unit, delay=2, disable=silent, leave=False)
