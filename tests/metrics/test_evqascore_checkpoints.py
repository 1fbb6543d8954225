"""Damaged, incomplete and malicious CLIP checkpoints raise one error that names the file."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_clip import NAME, tiny_clip

from evaluate_qa.metrics.evqascore.clip import Encoder
from evaluate_qa.metrics.evqascore.clip_models import demo_folder, load_clip


class Evil:
    """An object whose pickle creates a file when it is loaded."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return open, (self.marker, "w")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The tensors of a small CLIP with OpenAI's names, and its architecture in open_clip."""
    return dict(tiny_clip(tmp_path_factory.mktemp("configs"), force_quick_gelu=True).state_dict())


def transformers_folder(folder, small):
    shutil.copytree(demo_folder(), folder)
    return str(folder), folder / "model.safetensors", load_file(folder / "model.safetensors")


def architecture_and_file(folder, small):
    folder.mkdir()
    return f"{NAME}/{folder / 'weights.safetensors'}", folder / "weights.safetensors", small


def file_alone(folder, small):
    folder.mkdir()
    return str(folder / "weights.safetensors"), folder / "weights.safetensors", small


@pytest.fixture(params=[transformers_folder, architecture_and_file, file_alone])
def checkpoint(request, tmp_path, small):
    """The argument of `load_clip`, the file of weights, and its tensors."""
    model, file, tensors = request.param(tmp_path / "model", small)
    rewrite(file, tensors)
    return model, file, dict(tensors)


def rewrite(file, tensors):
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, file, metadata={"format": "pt"})


def position_embedding(tensors):
    return next(name for name in tensors if "visual.pos" in name or "vision_model.embeddings.pos" in name)


def assert_rejected(model, file, part=""):
    with pytest.raises(ValueError, match=r"^evqascore: .* does not load as ") as caught:
        load_clip(model)
    assert str(file.parent) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert part in str(caught.value)


def test_complete_checkpoint_loads(checkpoint):
    assert Encoder(load_clip(checkpoint[0]), device="cpu").encode_texts(["a"]).shape[0] == 1


def test_settings_of_a_folder_change_its_label(tmp_path, small):
    model, *_ = transformers_folder(tmp_path / "model", small)
    before = load_clip(model).label
    settings = tmp_path / "model/preprocessor_config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"image_mean": [0.1, 0.1, 0.1]}))
    assert load_clip(model).label != before


def test_wrong_tensors_are_rejected(checkpoint):
    """Missing ones would be random, and open_clip would interpolate position embeddings of another size."""
    model, file, tensors = checkpoint
    name = position_embedding(tensors)
    rewrite(file, {other: tensor for other, tensor in tensors.items() if other != name})
    assert_rejected(model, file, name)
    rewrite(file, tensors | {"a.layer.more": torch.zeros(2)})
    assert_rejected(model, file, "a.layer.more")
    rewrite(file, tensors | {name: torch.cat([tensors[name]] * 3)})
    assert_rejected(model, file)


def test_damaged_file_is_rejected(checkpoint):
    model, file, _ = checkpoint
    header = json.dumps({"a": {"dtype": "F32", "shape": [10**12], "data_offsets": [0, 4 * 10**12]}}).encode()
    content = file.read_bytes()
    too_much = len(header).to_bytes(8, "little") + header, (2**62).to_bytes(8, "little") + header
    for damaged in (content[:-100], b"", *too_much):
        file.write_bytes(damaged)
        assert_rejected(model, file)


@pytest.mark.parametrize("made", [transformers_folder, architecture_and_file, file_alone])
@pytest.mark.parametrize("nested", [False, True], ids=["pickle", "within state_dict"])
def test_pickles_never_run_code(tmp_path, small, made, nested):
    marker = tmp_path / "it_ran"
    model, file, tensors = made(tmp_path / "model", small)
    file.unlink(missing_ok=True)
    pickled = file.with_name("pytorch_model.bin" if file.name == "model.safetensors" else "weights.pth")
    bad = tensors | {"bad": Evil(str(marker))}
    torch.save({"state_dict": bad} if nested else bad, pickled)
    assert_rejected(model.replace(file.name, pickled.name), pickled)
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
def test_other_contents_are_rejected(tmp_path, small, content):
    torch.save({"state_dict": content}, tmp_path / "odd.pth")
    for model in (tmp_path / "odd.pth", f"{NAME}/{tmp_path / 'odd.pth'}"):
        with pytest.raises(ValueError, match=r"^evqascore: .*odd\.pth"):
            load_clip(str(model))


def test_tokens_without_embeddings_are_rejected(tmp_path):
    folder = shutil.copytree(demo_folder(), tmp_path / "model")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["!"] += 1 << 20  # a flipped bit
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(ValueError, match="its tokenizer has tokens without embeddings"):
        load_clip(str(folder))


@pytest.mark.parametrize("settings", ["[]", "[" * 100_000, "\0", '{"model_type": "clip"', '{"model_type": "bert"}'])
def test_damaged_settings_are_rejected(tmp_path, settings):
    folder = shutil.copytree(demo_folder(), tmp_path / "model")
    (folder / "config.json").write_text(settings)
    assert_rejected(str(folder), folder / "config.json")


def test_tokenizer_code_never_runs(tmp_path, monkeypatch):
    """Nor does transformers ask on the terminal whether to run it."""
    asked, marker = [], tmp_path / "it_ran"
    monkeypatch.setattr("builtins.input", lambda question="": asked.append(question) or "y")
    folder = shutil.copytree(demo_folder(), tmp_path / "model")
    code = f"from pathlib import Path\nPath({str(marker)!r}).touch()\n"
    (folder / "code.py").write_text(f"{code}from transformers import PreTrainedTokenizerFast as Words\n")
    words = {"tokenizer_class": "OfItsOwn", "auto_map": {"AutoTokenizer": [None, "code.Words"]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(words))
    load_clip(str(folder))
    assert asked == []
    assert not marker.exists()
