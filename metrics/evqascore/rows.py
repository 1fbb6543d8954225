"""Rows: what their columns may hold, and the way from them to the parts of their scores.

Videos are worked on one by one, so that each is read once and let go.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from .._shared.arguments import RowValueError, Unexpected, as_list, clean, is_file, shown
from .._shared.chat_models import NoAnswer
from .._shared.progress import progress
from .clip import Encoder
from .encoding import video_features
from .features import FILES, VideoFeatures, file_of, matrix_bytes, read_features
from .keywords import KeywordSource
from .options import EvqascoreOptions
from .scoring import EVIDENCE, Mode, VideoParts, compare, score
from .video import Sampling, UnreadableVideo

# What a column that names a file is to name.
_EXPECTED = {
    "videos": "the path of a video that exists",
    "video_features": "a matrix (frames, dim), or a file that exists",
}


def check_video(value: object) -> str:
    """Check one video: the path of a file. None, for a row that has features instead, comes as `""`."""
    if value is None:
        return ""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(path := os.fspath(value), str):
        raise Unexpected("the path of a video, or None")
    if not path:
        raise Unexpected(_EXPECTED["videos"], RowValueError)
    return _in_utf8(path)


def check_features(value: object) -> bytes:
    """Check one row of features: a matrix (frames, dim), or the path of a file with one.

    Returns:
        What Arrow can hold and `read_features` understands; `b""` for None, a row without.
    """
    if value is None:
        return b""
    if isinstance(value, (str, os.PathLike)) and isinstance(path := os.fspath(value), str):
        if Path(path).suffix not in FILES:
            raise Unexpected(f"a matrix (frames, dim), or a file {' or '.join(FILES)}", RowValueError)
        return _in_utf8(path).encode()
    try:
        return matrix_bytes(value)
    except TypeError as error:
        raise Unexpected(str(error)) from None
    except ValueError as error:
        raise Unexpected(str(error), RowValueError) from None


def check_keywords(value: object) -> list[str] | None:
    """Check one row of keywords: a string or a list of strings; `[]` says that there are none, None asks for them."""
    if value is None:
        return None
    items = [value] if isinstance(value, str) else as_list(value)
    if items is None or not all(isinstance(item, str) for item in items):
        raise Unexpected("a string, a list of strings, or None")
    if not all(item.strip() for item in items):
        raise Unexpected("keywords that are not blank", RowValueError)
    return [clean(item) for item in items]


def check_video_or_features(columns: Mapping[str, list[Any]]) -> None:
    """Raise RowValueError for a row that has neither a video nor features."""
    for row, pair in enumerate(zip(columns["videos"], columns["video_features"], strict=True)):
        if pair == ("", b""):
            raise RowValueError(
                f"evqascore: videos[{row}] is None; expected the path of a video, or a matrix in video_features[{row}]",
                "videos",
                row,
            )


def check_files(columns: Mapping[str, list[Any]]) -> None:
    """Raise RowValueError for a row whose video or file of features does not exist."""
    for row, pair in enumerate(zip(columns["videos"], columns["video_features"], strict=True)):
        if missing := missing_file(*pair):
            column, path = missing
            message = f"evqascore: {column}[{row}] is {shown(path)}; expected {_EXPECTED[column]}"
            raise RowValueError(message, column, row)


def missing_file(video: str, features: bytes) -> tuple[str, str] | None:
    """Return column and path of the file that a row's frames come from if there is none; features count before it."""
    column, path = ("video_features", file_of(features)) if features else ("videos", video)
    return None if path is None or is_file(path) else (column, path)


def _in_utf8(path: str) -> str:
    if clean(path) != path:
        raise Unexpected("a path in UTF-8", RowValueError)
    return path


@dataclass(frozen=True)
class VideoRow:
    """One row, checked.

    Attributes:
        number: Its place.
        blank: Whether there is no answer, so that nothing can be judged.
        text: X, which is compared with the video: the question, if it counts, and the answer.
        mode: How it is scored.
        keywords: K; None if they are to be found.
        video: The path of its video; "" if it has features.
        features: What `check_features` made of its features; b"" if it has none.
    """

    number: int
    blank: bool
    text: str
    mode: Mode
    keywords: list[str] | None
    video: str
    features: bytes


@dataclass(frozen=True)
class Evidence:
    """What the score of a row rests on.

    Attributes:
        parts: What its score is made of.
        keywords: K.
        best_times: For each keyword the time of its best frame, in seconds; empty where times are not known.
        best_frames: The number of that frame in the video.
        frames: How many frames were looked at.
    """

    parts: VideoParts
    keywords: list[str]
    best_times: list[float]
    best_frames: list[int]
    frames: int


def rows_of(
    predictions: Sequence[str],
    questions: Sequence[str],
    videos: Sequence[str],
    features: Sequence[bytes],
    keywords: Sequence[list[str] | None],
    mode: str,
) -> list[VideoRow]:
    """Return the rows of the columns; where a row has features, its video is not read."""
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


def gather(
    rows: Sequence[VideoRow],
    encoder: Encoder,
    source: KeywordSource,
    options: EvqascoreOptions,
    cache_dir: Path | None = None,
) -> list[Evidence | str]:
    """Return what the score of each row rests on, or why it cannot be scored.

    Raises:
        RowValueError: a row that cannot be scored, if `options.unreadable` is "raise".
    """
    outcomes: dict[int, Evidence | str] = {}
    there, left = [], []
    for row in rows:
        if missing := missing_file(row.video, row.features):
            column, path = missing
            outcomes[row.number] = _refused(
                row, column, f"{shown(path)} is no file; expected {_EXPECTED[column]}", options
            )
        else:
            there.append(row)
    for row, found in _with_keywords(there, source, options):
        if isinstance(found, NoAnswer):
            outcomes[row.number] = _refused(row, "predictions", f"no keywords: {found}", options)
        else:
            left.append(replace(row, keywords=found))
    compared = _comparing(left, encoder, options)
    for row, seen in _with_features(left, encoder, options, cache_dir):
        if isinstance(seen, str):
            outcomes[row.number] = _refused(row, "video_features" if row.features else "videos", seen, options)
        else:
            outcomes[row.number] = compared(row, seen)
    return [outcomes[row.number] for row in rows]


def _with_keywords(
    rows: Sequence[VideoRow], source: KeywordSource, options: EvqascoreOptions
) -> Iterator[tuple[VideoRow, list[str] | NoAnswer]]:
    """Yield each row with its own keywords, or those of its text, or why it has none."""
    found = source.keywords([row.text for row in rows if row.keywords is None], options.lang)
    for row in rows:
        if row.keywords is not None:
            yield row, row.keywords
        else:
            extracted = found[row.text]
            yield row, extracted if isinstance(extracted, NoAnswer) else extracted[: options.max_keywords]


def _with_features(
    rows: Sequence[VideoRow], encoder: Encoder, options: EvqascoreOptions, cache_dir: Path | None
) -> Iterator[tuple[VideoRow, VideoFeatures | str]]:
    """Yield each row with the features of its video, or why there are none.

    Those that rows bring come first, so that what is wrong with them shows before a video is decoded; then the rows of
    each video together, as soon as it is read.
    """
    by_video: dict[str, list[VideoRow]] = defaultdict(list)
    for row in rows:
        if row.features:
            yield row, _brought(row, encoder)
        else:
            by_video[row.video].append(row)
    sampling = Sampling(options.interval, options.max_frames)
    with progress("evqascore: videos", len(by_video), "video") as bar:
        for path, found in video_features(list(by_video), encoder, sampling, cache_dir=cache_dir):
            seen = str(found) if isinstance(found, UnreadableVideo) else found
            yield from ((row, seen) for row in by_video[path])
            bar.update()


def _brought(row: VideoRow, encoder: Encoder) -> VideoFeatures | str:
    """Return the features that a row brings, or why they cannot be used."""
    try:
        features = read_features(row.features)
    except UnreadableVideo as error:
        return str(error)
    dim = features.vectors.shape[1]
    if dim == encoder.dim:
        return features
    return f"vectors of length {dim}; expected {encoder.dim}, as {encoder.label} has: features of the same model"


def _comparing(
    rows: Sequence[VideoRow], encoder: Encoder, options: EvqascoreOptions
) -> Callable[[VideoRow, VideoFeatures], Evidence]:
    """Embed all texts, each once; return what compares a row with the features of its video."""
    keywords = [keyword for row in rows for keyword in row.keywords or []]
    texts = list(dict.fromkeys([row.text for row in rows] + keywords))
    vectors = dict(zip(texts, encoder.encode_texts(texts, options.long_text, describe="evqascore: texts"), strict=True))

    def compared(row: VideoRow, video: VideoFeatures) -> Evidence:
        keywords, parts = row.keywords or [], VideoParts(row.mode)
        if not row.blank:
            parts = compare(video.vectors, vectors[row.text], [vectors[keyword] for keyword in keywords], row.mode)
        best = list(parts.best_frames)
        times = video.times[best]
        known = [] if np.isnan(times).any() else times.tolist()
        return Evidence(parts, keywords, known, video.frames[best].tolist(), len(video.vectors))

    return compared


def _refused(row: VideoRow, column: str, reason: str, options: EvqascoreOptions) -> str:
    if options.unreadable == "raise":
        raise RowValueError(f"evqascore: {column}[{row.number}]: {reason}", column, row.number)
    return reason


def table(outcomes: Sequence[Evidence | str], options: EvqascoreOptions) -> SimpleNamespace:
    """Return the columns of the result's `per_example`: the scores, and what they rest on.

    A row that could not be scored has None in all but `error`, which is there if the options ask for it.
    """
    scored = [outcome for outcome in outcomes if isinstance(outcome, Evidence)]
    scores = vars(score([one.parts for one in scored], options)).items()
    columns = {name: values.tolist() for name, values in scores if values is not None}
    for name in EVIDENCE:
        columns[name] = [one.parts.mode if name == "mode" else getattr(one, name) for one in scored]
    columns = {name: _in_place(values, outcomes) for name, values in columns.items()}
    if options.unreadable == "none":
        columns["error"] = [outcome if isinstance(outcome, str) else None for outcome in outcomes]
    return SimpleNamespace(**columns)


def _in_place(values: list[Any], outcomes: Sequence[Evidence | str]) -> list[Any]:
    """Return the values of the scored rows, with None for every other row."""
    left = iter(values)
    return [next(left) if isinstance(outcome, Evidence) else None for outcome in outcomes]
