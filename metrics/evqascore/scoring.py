"""EVQAScore's arithmetic (Liang et al. 2024, section 3) over feature vectors. Pure numpy.

- `compare` compares a text and its keywords with the frames of one video:

      P = 1/n Σ_k max_v f_v·f_k        R = 1/|S| Σ_v max_k f_v·f_k        c = f_V·f_X

- `score` turns this into the score of each row:

      F = 2PR / (P + R)        caption: (c + F) / 2        question and answer: (c + F) / 2 · ln(n + 1)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .options import EvqascoreOptions

Mode = Literal["caption", "qa"]

EVIDENCE = ("mode", "keywords", "best_times", "best_frames", "frames")
"""Columns of the result that explain the scores."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VideoParts:
    """The components of one row's score; the defaults are those of a blank answer, which fits no frame.

    Attributes:
        mode: Whether the row is a caption, or question and answer.
        precision: P, mean over the keywords of the best frame's cosine, from −1 to 1; 0 without keywords.
        recall: R, mean over the frames of the best keyword's cosine, from −1 to 1; 0 without keywords.
        coarse: c, the cosine of video and text, from −1 to 1.
        best_frames: For each keyword, the number of its best frame (the first of several equal ones).
    """

    mode: Mode
    precision: float = 0.0
    recall: float = 0.0
    coarse: float = 0.0
    best_frames: tuple[int, ...] = ()


@dataclass(frozen=True)
class Scores:
    """The scores of the rows; every array has shape (rows,).

    Attributes:
        score: The score; it can exceed 1 for a question with its answer.
        precision: P.
        recall: R.
        f_score: F, their harmonic mean.
        coarse: c.
        n_keywords: n.
        verdict: Whether the score is above the threshold; None without a threshold.
    """

    score: Floats
    precision: Floats
    recall: Floats
    f_score: Floats
    coarse: Floats
    n_keywords: NDArray[np.intp]
    verdict: NDArray[np.bool_] | None


def compare(frame_features: ArrayLike, text_feature: ArrayLike, keyword_features: ArrayLike, mode: Mode) -> VideoParts:
    """Compare a text and its keywords with the frames of a video.

    Args:
        frame_features: f_v, a vector for each sampled frame, shape (frames, dim); at least one.
        text_feature: f_X, the vector of the whole text, shape (dim,).
        keyword_features: f_k, a vector for each keyword, shape (n, dim). If n is 0, P = R = 0.
        mode: "caption" or "qa".

    The vectors are normalized here, in double precision.

    Raises:
        ValueError: An array has another shape, there is no frame, or a vector is zero, NaN or infinite.
    """
    if mode not in get_args(Mode):
        raise ValueError(f"evqascore: mode is {mode!r}; expected 'caption' or 'qa'")
    frames = unit_rows("frame_features", frame_features)
    text = unit_rows("text_feature", np.asarray(text_feature)[None])[0]
    keywords = _keywords(keyword_features, frames.shape[1])
    if not len(frames) or {text.shape[0], keywords.shape[1]} != {frames.shape[1]}:
        raise ValueError(
            f"evqascore: frame_features are {frames.shape}, text_feature {text.shape}, keyword_features "
            f"{keywords.shape}; expected (frames, dim) with at least one frame, (dim,) and (keywords, dim)"
        )
    similarity = keywords @ frames.T
    best_frames = tuple(similarity.argmax(axis=1).tolist())
    return VideoParts(mode, _precision(similarity), _recall(similarity), _coarse(frames, text), best_frames)


def score(parts: Sequence[VideoParts], options: EvqascoreOptions) -> Scores:
    """Score rows: (c + F) / 2, multiplied by ln(n + 1) in the mode "qa".

    Without keywords, F = 0: a caption keeps half of its coarse score, and an answer scores 0, because ln(1) = 0.
    """
    cosines = np.array([(row.precision, row.recall, row.coarse) for row in parts]).reshape(-1, 3)
    precision, recall, coarse = cosines.T
    f_score = harmonic_mean(precision, recall)
    n_keywords = np.array([len(row.best_frames) for row in parts], dtype=np.intp)
    richness = [np.log(n + 1) if row.mode == "qa" else 1.0 for n, row in zip(n_keywords, parts, strict=True)]
    total = (coarse + f_score) / 2 * richness + 0.0  # never −0
    verdict = None if options.threshold is None else total > options.threshold
    return Scores(total, precision, recall, f_score, coarse, n_keywords, verdict)


def harmonic_mean(precision: Floats, recall: Floats) -> Floats:
    """Return 2PR / (P + R), elementwise.

    Cosines can be negative. If both are negative, the formula still gives a number between the two. If only one is and
    P + R ≤ 0, the formula would divide by zero or change the sign, so that F = 0.
    """
    total = precision + recall
    undefined = (total <= 0) & (np.maximum(precision, recall) >= 0)
    return np.where(undefined, 0.0, 2 * precision * recall / np.where(undefined, 1.0, total))


def unit_rows(name: str, values: Any) -> Floats:
    """Return the rows of a matrix, normalized to length one, in double precision.

    Args:
        name: Name of the matrix, for the message.
        values: Shape (rows, dim).

    Raises:
        ValueError: The matrix has another shape, or a row is zero, NaN or infinite.
    """
    rows: Floats = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2:  # noqa: PLR2004
        raise ValueError(f"evqascore: {name} has the shape {rows.shape}; expected (rows, dim)")
    # Scale first, so that the squares of large and small numbers do not overflow or underflow.
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    if not np.isfinite(largest).all() or not largest.all():
        row = int(np.flatnonzero(~(np.isfinite(largest) & (largest > 0)))[0])
        raise ValueError(f"evqascore: {name}[{row}] has no direction; expected finite numbers that are not all zero")
    rows = rows / largest
    unit: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _keywords(values: ArrayLike, dim: int) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return np.empty((0, dim)) if array.size == 0 else unit_rows("keyword_features", array)


def _precision(similarity: Floats) -> float:
    """P = 1/n Σ_k max_v f_v·f_k; the paper divides by the number of words of X, its programs divide by n."""
    return float(similarity.max(axis=1).mean()) if len(similarity) else 0.0


def _recall(similarity: Floats) -> float:
    """R = 1/|S| Σ_v max_k f_v·f_k; the paper divides by all frames, its programs divide by the sampled frames."""
    return float(similarity.max(axis=0).mean()) if len(similarity) else 0.0


def _coarse(frames: Floats, text: Floats) -> float:
    """Return c = f_V·f_X, where f_V is the normalized mean of the frames; 0 for frames that cancel out."""
    mean = frames.mean(axis=0)
    length = float(np.linalg.norm(mean))
    # Vectors that cancel out leave a rounding error of about 1e-17.
    return float(mean @ text) / length if length > 1e-12 else 0.0  # noqa: PLR2004
