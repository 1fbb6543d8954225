"""EVQAScore: how well an answer or a caption fits a video, without a reference, as an `evaluate` metric."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, ClassVar

import datasets
import evaluate

from .chat_models import NoAnswer
from .checkpoints import file_hash
from .clip import Clip
from .clip_files import load_clip
from .columns import keywords, require_video, video, video_features
from .decoding import Batch
from .encoder import Encoder, load_encoder
from .extraction import Extractors
from .feature_store import FeatureStore
from .features import VideoFeatures
from .given_features import read_features
from .inference import run
from .inputs import Check, CheckedInputs, prediction, question
from .keyword_model import KeywordModel
from .keyword_prompt import PROMPT
from .keyword_store import KeywordStore
from .keywords import yake_keywords
from .open_clip_models import load_named
from .options import MODELS, LoadOptions, Options
from .progress import library_bars
from .results import modes, result
from .sampling import Sampling
from .scored_rows import rows_of, score_rows
from .scoring import score_video
from .seeking import plan
from .signature import signature
from .tokens import Tokens
from .video import read_samples

# evaluate copies only the siblings that this file imports, not those that they import in turn.
_SIBLINGS = (
    *(Batch, Clip, FeatureStore, KeywordModel, KeywordStore, NoAnswer, PROMPT, Sampling, Tokens, VideoFeatures),
    *(file_hash, load_clip, load_named, plan, read_features, read_samples, run, score_video, yake_keywords),
)

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
        "videos": video,
        "video_features": video_features,
        "keywords": keywords,
    }
    required = ("predictions",)
    loading = LoadOptions
    options = Options
    # Options under which a row that cannot be scored is told in the result's column "error", and stops nothing.
    set_aside: ClassVar[Mapping[str, Any]] = {"unreadable": "none"}
    _encoder: Encoder | None = None  # loaded by the first call
    _extractors: Extractors | None = None

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
        require_video(columns)

    def prepare(self, options: Options) -> None:
        """Load the models, once: of a chat model no more than its name, until it is needed."""
        self._keywords().for_language(options.lang)
        self._loaded()

    def _loaded(self) -> Encoder:
        if self._encoder is None:
            load = self.load_options
            model, revision = load.clip(self.config_name)
            run_as = {"device": load.device, "dtype": load.dtype, "batch_size": load.batch_size}
            with library_bars():
                self._encoder = load_encoder(model, revision=revision, **run_as)
        return self._encoder

    def _keywords(self) -> Extractors:
        if self._extractors is None:
            self._extractors = Extractors(self.config_name, self.load_options)
        return self._extractors

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
        encoder, extractors = self._loaded(), self._keywords()
        rows = rows_of(predictions, questions, videos, video_features, keywords, options.mode)
        extract = extractors.for_language(options.lang)
        outcomes = score_rows(rows, encoder, extract, options, self.load_options.cache)
        given = [row.keywords is not None for row in rows if row.prediction.strip()]
        sources = ["given"] * any(given) + [extractors.label(options.lang)] * (not all(given))
        settings = self._settings(encoder, options, "+".join(sources))
        reader = version("av") if any(row.video for row in rows) else None
        line = signature("evqascore", VERSION, {**settings, "av": reader, "mode": modes(outcomes)})
        return result(outcomes, options, line, per_example)

    def _settings(self, encoder: Encoder, options: Options, source: str) -> dict[str, object]:
        """Return the signature's settings; those of an option follow only where it is not the default."""
        default = Options()
        return {
            "clip": encoder.label,
            "every": options.interval,
            "most": options.max_frames,
            "kw": source or None,
            "kwmax": None if options.max_keywords == default.max_keywords else options.max_keywords or "all",
            "long": options.long_text,
            "thr": options.threshold,
            "dtype": None if self.load_options.dtype == "float32" else self.load_options.dtype,
        }
