"""What EVQAScore's `evaluate.load` and `compute` take besides columns, and its configurations."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .._shared.arguments import (
    Choice,
    Control,
    ModelKeywords,
    ModelOptions,
    Number,
    Options,
    Place,
    Text,
    Whole,
    is_file,
    option,
    shown,
)

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
class EvqascoreOptions(Options):
    """What `compute` takes besides columns."""

    mode: Literal["auto", "qa", "caption"] = option(
        "auto",
        Choice("auto", "qa", "caption"),
        "`auto` scores a row with a question as `qa`, another one as `caption`.",
        control=Control(
            "Scored as", values={"auto": "question and answer", "caption": "caption, without question"}, info=""
        ),
    )
    interval: int = option(30, Whole(), "One of so many frames of a video is looked at.", key="every", always=True)
    max_frames: int | None = option(
        None, Whole(), "Most frames of a video: `interval` is doubled until there are no more.", key="most"
    )
    lang: str = option("en", Text("the code of a language, such as 'en'"), "Language of the texts, for YAKE.", key="kw")
    max_keywords: int | None = option(
        20,
        Whole(),
        "How many extracted keywords count, the best first; None: all.",
        key="kwmax",
        optional=True,
        control=Control("Key phrases that count", most=20, info=""),
    )
    long_text: Literal["mean", "truncate"] = option(
        "mean",
        Choice("mean", "truncate"),
        "A text of more than CLIP's 77 tokens is read in windows (`mean`), or cut off (`truncate`).",
        key="long",
        always=True,
    )
    unreadable: Literal["raise", "none"] = option(
        "raise",
        Choice("raise", "none"),
        "A row that cannot be scored stops the call (`raise`), or has the score None (`none`).",
    )
    threshold: float | None = option(
        None, Number(), "A score above it gets the verdict True; by default there are no verdicts.", key="thr"
    )

    def settings(self) -> dict[str, object]:
        """Return what a signature says, by key."""
        return super().settings() | ({"kwmax": "all"} if self.max_keywords is None else {})


@dataclass(frozen=True)
class LoadOptions(ModelOptions):
    """What `evaluate.load("evqascore", …)` takes."""

    model: str | os.PathLike[str] | None = option(
        None,
        Place("the name or path of a CLIP model"),
        "An open_clip name (`ViT-L-14/openai`), a CLIP repository of the Hub or a folder.",
    )
    batch_size: int | None = option(None, Whole(), "Most frames, and texts, in a batch; by default by device.")
    checkpoint: str | os.PathLike[str] | None = option(
        None,
        Place("a file of weights"),
        "File of weights in OpenAI's layout, such as PAC-S's, or in that of the open_clip `model`.",
    )
    cache_dir: str | os.PathLike[str] | None = option(
        None,
        Place("a folder"),
        "Folder that keeps features, a chat model's keywords, and evaluate's temporary files.",
    )
    keyword_model: str | os.PathLike[str] | None = option(
        None,
        Place("`yake`, or the name or path of a chat model"),
        "Chat model that extracts keywords: on the Hub, in a folder, or at the endpoint.",
    )
    keyword_revision: str | None = option(
        None, Text("a branch, tag or commit"), "Branch, tag or commit of that model on the Hub."
    )
    keyword_endpoint: str | None = option(
        None,
        Text("a URL such as http://localhost:8000/v1"),
        "OpenAI-compatible server of that model; its key comes from OPENAI_API_KEY.",
    )

    def check(self) -> None:
        """Raise ValueError where options do not go together, FileNotFoundError where the checkpoint is no file."""
        super().check()
        if self.keyword_revision is not None and self.keyword_model is None:
            raise ValueError("keyword_revision is given without keyword_model")
        if self.keyword_endpoint is not None and self.keyword_model in {None, YAKE}:
            raise ValueError("keyword_endpoint needs keyword_model, the model's name at the endpoint")
        if self.checkpoint is not None and not is_file(Path(self.checkpoint).expanduser()):
            raise FileNotFoundError(
                f"checkpoint is {shown(os.fspath(self.checkpoint))}, which is no file; expected a file of weights, "
                f"such as {PAPER_CHECKPOINTS}"
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
        if self.keyword_model is None:
            return KEYWORD_MODELS[config]
        return os.fspath(self.keyword_model), self.keyword_revision


class EvqascoreKeywords(ModelKeywords, total=False):
    """`LoadOptions` as keywords, so that editors complete them; a test compares both."""

    checkpoint: str | os.PathLike[str] | None
    cache_dir: str | os.PathLike[str] | None
    keyword_model: str | os.PathLike[str] | None
    keyword_revision: str | None
    keyword_endpoint: str | None
