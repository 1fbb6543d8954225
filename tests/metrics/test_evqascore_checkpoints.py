"""CLIP checkpoints that are damaged, incomplete or made to do damage: one error that names the file, and no score."""

import json
import shutil

import open_clip
import pytest
import torch
from safetensors.torch import load_file, save_file

from evaluate_qa.metrics.evqascore.clip import Encoder
from evaluate_qa.metrics.evqascore.clip_models import demo_folder, load_clip

SMALL = {
    "embed_dim": 24,
    "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 1, "layers": 1},
}


class Evil:
    """A pickle of this touches a file where it is read."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return open, (self.marker, "w")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The tensors of a small CLIP with OpenAI's names, and its architecture in open_clip."""
    folder = tmp_path_factory.mktemp("configs")
    (folder / "Tiny-CLIP.json").write_text(json.dumps(SMALL))
    open_clip.add_model_config(folder)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return dict(open_clip.create_model("Tiny-CLIP", force_quick_gelu=True).state_dict())


def transformers_folder(folder, small):
    shutil.copytree(demo_folder(), folder)
    return str(folder), folder / "model.safetensors", load_file(folder / "model.safetensors")


def open_clip_folder(folder, small):
    folder.mkdir()
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": SMALL, "preprocess_cfg": {}}))
    return str(folder), folder / "open_clip_model.safetensors", small


def architecture_and_file(folder, small):
    folder.mkdir()
    return f"Tiny-CLIP/{folder / 'weights.safetensors'}", folder / "weights.safetensors", small


def file_alone(folder, small):
    folder.mkdir()
    return str(folder / "weights.safetensors"), folder / "weights.safetensors", small


@pytest.fixture(params=[transformers_folder, open_clip_folder, architecture_and_file, file_alone])
def checkpoint(request, tmp_path, small):
    """What `load_clip` is to load, its file of weights, and their tensors, which are in the file."""
    model, file, tensors = request.param(tmp_path / "model", small)
    rewrite(file, tensors)
    return model, file, dict(tensors)


def rewrite(file, tensors):
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, file, metadata={"format": "pt"})


def position_embedding(tensors):
    return next(name for name in tensors if "visual.pos" in name or "vision_model.embeddings.pos" in name)


def refused(model, file, *told):
    with pytest.raises(ValueError, match=r"^evqascore: .* does not load as ") as caught:
        load_clip(model)
    assert str(file.parent) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert all(part in str(caught.value) for part in told)


def test_a_whole_checkpoint_loads(checkpoint):
    assert Encoder(load_clip(checkpoint[0]), device="cpu").encode_texts(["a"]).shape[0] == 1


def test_missing_weights_are_told_and_not_made_up(checkpoint):
    model, file, tensors = checkpoint
    name = position_embedding(tensors)
    del tensors[name]
    rewrite(file, tensors)
    refused(model, file, name)


def test_unexpected_weights_are_told(checkpoint):
    model, file, tensors = checkpoint
    rewrite(file, tensors | {"a.layer.more": torch.zeros(2)})
    refused(model, file, "a.layer.more")


def test_weights_of_another_shape_are_told(checkpoint):
    """More positions, which make no square: open_clip would interpolate them."""
    model, file, tensors = checkpoint
    name = position_embedding(tensors)
    rewrite(file, tensors | {name: torch.cat([tensors[name]] * 3)})
    refused(model, file)


def test_a_cut_file_is_told(checkpoint):
    model, file, _ = checkpoint
    file.write_bytes(file.read_bytes()[:-100])
    refused(model, file)
    file.write_bytes(b"")
    refused(model, file)


def test_a_header_that_claims_too_much_is_told(checkpoint):
    model, file, _ = checkpoint
    header = json.dumps({"a": {"dtype": "F32", "shape": [10**12], "data_offsets": [0, 4 * 10**12]}}).encode()
    file.write_bytes(len(header).to_bytes(8, "little") + header)
    refused(model, file)
    file.write_bytes((2**62).to_bytes(8, "little") + header)
    refused(model, file)


@pytest.mark.parametrize("made", [transformers_folder, open_clip_folder, architecture_and_file, file_alone])
@pytest.mark.parametrize("nested", [False, True], ids=["pickle", "within state_dict"])
def test_no_pickle_runs(tmp_path, small, made, nested):
    marker = tmp_path / "it_ran"
    model, file, tensors = made(tmp_path / "model", small)
    file.unlink(missing_ok=True)
    saved = {"model.safetensors": "pytorch_model.bin", "open_clip_model.safetensors": "open_clip_pytorch_model.bin"}
    pickled = file.with_name(saved.get(file.name, "weights.pth"))
    bad = tensors | {"bad": Evil(str(marker))}
    torch.save({"state_dict": bad} if nested else bad, pickled)
    refused(model.replace(file.name, pickled.name), pickled)
    assert not marker.exists()


ODD = {
    "a list": [torch.zeros(2)],
    "a number": 5,
    "tensors by number": {1: torch.zeros(2)},
    "a list by name": {"visual.conv1.weight": [1], "text_projection": [2]},
    "a vector": {"visual.conv1.weight": torch.zeros(3), "text_projection": torch.zeros(3)},
    "two tensors": {"visual.conv1.weight": torch.zeros(1, 1, 1, 1), "text_projection": torch.zeros(1, 1)},
}


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
def test_a_file_that_holds_something_else_is_told(tmp_path, small, content):
    torch.save({"state_dict": content}, tmp_path / "odd.pth")
    for model in (tmp_path / "odd.pth", f"Tiny-CLIP/{tmp_path / 'odd.pth'}"):
        with pytest.raises(ValueError, match=r"^evqascore: .*odd\.pth"):
            load_clip(str(model))


def test_tokens_without_weights_are_told(tmp_path):
    folder = shutil.copytree(demo_folder(), tmp_path / "model")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["!"] += 1 << 20  # a bit has flipped
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(ValueError, match="its tokenizer has tokens that its weights do not know"):
        load_clip(str(folder))


@pytest.mark.parametrize(
    "settings", ["[]", "[" * 100_000, "\0", '{"model_type": "clip"', '{"model_type": ["clip"]}', "5"]
)
def test_settings_that_are_none_are_told(tmp_path, small, settings):
    folder = shutil.copytree(demo_folder(), tmp_path / "model")
    (folder / "config.json").write_text(settings)
    with pytest.raises(ValueError, match=r"^evqascore: .*model is no CLIP checkpoint"):
        load_clip(str(folder))
    model, file, tensors = open_clip_folder(tmp_path / "open", small)
    rewrite(file, tensors)
    (file.parent / "open_clip_config.json").write_text(settings)
    refused(model, file)


CODE = "from pathlib import Path\nPath({!r}).touch()\nfrom transformers import PreTrainedTokenizerFast as Words\n"


@pytest.fixture
def nosy(tmp_path, monkeypatch):
    """A folder with code for tokenizer and model, a file that it would write, and who is asked: nobody may be."""
    asked, marker = [], tmp_path / "it_ran"
    monkeypatch.setattr("builtins.input", lambda question="": asked.append(question) or "y")
    folder = shutil.copytree(demo_folder(), tmp_path / "nosy")
    (folder / "code.py").write_text(CODE.format(str(marker)))
    words = {"tokenizer_class": "OfItsOwn", "auto_map": {"AutoTokenizer": [None, "code.Words"]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(words))
    yield folder
    assert asked == []
    assert not marker.exists()


def test_no_code_of_a_tokenizer_runs_and_nobody_is_asked(nosy):
    """The library has a tokenizer for such a model itself."""
    load_clip(str(nosy))


@pytest.mark.parametrize("part", ["hf_tokenizer_name", "hf_model_name"])
def test_no_code_that_an_open_clip_folder_names_runs(nosy, tmp_path, small, part):
    config = {"model_type": "of_its_own", "auto_map": {"AutoConfig": "code.Words"}}
    (nosy / "config.json").write_text(json.dumps(config))
    model, file, tensors = open_clip_folder(tmp_path / "open", small)
    rewrite(file, tensors)
    settings = SMALL | {"text_cfg": SMALL["text_cfg"] | {part: str(nosy)}}
    (file.parent / "open_clip_config.json").write_text(json.dumps({"model_cfg": settings, "preprocess_cfg": {}}))
    refused(model, file)
