"""Score hostile videos: damaged files, headers with wrong sizes, and names that look like addresses."""

import json

import pytest
from space_requests import server_elsewhere

from evaluate_qa.dev.toy_clip.clips import all_clips, held_out, write_clip


def boxes(rng, content):
    """Return an MP4 whose boxes have wrong sizes, such as petabytes."""
    name = rng.choice([b"moov", b"mdat", b"trak", b"stsz", b"stco", b"stts", b"tkhd", b"avc1"])
    at = content.find(name)
    claims = [bytes(4), b"\xff" * 4, b"\x7f" + b"\xff" * 3, b"\0\0\0\1"]
    if rng.random() < 0.5:
        return content[: at - 4] + rng.choice(claims) + content[at:]
    return content[: at + 8] + rng.choice(claims) * rng.randint(1, 4) + content[at + 8 + 4 :]


def noise(rng, content):
    at = rng.randrange(len(content))
    return content[:at] + rng.randbytes(rng.choice([1, 50, 2000])) + content[at + 50 :]


@pytest.fixture
def clip(tmp_path):
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "whole.mp4"
    write_clip(next(filter(held_out, all_clips())), path)
    return path


def test_videos(drill, rng, clip, finished, tmp_path):
    """Hostile videos.

    Damaged, with sizes of petabytes, or named like addresses: scored, or rejected with a reason.
    """
    content, rows = clip.read_bytes(), []
    with server_elsewhere() as (address, asked):
        for number in range(300):
            attack = rng.choice([boxes, noise])
            name = f"{number}.{rng.choice(['mp4', 'mkv', 'avi', 'webm', 'm3u8', 'ffconcat', 'mpd', 'sdp', 'ts'])}"
            (clip.parent / name).write_bytes(attack(rng, content))
            rows.append({"video": name, "attack": attack.__name__})
        names = (address, f"{address}.m3u8", "concat:whole.mp4", "rtmp://127.0.0.1/a", "-", "pipe:0")
        rows += [{"video": name, "attack": "name"} for name in names]
        rows.append({"video": clip.name, "attack": "none"})
        source, scored, bad = (tmp_path / name for name in ("data/in.jsonl", "out.jsonl", "bad.jsonl"))
        lines = [{"id": number, "prediction": "A red square moves."} | row for number, row in enumerate(rows)]
        source.write_text("".join(json.dumps(line) + "\n" for line in lines))
        options = ["--metric", "evqascore", "--load", "config=demo", "--errors", bad]
        options += ["--input", source, "--output", scored]
        code, output, memory = finished("score", *options, timeout=400, measured=True)
        assert code == 0, output
    out = {row["id"]: row for row in read(scored)}
    refused = {row["input"]["id"]: row for row in read(bad)}
    for line in lines:
        with drill.attempt(line):
            assert (line["id"] in out) != (line["id"] in refused)
            if line["attack"] == "none":
                assert line["id"] in out
            if "//" in line["video"]:
                assert line["id"] in refused
            assert "root:" not in str(refused.get(line["id"]))
    with drill.attempt("addresses, memory"):
        assert asked == []
        assert memory < 2000


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]
