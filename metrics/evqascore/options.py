"""The options of EVQAScore, at loading and for `compute`, and its configurations."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .._shared.messages import short_repr
from .._shared.model_options import ModelKwargs, ModelOptions
from .._shared.options import Choice, Control, Kind, Number, Options, Place, Text, Whole, option
from .._shared.probes import is_file, is_url
from .._shared.stores import CacheOptions

YAKE = "yake"
"""The keyword extractor that needs no model."""

DEMO = "demo"
"""The configuration with the small model that is part of this metric."""

# Configuration -> CLIP model. The paper's checkpoints are files that only their authors distribute.
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
class EvqascoreOptions(Options):
    """The options of `compute`."""

    mode: Literal["auto", "qa", "caption"] = option(
        "auto",
        Choice("auto", "qa", "caption"),
        "Score a row as `qa` or as `caption`; `auto` scores rows with a question as `qa`.",
        control=Control(
            "Score as", values={"auto": "question and answer", "caption": "caption (ignore the question)"}, info=""
        ),
    )
    interval: int = option(30, Whole(), "Use every Nth frame of a video.", key="every", always=True)
    max_frames: int | None = option(
        None, Whole(), "Limit the frames per video by doubling `interval` (default: no limit).", key="most"
    )
    lang: str = option(
        "en", Text("the code of a language, such as 'en'"), "Set the language of the texts, for YAKE.", key="kw"
    )
    max_keywords: int | None = option(
        20,
        Whole(),
        "Keep the best N extracted keywords; None keeps all.",
        key="kwmax",
        optional=True,
        control=Control("Keywords", most=20, info="At most this many are extracted from the text."),
    )
    long_text: Literal["mean", "truncate"] = option(
        "mean",
        Choice("mean", "truncate"),
        "Read a text of more than CLIP's 77 tokens in windows (`mean`), or cut it off (`truncate`).",
        key="long",
        always=True,
    )
    unscored: Literal["raise", "none"] = option(
        "raise",
        Choice("raise", "none"),
        "Stop at a row that cannot be scored (`raise`), or give it the score None (`none`).",
    )
    threshold: float | None = option(
        None, Number(), "Give scores of at least this the verdict True (default: no verdicts).", key="thr"
    )

    def settings(self) -> dict[str, object]:
        """Return the entries of the signature."""
        return super().settings() | ({"kwmax": "all"} if self.max_keywords is None else {})


@dataclass(frozen=True)
class EvqascoreLoading(ModelOptions, CacheOptions):
    """The options at loading."""

    model: str | os.PathLike[str] | None = option(
        None,
        Place("the name or path of a CLIP model"),
        "Load an open_clip model (`ViT-L-14/openai`), a CLIP repository of the Hub, or a folder.",
    )
    batch_size: int | None = option(None, Whole(), "Limit the frames, and the texts, per batch (default: by device).")
    checkpoint: str | os.PathLike[str] | None = option(
        None,
        Place("a file of weights"),
        "Load weights from a file in OpenAI's layout, such as PAC-S's, or in the layout of `model`.",
    )
    cache_dir: str | os.PathLike[str] | None = option(
        None, Place("a folder"), "Keep features, a chat model's keywords and evaluate's temporary files in this folder."
    )
    keyword_model: str | os.PathLike[str] | None = option(
        None,
        Place("`yake`, or the name or path of a chat model"),
        "Extract keywords with this chat model: on the Hub, in a folder, or at the endpoint.",
    )
    keyword_revision: str | None = option(
        None, Text("a branch, tag or commit"), "Load this branch, tag or commit of the chat model from the Hub."
    )
    keyword_endpoint: str | None = option(
        None,
        Kind("a URL such as http://localhost:8000/v1", lambda value: isinstance(value, str) and is_url(value)),
        "Ask the chat model at this OpenAI-compatible server; OPENAI_API_KEY holds its key.",
    )

    def check(self) -> None:
        """Raise ValueError for conflicting options, and FileNotFoundError for a missing checkpoint."""
        super().check()
        if self.keyword_revision is not None and self.keyword_model is None:
            raise ValueError("keyword_revision is given without keyword_model")
        if self.keyword_endpoint is not None and self.keyword_model in {None, YAKE}:
            raise ValueError("keyword_endpoint needs keyword_model, the model's name at the endpoint")
        if self.checkpoint is not None and not is_file(Path(self.checkpoint).expanduser()):
            raise FileNotFoundError(
                f"checkpoint is {short_repr(os.fspath(self.checkpoint))}; expected an existing file of weights, such "
                f"as {PAPER_CHECKPOINTS}"
            )

    def clip(self, config: str) -> tuple[str, str | None] | None:
        """Return the arguments of `load_clip`; None for the demo's model.

        Raise FileNotFoundError if the configuration needs a file of weights.
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
        """Return the keyword extractor and its revision."""
        if self.keyword_model is None:
            return KEYWORD_MODELS[config]
        return os.fspath(self.keyword_model), self.keyword_revision


class EvqascoreKwargs(ModelKwargs, total=False):
    """The fields of `EvqascoreLoading`, for editors; a test compares both."""

    checkpoint: str | os.PathLike[str] | None
    cache_dir: str | os.PathLike[str] | None
    keyword_model: str | os.PathLike[str] | None
    keyword_revision: str | None
    keyword_endpoint: str | None
