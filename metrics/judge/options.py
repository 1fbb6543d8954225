"""The options of the judge."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._shared.endpoint import Endpoint
from .._shared.logistic import WEIGHTS, read_weights
from .._shared.model_options import TORCH_DTYPES, Dtype, ModelKwargs, ModelOptions
from .._shared.options import FLAG, POSITIVE, Choice, Control, Kind, Number, Options, Place, Whole, is_number, option
from .._shared.probes import is_url
from .._shared.stores import CacheOptions
from .calibration import Weights
from .decision_api import APIS, ASPECTS, Api, DecisionQuestions
from .protocols import PROTOCOLS, Protocol, load_protocol

# Outside this band of bem's scores, 92% of its verdicts on six labeled sets agree with people.
DEFAULT_BAND = (0.2, 0.8)


def _is_pair(value: Any, most: float) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) == 2  # noqa: PLR2004
        and all(is_number(number) and math.isfinite(number) and 0 <= number <= most for number in value)
    )


_BAND = Kind("two numbers from 0 to 1, (low, high)", lambda value: _is_pair(value, 1) and value[0] <= value[1])
_PRICES = Kind("two prices, (in, out)", lambda value: _is_pair(value, math.inf))
_MATCHER = Kind(
    "the name or folder of a metric, or a metric", lambda value: hasattr(value, "compute") or Place("").accepts(value)
)
_SERVER = Kind(
    "a URL such as http://localhost:8000/v1",
    lambda value: hasattr(value, "reply") or (isinstance(value, str) and is_url(value)),
)


def _are_fields(value: Any) -> bool:
    try:
        return all(isinstance(name, str) for name in value) and bool(json.dumps({**value}))
    except (TypeError, ValueError, RecursionError):  # no mapping, or a value that JSON does not have
        return False


_FIELDS = Kind("a mapping such as {'seed': 1}, with values that JSON can hold", _are_fields)
_ASPECTS = Kind(
    f"a list of some of {', '.join(ASPECTS)}",
    lambda value: isinstance(value, (tuple, list)) and len(value) > 0 and all(name in [*ASPECTS] for name in value),
)
_JUDGES = Kind(
    "a list of two or more models, or of mappings such as {'model': 'm', 'weight': 2}",
    lambda value: (
        isinstance(value, (tuple, list)) and len(value) > 1 and all(isinstance(item, (str, Mapping)) for item in value)
    ),
)
# The options that may differ between the judges of a jury.
_OWN = (
    *("model", "model_revision", "endpoint", "api", "aspects", "protocol", "dtype", "device"),
    *("concurrency", "timeout", "max_retries", "max_tokens", "extra_body"),
)


@dataclass(frozen=True)
class JudgeOptions(Options):
    """The options of `compute`."""

    ask: tuple[float, float] | None = option(
        None,
        _BAND,
        "Ask the judge only if the matcher's score is in this band: low ≤ score < high; high = 1 includes 1.",
        default_text=f"{DEFAULT_BAND}",
        control=Control(
            "Ask the judge",
            values={None: "if bem is unsure", (0, 1): "about every answer", (0, 0): "never: bem decides"},
            info="",
        ),
    )
    samples: int = option(1, Whole(), "Ask the judge this many times per row.", key="samples")
    swap: bool = option(False, FLAG, "Ask once more with answer and reference swapped.")
    unscored: Literal["none", "raise"] = option(
        "none", Choice("none", "raise"), "Give a row without a verdict the score None (`none`), or stop (`raise`)."
    )
    prices: tuple[float, float] | None = option(
        None, _PRICES, "Set the prices of a million request tokens and reply tokens, to report the cost."
    )


@dataclass(frozen=True)
class JudgeLoading(ModelOptions, CacheOptions):
    """The options at loading."""

    model: str | os.PathLike[str] | None = option(
        None,
        Place("the name or path of a chat model"),
        "Name the judge: a model at the endpoint, recorded verdicts in `cache_dir`, a model on the Hub, or a folder.",
    )
    # A URL, or an `Endpoint`, which may have its own key.
    endpoint: Any = option(None, _SERVER, "Ask the OpenAI-compatible server at this URL.")
    api: Api | None = option(
        None,
        Choice(*APIS),
        "Ask by `chat`, `decisions` or `systemone` (default: `chat`, unless the endpoint refuses it).",
    )
    aspects: Sequence[str] | None = option(
        None, _ASPECTS, f"Ask a decision endpoint about these aspects, too: {', '.join(ASPECTS)}."
    )
    judges: Sequence[str | Mapping[str, Any]] | None = option(
        None, _JUDGES, "Ask a jury: a list of models, or of mappings with options of their own and a `weight`."
    )
    dtype: Dtype | Literal["auto"] = option(
        "float32",
        Choice(*TORCH_DTYPES, "auto"),
        "Run a local model in `float32`, `float16`, `bfloat16`, or as it is stored (`auto`).",
        key="dtype",
    )
    protocol: str | os.PathLike[str] = option(
        "default",
        Place("the name of a protocol, or a file"),
        f"Select the prompt and the form of the reply: {', '.join(PROTOCOLS)}, or a file.",
    )
    first: Any = option(
        None, _MATCHER, "Set the matcher, which decides where it is sure: a metric, a name such as `bem`, or a folder."
    )
    weights: Weights | str | os.PathLike[str] | None = option(
        None,
        WEIGHTS,
        "Combine the scores of judge and matcher by these weights of `fit`, or a JSON file of them (default: the judge "
        "alone decides the rows it is asked about).",
    )
    cache_dir: str | os.PathLike[str] | None = option(
        None, Place("a folder"), "Keep verdicts and evaluate's temporary files in this folder."
    )
    batch: bool = option(
        False,
        FLAG,
        "Use the batch API: often half the price, with replies within a day; `cache_dir` remembers pending "
        "batches. (`evaluate-qa score` makes a call for each `--chunk-size` rows.)",
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
        """Raise ValueError for options that conflict, ValueError or FileNotFoundError for an invalid protocol."""
        super().check()
        if self.judges is not None and self.model is not None:
            raise ValueError("model and judges are given; expected one of them: write the model as one of the judges")
        if self.endpoint is not None and self.model is None and self.judges is None:
            raise ValueError("endpoint is given without model; expected model=, the name of the model at the endpoint")
        _ = self.loaded_protocol
        for_decisions = self.aspects is not None or self.api not in (None, "chat")
        if for_decisions and (self.api == "chat" or self.protocol != "default"):
            raise ValueError(
                f"api is {self.api!r}, aspects is {self.aspects!r} and protocol is {self.protocol!r}, but a decision "
                "endpoint has its own questions, and only it can answer questions about aspects; expected "
                "api='systemone' or 'decisions' without protocol, or a protocol without aspects"
            )
        is_server = isinstance(self.endpoint, str | Endpoint)
        if for_decisions and self.endpoint is not None and not is_server:
            raise ValueError(f"endpoint is {self.endpoint!r}, which is not a decision endpoint; expected its URL")
        needs = {
            "endpoint=, the URL of a server with OpenAI's API of files and batches": is_server,
            "cache_dir=, a folder that remembers pending batches": self.cache_dir is not None,
            f"api='chat' without aspects (api is {self.api!r}, aspects is {self.aspects!r})": not for_decisions,
        }
        if self.batch and self.judges is None and not all(needs.values()):
            raise ValueError(f"batch=True needs {', and '.join(need for need, met in needs.items() if not met)}")
        _ = self.jury, self.calibration

    @property
    def calibration(self) -> Weights | None:
        """The weights after a check; None without weights."""
        if self.weights is None:
            return None
        matcher, names = ("without", {"judge"}) if self.first is None else ("with", {"judge", "first"})
        return read_weights(self.weights, [names | {"intercept"}], f" for a judge {matcher} a matcher")

    @property
    def loaded_protocol(self) -> Protocol:
        """The protocol that the option `protocol` names."""
        return load_protocol(os.fspath(self.protocol))

    @property
    def protocols(self) -> list[Protocol | DecisionQuestions]:
        """The protocol, or the protocol of each API that the endpoint may serve, the preferred one first."""
        if self.api == "chat" or self.batch or self.protocol != "default":
            return [self.loaded_protocol]
        aspects = tuple(aspect for aspect in ASPECTS if aspect in (self.aspects or ()))
        questions: list[Protocol | DecisionQuestions] = [
            DecisionQuestions(api, aspects) for api in ("systemone", "decisions") if self.api in (None, api)
        ]
        return questions if self.api or aspects else [self.loaded_protocol, *questions]

    @property
    def jury(self) -> "list[tuple[JudgeLoading, float]]":
        """The options and the weight of each judge; raise ValueError if one is invalid."""
        return [(self, 1.0)] if self.judges is None else [self._member(*pair) for pair in enumerate(self.judges)]

    def _member(self, number: int, judge: str | Mapping[str, Any]) -> "tuple[JudgeLoading, float]":
        settings = {"model": judge} if isinstance(judge, str) else dict(judge)
        weight = settings.pop("weight", 1)
        if unknown := sorted(map(str, settings.keys() - {*_OWN})):
            raise ValueError(f"judges[{number}] has {unknown[0]!r}; expected some of weight, {', '.join(_OWN)}")
        if "model" not in settings:
            raise ValueError(f"judges[{number}] has no model; expected a mapping such as {{'model': 'm', 'weight': 2}}")
        if not POSITIVE.accepts(weight):
            raise ValueError(f"judges[{number}]: weight is {weight!r}; expected {POSITIVE.expected}")
        try:
            return replace(self, judges=None, first=None, weights=None, **settings), float(weight)
        except (ValueError, FileNotFoundError) as error:
            raise type(error)(f"judges[{number}]: {error}") from error


class JudgeKwargs(ModelKwargs, total=False):
    """`JudgeLoading` as keywords, so that editors complete them; a test compares both."""

    endpoint: Any
    api: Api | None
    aspects: Sequence[str] | None
    judges: Sequence[str | Mapping[str, Any]] | None
    protocol: str | os.PathLike[str]
    first: Any
    weights: Weights | str | os.PathLike[str] | None
    cache_dir: str | os.PathLike[str] | None
    batch: bool
    concurrency: int
    timeout: float
    max_retries: int
    max_tokens: int
    extra_body: Mapping[str, Any] | None
