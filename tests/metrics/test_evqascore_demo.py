"""The demo's small CLIP model ranks true texts about a clip above false ones, and can be trained again."""

import json
import random
import shutil

import pytest
from safetensors.torch import load_file, save_file

import evaluate_qa
from evaluate_qa.dev.toy_clip import training
from evaluate_qa.dev.toy_clip.clips import all_clips, another, held_out, write_clip
from evaluate_qa.dev.toy_clip.texts import claim, vocabulary
from evaluate_qa.metrics.evqascore import clip_models
from evaluate_qa.metrics.evqascore.clip import Encoder

CLIPS = [clip for clip in all_clips() if held_out(clip)][:60]


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """Return a function that scores one text, or question and answer, for each clip and returns the rows' values."""
    folder = tmp_path_factory.mktemp("clips")
    videos = [str(write_clip(clip, folder / f"{number}.mp4")) for number, clip in enumerate(CLIPS)]
    metric = evaluate_qa.load("evqascore", "demo", device="cpu")
    return lambda **columns: metric.compute(videos=videos, interval=6, **columns)["per_example"]


def better(true, wrong, column="score"):
    """Return the share of clips whose true text has the higher score."""
    return sum(a > b for a, b in zip(true[column], wrong[column], strict=True)) / len(CLIPS)


@pytest.mark.slow
def test_true_caption_ranks_first(scores):
    true = scores(predictions=[clip.caption() for clip in CLIPS])
    wrong = scores(predictions=[another(clip).caption() for clip in CLIPS])
    assert better(true, wrong) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_right_answer_ranks_first(scores, number):
    """The wrong answer is the right answer to the same question about another clip."""
    questions, right = zip(*(list(clip.questions().items())[number] for clip in CLIPS), strict=True)
    answers = right, [list(another(clip).questions().values())[number] for clip in CLIPS]
    true, wrong = (scores(predictions=list(texts), questions=list(questions)) for texts in answers)
    assert all(abs(a - b) > 0.01 for a, b in zip(true["coarse"], wrong["coarse"], strict=True))
    assert min(better(true, wrong, column) for column in ("score", "coarse")) >= 0.95


def test_texts_are_read_to_their_end():
    """If the end token has the id 2, transformers pools a text at its largest token id and ignores what follows it."""
    encoder = Encoder(clip_models.load_demo(), device="cpu")
    one, other = encoder.encode_texts(["What moves? a red square", "What moves? a green ring"])
    assert one @ other < 0.9


def test_held_out_looks_are_never_trained_on():
    looks = {held: {(c.shape, c.color, c.background) for c in all_clips() if held_out(c) == held} for held in (0, 1)}
    assert not looks[False] & looks[True]
    assert len(looks[True]) == 20


def test_claims_are_true_only_of_their_clip():
    generator = random.Random(0)
    for clip in CLIPS:
        made = [claim(clip, generator) for _ in range(20)]
        assert all(one.true_of(clip) for one in made)
        assert all(one.true_of(another(clip)) <= (set(one.claims) <= {"size"}) for one in made)
        words = {word.strip(".,?").lower() for one in made for word in one.text.split()} - {"<unk>"}
        assert words <= set(vocabulary())


def test_demo_model_is_small_and_verified(monkeypatch):
    folder = clip_models.demo_folder()
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_000_000
    monkeypatch.setattr(clip_models, "DEMO_SHA256", "0" * 64)
    with pytest.raises(ValueError, match="damaged or of another version"):
        clip_models.demo_folder()


def test_folder_named_demo_is_an_ordinary_model(working_folder):
    metric = evaluate_qa.load("evqascore", "demo", model="demo")
    with pytest.raises(FileNotFoundError, match="model is 'demo', which is neither a file nor a folder"):
        metric.dim  # noqa: B018 - loads the model
    shutil.copytree(clip_models.demo_folder(), "demo")
    tensors = load_file("demo/model.safetensors")
    tensors["logit_scale"] += 1  # no score depends on it
    save_file(tensors, "demo/model.safetensors", metadata={"format": "pt"})
    assert metric.model.encoder.label != evaluate_qa.load("evqascore", "demo").model.encoder.label


def test_training_saves_a_model_that_loads(tmp_path):
    training.train(tmp_path, [].append, steps=3, batch=8, copies=1, clips=4)
    encoder = Encoder(clip_models.load_clip(str(tmp_path)), device="cpu")
    assert encoder.encode_texts(["a red circle"]).shape == (1, encoder.dim)
    files, published = (
        sorted(file.name for file in folder.iterdir()) for folder in (tmp_path, clip_models.demo_folder())
    )
    assert files == published
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "clip"
