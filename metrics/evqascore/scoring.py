"""The equations of EVQAScore (Liang et al. 2024, section 3) over feature vectors.

`compare` compares a text X and its n keywords K with the frames S of one video:

    P = 1/n Σ_k max_v f_v·f_k        R = 1/|S| Σ_v max_k f_v·f_k        c = f_V·f_X

`score` returns the score of each row:

    F = 2PR / (P + R)        caption: (c + F) / 2        question and answer: (c + F) / 2 · ln(n + 1)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._shared.arrays import Floats, is_correct
from .options import EvqascoreOptions

Mode = Literal["caption", "qa"]


@dataclass(frozen=True)
class Components:
    """The components of one row's score; the defaults are those of a blank answer, which fits no frame."""

    mode: Mode  # "caption" or "qa"
    precision: float = 0.0  # P, from −1 to 1; 0 without keywords
    recall: float = 0.0  # R, from −1 to 1; 0 without keywords
    coarse: float = 0.0  # c, from −1 to 1
    best_frames: tuple[int, ...] = ()  # for each keyword, the index of its most similar frame (the first of equal ones)


@dataclass(frozen=True)
class Scores:
    """The scores of the rows: the symbols of the equations above, with F as `f_score`; arrays of shape (rows,).

    The score can exceed 1 in the mode "qa". The verdict is None without a threshold.
    """

    score: Floats
    precision: Floats
    recall: Floats
    f_score: Floats
    coarse: Floats
    n_keywords: NDArray[np.intp]
    verdict: NDArray[np.bool_] | None


def compare(frame_features: ArrayLike, text_feature: ArrayLike, keyword_features: ArrayLike, mode: Mode) -> Components:
    """Compare a text and its keywords with the frames of a video.

    The vectors are normalized in double precision.

    Args:
        frame_features: f_v, a vector for each sampled frame, shape (frames, dim); at least one.
        text_feature: f_X, the vector of the whole text, shape (dim,).
        keyword_features: f_k, a vector for each keyword, shape (n, dim). If n is 0, P = R = 0.
        mode: "caption" or "qa".

    Raises:
        ValueError: An array has another shape, or a vector is zero, NaN or infinite.
    """
    frames = unit_rows("frame_features", frame_features)
    text = unit_rows("text_feature", np.asarray(text_feature)[None])[0]
    mean = frames.mean(axis=0)
    length = float(np.linalg.norm(mean))
    # Vectors that cancel out leave a rounding error of about 1e-17.
    coarse = float(mean @ text) / length if length > 1e-12 else 0.0  # noqa: PLR2004
    if not np.size(keyword_features):
        return Components(mode, coarse=coarse)
    similarity = unit_rows("keyword_features", keyword_features) @ frames.T
    # The paper divides P by the number of words of X, and R by the number of all frames; its programs take means.
    precision, recall = float(similarity.max(axis=1).mean()), float(similarity.max(axis=0).mean())
    return Components(mode, precision, recall, coarse, tuple(similarity.argmax(axis=1).tolist()))


def score(rows: Sequence[Components], options: EvqascoreOptions) -> Scores:
    """Score rows: (c + F) / 2, multiplied by ln(n + 1) in the mode "qa".

    Without keywords, F = 0: a caption keeps half of its coarse score, and an answer scores 0, because ln(1) = 0.
    """
    cosines = np.array([(row.precision, row.recall, row.coarse) for row in rows]).reshape(-1, 3)
    precision, recall, coarse = cosines.T
    f_score = harmonic_mean(precision, recall)
    n_keywords = np.array([len(row.best_frames) for row in rows], dtype=np.intp)
    richness = [np.log(n + 1) if row.mode == "qa" else 1.0 for n, row in zip(n_keywords, rows, strict=True)]
    total = (coarse + f_score) / 2 * richness + 0.0  # never −0
    verdict = None if options.threshold is None else is_correct(total, options.threshold)
    return Scores(total, precision, recall, f_score, coarse, n_keywords, verdict)


def harmonic_mean(precision: Floats, recall: Floats) -> Floats:
    """Return 2PR / (P + R), elementwise.

    If both cosines are negative, the formula still gives a number between them. If only one is negative, it gives any
    number down to −∞, or divides by zero; F is 0 then.
    """
    product = precision * recall
    undefined = product <= 0
    return np.where(undefined, 0.0, 2 * product / np.where(undefined, 1.0, precision + recall))


def unit_rows(name: str, values: Any) -> Floats:
    """Return the rows of a matrix, shape (rows, dim), normalized to length one, in double precision.

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
