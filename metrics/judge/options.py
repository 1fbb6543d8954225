"""The options of the judge."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from .._shared.arguments import (
    Choice,
    Control,
    Dtype,
    Flag,
    Kind,
    ModelKeywords,
    ModelOptions,
    Number,
    Options,
    Place,
    Text,
    Whole,
    option,
)
from .protocols import PROTOCOLS, Protocol, protocol

# Outside this band of bem's scores, 92% of its verdicts on six labeled sets agree with people.
DEFAULT_BAND = (0.2, 0.8)


def _pair(value: Any, most: float) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) == 2  # noqa: PLR2004
        and all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in value)
        and all(math.isfinite(one) and 0 <= one <= most for one in value)
    )


_BAND = Kind("two numbers from 0 to 1, (low, high)", lambda value: _pair(value, 1) and value[0] <= value[1])
_PRICES = Kind("two prices, (in, out)", lambda value: _pair(value, math.inf))
_MATCHER = Kind(
    "the name or folder of a metric, or a metric", lambda value: hasattr(value, "compute") or Place("").accepts(value)
)
_URL = Text("a URL such as http://localhost:8000/v1", "https?://.+")
_SERVER = Kind(_URL.expected, lambda value: hasattr(value, "reply") or _URL.accepts(value))
_FIELDS = Kind(
    "a mapping such as {'seed': 1}",
    lambda value: isinstance(value, Mapping) and all(isinstance(name, str) for name in value),
)


@dataclass(frozen=True)
class JudgeOptions(Options):
    """The options of `compute`."""

    ask: tuple[float, float] | None = option(
        None,
        _BAND,
        "Ask the judge only if low ≤ the score of `first` < high.",
        default_text=f"{DEFAULT_BAND}",
        control=Control(
            "Ask the judge",
            values={None: "if bem is unsure", (0, 1): "about every answer", (0, 0): "never: bem decides"},
            info="",
        ),
    )
    samples: int = option(1, Whole(), "Ask the judge this many times per row.", key="samples")
    swap: bool = option(False, Flag(), "Ask once more with answer and reference exchanged.")
    unscored: Literal["none", "raise"] = option(
        "none", Choice("none", "raise"), "Give a row without a verdict the score None (`none`), or stop (`raise`)."
    )
    prices: tuple[float, float] | None = option(
        None, _PRICES, "Set the prices of a million request tokens and reply tokens, to report the cost."
    )


@dataclass(frozen=True)
class JudgeLoading(ModelOptions):
    """The options at loading."""

    model: str | os.PathLike[str] | None = option(
        None,
        Place("the name or path of a chat model"),
        "Name the judge: a model at the endpoint, recorded verdicts in `cache_dir`, a model on the Hub, or a folder.",
    )
    # A URL, or an `Endpoint`, which may have its own key.
    endpoint: Any = option(None, _SERVER, "Ask the OpenAI-compatible server at this URL.")
    dtype: Dtype = option(
        "float32",
        Choice(*get_args(Dtype)),
        "Run a local model in `float32`, `float16` or `bfloat16`.",
        key="dtype",
    )
    protocol: str | os.PathLike[str] = option(
        "default",
        Place("the name of a protocol, or a file"),
        f"Select the prompt and the form of the reply: {', '.join(PROTOCOLS)}, or a file.",
    )
    first: Any = option(
        None,
        _MATCHER,
        "Let this metric decide where it is sure: a name such as `bem`, a folder, or a loaded metric.",
    )
    cache_dir: str | os.PathLike[str] | None = option(
        None, Place("a folder"), "Keep verdicts and evaluate's temporary files in this folder."
    )
    concurrency: int = option(16, Whole(), "Send at most this many requests at a time.")
    timeout: float = option(60.0, Number(1e-3, 86_400), "Wait at most this many seconds for a reply.")
    max_retries: int = option(
        5, Whole(0), "Retry a failed request up to this many times, with backoff or as the server asks."
    )
    max_tokens: int = option(
        1024, Whole(), "Limit the reply to this many tokens, including the thoughts of a reasoning model."
    )
    extra_body: Mapping[str, Any] | None = option(
        None, _FIELDS, "Add these fields to each request; they replace fields of the same name."
    )

    def check(self) -> None:
        """Raise ValueError for an endpoint without model, ValueError or FileNotFoundError for an invalid protocol."""
        super().check()
        if self.endpoint is not None and self.model is None:
            raise ValueError("endpoint is given without model; expected model=, the name of the model at the endpoint")
        _ = self.asked

    @property
    def asked(self) -> Protocol:
        """The protocol."""
        return protocol(os.fspath(self.protocol))

    @property
    def cache(self) -> Path | None:
        """`cache_dir` as a path."""
        return Path(self.cache_dir).expanduser() if self.cache_dir else None


class JudgeKeywords(ModelKeywords, total=False):
    """`JudgeLoading` as keywords, so that editors complete them; a test compares both."""

    endpoint: Any
    protocol: str | os.PathLike[str]
    first: Any
    cache_dir: str | os.PathLike[str] | None
    concurrency: int
    timeout: float
    max_retries: int
    max_tokens: int
    extra_body: Mapping[str, Any] | None
