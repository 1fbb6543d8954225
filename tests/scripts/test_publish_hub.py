"""`evaluate-qa publish` uploads the files that differ, to a server that speaks the Hub's API."""

from dataclasses import replace

import pytest
import typer
from hub_server import Hub
from huggingface_hub import HfApi, constants
from typer.testing import CliRunner

from evaluate_qa.publishing import steps
from evaluate_qa.publishing.repository import Repository

# huggingface_hub causes this warning when it passes a file to its HTTP library.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

CARD = "---\ntitle: Toy\nsdk: gradio\nlicense: mit\n---\n"


@pytest.fixture
def upload(hub):
    api = HfApi(endpoint=hub.address, token="hf_write")

    def run(*repositories):
        returned = []
        app = typer.Typer()
        app.command()(lambda: returned.append(steps.upload(api, repositories)))
        result = CliRunner().invoke(app, [], catch_exceptions=False)
        return returned[0], result.stdout, result.stderr

    return run


def made(root, kind, files, name="toy"):
    repository = Repository(kind, "org", name, root)
    for old in repository.files().values():
        old.unlink()
    for path, text in files.items():
        file = repository.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return repository


def texts(hub, name):
    return {path: content.decode() for path, content in hub.files(name).items() if path != ".gitattributes"}


FIRST = {"README.md": CARD, "toy.py": "A = 1\n", "space/a.py": "", "clip.mp4": "film"}
# A program and a large file change without changing their size, one file is removed, and one is added.
SECOND = {"README.md": CARD, "toy.py": "A = 2\n", "space/b.py": "", "clip.mp4": "cine"}


def test_upload_makes_the_repository_equal_to_the_folder(hub, upload, tmp_path):
    done, printed, _ = upload(made(tmp_path, "space", FIRST))
    assert done
    assert hub.commits("spaces/org/toy")[-1][0] in printed
    assert texts(hub, "spaces/org/toy") == FIRST
    assert len(hub.commits("spaces/org/toy")) == 2  # the Hub makes the first one itself
    upload(made(tmp_path, "space", SECOND))
    assert texts(hub, "spaces/org/toy") == SECOND
    assert ".gitattributes" in hub.files("spaces/org/toy")


def test_a_space_is_created_with_the_sdk_of_its_card(hub, upload, tmp_path):
    upload(made(tmp_path, "space", {"README.md": CARD.replace("gradio", "static"), "index.html": "<p>"}))
    _, files = hub.commits("spaces/org/toy")[0]  # the Hub's own commit
    assert files["README.md"].content == b"---\nsdk: static\n---\n"


def test_published_files_are_not_uploaded_again(hub, upload, tmp_path):
    upload(made(tmp_path, "space", FIRST))
    hub.asked.clear()
    assert upload(made(tmp_path, "space", FIRST | {"toy.py": "A = 2\n"}))[0]
    assert not [path for method, path in hub.asked if method == "PUT"]
    assert len(hub.commits("spaces/org/toy")) == 3


def test_older_files_of_a_model_stay(hub, upload, tmp_path):
    upload(made(tmp_path, "model", {"README.md": CARD, "0a/matcher.safetensors": "old"}))
    upload(made(tmp_path, "model", {"README.md": CARD, "1b/matcher.safetensors": "new"}))
    assert set(texts(hub, "models/org/toy")) == {"README.md", "0a/matcher.safetensors", "1b/matcher.safetensors"}


def test_older_files_of_a_large_matcher_are_removed(hub, upload, tmp_path):
    for file in ("old.json", "new.json"):
        upload(replace(made(tmp_path, "model", {"README.md": CARD, file: "{}"}), source=tmp_path))
    assert set(texts(hub, "models/org/toy")) == {"README.md", "new.json"}


@pytest.fixture
def three(tmp_path):
    return [
        made(tmp_path, "model", {"README.md": CARD, "m.safetensors": "weights"}, "one"),
        made(tmp_path, "dataset", {"README.md": CARD, "d.parquet": "rows"}, "two"),
        made(tmp_path, "space", {"README.md": CARD}, "three"),
    ]


@pytest.mark.parametrize(("accident", "error"), [("drop", "does not answer"), (503, "503"), (403, "403")])
def test_a_failed_upload_is_reported_and_the_next_one_finishes_it(hub, upload, three, accident, error):
    hub.accident = lambda method, path: accident if path == "/api/datasets/org/two/commit/main" else None
    done, printed, errors = upload(*three)
    assert done is False
    assert "[1/3] models/org/one: published" in printed
    assert "evaluate-qa publish: datasets/org/two: " in errors
    assert error in errors
    assert "Not published: datasets/org/two, spaces/org/three. Run the same command again" in errors
    assert "d.parquet" not in hub.files("datasets/org/two")
    hub.accident = Hub.accident
    assert upload(*three)[0] is True
    assert hub.files("datasets/org/two")["d.parquet"] == b"rows"
    assert "README.md" in hub.files("spaces/org/three")


def test_a_large_file_that_fails_is_reported_with_the_cause(hub, upload, three):
    hub.accident = lambda method, path: 400 if method == "PUT" else None
    _, _, errors = upload(*three)
    assert "models/org/one: Error while uploading 'm.safetensors' to the Hub." in errors
    assert "an accident" in errors


@pytest.mark.parametrize(
    ("token", "namespace", "error"),
    [
        ("hf_read", "org", "The token of writer has read access only. Create a token with write access"),
        ("hf_write", "strangers", "writer cannot write to the namespace strangers, only to writer, org"),
        ("hf_write", "b", "cannot write to the namespace b"),  # writer has read access to this organization
        ("hf_none", "org", "Invalid user token"),
    ],
)
def test_an_account_that_may_not_write_is_refused(hub, token, namespace, error):
    with pytest.raises(steps.ERRORS) as refused:
        steps.check_account(HfApi(endpoint=hub.address, token=token), namespace)
    assert error in steps.explain(refused.value)
    assert "\n" not in steps.explain(refused.value)


@pytest.mark.parametrize("namespace", ["org", "writer"])
def test_an_account_that_may_write_is_accepted(hub, namespace):
    steps.check_account(HfApi(endpoint=hub.address, token="hf_write"), namespace)


def test_a_missing_token_is_reported(hub, monkeypatch, tmp_path):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "none"))
    with pytest.raises(PermissionError, match=r"There is no token for the Hub\. Create a token .* hf auth login"):
        steps.check_account(HfApi(endpoint=hub.address), "org")


def test_a_missing_network_is_reported(hub, monkeypatch):
    # Nothing listens on port 9 (discard).
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(steps.ERRORS) as failed:
        steps.check_account(HfApi(endpoint="http://127.0.0.1:9", token="hf_write"), "org")
    assert steps.explain(failed.value).startswith("http://127.0.0.1:9 does not answer (ConnectError")
