"""The demo's small CLIP, the whole way from a video file to a score: what is true of a clip ranks above what is not."""

import json
import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

import evaluate_qa
from evaluate_qa.metrics._shared.checkpoints import file_hash
from evaluate_qa.metrics.evqascore import clip_models
from evaluate_qa.toy_clip.clips import all_clips, another, held_out, write_clip
from evaluate_qa.toy_clip.texts import Claim, claim, vocabulary

CLIPS = [clip for clip in all_clips() if held_out(clip)][:60]


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    return [str(write_clip(clip, folder / f"{number}.mp4")) for number, clip in enumerate(CLIPS)]


@pytest.fixture(scope="module")
def metric():
    return evaluate_qa.load("evqascore", "demo", device="cpu")


def _scores(metric, videos, predictions, **columns):
    out = metric.compute(predictions=predictions, videos=videos, interval=6, **columns)
    return out["per_example"]["score"]


@pytest.mark.slow
def test_the_true_caption_ranks_first(metric, videos):
    true = _scores(metric, videos, [clip.caption() for clip in CLIPS], mode="caption")
    wrong = _scores(metric, videos, [another(clip).caption() for clip in CLIPS], mode="caption")
    assert sum(a > b for a, b in zip(true, wrong, strict=True)) >= 0.9 * len(CLIPS)


@pytest.mark.slow
def test_the_true_answer_ranks_first(metric, videos):
    """Of each clip one question, in turn; the wrong answer is that of another clip, in the same words."""
    rows = []
    for number, clip in enumerate(CLIPS):
        questions = clip.questions().items()
        question, answer = list(questions)[number % 4]
        rows.append((question, answer, list(another(clip).questions().values())[number % 4]))
    questions, answers, others = map(list, zip(*rows, strict=True))
    true = _scores(metric, videos, answers, questions=questions)
    wrong = _scores(metric, videos, others, questions=questions)
    assert sum(a > b for a, b in zip(true, wrong, strict=True)) >= 0.9 * len(CLIPS)


def test_held_out_clips_are_of_looks_that_were_not_trained_on():
    looks = {held: {(c.shape, c.colour, c.background) for c in all_clips() if held_out(c) == held} for held in (0, 1)}
    assert not looks[False] & looks[True]
    assert len(looks[True]) == 20
    assert all(another(clip).shape != clip.shape and another(clip).colour != clip.colour for clip in CLIPS)


def test_a_claim_is_true_of_its_clip_alone():
    import random

    generator = random.Random(0)
    for clip in CLIPS:
        made = [claim(clip, generator) for _ in range(20)]
        assert all(one.true_of(clip) for one in made)
        assert all(one.true_of(another(clip)) <= (set(one.claims) <= {"size"}) for one in made)
        words = {word.strip(".,?").lower() for one in made for word in one.text.split()} - {"<unk>"}
        assert words <= set(vocabulary())
    assert Claim("", {}).true_of(CLIPS[0])


def test_the_demo_is_small_and_checked(monkeypatch, tmp_path):
    folder = clip_models.demo_folder()
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_000_000
    assert json.loads((folder / "config.json").read_text())["model_type"] == "clip"
    monkeypatch.setattr(clip_models, "DEMO_SHA256", "0" * 64)
    with pytest.raises(ValueError, match="is damaged or of another version"):
        clip_models.demo_folder()


def test_a_folder_named_demo_is_a_model_as_any_other(monkeypatch, tmp_path):
    """`"demo"` names a configuration, never a model."""
    monkeypatch.chdir(tmp_path)
    metric = evaluate_qa.load("evqascore", "demo", model="demo")
    with pytest.raises(FileNotFoundError, match="model is 'demo', which is no file and no folder here"):
        metric.dim  # noqa: B018 - loads the model
    shutil.copytree(clip_models.demo_folder(), "demo")
    tensors = load_file("demo/model.safetensors")
    tensors["logit_scale"] += 1  # which no score depends on
    save_file(tensors, "demo/model.safetensors", metadata={"format": "pt"})
    assert metric.model.encoder.label == f"demo@{file_hash(Path('demo/model.safetensors'))[:8]}"


def test_training_makes_a_model_that_loads(tmp_path):
    from evaluate_qa.metrics.evqascore.clip import Encoder
    from evaluate_qa.toy_clip import training

    said = []
    training.train(tmp_path, training.Recipe(steps=3, batch=8, copies=1, clips=4), said.append)
    encoder = Encoder(clip_models.load_clip(str(tmp_path)), device="cpu")
    assert encoder.encode_texts(["a red circle"]).shape == (1, encoder.dim)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        file.name for file in clip_models.demo_folder().iterdir()
    )
