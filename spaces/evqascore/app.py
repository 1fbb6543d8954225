"""The Space of EVQAScore."""

import base64
import io
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import av  # noqa: F401 - else the first request would import it; see `_shared.page.frame.launch`
import numpy as np

from evaluate_qa.metrics._shared.messages import pluralize
from evaluate_qa.metrics.evqascore.video import Sampling, UnreadableVideo, read_samples
from evaluate_qa.spaces._shared.metric.hosted import HostedScorer, Row
from evaluate_qa.spaces._shared.metric.outcome import Mark, Outcome, Picture, bars, find_run, words
from evaluate_qa.spaces._shared.metric.specification import ANSWER, QUESTION, Example, Field, Specification, worked
from evaluate_qa.spaces._shared.visitors.limits import LIMITS, Refusal
from evaluate_qa.spaces._shared.visitors.video import check_video, in_time

CLIPS = Path(__file__).parent / "clips"
# The demo's toy model comes with the metric; "default" downloads CLIP, for real videos.
CONFIGURATION = os.environ.get("EVQASCORE_CONFIGURATION", "demo")
# Dense enough for clips of two seconds, and few enough frames for two minutes.
SAMPLING = {"interval": 6, "max_frames": 24}
WIDTH = 200
COMPONENTS = {
    "coarse": ("Coarse", "similarity of the whole text and all frames together"),
    "precision": ("Precision", "how well each keyword fits its best frame"),
    "recall": ("Recall", "how well each frame fits its best keyword"),
    "f_score": ("F score", "harmonic mean of precision and recall"),
}


def analyze(scorer: HostedScorer, row: Row, _: Any) -> dict[str, Any]:
    """Read the video, encode its sampled frames, and keep small pictures of them."""
    check_video(row["videos"])
    encoder = scorer.metric.model.encoder
    pictures, frames = [], []
    try:
        for sample in in_time(read_samples(row["videos"], Sampling(**SAMPLING))):
            pictures.append((sample.seconds, picture(sample.image)))
            frames.append(encoder.prepare(sample.image))
    except UnreadableVideo as error:
        raise Refusal(f"The video {error.reason}.") from error
    return {"features": encoder.encode_prepared(np.stack(frames)), "pictures": pictures}


def explain(scorer: HostedScorer, row: Row, video: Mapping[str, Any], options: Any) -> Outcome:
    """Score the frames' vectors, without reading the video again."""
    given = {column: value for column, value in row.items() if column != "videos"}
    result = scorer.compute([{**given, "video_features": video["features"]}], SPECIFICATION.changed(options))
    of_row = {name: values[0] for name, values in result["per_example"].items()}
    answer = words(row["predictions"], lambda word: word.lower().strip(".,;:!?'\"()").split())
    runs = [find_run(answer, keyword.lower().split()) for keyword in of_row["keywords"]]
    return Outcome(
        score=of_row["score"],
        bars=bars(COMPONENTS, of_row),
        marks=[Mark(*run, "a keyword") for run in runs if run],
        why=_why(of_row),
        pictures=_pictures(of_row["keywords"], of_row["best_frames"], video["pictures"]),
        signature=result["signature"],
    )


def picture(pixels: Any) -> str:
    """Return a small picture of a frame as a `data:` address."""
    from PIL import Image

    image = Image.fromarray(pixels)
    image.thumbnail((WIDTH, WIDTH))
    data = io.BytesIO()
    image.save(data, "JPEG", quality=80)
    return f"data:image/jpeg;base64,{base64.b64encode(data.getvalue()).decode()}"


def _pictures(keywords: list[str], frames: list[int], pictures: list[tuple[float, str]]) -> list[Picture]:
    """Return all sampled frames, with the keywords that fit each frame best."""
    best: dict[int, list[str]] = {}
    for keyword, frame in zip(keywords, frames, strict=True):
        best.setdefault(frame, []).append(keyword)
    return [Picture(image, f"{seconds:.1f} s", best.get(n, [])) for n, (seconds, image) in enumerate(pictures)]


def _why(of_row: dict[str, Any]) -> str:
    count = of_row["n_keywords"]
    factor = f", multiplied by ln({count} + 1) to reward answers that say more" if of_row["mode"] == "qa" else ""
    toy = " The model of this demo knows only colored shapes." if CONFIGURATION == "demo" else ""
    return (
        f"{pluralize(count, 'keyword')} {'is' if count == 1 else 'are'} compared with "
        f"{pluralize(of_row['frames'], 'frame')}. The score is the mean of the coarse score and the F score{factor}. "
        f"Use it to rank answers; it is not a verdict on a single answer.{toy}"
    )


RED, GREEN = (
    {"videos": str(CLIPS / name), "questions": "What moves?"} for name in ("red_square.mp4", "green_ring.mp4")
)

FIELDS = (
    Field("videos", "Video", "video", f"at most {LIMITS.video_seconds} s", required=True),
    replace(QUESTION, info="Without a question, the answer is scored as a caption."),
    replace(ANSWER, label="Answer or caption"),
)
EXAMPLES = {
    **worked(
        RED,
        right="A large red square moves.",
        wrong="A small green ring moves.",
        verbose="The clip shows a large red square that moves to the left over a white background.",
        negated="No red square moves.",
    ),
    "Another video": Example({**GREEN, "predictions": "A small green ring moves."}),
}
SPECIFICATION = Specification(
    "evqascore",
    FIELDS,
    EXAMPLES,
    explain,
    analyze,
    most=None,
    configuration=CONFIGURATION,
    fixed=SAMPLING,
    file_bytes=50 * 2**20,
)

if __name__ == "__main__":
    from evaluate_qa.spaces._shared.page.frame import launch

    launch(SPECIFICATION)
