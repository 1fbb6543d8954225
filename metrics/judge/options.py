"""What the judge's `evaluate.load` and `compute` take besides columns."""

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

# bem's: evaluate-qa cascade --metric bem --data evouna --data efficientqa --data semeval2013 --data saf --target 0.92
DEFAULT_BAND = (0.2, 0.8)


def _pair(value: Any, most: float) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) == 2  # noqa: PLR2004
        and all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in value)
        and all(math.isfinite(one) and 0 <= one <= most for one in value)
    )


class Band(Kind):
    """Two probabilities, the lower one first."""

    def __init__(self) -> None:
        super().__init__("two numbers from 0 to 1, (low, high)", lambda value: _pair(value, 1) and value[0] <= value[1])


class Matcher(Kind):
    """A metric whose verdict comes first, or its name or folder."""

    def __init__(self) -> None:
        super().__init__(
            "the name or folder of a metric, or a metric",
            lambda value: hasattr(value, "compute") or Place("").accepts(value),
        )


class Server(Kind):
    """The URL of a server, or what asks one."""

    def __init__(self) -> None:
        url = Text("a URL such as http://localhost:8000/v1", "https?://.+")
        super().__init__(url.expected, lambda value: hasattr(value, "reply") or url.accepts(value))


class Prices(Kind):
    """What tokens cost: those of the request, those of the reply."""

    def __init__(self) -> None:
        super().__init__("two prices, (in, out)", lambda value: _pair(value, math.inf))


class Fields(Kind):
    """Fields of a JSON object."""

    def __init__(self) -> None:
        super().__init__(
            "a mapping such as {'seed': 1}", lambda value: isinstance(value, Mapping) and all(map(_is_text, value))
        )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


@dataclass(frozen=True)
class JudgeOptions(Options):
    """What `compute` takes besides columns."""

    ask: tuple[float, float] | None = option(
        None,
        Band(),
        "With `first`, the judge is asked where low ≤ the matcher's score < high.",
        told=f"{DEFAULT_BAND}",
        control=Control(
            "The judge is asked",
            values={
                None: "where the matcher is unsure",
                (0, 1): "about every answer",
                (0, 0): "never: the matcher decides",
            },
            info="",
        ),
    )
    samples: int = option(
        1,
        Whole(),
        "How often the judge is asked about a row.",
        key="samples",
    )
    swap: bool = option(
        False,
        Flag(),
        "Ask once more with answer and reference exchanged.",
    )
    unscored: Literal["none", "raise"] = option(
        "none",
        Choice("none", "raise"),
        "A row without a verdict has the score None (`none`), or stops the call (`raise`).",
    )
    prices: tuple[float, float] | None = option(
        None, Prices(), "Prices of a million tokens of requests and of replies."
    )


@dataclass(frozen=True)
class JudgeLoading(ModelOptions):
    """What `evaluate.load("judge", …)` takes."""

    model: str | os.PathLike[str] | None = option(
        None,
        Place("the name or path of a chat model"),
        "The judge: its name at the endpoint, or of verdicts in `cache_dir`; else a model of the Hub or a folder.",
    )
    endpoint: Any = option(  # an `Endpoint` too, which may have a key of its own
        None,
        Server(),
        "URL of an OpenAI-compatible server.",
    )
    dtype: Dtype = option(
        "float32",
        Choice(*get_args(Dtype)),
        "Precision of a model that runs here: `float32`, `float16` or `bfloat16`.",
        key="dtype",
    )
    protocol: str | os.PathLike[str] = option(
        "default",
        Place("the name of a protocol, or a file"),
        f"What is asked, and how: {', '.join(PROTOCOLS)}, or a file.",
    )
    first: Any = option(
        None,
        Matcher(),
        "Metric that decides where it is sure: its name, such as `bem`, its folder, or itself.",
    )
    cache_dir: str | os.PathLike[str] | None = option(
        None, Place("a folder"), "Folder that keeps verdicts, and evaluate's temporary files."
    )
    concurrency: int = option(16, Whole(), "Requests under way at a time.")
    timeout: float = option(60.0, Number(1e-3, 86_400), "Seconds that a reply may take.")
    max_retries: int = option(5, Whole(0), "Repetitions of a failed request, ever later or when the server says.")
    max_tokens: int = option(1024, Whole(), "Longest reply, with the thoughts of a reasoning model.")
    extra_body: Mapping[str, Any] | None = option(None, Fields(), "More fields for each request, which replace ours.")

    def check(self) -> None:
        """Raise ValueError or FileNotFoundError for a protocol that cannot be used, ValueError for no model's name."""
        super().check()
        if self.endpoint is not None and self.model is None:
            raise ValueError("endpoint needs model, the judge's name there")
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
