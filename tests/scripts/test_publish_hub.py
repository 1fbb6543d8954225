"""What `evaluate-qa publish` compares and uploads, against a server that speaks the Hub's calls."""

import pytest
import typer
from hub_server import Blob, Hub, serve
from huggingface_hub import HfApi, constants
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from evaluate_qa.publishing import account, sending
from evaluate_qa.publishing.difference import Difference, compare
from evaluate_qa.publishing.repository import Repository
from evaluate_qa.publishing.upload import upload

# huggingface_hub's own: how it hands a file to its HTTP library.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

SPACE = "---\ntitle: Toy\nsdk: gradio\n---\n"


@pytest.fixture
def hub(monkeypatch):
    """The server, as the Hub of this process; at the end it must have known all that it was asked."""
    with serve(Hub()) as server:
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "ENDPOINT", server.address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        yield server
        assert server.unknown == []


@pytest.fixture
def api(hub):
    return HfApi(endpoint=hub.address, token="hf_write")


@pytest.fixture
def space(tmp_path):
    """A Space with files in a folder, and one that goes to LFS."""
    return made(tmp_path, "space", {"README.md": SPACE, "toy.py": "A = 1\n", "space/a.py": "", "clip.mp4": "film"})


def made(root, kind, files, name="toy"):
    """Make the files those of a repository's folder."""
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


def test_a_new_repository_is_created_and_filled_by_one_commit(hub, api, space):
    difference = compare(api, space)
    assert difference == Difference(None, added=("README.md", "clip.mp4", "space/a.py", "toy.py"))
    address = upload(api, space, difference)
    _, last = hub.commits("spaces/org/toy")  # the Hub makes the first itself
    assert address.endswith(last[0])
    assert texts(hub, "spaces/org/toy") == {
        "README.md": SPACE,
        "clip.mp4": "film",
        "space/a.py": "",
        "toy.py": "A = 1\n",
    }
    assert ".gitattributes" in last[1]
    assert {path for path, blob in last[1].items() if blob.lfs} == {"clip.mp4"}


def test_what_is_published_is_not_sent_again(hub, api, space):
    upload(api, space, compare(api, space))
    before = len(hub.writes())
    difference = compare(api, space)
    assert not difference
    assert difference.commit == hub.commits("spaces/org/toy")[-1][0]
    assert len(hub.writes()) == before


def test_only_what_differs_is_sent(hub, api, space, tmp_path):
    upload(api, space, compare(api, space))
    hub.asked.clear()
    # The program changes and keeps its size; one file of the folder goes, another comes.
    made(tmp_path, "space", {"README.md": SPACE, "toy.py": "A = 2\n", "space/b.py": "", "clip.mp4": "film"})
    difference = compare(api, space)
    assert (difference.added, difference.changed, difference.deleted) == (("space/b.py",), ("toy.py",), ("space/a.py",))
    upload(api, space, difference)
    assert texts(hub, "spaces/org/toy") == {
        "README.md": SPACE,
        "toy.py": "A = 2\n",
        "space/b.py": "",
        "clip.mp4": "film",
    }
    assert not [path for _, path in hub.asked if "lfs" in path]
    assert len(hub.commits("spaces/org/toy")) == 3


def test_large_files_are_compared_by_their_content(hub, api, space, tmp_path):
    upload(api, space, compare(api, space))
    made(tmp_path, "space", {"README.md": SPACE, "toy.py": "A = 1\n", "space/a.py": "", "clip.mp4": "cine"})
    difference = compare(api, space)
    assert difference.changed == ("clip.mp4",)
    upload(api, space, difference)
    assert hub.files("spaces/org/toy")["clip.mp4"] == b"cine"


NAMES = st.sampled_from(["README.md", "a.py", "b.safetensors", "folder/a.py", "folder/in/b.mp4", "ü ä.txt"])
FILES = st.dictionaries(NAMES, st.sampled_from(["", "x", "y", "---\nlicense: mit\n---\n"]), max_size=6)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=FILES, after=FILES)
def test_the_hub_ends_up_with_the_folder_whatever_it_had(hub, api, tmp_path_factory, before, after):
    hub.repositories.clear()
    root = tmp_path_factory.mktemp("any")
    hub.commit("datasets/org/toy", {path: _blob(path, text) for path, text in before.items()})
    if text := after.get("README.md"):
        after["README.md"] = text if text.startswith("---") else f"---\nlicense: {text}\n---\n"
    repository = made(root, "dataset", {path: text for path, text in after.items() if path != "README.md" or text})
    wanted = {path: file.read_text() for path, file in repository.files().items()}
    difference = compare(api, repository)
    assert bool(difference) == (wanted != before)
    if difference:
        upload(api, repository, difference)
    assert texts(hub, "datasets/org/toy") == wanted
    assert not compare(api, repository)


def _blob(path, text):
    return Blob(text.encode(), lfs=path.endswith((".safetensors", ".mp4")) and bool(text))


def test_versions_of_a_model_stay_because_metrics_of_the_same_version_need_them(hub, api, tmp_path):
    old = made(tmp_path, "model", {"README.md": SPACE, "0a/matcher.safetensors": "old", "notes.md": "old"})
    upload(api, old, compare(api, old))
    new = made(tmp_path, "model", {"README.md": SPACE, "1b/matcher.safetensors": "new"})
    difference = compare(api, new)
    assert (difference.added, difference.deleted) == (("1b/matcher.safetensors",), ("notes.md",))
    upload(api, new, difference)
    assert set(texts(hub, "models/org/toy")) == {"README.md", "0a/matcher.safetensors", "1b/matcher.safetensors"}
    assert not compare(api, new)


# -- what goes wrong -------------------------------------------------------------------------------------------------


@pytest.fixture
def three(tmp_path):
    card = {"README.md": "---\nlicense: mit\n---\n"}
    return [
        made(tmp_path, "model", {**card, "m.safetensors": "weights"}, "one"),
        made(tmp_path, "dataset", {**card, "d.parquet": "rows"}, "two"),
        made(tmp_path, "space", {"README.md": SPACE}, "three"),
    ]


def at_commit_of(name, accident):
    return lambda method, path: accident if path == f"/api/{name}/commit/main" else None


def run(action):
    """Run it as a command does; return what it gives and what is said."""
    given = []
    app = typer.Typer()
    app.command()(lambda: given.append(action()))
    result = CliRunner().invoke(app, [], catch_exceptions=False)
    return given[0], result.stdout, result.stderr


@pytest.mark.parametrize(("accident", "why"), [("drop", "does not answer"), (503, "answered 503"), (403, "may not do")])
def test_an_upload_that_breaks_off_is_told_and_the_next_one_finishes_it(hub, api, three, accident, why):
    hub.accident = at_commit_of("datasets/org/two", accident)
    done, said, complained = run(lambda: sending.send(api, sending.differences(api, three)))
    assert done is False
    assert "[1/3] models/org/one: published" in said
    assert "evaluate-qa publish: datasets/org/two: http" in complained
    assert why in complained
    assert "not published: datasets/org/two, spaces/org/three. The same command again" in complained
    assert "d.parquet" not in hub.files("datasets/org/two")

    hub.accident = Hub.accident
    hub.asked.clear()
    done, said, complained = run(lambda: sending.send(api, sending.differences(api, three)))
    assert done is True
    assert "models/org/one: as published" in said
    assert "publish" not in complained
    assert hub.files("datasets/org/two")["d.parquet"] == b"rows"
    assert "README.md" in hub.files("spaces/org/three")
    assert not [path for method, path in hub.asked if method == "PUT"]  # the large file had arrived before


def test_a_commit_whose_answer_was_lost_is_not_made_twice(hub, api, three):
    hub.accident = at_commit_of("spaces/org/three", "drop after")
    assert run(lambda: sending.send(api, sending.differences(api, three)))[0] is False
    hub.accident = Hub.accident
    assert run(lambda: sending.differences(api, three))[0] == {}


def test_what_someone_else_committed_meanwhile_is_not_overwritten(hub, api, space, tmp_path):
    upload(api, space, compare(api, space))
    made(tmp_path, "space", {"README.md": SPACE, "toy.py": "A = 2\n"})
    difference = compare(api, space)
    hub.commit("spaces/org/toy", {"toy.py": Blob(b"A = 3\n", lfs=False)})
    with pytest.raises(OSError, match="412") as refused:
        upload(api, space, difference)
    assert "answered 412. A commit has happened since" in account.explained(refused.value)
    assert "Someone else has changed the repository" in account.explained(refused.value)
    assert hub.files("spaces/org/toy") == {"toy.py": b"A = 3\n"}


def test_a_large_file_that_does_not_arrive_is_told_by_its_cause(hub, api, three):
    hub.accident = lambda method, path: 400 if method == "PUT" else None
    done, _, complained = run(lambda: sending.send(api, sending.differences(api, three)))
    assert done is False
    assert "models/org/one: Error while uploading 'm.safetensors' to the Hub. http" in complained
    assert "answered 400" in complained


def test_the_hub_looks_at_all_cards_before_the_first_upload(hub, three):
    three[2].card.write_text("---\nemoji: no picture\n---\n")
    done, _, complained = run(lambda: sending.validate_cards(three))
    assert done is False
    assert 'spaces/org/three: README.md: the Hub refuses its front matter: "emoji" must be an emoji' in complained
    assert hub.writes() == []


@pytest.mark.parametrize(
    ("token", "namespace", "told"),
    [
        ("hf_read", "org", "the token of writer may only read; make one that may write"),
        ("hf_write", "strangers", "writer cannot write to the namespace strangers, only to writer, org"),
        ("hf_write", "b", "cannot write to the namespace b"),  # an organisation in which writer only reads
        ("hf_none", "org", "answered 401"),
    ],
)
def test_who_may_not_write_is_told_before_anything_is_built(hub, token, namespace, told):
    with pytest.raises(OSError, match=r".") as refused:
        account.check(HfApi(endpoint=hub.address, token=token), namespace)
    assert told in account.explained(refused.value)
    assert "\n" not in account.explained(refused.value)


@pytest.mark.parametrize("namespace", ["org", "writer"])
def test_who_may_write_is_let_through(hub, api, namespace):
    account.check(api, namespace)


def test_a_missing_token_is_told(hub, monkeypatch, tmp_path):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "none"))
    with pytest.raises(PermissionError, match=r"there is no token for the Hub\. Make one that may write at .* hf auth"):
        account.check(HfApi(endpoint=hub.address), "org")


def test_no_network_is_told(hub, monkeypatch):
    # Port 9 is "discard", which nothing here listens to.
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(account.errors()) as failed:
        account.check(HfApi(endpoint="http://127.0.0.1:9", token="hf_write"), "org")
    assert account.explained(failed.value).startswith("http://127.0.0.1:9 does not answer (ConnectError")
    assert account.explained(failed.value).endswith("is there a network?")


def test_offline_mode_is_told(hub, api, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(account.errors()) as failed:
        account.check(api, "org")
    assert account.explained(failed.value) == "HF_HUB_OFFLINE is set, so the Hub is not asked; unset it"
