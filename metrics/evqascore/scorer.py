"""EVQAScore: how well an answer or a caption fits a video, without a reference."""

from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from .._shared.columns import Column, prediction, question
from .._shared.progress import library_bars
from .._shared.scorer import Scored, Scorer
from .clip import Encoder
from .clip_models import load_clip, load_demo
from .features import check_features
from .keywords import KeywordModel, load_yake, yake_label
from .options import MODELS, YAKE, EvqascoreLoading, EvqascoreOptions
from .rows import build_columns, build_rows, check_keyword_list, check_sources, check_video, gather_evidence


class Models(NamedTuple):
    """CLIP, and the chat model that extracts keywords; None for YAKE."""

    encoder: Encoder
    chat: KeywordModel | None


class EvqascoreScorer(Scorer):
    """EVQAScore measures how well an answer or a caption fits a video, without a reference.

    It compares the text and its keywords with sampled frames in the space of a CLIP model, and rewards answers that
    say more.

    Returns:
        evqascore: Mean score. Captions usually score from -1 to 1; answer scores are multiplied by ln(keywords + 1).
        accuracy: Share of verdicts that are True, if a threshold is set.
        precision, recall, f_score, coarse, n_keywords: Means of the components.
        unscored: With unscored="none", the number of rows that could not be scored.
        signature: The settings that reproduce the numbers.
        per_example: Lists with one entry per row: score, precision, recall, f_score, coarse, n_keywords, verdict,
            mode, keywords, best_times (seconds, the time of each keyword's best frame), best_frames, frames (their
            number), error.

    Examples:
        >>> import numpy as np
        >>> evqascore = evaluate_qa.load("evqascore", "demo")  # a tiny model that knows only moving colored shapes
        >>> frames = np.random.default_rng(0).normal(size=(4, evqascore.dim))  # in real use videos=["clip.mp4"]
        >>> out = evqascore.compute(
        ...     predictions=["A red square moves left."], questions=["What moves?"], video_features=[frames]
        ... )
        >>> out["per_example"]["keywords"], out["per_example"]["frames"]
        ([['moves left', 'red square']], [4])
    """

    name = "evqascore"
    citation = Path(__file__).with_name("citation.bib").read_text(encoding="utf-8")
    urls = ("https://arxiv.org/abs/2411.06908",)
    configurations = tuple(MODELS)
    columns: ClassVar[Mapping[str, Column]] = {
        "predictions": Column(
            prediction, "string", "The answers or captions, a list of strings. A blank text scores 0."
        ),
        "questions": Column(
            question,
            "string",
            "The questions. A row with a question is scored as question and answer, otherwise as a caption.",
        ),
        "videos": Column(check_video, "string", "The paths of the videos; None for a row with features instead."),
        "video_features": Column(
            check_features,
            "large_binary",
            "Instead of videos: a matrix (frames, dim) of the same CLIP model, or its .npy or .safetensors file.",
        ),
        "keywords": Column(
            check_keyword_list, ["string"], "Keywords, a list of strings per row (default: extracted from the text)."
        ),
    }
    required = ("predictions",)
    loading = EvqascoreLoading
    options = EvqascoreOptions
    means = ("precision", "recall", "f_score", "coarse", "n_keywords")
    verdicts = False  # unless there is a threshold
    # With these options, a row that cannot be scored is reported in the column "error" and does not stop the call.
    set_aside: ClassVar[Mapping[str, Any]] = {"unscored": "none"}

    @property
    def dim(self) -> int:
        """Length of the CLIP model's vectors and of given features; loads the model."""
        return int(self.model.encoder.dim)

    def check_rows(self, columns: Mapping[str, list[Any]], options: EvqascoreOptions | None = None) -> None:
        """Raise RowValueError for a row with neither a video nor features, or with a missing file.

        With `unscored="none"`, a row with a missing file has no score instead.
        """
        check_sources(columns, files=options is None or options.unscored == "raise")

    def joint(self, columns: Mapping[str, list[Any]]) -> None:
        """Score each call alone, because its signature depends on its rows."""

    def load(self) -> Models:
        """Load the CLIP model. The first text without keywords loads the chat model."""
        load = self.load_options
        keyword_model, keyword_revision = load.keyword_source(self.config_name)
        chat = None
        if keyword_model != YAKE:
            chat = KeywordModel(keyword_model, keyword_revision, load.keyword_endpoint, load.device, load.cache)
        named = load.clip(self.config_name)
        with library_bars():
            clip = load_clip(*named) if named else load_demo()
            encoder = Encoder(
                clip, device=load.device, dtype=load.dtype, batch_size=load.batch_size, token_budget=load.token_budget
            )
        return Models(encoder, chat)

    def prepare(self, options: EvqascoreOptions) -> None:
        """Check that keywords can be extracted in this language, and load the models once."""
        if self.load_options.keyword_source(self.config_name)[0] == YAKE:
            load_yake(options.lang)
        super().prepare(options)

    def _compute(
        self,
        predictions: list[str],
        questions: list[str],
        videos: list[str],
        video_features: list[bytes],
        keywords: list[list[str] | None],
        options: EvqascoreOptions,
    ) -> Scored:
        encoder, chat = self.model
        rows = build_rows(predictions, questions, videos, video_features, keywords, options.mode)
        columns = build_columns(gather_evidence(rows, encoder, chat, options, self.load_options.cache), options)
        given = [row.keywords is not None for row in rows if not row.blank]
        extractor = chat.label if chat else yake_label(options.lang)
        sources = ["given"] * any(given) + [extractor] * (not all(given))
        settings = {
            "clip": encoder.label,
            **options.settings(),
            "kw": "+".join(sources) or None,
            **replace(self.load_options, dtype=encoder.dtype).settings(),
            "av": version("av") if any(row.video for row in rows) else None,
            "mode": "+".join(sorted(set(filter(None, columns["mode"])))) or None,
        }
        return Scored(columns, settings)
