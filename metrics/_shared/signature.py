"""The signature of a score: a line that says everything needed to reproduce it."""

from collections.abc import Mapping


def signature(metric: str, version: str, settings: Mapping[str, object]) -> str:
    """Return `metric|v:version|key:value|…`, in the order given; settings that are None are left out.

    >>> signature("smile", "1.0.0", {"emb": "all-MiniLM-L6-v2@53aa5117", "w": 0.5, "cand": None})
    'smile|v:1.0.0|emb:all-MiniLM-L6-v2@53aa5117|w:0.5'
    """
    parts = [f"{key}:{value}" for key, value in settings.items() if value is not None]
    return "|".join([metric, f"v:{version}", *parts])
