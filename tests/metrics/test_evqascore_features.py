"""From video files to vectors: each video once, independent of the other videos, and kept on request."""

import weakref
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from videos import decode_all, encode_images, write, write_sound

from evaluate_qa.metrics.evqascore import encoding
from evaluate_qa.metrics.evqascore.clip import Encoder
from evaluate_qa.metrics.evqascore.clip_models import load_demo
from evaluate_qa.metrics.evqascore.encoding import video_features
from evaluate_qa.metrics.evqascore.video import Frame, Sampling, UnreadableVideo


@pytest.fixture(scope="module")
def encoder():
    return Encoder(load_demo(), device="cpu")


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("videos")
    videos = [
        write(folder / "a.mp4", frames=70),
        write(folder / "b.mkv", frames=95, size=(50, 90), keys=3),
        write(folder / "c.avi", codec="mpeg4", frames=31),
        write_sound(folder / "sound.m4a"),
        folder / "absent.mp4",
    ]
    return [str(path) for path in videos]


def _same(one, other):
    return all((getattr(one, name) == getattr(other, name)).all() for name in ("vectors", "times", "frames"))


def test_features_are_those_of_the_sampled_frames(encoder, paths):
    found = dict(video_features(paths, encoder, Sampling(10)))
    assert set(found) == set(paths)
    for path in paths[:3]:
        expected = decode_all(path)[::10]
        np.testing.assert_allclose(found[path].vectors, encode_images(encoder, expected), atol=1e-6)
        assert found[path].frames.tolist() == list(range(0, 10 * len(expected), 10))
        np.testing.assert_allclose(found[path].times, found[path].frames / 30, atol=2e-3)
        dtypes = found[path].vectors.dtype, found[path].times.dtype, found[path].frames.dtype
        assert dtypes == (np.float32, np.float64, np.int64)
    assert str(found[paths[3]]) == "sound.m4a has no video stream"
    assert isinstance(found[paths[4]], UnreadableVideo)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_features_do_not_depend_on_threads_or_other_videos(encoder, paths, monkeypatch, threads):
    alone = {path: dict(video_features([path], encoder, Sampling(4)))[path] for path in paths[:3]}
    monkeypatch.setattr(encoding, "usable_cpus", lambda: threads)
    together = dict(video_features(paths, encoder, Sampling(4)))
    assert all(_same(alone[path], together[path]) for path in alone)


def test_batch_size_changes_only_the_last_digits(encoder, paths):
    small = Encoder(load_demo(), device="cpu", batch_size=3)
    ours, theirs = (dict(video_features(paths[:2], one, Sampling(4))) for one in (encoder, small))
    for path in paths[:2]:
        np.testing.assert_allclose(ours[path].vectors, theirs[path].vectors, atol=1e-5)


@pytest.fixture
def read(monkeypatch):
    """The names of the videos that are read."""
    names, original = [], encoding.read_samples
    monkeypatch.setattr(encoding, "read_samples", lambda path, *rest: names.append(path) or original(path, *rest))
    return names


def test_stored_features_belong_to_content_sampling_and_model(encoder, paths, tmp_path, read):
    def reads(path, sampling, encoder=encoder):
        read.clear()
        list(video_features([str(path)], encoder, sampling, cache_dir=tmp_path / "kept"))
        return len(read)

    moved = tmp_path / "moved.mp4"
    moved.write_bytes(Path(paths[0]).read_bytes())
    assert [reads(path, Sampling(10)) for path in (paths[0], moved)] == [1, 0]
    write(moved, frames=71)
    assert [reads(moved, Sampling(10)), reads(paths[0], Sampling(20))] == [1, 1]
    assert reads(paths[0], Sampling(10), Encoder(load_demo(), device="cpu", dtype="bfloat16")) == 1


def _endless(path, *_):
    number = 0
    while True:
        yield Frame(number, float(number), np.zeros((8, 8, 3), np.uint8))
        number += 1


def test_reading_stops_at_an_error_in_another_video(encoder, monkeypatch):
    def read(path, *_):
        if path == "bad":
            raise MemoryError("no room")
        return _endless(path)

    monkeypatch.setattr(encoding, "read_samples", read)
    monkeypatch.setattr(encoding, "usable_cpus", lambda: 3)
    with pytest.raises(MemoryError, match="no room"):
        list(video_features(["a", "bad", "c"], encoder, Sampling()))


def test_memory_does_not_grow_with_the_length(encoder, monkeypatch):
    """Of 300 frames, at most two decoded ones are alive, and three batches of eight wait for the model."""
    images, most, prepared, encoded = [], [], [], []

    def read(path, *_):
        for frame in islice(_endless(path), 300):
            images.append(weakref.ref(frame.image))
            most.append((sum(image() is not None for image in images), len(prepared) - len(encoded)))
            yield frame

    prepare, encode = encoder.prepare, encoder.encode_prepared
    monkeypatch.setattr(encoding, "read_samples", read)
    monkeypatch.setattr(encoder, "prepare", lambda image: prepared.append(0) or prepare(image))
    monkeypatch.setattr(encoder, "encode_prepared", lambda frames: encoded.extend(frames) or encode(frames))
    ((_, found),) = video_features(["a"], encoder, Sampling())
    assert found.frames.tolist() == list(range(300))
    assert max(alive for alive, _ in most) <= 2
    assert max(waiting for _, waiting in most) <= 3 * encoder.batch_frames
