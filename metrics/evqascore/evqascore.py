"""EVQAScore: how well an answer or a caption fits a video, without a reference, as an `evaluate` metric."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, ClassVar

import datasets
import evaluate

from .chat_models import NoAnswer
from .checkpoints import file_hash
from .clip import Encoder
from .clip_models import load_clip, load_demo
from .encoding import video_features
from .features import read_features
from .inference import run
from .inputs import Check, CheckedInputs, prediction, question
from .keyword_model import KeywordModel
from .keywords import KeywordSource
from .open_clip_models import load_file
from .options import MODELS, YAKE, LoadOptions, Options
from .progress import library_bars
from .rows import Evidence, check_features, check_keywords, check_video, check_video_or_features, gather, rows_of
from .rows import per_example as columns_of
from .scoring import score
from .seeking import plan
from .signature import signature
from .video import read_samples

# evaluate copies only the siblings that this file imports, not those that they import in turn.
_SIBLINGS = (NoAnswer, file_hash, load_file, plan, read_features, read_samples, run, score, video_features)

VERSION = "1.0.0"

DESCRIPTION = """\
EVQAScore judges an answer to a question about a video, or a caption of it, without a reference. It compares the text
and its key phrases with sampled frames in the space of a CLIP model, and rewards an answer that says more.
"""

INPUTS = """
Args:
    predictions: the answers or captions, a list of strings.
    questions (optional): the questions; a row with one is scored as question and answer, one without as a caption.
    videos: the paths of the videos; None in a row that has features instead.
    video_features: in place of videos: for each row a matrix (frames, dim) of the same CLIP model, or the path of a
        .npy or .safetensors file that holds it.
    keywords (optional): for each row its key phrases, a list of strings; by default they are extracted.
    references, synthetic_answers, …: accepted for use with `evaluate.combine`, and ignored.
    per_example: False leaves out the scores of each row.
    mode: "auto" (default), "qa" or "caption".
    interval: every so many frames are looked at; default 30. max_frames: widens it for long videos.
    max_keywords: default 20. lang: language of the texts for YAKE; default "en".
    long_text: "mean" (default; windows of CLIP's 77 tokens) or "truncate".
    unreadable: "raise" (default) or "none": a row that cannot be scored gets None and the reason.
    threshold: scores above it get the verdict True; by default there are no verdicts.
Returns:
    evqascore: mean score. Captions: as a rule from -1 to 1; questions and answers: times ln(keywords + 1).
    precision, recall, f_score, coarse, n_keywords: means of the components.
    signature: what is needed to reproduce the numbers.
    per_example: lists with an entry for each row: score, precision, recall, f_score, coarse, mode, n_keywords,
        keywords, best_times (seconds; for each keyword that of its best frame), best_frames, frames (looked at).
Raises:
    ValueError, TypeError: a row or an option that cannot be used; the message names it and what is expected.
Examples:
    >>> import numpy as np
    >>> evqascore = evaluate.load("evqascore", "demo")  # a tiny model that knows moving coloured shapes only
    >>> frames = np.random.default_rng(0).normal(size=(4, evqascore.dim))  # in real use videos=["clip.mp4"]
    >>> out = evqascore.compute(
    ...     predictions=["A red square moves left."], questions=["What moves?"], video_features=[frames]
    ... )
    >>> out["per_example"]["keywords"], out["per_example"]["frames"]
    ([['moves left', 'red square']], [4])
"""

CITATION = """\
@article{liang2024evqascore,
  title   = {{EVQAScore}: Efficient Video Question Answering Data Evaluation},
  author  = {Liang, Hao and Chen, Zirong and Zhang, Wentao},
  journal = {arXiv preprint arXiv:2411.06908},
  year    = {2024},
  url     = {https://arxiv.org/abs/2411.06908}
}
"""


class Evqascore(CheckedInputs, evaluate.Metric):
    """The metric; see the module's card for its use."""

    configurations = tuple(MODELS)
    columns: ClassVar[Mapping[str, Check]] = {
        "predictions": prediction,
        "questions": question,
        "videos": check_video,
        "video_features": check_features,
        "keywords": check_keywords,
    }
    required = ("predictions",)
    loading = LoadOptions
    options = Options
    # Options under which a row that cannot be scored is told in the result's column "error", and stops nothing.
    set_aside: ClassVar[Mapping[str, Any]] = {"unreadable": "none"}
    _encoder: Encoder | None = None  # loaded by the first call
    _source: KeywordSource | None = None  # likewise

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS,
            features=datasets.Features(
                {
                    "predictions": text,
                    "questions": text,
                    "videos": text,
                    "video_features": datasets.Value("large_binary"),
                    "keywords": datasets.List(text),
                }
            ),
            reference_urls=["https://arxiv.org/abs/2411.06908"],
        )

    @property
    def dim(self) -> int:
        """Length of the CLIP model's vectors, which features must have; loads the model."""
        return self._loaded().dim

    def check_rows(self, columns: Mapping[str, list[Any]]) -> None:
        """Raise RowValueError for a row that has neither a video nor features."""
        check_video_or_features(columns)

    def prepare(self, options: Options) -> None:
        """Load the CLIP model, once, and see whether keywords of this language can be extracted."""
        self._keywords().check(options.lang)
        self._loaded()

    def _loaded(self) -> Encoder:
        if self._encoder is None:
            load = self.load_options
            with library_bars():
                named = load.clip(self.config_name)
                clip = load_clip(*named) if named else load_demo()
                self._encoder = Encoder(clip, device=load.device, dtype=load.dtype, batch_size=load.batch_size)
        return self._encoder

    def _keywords(self) -> KeywordSource:
        if self._source is None:
            load = self.load_options
            model, revision = load.keyword_source(self.config_name)
            chat = None
            if model != YAKE:
                chat = KeywordModel(model, revision, load.keyword_endpoint, load.device, load.cache)
            self._source = KeywordSource(chat)
        return self._source

    def _compute(
        self,
        predictions: list[str],
        questions: list[str],
        videos: list[str],
        video_features: list[bytes],
        keywords: list[list[str] | None],
        options: Options,
        per_example: bool,
    ) -> dict[str, Any]:
        encoder, source = self._loaded(), self._keywords()
        rows = rows_of(predictions, questions, videos, video_features, keywords, options.mode)
        outcomes = gather(rows, encoder, source, options, self.load_options.cache)
        columns = columns_of(outcomes, options)
        given = [row.keywords is not None for row in rows if not row.blank]
        settings = self._settings(encoder, options) | {
            "kw": "+".join(["given"] * any(given) + [source.label(options.lang)] * (not all(given))) or None,
            "av": version("av") if any(row.video for row in rows) else None,
            "mode": "+".join(sorted(set(filter(None, columns["mode"])))) or None,
        }
        means: dict[str, Any] = {"evqascore": _mean(columns["score"])}
        if options.threshold is not None:
            means["accuracy"] = _mean(columns["verdict"])
        means |= {name: _mean(columns[name]) for name in ("precision", "recall", "f_score", "coarse", "n_keywords")}
        if options.unreadable == "none":
            columns["error"] = [None if isinstance(outcome, Evidence) else outcome for outcome in outcomes]
            means["unscored"] = sum(isinstance(outcome, str) for outcome in outcomes)
        means["signature"] = signature("evqascore", VERSION, settings)
        return means | {"per_example": columns} if per_example else means

    def _settings(self, encoder: Encoder, options: Options) -> dict[str, object]:
        """Return the signature's settings; those of an option follow only where it is not the default."""
        default = Options()
        return {
            "clip": encoder.label,
            "every": options.interval,
            "most": options.max_frames,
            "kw": None,
            "kwmax": None if options.max_keywords == default.max_keywords else options.max_keywords or "all",
            "long": options.long_text,
            "thr": options.threshold,
            "dtype": None if self.load_options.dtype == "float32" else self.load_options.dtype,
        }


def _mean(values: list[Any]) -> float | None:
    scored = [value for value in values if value is not None]
    return sum(scored) / len(scored) if scored else None
