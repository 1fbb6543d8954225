"""Write clips of moving shapes, each with a right answer, a wrong answer and a bare keyword: `python clips.py FOLDER`.

Then score them with `evaluate-qa score --metric evqascore --load config=demo --compute interval=6 --input
FOLDER/clips.jsonl …`, and keep the best with `evaluate-qa select`. Real videos need rows of the same form: a path,
relative to the file's own folder, a question and an answer.
"""

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from evaluate_qa.dev.toy_clip.clips import ToyClip, all_clips, another, held_out, write_clip

QUESTION = "What moves?"


def rows(clip: ToyClip, video: str) -> Iterator[dict[str, str]]:
    """Yield the answers to one clip's question."""
    answers = {"right": clip.questions()[QUESTION], "wrong": another(clip).questions()[QUESTION], "keyword": clip.shape}
    for kind, answer in answers.items():
        yield {"videos": video, "question": QUESTION, "prediction": answer, "kind": kind}


folder = Path(sys.argv[1])
(folder / "clips").mkdir(parents=True, exist_ok=True)
with (folder / "clips.jsonl").open("w", encoding="utf-8") as stream:
    for number, clip in enumerate(islice(filter(held_out, all_clips()), 8)):
        write_clip(clip, folder / "clips" / f"{number}.mp4")
        stream.writelines(json.dumps(row) + "\n" for row in rows(clip, f"clips/{number}.mp4"))
