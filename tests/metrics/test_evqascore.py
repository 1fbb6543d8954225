"""EVQAScore from video files to scores, and rows that cannot be scored."""

import itertools
import math
import re
import sys
import threading
from functools import partial

import av
import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from tiny_chat_model import save_chat_model
from videos import encode_images

import evaluate_qa
from evaluate_qa.dev.toy_clip.clips import RATE, all_clips, held_out, write_clip
from evaluate_qa.metrics.evqascore.keywords import conversation, yake_keywords
from evaluate_qa.metrics.evqascore.options import EvqascoreOptions
from evaluate_qa.metrics.evqascore.scoring import compare, score
from evaluate_qa.metrics.evqascore.video import Frame, read_samples

EVERY = 6
"""Of the clips' 24 frames, 0, 6, 12 and 18 are sampled."""


@pytest.fixture(scope="module")
def load(cases):
    return partial(evaluate_qa.load, "evqascore", **cases["evqascore"].load)


@pytest.fixture(scope="module")
def metric(load):
    return load()


@pytest.fixture(scope="module")
def clips():
    return [clip for clip in all_clips() if held_out(clip)][:6]


@pytest.fixture(scope="module")
def paths(clips, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    return [str(write_clip(clip, folder / f"{number}.mp4")) for number, clip in enumerate(clips)]


@pytest.fixture
def broken(tmp_path):
    """Two files that are not videos."""
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "text.mp4").write_text("not a video")
    return [str(tmp_path / "empty.mp4"), str(tmp_path / "text.mp4")]


def module(metric, name):
    """Return a module of the metric, also if evaluate has copied it."""
    return sys.modules[f"{type(metric).__module__.rpartition('.')[0]}.{name}"]


def decoded(path):
    """Return every sixth frame as RGB."""
    with av.open(path) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)][::EVERY]


@pytest.mark.parametrize("mode", ["qa", "caption"])
def test_score_follows_the_formula(metric, clips, paths, mode):
    """Each step is repeated separately: decoding all frames, YAKE, the model's vectors, the equations."""
    encoder = metric.model.encoder
    answers = [clip.caption() for clip in clips]
    asked = ["What moves?"] * len(clips) if mode == "qa" else None
    out = metric.compute(predictions=answers, questions=asked, videos=paths, interval=EVERY)
    for row, (path, answer) in enumerate(zip(paths, answers, strict=True)):
        text = f"What moves? {answer}" if mode == "qa" else answer
        found = yake_keywords(text)
        frames = encode_images(encoder, decoded(path))
        vectors = encoder.encode_texts([text, *found], "mean")
        parts = compare(frames, vectors[0], vectors[1:], mode)
        expected = score([parts], EvqascoreOptions())
        rows = out["per_example"]
        names = ("score", "precision", "recall", "f_score", "coarse")
        assert [rows[name][row] for name in names] == pytest.approx(
            [getattr(expected, name)[0] for name in names], abs=1e-5
        )
        assert (rows["keywords"][row], rows["n_keywords"][row]) == (found, len(found))
        assert (rows["frames"][row], rows["mode"][row]) == (4, mode)
        assert rows["best_frames"][row] == [EVERY * number for number in parts.best_frames]
        assert rows["best_times"][row] == pytest.approx([EVERY * number / RATE for number in parts.best_frames])
    assert out["evqascore"] == pytest.approx(np.mean(out["per_example"]["score"]))
    assert out["n_keywords"] == pytest.approx(np.mean(out["per_example"]["n_keywords"]))


def test_features_replace_the_video(metric, clips, paths, tmp_path):
    frames = encode_images(metric.model.encoder, decoded(paths[0]))
    np.save(tmp_path / "f.npy", frames)
    save_file({"vectors": torch.tensor(frames)}, tmp_path / "f.safetensors")
    given = [None, frames, tmp_path / "f.npy", tmp_path / "f.safetensors", frames[:2]]
    rows = metric.compute(
        predictions=[clips[0].caption()] * 5,
        videos=[paths[0], None, None, None, paths[1]],
        video_features=given,
        interval=EVERY,
    )["per_example"]
    assert rows["score"][:4] == pytest.approx([rows["score"][0]] * 4, abs=1e-5)
    assert rows["best_times"][1:4] == [[]] * 3, "a matrix has no times"
    assert [frame * EVERY for frame in rows["best_frames"][1]] == rows["best_frames"][0]
    assert rows["frames"] == [4, 4, 4, 4, 2], "features take precedence over the row's video"


@pytest.mark.parametrize(
    ("mode", "questions", "expected"),
    [
        ("auto", ["What?", None, " "], ["qa", "caption", "caption"]),
        ("auto", None, ["caption"] * 3),
        ("qa", ["What?", None, ""], ["qa"] * 3),
        ("caption", ["What?", None, ""], ["caption"] * 3),
    ],
)
def test_mode_depends_on_option_and_question(metric, paths, mode, questions, expected):
    out = metric.compute(predictions=["red square"] * 3, questions=questions, videos=paths[:1] * 3, mode=mode)
    assert out["per_example"]["mode"] == expected
    assert f"|mode:{'+'.join(sorted(set(expected)))}" in out["signature"]


def test_question_is_part_of_the_text_except_for_captions(metric, paths):
    def rows(**given):
        return metric.compute(videos=paths[:1], **given)["per_example"]

    qa = rows(predictions=["purple"], questions=["What colour is the circle?"])
    assert set(qa["keywords"][0]) == {"purple", "circle", "colour"}
    as_caption = rows(predictions=["purple"], questions=["What colour is the circle?"], mode="caption")
    assert as_caption == rows(predictions=["purple"])
    # The same text and keywords differ only by the factor ln(n + 1).
    as_qa = rows(predictions=["What colour is the circle? purple"], mode="qa")
    assert as_qa["score"] == qa["score"]
    bare = rows(predictions=["What colour is the circle? purple"])
    assert as_qa["score"][0] == pytest.approx(bare["score"][0] * math.log(4))


def test_given_keywords_are_used_unchanged(metric, paths):
    out = metric.compute(
        predictions=["red square moves"] * 4,
        videos=paths[:1] * 4,
        keywords=[["circle", "circle", "Ring"], None, [], "ring"],
        max_keywords=1,
        mode="qa",
    )
    rows = out["per_example"]
    assert rows["keywords"] == [["circle", "circle", "Ring"], yake_keywords("red square moves")[:1], [], ["ring"]]
    assert (rows["precision"][2], rows["f_score"][2], rows["score"][2]) == (0, 0, 0)
    assert rows["coarse"][2] == rows["coarse"][0] != 0
    assert re.search(r"\|kw:given\+yake-[\d.]+\|kwmax:1\|", out["signature"])


def test_threshold_gives_verdicts(metric, paths):
    call = {"predictions": ["large yellow ring", ""], "videos": paths[:2], "mode": "caption"}
    scores = metric.compute(**call)["per_example"]["score"]
    assert scores[0] < scores[1] == 0
    for threshold, expected in ((scores[0], [True, True]), (scores[0] / 2, [False, True]), (0, [False, False])):
        out = metric.compute(**call, threshold=threshold)
        assert (out["per_example"]["verdict"], out["accuracy"]) == (expected, sum(expected) / 2)


def test_long_texts_are_averaged_or_truncated(metric, paths):
    """The texts differ only after 100 words."""
    texts = ["and " * 100 + end for end in ("red circle", "blue square")]
    call = {"predictions": texts, "videos": paths[:1] * 2, "keywords": [["a"], ["a"]]}
    whole, cut = (metric.compute(**call, long_text=way)["per_example"]["coarse"] for way in ("mean", "truncate"))
    assert whole[0] != whole[1]
    assert cut[0] == cut[1]


def test_missing_files_are_reported_before_the_model_is_loaded(load, paths):
    metric = load()
    for video, message in (
        ("none.mp4", "'none.mp4'; expected the path of a video that"),
        (None, "None; .* or a matrix"),
    ):
        with pytest.raises(ValueError, match=rf"^evqascore: videos\[1\] is {message}"):
            metric.compute(predictions=["a", "b"], videos=[paths[0], video])
    assert metric._model is None


def test_given_features_are_checked_before_a_video_is_decoded(metric, paths, monkeypatch):
    monkeypatch.setattr(module(metric, "encoding"), "read_samples", lambda *_: pytest.fail("a video is decoded"))
    match = rf"^evqascore: video_features\[1\]: vectors of length 2; expected length {metric.dim}, features of the same"
    with pytest.raises(ValueError, match=match) as caught:
        metric.compute(predictions=["a", "b"], videos=[paths[0], None], video_features=[None, [[1, 2]]])
    assert caught.value.row == 1


def test_broken_video_is_reported_with_its_row_and_stops_the_others(metric, paths, broken, monkeypatch):
    encoding = module(metric, "encoding")
    image = np.zeros((8, 8, 3), np.uint8)

    def read(path, *rest):
        return read_samples(path, *rest) if path in broken else (Frame(n, 0.0, image) for n in itertools.count())

    monkeypatch.setattr(encoding, "read_samples", read)
    before = {*threading.enumerate()}
    with pytest.raises(ValueError, match=r"^evqascore: videos\[0\]: empty.mp4 is not a video") as caught:
        metric.compute(predictions=["a", "b", "c"], videos=[broken[0], *paths[:2]])
    assert (caught.value.column, caught.value.row) == ("videos", 0)
    assert {*threading.enumerate()} <= before


def test_unreadable_rows_leave_the_others_scored(metric, paths, broken, tmp_path):
    (tmp_path / "f.npy").write_bytes(b"")
    errors = {
        "empty.mp4 is not a video": {"video": broken[0]},
        "text.mp4 is not a video": {"video": broken[1]},
        "none.mp4 does not exist": {"video": "none.mp4"},
        "nnnnn": {"video": "n" * 300},
        "f.npy holds no features": {"features": tmp_path / "f.npy"},
        "none.npy holds no features": {"features": "none.npy"},
        "vectors of length 2": {"features": [[1, 2]]},
        "": {"video": "none.mp4", "features": np.ones((1, metric.dim))},
    }
    out = metric.compute(
        predictions=["red square", "blue ring", *["a"] * len(errors)],
        videos=[*paths[:2], *(row.get("video") for row in errors.values())],
        video_features=[None, None, *(row.get("features") for row in errors.values())],
        unscored="none",
    )
    rows = out["per_example"]
    good = metric.compute(predictions=["red square", "blue ring"], videos=paths[:2])
    assert rows["score"][:2] == pytest.approx(good["per_example"]["score"], abs=1e-5)
    assert rows["error"][:2] == [None, None]
    for error, expected, value in zip(rows["error"][2:], errors, rows["score"][2:], strict=True):
        assert (error or "").startswith(expected)
        assert (value is None) == (expected != "")
    assert out["unscored"] == 7
    nothing = metric.compute(predictions=["a"], videos=broken[:1], unscored="none", threshold=0)
    assert (nothing["evqascore"], nothing["accuracy"], nothing["unscored"]) == (None, None, 1)
    assert nothing["per_example"]["verdict"] == [None]


def test_chat_model_extracts_keywords(load, paths, tmp_path):
    replies = {"What moves? A red ball.": '["red ball"]', "A dog runs.": '["dog"]'}
    chat = save_chat_model(tmp_path / "chat", [(conversation(text), reply) for text, reply in replies.items()])
    metric = load(keyword_model=str(chat), device="cpu")
    out = metric.compute(
        predictions=["A red ball.", "A dog runs.", "given"],
        questions=["What moves?", None, None],
        videos=paths[:3],
        keywords=[None, None, ["x"]],
    )
    assert out["per_example"]["keywords"] == [["red ball"], ["dog"], ["x"]]
    assert "|kw:given+chat+prompt@" in out["signature"]


def test_failed_chat_model_is_reported_with_the_row(load, paths):
    metric = load(keyword_model="m", keyword_endpoint="http://127.0.0.1:9/v1")
    object.__setattr__(metric.model.chat._model, "max_retries", 0)
    call = {"predictions": ["given", "a"], "videos": paths[:2], "keywords": [["x"], None]}
    with pytest.raises(ValueError, match=r"^evqascore: predictions\[1\]: no keywords: cannot connect to 127.0.0.1:9 "):
        metric.compute(**call)
    rows = metric.compute(**call, unscored="none")["per_example"]
    assert rows["score"][0] is not None
    why = "cannot connect to 127.0.0.1:9 (Connect call failed ('127.0.0.1', 9))"
    reason = f"{why}; start the server, or correct its URL"
    assert rows["error"][1] == f"no keywords: {reason}"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    from tiny_clip import openai_clip

    return openai_clip(tmp_path_factory.mktemp("pac"))[1]


def test_paper_configuration_loads_a_file_and_asks_the_chat_model_on_demand(checkpoint, paths):
    metric = evaluate_qa.load("evqascore", "paper", checkpoint=str(checkpoint))
    out = metric.compute(predictions=["a red square"], videos=paths[:1], keywords=[["red square"]])
    assert out["signature"].startswith("evqascore|v:1.2.0|clip:clip_tiny.pth@")
    assert "|kw:given|" in out["signature"]
    with pytest.raises(ValueError, match=r"^evqascore: cannot load the chat model 'meta-llama/Llama-3.1-8B-Instruct'"):
        metric.compute(predictions=["a red square"], videos=paths[:1])
    with_yake = evaluate_qa.load("evqascore", "paper", checkpoint=checkpoint, keyword_model="yake")
    found = with_yake.compute(predictions=["a red square"], videos=paths[:1])
    assert found["per_example"]["keywords"] == [["red square"]]


def test_missing_weights_are_explained(paths, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(FileNotFoundError, match=r"PAC\+\+_clip_ViT-L-14.pth .*clip_ViT-B-32.pth .*aimagelab/pacscore"):
        evaluate_qa.load("evqascore", "paper").compute(predictions=["a"], videos=paths[:1])
    with pytest.raises(FileNotFoundError, match=r"^evqascore: .*ViT-B-32/openai.* network: .*create_model"):
        evaluate_qa.load("evqascore").compute(predictions=["a"], videos=paths[:1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"checkpoint": "no/file.pth"}, "checkpoint is 'no/file.pth'; expected an existing file .*clip_ViT-B-32.pth"),
        ({"model": ""}, "model is ''; expected the name or path of a CLIP model"),
        ({"model_revision": "main"}, "model_revision is given without model"),
        ({"keyword_revision": "main"}, "keyword_revision is given without keyword_model"),
        ({"keyword_endpoint": "localhost", "keyword_model": "m"}, "keyword_endpoint is 'localhost'; expected a URL"),
        ({"keyword_endpoint": "http://localhost"}, "keyword_endpoint needs keyword_model"),
        ({"keyword_endpoint": "http://localhost", "keyword_model": "yake"}, "keyword_endpoint needs keyword_model"),
    ],
)
def test_wrong_loading_options_are_rejected(options, message):
    with pytest.raises((ValueError, FileNotFoundError), match=f"^evqascore: {message}"):
        evaluate_qa.load("evqascore", **options)


def test_signature_lists_changed_options(metric, paths):
    plain = metric.compute(predictions=["red square"], videos=paths[:1])["signature"]
    start = rf"evqascore\|v:1.2.0\|clip:\w+@[0-9a-f]{{8}}\|every:30\|kw:yake-[\d.]+\|long:mean\|av:{av.__version__}"
    assert re.fullmatch(rf"{start}\|mode:caption", plain.replace(".pth", ""))
    options = {"interval": 10, "max_frames": 9, "max_keywords": None, "lang": "de", "long_text": "truncate"}
    line = metric.compute(predictions=["red square"], videos=paths[:1], **options, threshold=0.5)["signature"]
    for part in ("every:10", "most:9", "kwmax:all", "long:truncate", "thr:0.5"):
        assert f"|{part}|" in line
    assert re.search(r"\|kw:yake-[\d.]+\.de\|", line)
