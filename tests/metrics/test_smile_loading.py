"""Loading the embedding model: missing packages, broken checkpoints, progress bars of other libraries."""

import json
import sys

import datasets
import pytest
import tiny_checkpoints
from damage import change_weights

from evaluate_qa.metrics.smile.engines import PRESETS, load
from evaluate_qa.metrics.smile.options import SmileLoading


@pytest.fixture
def tiny(tmp_path):
    return tiny_checkpoints.bert(tmp_path / "tiny")


def test_the_checkpoint_of_the_paper_names_the_download():
    with pytest.raises(FileNotFoundError) as caught:
        load("paper", SmileLoading())
    model, revision = PRESETS["paper"]
    assert (model, len(revision)) == ("llmrails/ember-v1", 40)
    assert str(caught.value).endswith(f": hf download {model} --revision {revision}")


@pytest.mark.parametrize("package", ["sentence_transformers", "torch"])
def test_a_missing_package_is_named_before_the_checkpoint_is_searched(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError) as caught:
        load("default", SmileLoading(model="someone/none"))
    message = f"smile: {package} is not installed, and model='someone/none' needs it: pip install 'evaluate-qa[torch]'"
    assert str(caught.value) == message


def truncated(folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def without_config(folder):
    (folder / "config.json").unlink()


def without_pooling(folder):
    (folder / "1_Pooling" / "config.json").unlink()


def without_a_weight(folder):
    """Transformers would initialize the weight at random."""
    change_weights(folder / "model.safetensors", {"embeddings.position_embeddings.weight": None})


def with_foreign_code(folder):
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["type"] = "os.path"
    (folder / "modules.json").write_text(json.dumps(modules))


def with_an_unknown_method(folder):
    settings = folder / "sentence_bert_config.json"
    settings.write_text(settings.read_text().replace('"forward"', '"backward"'))


@pytest.mark.parametrize(
    "damage",
    [truncated, without_config, without_pooling, without_a_weight, with_foreign_code, with_an_unknown_method],
)
def test_a_broken_checkpoint_raises_one_error(tiny, damage):
    damage(tiny)
    with pytest.raises(
        ValueError, match=rf"smile: tiny in {tiny} does not load as a sentence-transformers checkpoint \("
    ):
        load("default", SmileLoading(model=tiny))


def test_a_checkpoint_without_a_tokenizer_raises(tiny):
    (tiny / "tokenizer.json").unlink()
    with pytest.raises(ValueError, match=r"smile: tiny in .* (has no usable tokenizer|does not load)"):
        load("default", SmileLoading(model=tiny))


def test_disabled_bars_of_datasets_disable_those_of_other_libraries(tiny, capfd):
    capfd.readouterr()
    datasets.disable_progress_bars()
    try:
        load("default", SmileLoading(model=tiny, device="cpu"))
        with pytest.raises(FileNotFoundError):
            load("default", SmileLoading(model="someone/none"))
    finally:
        datasets.enable_progress_bars()
    assert capfd.readouterr() == ("", "")
