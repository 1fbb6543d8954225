"""The rows of EVQAScore: checks of their columns, and the steps from a checked row to the parts of its score."""

import os
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .._shared.chat_models import NoAnswer
from .._shared.columns import RowValueError, Unexpected, as_list, clean
from .._shared.messages import short_repr
from .._shared.probes import is_file
from .._shared.progress import progress, track_progress
from .._shared.scorer import Columns, as_columns
from .clip import Encoder, Vectors
from .encoding import video_features
from .features import VideoFeatures, check_utf8, file_of, read_features
from .keywords import KeywordModel, yake_keywords
from .options import EvqascoreOptions
from .scoring import Components, Mode, compare, score
from .video import Sampling, UnreadableVideo

_EXPECTED = {
    "videos": "the path of a video that exists",
    "video_features": "a matrix (frames, dim), or a file that exists",
}


def check_video(value: object) -> str:
    """Return the path of a video; "" for None, for a row that has features instead."""
    if value is None:
        return ""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(path := os.fspath(value), str):
        raise Unexpected("the path of a video, or None")
    if not path:
        raise Unexpected(_EXPECTED["videos"], RowValueError)
    return check_utf8(path)


def check_keyword_list(value: object) -> list[str] | None:
    """Return the keywords of one row, given as a string or a list; None if they are to be extracted."""
    if value is None:
        return None
    items = [value] if isinstance(value, str) else as_list(value)
    if items is None or not all(isinstance(item, str) for item in items):
        raise Unexpected("a string, a list of strings, or None")
    if not all(item.strip() for item in items):
        raise Unexpected("keywords that are not blank", RowValueError)
    return [clean(item) for item in items]


def check_sources(columns: Mapping[str, list[Any]], files: bool) -> None:
    """Raise RowValueError for a row with neither a video nor features or, if `files`, with a missing file."""
    for row, (video, features) in enumerate(zip(columns["videos"], columns["video_features"], strict=True)):
        if not video and not features:
            raise RowValueError(
                f"evqascore: videos[{row}] is None; expected the path of a video, or a matrix in video_features[{row}]",
                "videos",
                row,
            )
        column, path = ("video_features", file_of(features)) if features else ("videos", video)
        if files and path is not None and not is_file(path):
            message = f"evqascore: {column}[{row}] is {short_repr(path)}; expected {_EXPECTED[column]}"
            raise RowValueError(message, column, row)


@dataclass(frozen=True)
class VideoRow:
    """One checked row."""

    number: int
    blank: bool  # True if the answer is blank, so that nothing can be judged
    text: str  # X, the text to compare with the video: the answer, after the question in the mode "qa"
    mode: Mode
    keywords: list[str] | None  # K; None if they are to be extracted
    video: str  # the path of its video; "" if it has features
    features: bytes  # its features as `check_features` returns them; b"" if it has none


@dataclass(frozen=True)
class Evidence:
    """The basis of a row's score: its components and K."""

    components: Components
    keywords: list[str]
    best_times: list[float]  # for each keyword, the time of its best frame in seconds; empty if times are unknown
    best_frames: list[int]  # for each keyword, the number of its best frame in the video
    frames: int  # the number of frames that were compared


def build_rows(
    predictions: Sequence[str],
    questions: Sequence[str],
    videos: Sequence[str],
    features: Sequence[bytes],
    keywords: Sequence[list[str] | None],
    mode: str,
) -> list[VideoRow]:
    """Return the rows of the columns. If a row has features, its video is not read."""
    rows = []
    columns = zip(predictions, questions, videos, features, keywords, strict=True)
    for number, (prediction, question, video, given, listed) in enumerate(columns):
        asked = mode != "caption" and bool(question.strip())
        blank = not prediction.strip()
        rows.append(
            VideoRow(
                number=number,
                blank=blank,
                text=f"{question} {prediction}" if asked else prediction,
                mode="qa" if mode == "qa" or asked else "caption",
                keywords=[] if blank else listed,
                video="" if given else video,
                features=given,
            )
        )
    return rows


def gather_evidence(
    rows: Sequence[VideoRow],
    encoder: Encoder,
    chat_model: KeywordModel | None,
    options: EvqascoreOptions,
    cache_dir: Path | None,
) -> list[Evidence | str]:
    """Return the basis of each row's score, or the reason why a row cannot be scored.

    With `unscored="raise"`, raise RowValueError for such a row.
    """
    outcomes: dict[int, Evidence | str] = {}

    def refuse(row: VideoRow, column: str, reason: str) -> None:
        if options.unscored == "raise":
            raise RowValueError(f"evqascore: {column}[{row.number}]: {reason}", column, row.number)
        outcomes[row.number] = reason

    left = list(dict.fromkeys(row.text for row in rows if row.keywords is None))
    extracted: Mapping[str, list[str] | NoAnswer] = (
        chat_model.keywords(left)
        if chat_model
        else {text: yake_keywords(text, options.lang) for text in track_progress(left, "evqascore: keywords", "text")}
    )
    ready = []
    for row in rows:
        if row.keywords is not None:
            ready.append(row)
        elif isinstance(keywords := extracted[row.text], NoAnswer):
            refuse(row, "predictions", f"no keywords: {keywords}")
        else:
            ready.append(replace(row, keywords=keywords[: options.max_keywords]))
    texts = list({text: None for row in ready for text in (row.text, *(row.keywords or []))})
    vectors = dict(zip(texts, encoder.encode_texts(texts, options.long_text, describe="evqascore: texts"), strict=True))
    # An error must stop the threads that read the other videos, even while its traceback keeps the generator alive.
    with closing(_features_by_row(ready, encoder, options, cache_dir)) as features:
        for row, found in features:
            if isinstance(found, VideoFeatures):
                outcomes[row.number] = _compare_row(row, found, vectors)
            else:
                refuse(row, "video_features" if row.features else "videos", found)
    return [outcomes[row.number] for row in rows]


def _features_by_row(
    rows: Sequence[VideoRow], encoder: Encoder, options: EvqascoreOptions, cache_dir: Path | None
) -> Generator[tuple[VideoRow, VideoFeatures | str], None, None]:
    """Yield each row with its features, or with the reason why there are none.

    Rows with given features come first, so that an error in them is reported before any video is decoded. The rows of
    a video follow as soon as it is read.
    """
    by_video: dict[str, list[VideoRow]] = defaultdict(list)
    for row in rows:
        if row.features:
            yield row, _given_features(row, encoder)
        else:
            by_video[row.video].append(row)
    sampling = Sampling(options.interval, options.max_frames)
    reading = video_features(list(by_video), encoder, sampling, cache_dir)
    with progress("evqascore: videos", len(by_video), "video") as bar, closing(reading):
        for path, found in reading:
            yield from ((row, str(found) if isinstance(found, UnreadableVideo) else found) for row in by_video[path])
            bar.update()


def _given_features(row: VideoRow, encoder: Encoder) -> VideoFeatures | str:
    """Return the features that the caller has given, or the reason why they cannot be used."""
    try:
        features = read_features(row.features)
    except UnreadableVideo as error:
        return str(error)
    dim = features.vectors.shape[1]
    if dim == encoder.dim:
        return features
    return f"vectors of length {dim}; expected length {encoder.dim}, features of the same model ({encoder.label})"


def _compare_row(row: VideoRow, video: VideoFeatures, vectors: Mapping[str, Vectors]) -> Evidence:
    keywords, found = row.keywords or [], Components(row.mode)
    if not row.blank:
        found = compare(video.vectors, vectors[row.text], [vectors[keyword] for keyword in keywords], row.mode)
    best = list(found.best_frames)
    times = video.times[best]
    known = [] if np.isnan(times).any() else times.tolist()
    return Evidence(found, keywords, known, video.frames[best].tolist(), len(video.vectors))


def build_columns(outcomes: Sequence[Evidence | str], options: EvqascoreOptions) -> Columns:
    """Return the columns of the result's `per_example`: the scores and their basis.

    A row that could not be scored has None in all columns except `error`, which exists with `unscored="none"`.
    """
    scored = [outcome for outcome in outcomes if isinstance(outcome, Evidence)]
    columns = as_columns(score([one.components for one in scored], options))
    columns["mode"] = [one.components.mode for one in scored]
    for name in ("keywords", "best_times", "best_frames", "frames"):
        columns[name] = [getattr(one, name) for one in scored]
    for name, values in columns.items():
        left = iter(values)
        columns[name] = [next(left) if isinstance(outcome, Evidence) else None for outcome in outcomes]
    if options.unscored == "none":
        columns["error"] = [outcome if isinstance(outcome, str) else None for outcome in outcomes]
    return columns
