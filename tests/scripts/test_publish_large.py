"""`evaluate-qa publish FOLDER` publishes a large matcher, which `bem` loads by its name on the Hub."""

import json
import re
import shutil

import pytest
import torch
from commands import run_command
from huggingface_hub import HfApi, ModelCard
from tiny_mpnet import save_tiny_mpnet

import evaluate_qa
from evaluate_qa.dev.accelerator.sentence_pairs import PAIRS
from evaluate_qa.dev.accelerator.verdicts import TRAINED
from evaluate_qa.metrics._shared.large_matcher import HEAD, build_blank, save_head
from evaluate_qa.publishing import sources, steps
from evaluate_qa.publishing.building import build
from evaluate_qa.publishing.repository import Repository

# huggingface_hub causes this warning when it passes a file to its HTTP library.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

WORDS = "what who is was it the of answer capital france paris"
ROWS = {
    "predictions": ["Paris is the capital", "it was Lyon", "the answer"],
    "references": ["Paris", "Marie Curie", "one of three"],
    "questions": ["What is the capital of France?", "Who was it?", "What is the answer?"],
}
# The words in common decide most, so that the example in the card is right.
LAYERS = {"recall": {"margin": 0.5, "recall": 20.0, "intercept": -10.0}}


@pytest.fixture(scope="module")
def matcher(tmp_path_factory):
    """The folder of a large matcher with a one-layer encoder and random weights, with the teacher's file for `fit`."""
    folder = save_tiny_mpnet(tmp_path_factory.mktemp("large") / "tiny", WORDS, initializer_range=0.5)
    with torch.random.fork_rng():
        torch.manual_seed(0)  # another head could make the example in the card wrong
        network, _ = build_blank(folder)
        torch.nn.init.normal_(network.classifier.weight)
    save_head(network, LAYERS, folder)
    (folder / "teacher.safetensors").write_bytes(b"for training")
    return folder


@pytest.fixture
def copy(matcher, tmp_path):
    return shutil.copytree(matcher, tmp_path / "copy")


def scored(model, **options):
    return evaluate_qa.load("bem", model=model, **options).compute(**ROWS, typed=False)


@pytest.fixture
def published(hub):
    """Uploads a folder as it is, and returns the commit."""
    api = HfApi(endpoint=hub.address, token="hf_write")

    def run(folder):
        api.create_repo(f"org/{folder.name}", exist_ok=True)
        return api.upload_folder(repo_id=f"org/{folder.name}", folder_path=folder, delete_patterns="*").oid

    return run


@pytest.mark.slow
def test_a_published_large_matcher_scores_like_its_folder(matcher, hub, processes, tmp_path):
    run_command("publish", matcher, "--namespace", "org", "--output", tmp_path / "out")
    repository = Repository("model", "org", "tiny", tmp_path / "out", matcher)
    assert {*repository.files()} == {*(path.name for path in matcher.iterdir()), "LICENSE", "README.md"} - {
        "teacher.safetensors"
    }
    assert steps.upload(HfApi(endpoint=hub.address, token="hf_write"), [repository])
    there, here = scored("org/tiny"), scored(matcher)
    assert there == here
    assert re.search(r"\|cls:tiny@[0-9a-f]{8}\|lex:recall", there["signature"])
    assert there["per_example"]["verdict"] == [True, False, False]
    assert len({*there["per_example"]["margin"]}) == 3  # the encoder reads the texts
    text = ModelCard.load(repository.card).text
    assert 'evaluate_qa.load("bem", model="org/tiny")' in text
    assert re.search(r"cls:(tiny@[0-9a-f]{8})", text)[1] in there["signature"]


def test_a_commit_of_a_large_matcher_can_be_pinned(copy, published):
    first, scores = published(copy), scored(copy)
    head, layers = build_blank(copy)[0], {"recall": {"margin": 1.0, "intercept": 0.0}}
    save_head(head, layers, copy)
    published(copy)
    assert scored("org/copy") == scored(copy) != scores
    assert scored("org/copy", model_revision=first) == scores


def damaged(head):
    head.write_bytes(head.read_bytes()[:-1])


def of_another_width(head):
    from safetensors.torch import save_file

    weights = {"weights": json.dumps(LAYERS)}
    save_file({"weight": torch.zeros(2, 4), "bias": torch.zeros(2)}, head, metadata=weights)


def of_a_later_version(head):
    from safetensors.torch import load_file, save_file

    save_file(load_file(head), head, metadata={"weights": json.dumps({"recall": {"margin*style": 1.0}})})


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (damaged, r"head\.safetensors is not the head of a large matcher \(SafetensorError: .*\); copy it or download"),
        (of_another_width, r"head\.safetensors has tensors of the shapes .*\(2, 4\).*; this encoder needs .*\(2, 49\)"),
        (of_a_later_version, r"head\.safetensors uses the features style, which this version does not have"),
        (
            lambda head: head.unlink(),
            r"does not load as a classifier \(.* missing\), and without head\.safetensors it is not a large matcher",
        ),
    ],
)
def test_a_bad_head_on_the_hub_is_an_error(copy, published, change, error):
    change(copy / HEAD)
    published(copy)
    with pytest.raises(ValueError, match=rf"^bem: .*models--org--copy.*{error}"):
        scored("org/copy")


def test_a_damaged_head_is_not_published(copy, tmp_path):
    damaged(copy / HEAD)
    result = run_command("publish", copy, "--namespace", "org", "--output", tmp_path / "out", code=1)
    assert f"It cannot be built: {copy / HEAD} is not the head of a large matcher" in result.stderr
    assert "nothing was uploaded" in result.stderr


def test_the_card_of_another_encoder_is_not_generated(copy, tmp_path):
    config = copy / "config.json"
    config.write_text(config.read_text().replace('"mpnet"', '"bert"'))
    with pytest.raises(ValueError, match=r"copy is of the type 'bert', but the card describes .* all-mpnet-base-v2"):
        build(Repository("model", "org", "copy", tmp_path / "out", copy))


def test_the_folder_of_a_large_matcher_is_recognized(copy, tmp_path, monkeypatch):
    monkeypatch.chdir(copy)
    assert sources.choose_repositories([".", "morqa"]) == [("model", str(copy)), ("dataset", "morqa")]
    with pytest.raises(ValueError, match=r"no '\.\.' to publish\. Available: .*, models, and folders with head\.safe"):
        sources.choose_repositories([".."])
    taken = copy.rename(tmp_path / "matcher")
    with pytest.raises(ValueError, match=r"matcher would replace the model matcher .*\. Rename the folder"):
        sources.choose_repositories([str(taken)])


def test_the_card_names_all_training_data_and_their_licenses(root):
    card = (sources.PACKAGE / "publishing" / "large.md").read_text()
    named = [name for names in PAIRS.values() for name in names.split() if not re.search("_(de|es|fr|zh)$", name)]
    assert [name for name in (*named, *TRAINED) if f"`{name}`" not in card] == []
    rows = [line.strip("| ").split(" | ") for line in card.splitlines() if line.startswith("|")]
    table = (root / "scripts/training/README.md").read_text().partition("## Training data\n")[2].partition("\n\nA ")[0]
    for data, license_, part in (line.strip("| ").split(" | ") for line in table.splitlines()[3:]):
        if part.endswith("; step E1 only"):
            continue  # The large matcher was trained before.
        name = re.split(r"[: ]", data.strip("`"))[0]
        assert any(name in row[0] and license_ in row[1] for row in rows) or name in card.partition("## ")[0], data
