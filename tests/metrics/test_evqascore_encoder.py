"""CLIP encoders return the vectors of their own libraries, and models that cannot be loaded raise a clear error."""

import sys
from types import SimpleNamespace

import numpy as np
import open_clip
import pytest
import torch
import transformers
from PIL import Image
from tiny_clip import NAME, WIDTH, openai_clip, tiny_clip
from videos import encode_images

from evaluate_qa.metrics.evqascore.clip import Encoder
from evaluate_qa.metrics.evqascore.clip_models import demo_folder, load_clip, load_demo

TEXTS = ["a photo of a dog", "", "What colour is the circle? It is red.", "Ünïcödé 🎬 テスト", "x", "a photo of a dog"]
LONG = "a red circle moves over a blue square and comes back again " * 12
SIZES = [(360, 640), (97, 131), (301, 223)]


@pytest.fixture(scope="module")
def pictures():
    generator = np.random.default_rng(0)
    # Smooth images, which resizing changes as it does photographs.
    return [
        np.asarray(Image.fromarray(generator.integers(0, 256, (9, 12, 3)).astype(np.uint8)).resize((width, height)))
        for height, width in SIZES
    ]


def _expected(model, preprocess, tokenizer, pictures):
    """Return the vectors as computed in open_clip's documentation."""
    with torch.no_grad():
        images = torch.stack([preprocess(Image.fromarray(picture)) for picture in pictures])
        seen = model.eval().encode_image(images, normalize=True)
        said = model.encode_text(tokenizer(TEXTS), normalize=True)
    return seen.numpy(), said.numpy()


@pytest.fixture(scope="module")
def openai(tmp_path_factory):
    return openai_clip(tmp_path_factory.mktemp("pac"))


@pytest.fixture(scope="module")
def encoder(openai):
    return Encoder(load_clip(str(openai[1])), device="cpu")


def test_pac_s_file_gives_open_clips_vectors(openai, encoder, pictures):
    model, file = openai
    preprocess = open_clip.image_transform(32, is_train=False)
    seen, said = _expected(model, preprocess, open_clip.get_tokenizer("ViT-B-32"), pictures)
    assert encoder.dim == WIDTH
    assert encoder.label.startswith(f"{file.name}@")
    np.testing.assert_allclose(encode_images(encoder, pictures), seen, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts(TEXTS, "truncate"), said, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts(TEXTS, "mean"), said, atol=1e-6)


def test_long_text_is_the_mean_of_its_windows(openai, encoder):
    model, _ = openai
    tokenizer = open_clip.get_tokenizer("ViT-B-32")
    ids = tokenizer.encode(LONG)
    # 12 · 12 words of one token make windows of 75 and 69, with two special tokens each.
    assert len(ids) == 144
    windows = torch.zeros(2, 77, dtype=torch.long)
    for row, piece in enumerate((ids[:75], ids[75:])):
        window = [tokenizer.sot_token_id, *piece, tokenizer.eot_token_id]
        windows[row, : len(window)] = torch.tensor(window)
    with torch.no_grad():
        vectors = model.eval().encode_text(windows, normalize=True).numpy()
    mean = vectors.mean(axis=0) / np.linalg.norm(vectors.mean(axis=0))
    np.testing.assert_allclose(encoder.encode_texts([LONG])[0], mean, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts([LONG], "truncate")[0], vectors[0], atol=1e-6)


@pytest.fixture
def small(tmp_path):
    """A small architecture of open_clip with a file of its weights, and the model."""
    model = tiny_clip(tmp_path, seed=1)
    torch.save(model.state_dict(), tmp_path / "small.bin")
    return f"{NAME}/{tmp_path / 'small.bin'}", model


def test_architecture_with_a_file_of_weights(small, pictures):
    name, model = small
    encoder = Encoder(load_clip(name), device="cpu")
    seen, said = _expected(model, open_clip.image_transform(32, is_train=False), open_clip.get_tokenizer(""), pictures)
    np.testing.assert_allclose(encode_images(encoder, pictures), seen, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts(TEXTS), said, atol=1e-6)
    # Without its architecture, the file counts as OpenAI's, with another activation.
    other = Encoder(load_clip(name.removeprefix(f"{NAME}/")), device="cpu")
    assert np.abs(encode_images(other, pictures) - seen).max() > 1e-3
    assert other.fingerprint != encoder.fingerprint


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_is_close(small, pictures, dtype):
    whole, half = (Encoder(load_clip(small[0]), device="cpu", dtype=one) for one in ("float32", dtype))
    assert (encode_images(half, pictures) * encode_images(whole, pictures)).sum(axis=1).min() > 0.999
    assert (half.encode_texts(TEXTS) * whole.encode_texts(TEXTS)).sum(axis=1).min() > 0.999
    assert half.encode_texts(TEXTS).dtype == np.float32
    assert half.fingerprint != whole.fingerprint


def test_transformers_checkpoint_gives_its_librarys_vectors(pictures):
    folder = demo_folder()
    model = transformers.CLIPModel.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    processor = transformers.CLIPImageProcessorPil.from_pretrained(folder)
    with torch.no_grad():
        pixels = processor(images=[Image.fromarray(one) for one in pictures], return_tensors="pt")
        seen = model.get_image_features(**pixels).pooler_output
        said = model.get_text_features(**tokenizer(TEXTS, padding=True, return_tensors="pt")).pooler_output
    encoder = Encoder(load_clip(str(folder)), device="cpu")
    for ours, theirs in ((encode_images(encoder, pictures), seen), (encoder.encode_texts(TEXTS), said)):
        np.testing.assert_allclose(ours, (theirs / theirs.norm(dim=1, keepdim=True)).numpy(), atol=1e-5)


def test_any_text_has_a_unit_vector(encoder):
    texts = ["", " ", "<end_of_text> a <start_of_text>", "\x00", "שלום", "a" * 100_000, "🎬" * 500]
    vectors = encoder.encode_texts(texts, "truncate")
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)
    # The names of special tokens have no effect in a text.
    np.testing.assert_allclose(vectors[2], encoder.encode_texts([" a "])[0], atol=1e-6)
    assert encoder.encode_texts([]).shape == (0, WIDTH)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        ("no/such/model", FileNotFoundError, "neither a file nor a folder"),
        ("nobody/nothing", FileNotFoundError, "hf download nobody/nothing"),
        ("ViT-B-32/no-such-tag", ValueError, "laion2b_s34b_b79k"),
    ],
)
def test_missing_model_is_explained(model, error, message, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(error) as raised:
        load_clip(model)
    assert message in str(raised.value)
    assert str(raised.value).startswith("evqascore: ")


def test_unknown_device_is_rejected():
    with pytest.raises(ValueError, match=r"^evqascore: device is 'abacus', which torch cannot use here"):
        Encoder(load_demo(), device="abacus")


def test_mismatched_torchvision_is_explained(monkeypatch):
    def find_spec(name, path=None, target=None):
        if name == "open_clip":
            raise RuntimeError("operator torchvision::nms does not exist")

    monkeypatch.delitem(sys.modules, "open_clip")
    monkeypatch.setattr(sys, "meta_path", [SimpleNamespace(find_spec=find_spec), *sys.meta_path])
    with pytest.raises(ImportError, match=r"torchvision does not match .* pip install --force-reinstall torch"):
        load_clip("ViT-B-32/openai")
