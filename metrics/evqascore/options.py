"""What EVQAScore's `evaluate.load` and `compute` take besides columns, and its configurations."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

Dtype = Literal["float32", "float16", "bfloat16"]

YAKE = "yake"
"""The keyword extractor that needs no model."""

DEMO = "demo"
"""The configuration with the small model that comes with this metric, which is no name of a model."""

# Configuration -> CLIP model. The paper's own checkpoints are files that only their authors give out.
MODELS: dict[str, str | None] = {"default": "ViT-B-32/openai", "paper": None, DEMO: None}
# Configuration -> extractor of keywords, revision.
KEYWORD_MODELS = {
    "default": (YAKE, None),
    "paper": ("meta-llama/Llama-3.1-8B-Instruct", "0e9e39f249a16976918f6564b8830bc894c89659"),
    DEMO: (YAKE, None),
}

PAPER_CHECKPOINTS = (
    "PAC++_clip_ViT-L-14.pth (PAC-S++) or clip_ViT-B-32.pth (PAC-S), which https://github.com/aimagelab/pacscore "
    "offers under 'Loading CLIP Models'"
)


@dataclass(frozen=True)
class LoadOptions:
    """What `evaluate.load("evqascore", …)` takes.

    Args:
        model: A CLIP model: an open_clip name such as `"ViT-B-32/openai"`, a repository of the Hub, or a folder; by
            default that of the configuration.
        model_revision: Branch, tag or commit of a repository (`revision` is evaluate's own keyword).
        checkpoint: A file of weights, such as PAC-S's; with `model=` the name of an open_clip architecture, otherwise
            in the layout of OpenAI's CLIP, which tells its architecture.
        device: `"cpu"`, `"cuda"`, `"cuda:1"`, `"mps"`; by default the best there is.
        dtype: Precision of CLIP.
        batch_size: Frames, and texts, of a batch at most.
        cache_dir: Keeps features of videos and keywords of a chat model there for later calls (evaluate puts its
            temporary files there as well).
        keyword_model: `"yake"`, or a chat model: name on the Hub, folder, or name at the endpoint.
        keyword_revision: Branch, tag or commit of a chat model on the Hub.
        keyword_endpoint: URL of an OpenAI-compatible server that has the chat model; its key comes from
            OPENAI_API_KEY.

    Raises:
        ValueError: a value outside its range, or options that do not go together.
        FileNotFoundError: the checkpoint is no file.
    """

    model: str | os.PathLike[str] | None = None
    model_revision: str | None = None
    checkpoint: str | os.PathLike[str] | None = None
    device: str | None = None
    dtype: Dtype = "float32"
    batch_size: int | None = None
    cache_dir: str | os.PathLike[str] | None = None
    keyword_model: str | None = None
    keyword_revision: str | None = None
    keyword_endpoint: str | None = None

    def __post_init__(self) -> None:
        _check_choice("dtype", self.dtype, get_args(Dtype))
        _check_positive("batch_size", self.batch_size)
        for name in ("model", "checkpoint", "keyword_model", "keyword_endpoint"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, (str, os.PathLike)) or not os.fspath(value)):
                raise ValueError(f"evqascore: {name} is {value!r}; expected its name or path")
        if self.model_revision is not None and self.model is None:
            raise ValueError("evqascore: model_revision is given without model; a configuration has its own revision")
        if self.keyword_revision is not None and self.keyword_model is None:
            raise ValueError("evqascore: keyword_revision is given without keyword_model")
        if self.keyword_endpoint is not None and self.keyword_model in {None, YAKE}:
            raise ValueError("evqascore: keyword_endpoint needs keyword_model, the model's name at the endpoint")
        if self.checkpoint is not None and not Path(self.checkpoint).expanduser().is_file():
            raise FileNotFoundError(
                f"evqascore: checkpoint is {os.fspath(self.checkpoint)!r}, which is no file; expected a file of "
                f"weights, such as {PAPER_CHECKPOINTS}"
            )

    @property
    def cache(self) -> Path | None:
        """`cache_dir` as a path."""
        return Path(self.cache_dir).expanduser() if self.cache_dir else None

    def clip(self, config: str) -> tuple[str, str | None] | None:
        """Return the CLIP model and its revision, as `load_clip` takes them; None for the demo's.

        Raises:
            FileNotFoundError: the configuration's model is a file that has not been given.
        """
        named = None if self.model is None else os.fspath(self.model)
        if self.checkpoint is not None:
            file = str(Path(self.checkpoint).expanduser())
            return (f"{named}/{file}" if named else file), None
        if config == DEMO and named is None:
            return None
        model = named or MODELS[config]
        if model is None:
            raise FileNotFoundError(
                f"evqascore: the configuration {config!r} needs a file of weights: download {PAPER_CHECKPOINTS}, then "
                f"evaluate.load('evqascore', {config!r}, checkpoint='…/clip_ViT-B-32.pth')"
            )
        return model, self.model_revision

    def keyword_source(self, config: str) -> tuple[str, str | None]:
        """Return the extractor of keywords and its revision."""
        return (self.keyword_model, self.keyword_revision) if self.keyword_model else KEYWORD_MODELS[config]


@dataclass(frozen=True)
class Options:
    """What `compute` takes besides columns.

    Args:
        mode: `"auto"`: a row with a question is scored as question and answer, one without as a caption. `"qa"` and
            `"caption"` score all rows so; a caption's question is left out of the text.
        interval: Distance of the sampled frames, in frames.
        max_frames: Where a video would give more frames than these, its interval is doubled until it does not.
        max_keywords: Of more keywords than these, those that come first are kept; YAKE's best come first. Those that
            the caller gives are all kept.
        lang: Language of the texts, for YAKE.
        long_text: `"mean"`: a text of more than CLIP's 77 tokens is read in windows. `"truncate"`: its beginning is.
        unreadable: `"raise"` stops at a row that cannot be scored, `"none"` gives it the score None and the reason.
        threshold: A score above it gets the verdict True; without it there are no verdicts.

    Raises:
        ValueError: a value outside its range.
    """

    mode: Literal["auto", "qa", "caption"] = "auto"
    interval: int = 30
    max_frames: int | None = None
    max_keywords: int | None = 20
    lang: str = "en"
    long_text: Literal["mean", "truncate"] = "mean"
    unreadable: Literal["raise", "none"] = "raise"
    threshold: float | None = None

    def __post_init__(self) -> None:
        _check_choice("mode", self.mode, ("auto", "caption", "qa"))
        _check_choice("long_text", self.long_text, ("mean", "truncate"))
        _check_choice("unreadable", self.unreadable, ("raise", "none"))
        _check_positive("interval", self.interval, optional=False)
        _check_positive("max_frames", self.max_frames)
        _check_positive("max_keywords", self.max_keywords)
        if not isinstance(self.lang, str):
            raise ValueError(f"evqascore: lang is {self.lang!r}; expected the code of a language, such as 'en'")
        value = self.threshold
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or value != value):  # noqa: PLR0124
            raise ValueError(f"evqascore: threshold is {value!r}; expected a number")


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    # Not `value in choices`: a list is not hashable, and an array compares with each.
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"evqascore: {name} is {value!r}; expected one of {', '.join(choices)}")


def _check_positive(name: str, value: Any, *, optional: bool = True) -> None:
    if not (value is None and optional) and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ValueError(f"evqascore: {name} is {value!r}; expected a positive whole number")
