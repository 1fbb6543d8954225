"""From checked rows to their scores: texts, keywords, then video by video, so that each is read once and let go."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .chat_models import NoAnswer
from .encoder import Encoder
from .extraction import Extract
from .features import VideoFeatures, video_features
from .given_features import read_features
from .inputs import RowValueError
from .options import Options
from .progress import progress
from .sampling import UnreadableVideo
from .scoring import Mode, VideoScore, score_video

_BLANK = VideoScore(0.0, 0.0, 0.0, 0.0, 0.0, ())


@dataclass(frozen=True)
class Row:
    """One row, checked.

    Attributes:
        number: Its place.
        prediction: The answer or caption.
        text: X, which is compared with the video: the question, if it counts, and the answer.
        mode: How it is scored.
        keywords: K; None if they are to be extracted.
        video: The path of its video; "" if it has features.
        features: What `columns.video_features` made of its features; b"" if it has none.
    """

    number: int
    prediction: str
    text: str
    mode: Mode
    keywords: list[str] | None
    video: str
    features: bytes


@dataclass(frozen=True)
class RowScore:
    """The score of a row, and what it rests on.

    Attributes:
        video: Its numbers.
        mode: How it was scored.
        keywords: K.
        best_times: For each keyword the time of its best frame, in seconds; empty where times are not known.
        best_frames: The number of that frame in the video.
        frames: How many frames were looked at.
    """

    video: VideoScore
    mode: Mode
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
) -> list[Row]:
    """Return the rows of the columns; where a row has features, its video is not read."""
    rows = []
    columns = zip(predictions, questions, videos, features, keywords, strict=True)
    for number, (prediction, question, video, given, listed) in enumerate(columns):
        counts = mode != "caption" and bool(question.strip())
        text = f"{question} {prediction}" if counts else prediction
        as_qa = mode == "qa" or counts
        rows.append(
            Row(
                number,
                prediction,
                text,
                "qa" if as_qa else "caption",
                # Without an answer there is nothing to judge, whatever the question says.
                listed if prediction.strip() else [],
                "" if given else video,
                given,
            )
        )
    return rows


def score_rows(
    rows: Sequence[Row], encoder: Encoder, extract: Extract, options: Options, cache_dir: Any = None
) -> list[RowScore | str]:
    """Score rows; a row that cannot be scored comes as the reason.

    Raises:
        RowValueError: a row that cannot be scored, if `options.unreadable` is "raise".
    """
    outcomes: dict[int, RowScore | str] = {}
    keywords = _keywords(rows, extract, options.max_keywords)
    for row in rows:
        if isinstance(reason := keywords[row.number], NoAnswer):
            outcomes[row.number] = _refused(row, "predictions", f"no keywords: {reason}", options)
    listed = {number: found for number, found in keywords.items() if not isinstance(found, NoAnswer)}
    left = [row for row in rows if row.number in listed]
    score = _Scorer(encoder, options, left, listed)
    for row, found in _with_features(left, encoder, options, cache_dir):
        if isinstance(found, UnreadableVideo):
            column = "video_features" if row.features else "videos"
            outcomes[row.number] = _refused(row, column, str(found), options)
        else:
            outcomes[row.number] = score(row, found)
    return [outcomes[row.number] for row in rows]


def _keywords(rows: Sequence[Row], extract: Extract, limit: int | None) -> dict[int, list[str] | NoAnswer]:
    """Return the keywords of each row: its own, or those of its text, or why it has none."""
    found = extract([row.text for row in rows if row.keywords is None])
    keywords: dict[int, list[str] | NoAnswer] = {}
    for row in rows:
        if row.keywords is not None:
            keywords[row.number] = row.keywords
        else:
            extracted = found[row.text]
            keywords[row.number] = extracted if isinstance(extracted, NoAnswer) else extracted[:limit]
    return keywords


def _with_features(
    rows: Sequence[Row], encoder: Encoder, options: Options, cache_dir: Any
) -> Iterator[tuple[Row, VideoFeatures | UnreadableVideo]]:
    """Yield each row with the features of its video; the rows of a video come together, as soon as it is read."""
    by_video: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if not row.features:
            by_video[row.video].append(row)
    with progress("evqascore: videos", len(by_video), "video") as bar:
        for path, found in video_features(list(by_video), encoder, options.sampling, cache_dir=cache_dir):
            yield from ((row, found) for row in by_video[path])
            bar.update()
    for row in rows:
        if row.features:
            yield row, _given(row.features)


def _given(features: bytes) -> VideoFeatures | UnreadableVideo:
    try:
        return read_features(features)
    except UnreadableVideo as error:
        return error


class _Scorer:
    """Scores a row against the features of its video; all texts are embedded beforehand, each once."""

    def __init__(
        self, encoder: Encoder, options: Options, rows: Sequence[Row], keywords: Mapping[int, list[str]]
    ) -> None:
        texts = dict.fromkeys(
            [row.text for row in rows] + [keyword for row in rows for keyword in keywords[row.number]]
        )
        self._numbers = {text: number for number, text in enumerate(texts)}
        self._vectors = encoder.encode_texts(list(texts), options.long_text, describe="evqascore: texts")
        self._encoder, self._keywords = encoder, keywords

    def __call__(self, row: Row, video: VideoFeatures) -> RowScore:
        keywords = self._keywords[row.number]
        if video.vectors.shape[1] != self._encoder.dim:
            raise RowValueError(
                f"evqascore: video_features[{row.number}] has vectors of length {video.vectors.shape[1]}; expected "
                f"{self._encoder.dim}, as {self._encoder.label} has: features of the same model",
                "video_features",
                row.number,
            )
        found = _BLANK
        if row.prediction.strip():
            vectors = self._vectors[[self._numbers[text] for text in (row.text, *keywords)]]
            found = score_video(video.vectors, vectors[0], vectors[1:], mode=row.mode)
        best = list(found.best_frames)
        times = video.times[best]
        return RowScore(
            found,
            row.mode,
            keywords,
            [] if np.isnan(times).any() else times.tolist(),
            video.frames[best].tolist(),
            len(video.vectors),
        )


def _refused(row: Row, column: str, reason: str, options: Options) -> str:
    if options.unreadable == "raise":
        raise RowValueError(f"evqascore: {column}[{row.number}]: {reason}", column, row.number)
    return reason
