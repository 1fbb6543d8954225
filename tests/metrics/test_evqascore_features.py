"""From files to features: each video once, the same whatever else is asked for, kept where that is wished."""

import multiprocessing
import threading
import time
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
import torch
from videos import decode_all, write, write_long, write_sound

from evaluate_qa.metrics.evqascore.clip import Encoder
from evaluate_qa.metrics.evqascore.clip_models import demo_folder, load_demo
from evaluate_qa.metrics.evqascore.encoding import in_threads, video_features
from evaluate_qa.metrics.evqascore.features import FeatureStore, VideoFeatures
from evaluate_qa.metrics.evqascore.video import Sampling, UnreadableVideo


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
        np.testing.assert_allclose(found[path].vectors, encoder.encode_images(expected), atol=1e-6)
        assert found[path].frames.tolist() == list(range(0, 10 * len(expected), 10))
        np.testing.assert_allclose(found[path].times, found[path].frames / 30, atol=2e-3)
        dtypes = found[path].vectors.dtype, found[path].times.dtype, found[path].frames.dtype
        assert dtypes == (np.float32, np.float64, np.int64)
    assert str(found[paths[3]]) == "sound.m4a has no video stream"
    assert isinstance(found[paths[4]], UnreadableVideo)


def test_each_video_comes_once(encoder, paths):
    assert sorted(path for path, _ in video_features(paths[:2] * 3, encoder, Sampling(30))) == sorted(paths[:2])
    assert list(video_features([], encoder, Sampling(30))) == []


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_features_depend_neither_on_threads_nor_on_other_videos(encoder, paths, threads):
    alone = {path: dict(video_features([path], encoder, Sampling(4)))[path] for path in paths[:3]}
    together = dict(video_features(paths, encoder, Sampling(4), threads=threads))
    assert all(_same(alone[path], together[path]) for path in alone)


def test_batches_of_other_sizes_change_little(encoder, paths):
    small = Encoder(load_demo(), device="cpu", batch_size=3)
    ours, theirs = (dict(video_features(paths[:2], one, Sampling(4))) for one in (encoder, small))
    for path in paths[:2]:
        np.testing.assert_allclose(ours[path].vectors, theirs[path].vectors, atol=1e-5)


def test_kept_features_are_read_instead_of_videos(encoder, paths, tmp_path):
    first = dict(video_features(paths, encoder, Sampling(10), cache_dir=tmp_path))
    kept = sorted(tmp_path.rglob("*.safetensors"))
    assert len(kept) == 3
    ages = [file.stat().st_mtime_ns for file in kept]
    second = dict(video_features(paths, encoder, Sampling(10), cache_dir=tmp_path))
    assert all(_same(first[path], second[path]) for path in paths[:3])
    assert [file.stat().st_mtime_ns for file in kept] == ages
    assert isinstance(second[paths[3]], UnreadableVideo)


def test_features_are_kept_by_content_sampling_and_model(encoder, paths, tmp_path):
    def count(path, sampling):
        assert all(
            isinstance(one, VideoFeatures) for _, one in video_features([path], encoder, sampling, cache_dir=folder)
        )
        return len(list(folder.rglob("*.safetensors")))

    folder = tmp_path / "kept"
    assert count(paths[0], Sampling(10)) == 1
    moved = tmp_path / "moved.mp4"
    moved.write_bytes(Path(paths[0]).read_bytes())
    assert count(str(moved), Sampling(10)) == 1
    write(moved, frames=71)
    assert count(str(moved), Sampling(10)) == 2
    assert count(paths[0], Sampling(20)) == 3
    assert FeatureStore(folder, "another model").read("0" * 64) is None


def test_damaged_features_are_made_again(encoder, paths, tmp_path):
    (_, first), *_ = video_features(paths[:1], encoder, Sampling(10), cache_dir=tmp_path)
    (file,) = tmp_path.rglob("*.safetensors")
    file.write_bytes(file.read_bytes()[:50])
    (_, again), *_ = video_features(paths[:1], encoder, Sampling(10), cache_dir=tmp_path)
    assert _same(first, again)
    assert file.stat().st_size > 50


def _write_for_ever(folder, started):
    store = FeatureStore(folder, "model")
    started.set()
    while True:
        for number in range(20):
            store.write(f"{number:064x}", _filled(number))


def _filled(number):
    return VideoFeatures(np.full((200, 512), number, np.float32), np.full(200, float(number)), np.arange(200))


def test_kept_features_are_whole_under_kills_and_other_writers(processes, tmp_path):
    context = multiprocessing.get_context("spawn")
    started = [context.Event() for _ in range(2)]
    writers = [context.Process(target=_write_for_ever, args=(tmp_path, one)) for one in started]
    for writer in writers:
        writer.start()
    try:
        assert all(one.wait(60) for one in started)
        store, seen, end = FeatureStore(tmp_path, "model"), 0, time.monotonic() + 1.5
        while time.monotonic() < end or not seen:
            for number in range(20):
                if (found := store.read(f"{number:064x}")) is not None:
                    assert _same(found, _filled(number))
                    seen += 1
    finally:
        for writer in writers:
            writer.kill()
            writer.join()
    assert all(_same(FeatureStore(tmp_path, "model").read(f"{n:064x}"), _filled(n)) for n in range(20))


def test_threads_end_when_the_caller_stops(encoder, paths):
    before = {*threading.enumerate()}  # some of which, another test's, may end meanwhile
    features = video_features(paths[:3], encoder, Sampling(1))
    next(features)
    features.close()
    assert {*threading.enumerate()} <= before


def test_work_waits_for_whoever_fetches_it():
    made = []

    def work(path, pool):
        for number in range(100):
            made.append(number)
            yield number

    results = in_threads(["a"], work, threads=1, pool_threads=1)
    assert next(results) == ("a", 0)
    time.sleep(0.3)
    # One fetched, two waiting, one in the thread's hand; perhaps one more that took the fetched one's place.
    assert len(made) <= 5
    assert [number for _, number in results] == list(range(1, 100))


def test_an_error_in_a_thread_is_raised_to_the_caller():
    def work(path, pool):
        yield 1
        raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        list(in_threads(["a", "b", "c"], work, threads=2, pool_threads=1))


@pytest.mark.slow
def test_two_hours_fit_into_memory(tmp_path):
    """A model of the size of ViT-B-32, its libraries and a long video in 1.5 GB."""
    from evaluate_qa.dev.benchmarks.evqascore import Job, whole
    from evaluate_qa.dev.benchmarks.measure import measure

    video = str(write_long(tmp_path / "long.mp4", 2 * 60 * 60, rate=5))
    found = measure({"whole": (whole, Job((video,), interval=400, device="cpu", threads=2))}, 1)["whole"]
    assert found.result == 90
    # A torch that is built for CUDA takes more by itself: 1.75 GB in all were measured with one.
    assert found.peak_bytes < (1.5e9 if torch.version.cuda is None else 1.8e9)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_length(tmp_path):
    from evaluate_qa.dev.benchmarks.evqascore import Job, whole
    from evaluate_qa.dev.benchmarks.measure import measure

    videos = [
        str(write_long(tmp_path / f"{minutes}.mp4", 60 * minutes, size=(160, 90), rate=10)) for minutes in (1, 16)
    ]
    options = {"interval": 5, "model": str(demo_folder()), "device": "cpu", "threads": 2}
    jobs = {video: (whole, Job((video,), **options)) for video in videos}
    short, long = measure(jobs, 1).values()
    assert (short.result, long.result) == (120, 1920)
    # 1,800 more vectors of 32 numbers are a quarter of a megabyte; 1,800 more frames would be 13 or more.
    assert long.peak_bytes - short.peak_bytes < 8e6


def test_making_and_fetching_go_on_at_once():
    both_at_work, last = Barrier(2, timeout=30), 20

    def work(path, pool):
        yield 0
        for number in range(1, last):
            both_at_work.wait()  # while the one before is being used
            yield number

    fetched = []
    for _, number in in_threads(["a"], work, threads=1, pool_threads=1):
        fetched.append(number)
        if number < last - 1:
            both_at_work.wait()  # one after the other, nobody would come
    assert fetched == list(range(last))
