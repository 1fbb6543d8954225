"""CLIP encoders of every origin: the vectors that their own libraries give, and a plain word about what is none."""

import json
from pathlib import Path

import numpy as np
import open_clip
import pytest
import torch
import transformers
from PIL import Image

from evaluate_qa.metrics.evqascore.clip import Encoder
from evaluate_qa.metrics.evqascore.clip_models import demo_folder, load_clip, load_demo
from evaluate_qa.metrics.evqascore.open_clip_models import open_clip_tokens

TEXTS = ["a photo of a dog", "", "What colour is the circle? It is red.", "Ünïcödé 🎬 テスト", "x", "a photo of a dog"]
LONG = "a red circle moves over a blue square and comes back again " * 12
SIZES = [(360, 640), (97, 131), (301, 223)]
# A model of open_clip with few weights, in the form of its configuration files.
SMALL = {
    "embed_dim": 24,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 1, "layers": 2},
}
PREPROCESS = {"mean": [0.5, 0.4, 0.3], "std": [0.2, 0.3, 0.4], "interpolation": "bicubic", "resize_mode": "shortest"}


@pytest.fixture(scope="module")
def pictures():
    generator = np.random.default_rng(0)
    # Smooth pictures, that resizing changes as it does real ones.
    return [
        np.asarray(Image.fromarray(generator.integers(0, 256, (9, 12, 3)).astype(np.uint8)).resize((width, height)))
        for height, width in SIZES
    ]


def _expected(model, preprocess, tokenizer, pictures):
    """What open_clip's own documentation computes."""
    with torch.no_grad():
        images = torch.stack([preprocess(Image.fromarray(picture)) for picture in pictures])
        seen = model.eval().encode_image(images, normalize=True)
        said = model.encode_text(tokenizer(TEXTS), normalize=True)
    return seen.numpy(), said.numpy()


@pytest.fixture(scope="module")
def vit_b_32(tmp_path_factory):
    """A random ViT-B-32 of OpenAI's kind, and the file in which PAC-S would publish it."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = open_clip.create_model("ViT-B-32-quickgelu")
    weights = {name: tensor.half() for name, tensor in model.state_dict().items()}  # half the bytes to write and read
    model.load_state_dict(weights)
    file = tmp_path_factory.mktemp("pac") / "clip_ViT-B-32.pth"
    torch.save({"state_dict": weights, "epoch": 3}, file)
    return model, file


@pytest.fixture(scope="module")
def encoder(vit_b_32):
    return Encoder(load_clip(str(vit_b_32[1])), device="cpu")


@pytest.mark.slow
def test_a_pac_s_file_gives_what_open_clip_gives(vit_b_32, encoder, pictures):
    model, file = vit_b_32
    preprocess = open_clip.image_transform(224, is_train=False)
    seen, said = _expected(model, preprocess, open_clip.get_tokenizer("ViT-B-32"), pictures)
    assert encoder.dim == 512
    assert encoder.label.startswith(f"{file.name}@")
    np.testing.assert_allclose(encoder.encode_images(pictures), seen, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts(TEXTS, "truncate"), said, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts(TEXTS, "mean"), said, atol=1e-6)


def test_preparing_is_the_librarys_own_to_the_bit(encoder, pictures):
    preprocess = open_clip.image_transform(224, is_train=False)
    *shaping, _tensor, _normalize = preprocess.transforms
    for picture in pictures:
        expected = Image.fromarray(picture)
        for shape in shaping:
            expected = shape(expected)
        assert (encoder.prepare(picture) == np.asarray(expected)).all()


def test_long_texts_are_the_mean_of_their_windows(vit_b_32, encoder):
    model, _ = vit_b_32
    tokenizer = open_clip.get_tokenizer("ViT-B-32")
    ids = tokenizer.encode(LONG)
    # 12 · 12 words of a token each make windows of 75 and 69, with two special tokens each.
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
    """A small model of open_clip, in a folder as it is saved for the Hub, and open_clip's own loading of it."""
    open_clip.add_model_config(_written(tmp_path / "configs" / "Small-CLIP.json", SMALL))
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = open_clip.create_model("Small-CLIP")
    folder = tmp_path / "small"
    _written(folder / "open_clip_config.json", {"model_cfg": SMALL, "preprocess_cfg": PREPROCESS})
    torch.save(model.state_dict(), folder / "open_clip_pytorch_model.bin")
    return folder, model


def _written(file: Path, content) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))
    return file.parent


def test_vectors_depend_neither_on_the_batch_nor_on_the_order(small, pictures):
    encoder, texts = Encoder(load_clip(str(small[0])), device="cpu"), [*TEXTS, LONG]
    alone = np.concatenate([encoder.encode_texts([text]) for text in texts])
    np.testing.assert_allclose(encoder.encode_texts(texts), alone, atol=1e-5)
    np.testing.assert_allclose(encoder.encode_texts(texts[::-1])[::-1], alone, atol=1e-5)
    single = np.concatenate([encoder.encode_images([picture]) for picture in pictures])
    np.testing.assert_allclose(encoder.encode_images(pictures), single, atol=1e-5)
    assert (encoder.encode_images(pictures) == encoder.encode_images(pictures)).all()


def test_a_folder_of_open_clip(small, pictures):
    folder, model = small
    _, _, preprocess = open_clip.create_model_and_transforms(f"local-dir:{folder}")
    assert preprocess.transforms[-1].mean == [0.5, 0.4, 0.3]
    seen, said = _expected(model, preprocess, open_clip.get_tokenizer("ViT-B-32"), pictures)
    encoder = Encoder(load_clip(str(folder)), device="cpu")
    assert encoder.label.startswith("small@")
    np.testing.assert_allclose(encoder.encode_images(pictures), seen, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts(TEXTS), said, atol=1e-6)


def test_an_architecture_with_a_file_of_weights(small, pictures):
    folder, model = small
    file = folder / "open_clip_pytorch_model.bin"
    encoder = Encoder(load_clip(f"Small-CLIP/{file}"), device="cpu")
    seen, said = _expected(model, open_clip.image_transform(32, is_train=False), open_clip.get_tokenizer(""), pictures)
    np.testing.assert_allclose(encoder.encode_images(pictures), seen, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts(TEXTS), said, atol=1e-6)
    # The same weights without their configuration are of OpenAI's kind: another activation, other vectors.
    other = Encoder(load_clip(str(file)), device="cpu")
    assert np.abs(other.encode_images(pictures) - seen).max() > 1e-3
    assert other.fingerprint != encoder.fingerprint


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_is_near(small, pictures, dtype):
    whole, half = (Encoder(load_clip(str(small[0])), device="cpu", dtype=one) for one in ("float32", dtype))
    assert (half.encode_images(pictures) * whole.encode_images(pictures)).sum(axis=1).min() > 0.999
    assert (half.encode_texts(TEXTS) * whole.encode_texts(TEXTS)).sum(axis=1).min() > 0.999
    assert half.encode_texts(TEXTS).dtype == np.float32
    assert half.fingerprint != whole.fingerprint


def test_a_checkpoint_of_transformers(pictures):
    """The demo's, by its folder: other vectors than the library's own would be a fault of the adapter."""
    folder = demo_folder()
    model = transformers.CLIPModel.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    processor = transformers.CLIPImageProcessorPil.from_pretrained(folder)
    with torch.no_grad():
        pixels = processor(images=[Image.fromarray(one) for one in pictures], return_tensors="pt")
        seen = model.get_image_features(**pixels).pooler_output
        said = model.get_text_features(**tokenizer(TEXTS, padding=True, return_tensors="pt")).pooler_output
    encoder = Encoder(load_clip(str(folder)), device="cpu")
    for ours, theirs in ((encoder.encode_images(pictures), seen), (encoder.encode_texts(TEXTS), said)):
        np.testing.assert_allclose(ours, (theirs / theirs.norm(dim=1, keepdim=True)).numpy(), atol=1e-5)


def test_texts_of_any_kind_have_unit_vectors(encoder):
    texts = ["", " ", "<end_of_text> a <start_of_text>", "\x00", "שלום", "a" * 100_000, "🎬" * 500]
    vectors = encoder.encode_texts(texts, "truncate")
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)
    # The names of special tokens are not special in a text.
    np.testing.assert_allclose(vectors[2], encoder.encode_texts([" a "])[0], atol=1e-6)
    assert encoder.encode_texts([]).shape == (0, 512)


def test_windows_hold_all_tokens_in_order():
    tokens = open_clip_tokens(open_clip.get_tokenizer("ViT-B-32"), 77)
    windows = tokens.windows(LONG * 3, "mean")  # 3 · 144 tokens are five windows of 75 and one of 57
    assert [len(window) for window in windows] == [77] * 5 + [59]
    assert [token for window in windows for token in window[1:-1]] == tokens.encode(LONG * 3)


@pytest.mark.parametrize(
    ("model", "error", "told"),
    [
        ("no/such/model", FileNotFoundError, "no file and no folder"),
        ("nobody/nothing", FileNotFoundError, "hf download nobody/nothing"),
        ("ViT-B-32/no-such-tag", ValueError, "laion2b_s34b_b79k"),
        ("ViT-B-32/openai", FileNotFoundError, "open_clip.create_model('ViT-B-32', 'openai')"),
    ],
)
def test_what_cannot_be_loaded_is_told(model, error, told, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(error) as raised:
        load_clip(model)
    assert told in str(raised.value)
    assert str(raised.value).startswith("evqascore: ")


def test_a_device_that_is_not_there_is_told():
    with pytest.raises(ValueError, match=r"^evqascore: device is 'abacus', which torch cannot use here"):
        Encoder(load_demo(), device="abacus")


def test_what_is_no_checkpoint_is_told(tmp_path):
    with pytest.raises(ValueError, match="is no CLIP checkpoint"):
        load_clip(str(tmp_path))
    for name, content in {"pickle.pth": {"state_dict": Path("x")}, "other.pth": {"weight": torch.zeros(2)}}.items():
        torch.save(content, tmp_path / name)
        with pytest.raises(ValueError, match=name):
            load_clip(str(tmp_path / name))
    (tmp_path / "text.safetensors").write_text("no tensors")
    with pytest.raises(ValueError, match="does not load as a checkpoint"):
        load_clip(str(tmp_path / "text.safetensors"))


def test_a_folder_without_its_weights_is_not_filled_with_random_ones(small):
    folder, _ = small
    (folder / "open_clip_pytorch_model.bin").unlink()
    with pytest.raises(ValueError, match="is no CLIP checkpoint"):
        load_clip(str(folder))


def test_a_torchvision_for_another_torch_is_told(processes):
    """Where torchvision cannot be imported the message names it and the cure. Needs a Python without torchvision."""
    program = """
import sys
class Broken:
    def find_spec(name, path=None, target=None):
        if name == "torchvision":
            raise RuntimeError("operator torchvision::nms does not exist")
sys.meta_path.insert(0, Broken)
from evaluate_qa.metrics.evqascore.clip_models import load_clip
try:
    load_clip("ViT-B-32/openai")
except ImportError as error:
    print(error)
"""
    done = processes.run("-c", program)
    assert "torchvision does not fit this torch" in done.stdout, done.stderr
    assert "pip install --force-reinstall torch torchvision" in done.stdout
