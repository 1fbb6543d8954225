"""`evaluate-qa publish` builds repositories: files, names, requirements."""

import importlib.metadata
import re

import pytest
from huggingface_hub import ModelCard, SpaceCard
from packaging.requirements import Requirement

from evaluate_qa.loading import METRICS
from evaluate_qa.metrics._shared import matcher
from evaluate_qa.publishing import sources, trial_run
from evaluate_qa.publishing.building import build, in_namespace
from evaluate_qa.publishing.repository import Repository
from evaluate_qa.publishing.requirements import pin_requirements
from evaluate_qa.standalone import metric_files

SPACES = [name for name in sources.names("space") if name not in sources.pages()]


@pytest.fixture
def space(tmp_path):
    """The Space of a metric without a model."""
    space = Repository("space", "org", "deltableu", tmp_path / "built")
    build(space)
    return space


# -- Spaces ----------------------------------------------------------------------------------------------------------


def test_a_space_holds_the_metric_the_app_and_the_modules_that_it_needs(space):
    files = space.files()
    flat = {name for name in files if "/" not in name}
    assert {"LICENSE", "README.md", "app.py", "deltableu.py", "requirements.txt", "shared_adapter.py"} <= flat
    assert {name: files[name].read_text() for name in flat if name in metric_files("deltableu")} == {
        name: in_namespace(text, "org") for name, text in metric_files("deltableu").items()
    }
    package = {name for name in files if name.startswith("evaluate_qa/")}
    assert {"evaluate_qa/__init__.py", "evaluate_qa/spaces/_shared/drawing/style.css"} <= package
    assert "evaluate_qa/metrics/deltableu/README.md" in package
    assert not [name for name in package if "/smile/" in name or "/commands/" in name or name.endswith("safetensors")]
    assert "Apache License" in files["LICENSE"].read_text()


def test_demo_model_and_clips_are_in_a_space_once(tmp_path):
    space = Repository("space", "org", "evqascore", tmp_path / "built")
    build(space)
    assert [name for name in space.files() if name.endswith(("model.safetensors", "red_square.mp4"))] == [
        "clips/red_square.mp4",
        "evaluate_qa/metrics/evqascore/demo_clip/model.safetensors",
    ]


def test_card_of_a_space_is_the_metrics_card_with_the_version_of_gradio(space):
    of_metric, card = SpaceCard.load(METRICS / "deltableu" / "README.md"), SpaceCard.load(space.card)
    (gradio,) = (line for line in space.files()["requirements.txt"].read_text().splitlines() if "gradio==" in line)
    assert f"gradio=={card.data.sdk_version}" == gradio
    assert card.data.to_dict() == of_metric.data.to_dict() | {"sdk_version": card.data.sdk_version}
    assert card.text == in_namespace(of_metric.text, "org")


def test_a_static_space_is_its_page_and_card(tmp_path):
    space = Repository("space", "org", "board", tmp_path)
    build(space)
    assert {*space.files()} == {"LICENSE", "README.md", "index.html"}
    assert SpaceCard.load(space.card).data.sdk == "static"
    assert space.files()["index.html"].read_text().startswith("<!doctype html>")


def test_failing_examples_are_reported_and_run_without_this_package(space, processes, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", processes.path_without_torch(tmp_path))
    right, wrong = "(45.34, [70.0, 39.76])", "(45.35, [70.0, 39.76])"
    card = space.card.read_text().replace(f"{right}\n", f"{wrong}\n>>> __import__('evaluate_qa')\n")
    space.card.write_text(card)
    found = trial_run.problems(space)
    assert len(found) == 1
    assert f"Expected:\n        {wrong}\n    Got:\n        {right}" in found[0]
    assert "ModuleNotFoundError: import of evaluate_qa halted" in found[0]


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('evaluate.load("smile", "paper")', 'evaluate.load("org/smile", "paper")'),
        ("evaluate.load('nli_lex')", "evaluate.load('org/nli_lex')"),
        ('evaluate.load("squad")', 'evaluate.load("squad")'),
        ('load(endpoint=URL, first="bem")', 'load(endpoint=URL, first="org/bem")'),
        ('{"first": "bem"}, {"first": name}', '{"first": "org/bem"}, {"first": name}'),
        ('evaluate.load("path/to/smile")', 'evaluate.load("path/to/smile")'),
        ('REPOSITORY = "evaluate-qa/matcher"', 'REPOSITORY = "org/matcher"'),
        ("see evaluate-qa/evouna, or evaluate-qa/other", "see org/evouna, or evaluate-qa/other"),
        ("pip install evaluate-qa", "pip install evaluate-qa"),
        ("[bem](../bem/README.md).", "[bem](https://huggingface.co/spaces/org/bem)."),
        ("[me](../mine/README.md)", "[me](../mine/README.md)"),
    ],
)
def test_names_are_put_into_the_namespace(text, expected):
    assert in_namespace(text, "org") == expected


@pytest.mark.parametrize("repository", ["/smile", "a/b/smile", "-a/smile", "a b/smile", "../smile", "org/my folder"])
def test_invalid_name_is_refused(repository, tmp_path):
    namespace, _, name = repository.rpartition("/")
    with pytest.raises(ValueError, match=rf"'{repository}' cannot be the name of a repository on the Hub: .*Repo id"):
        Repository("space", namespace, name, tmp_path)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["smile"], {"spaces": {"smile"}}),
        (["bem", "smile"], {"models": {"matcher"}, "spaces": {"bem", "smile"}}),
        (["judge"], {"models": {"matcher"}, "spaces": {"bem", "judge"}}),
        (["evouna"], {"datasets": {"evouna"}}),
        (["models"], {"models": {"matcher"}}),
        (["datasets"], {"datasets": {"evouna", "diver_qa", "morqa"}}),
        (["smile", "models"], {"models": {"matcher"}, "spaces": {"smile"}}),
        (["metrics"], {"models": {"matcher"}, "spaces": {*SPACES, "board"}}),
    ],
)
def test_selection_adds_the_repositories_that_a_metric_needs(names, expected):
    chosen = sources.choose_repositories(names)
    assert {f"{kind}s": {name for other, name in chosen if other == kind} for kind, _ in chosen} == expected
    assert [kind for kind, _ in chosen] == sorted((kind for kind, _ in chosen), key=["model", "dataset", "space"].index)


def test_unknown_name_is_refused():
    with pytest.raises(ValueError, match=r"no 'smlie' to publish\. Available: .*smile.*evouna.*matcher"):
        sources.choose_repositories(["smile", "smlie"])


def test_requirements_are_pinned():
    constraints = "# pins\ndatasets==5.2.0\nevaluate==0.4.6\n"
    constraints += "A_b==1.0 ; python_full_version < '3.11'\na-b==2.0 ; python_full_version >= '3.11'\n"
    pinned = pin_requirements(["a.B[x]>=1", "a_b"], constraints)
    assert pinned.splitlines()[0] == 'a-b[x]==1.0 ; python_full_version < "3.11"'
    with pytest.raises(ValueError, match=r"constraints\.txt has no version of other"):
        pin_requirements(["other"], constraints)


# -- what there is in this package -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    root = tmp_path_factory.mktemp("all")
    repositories = [Repository("space", "org", name, root) for name in SPACES]
    for repository in [*repositories, Repository("model", "org", "matcher", root)]:
        build(repository)
    return root


def test_our_model_is_where_the_metrics_look_for_it(built):
    model = Repository("model", "org", "matcher", built)
    assert set(model.files()) == {"LICENSE", "README.md", matcher.PUBLISHED}
    assert model.files()[matcher.PUBLISHED].read_bytes() == matcher.find_matcher("bem").read_bytes()
    text = ModelCard.load(model.card).text
    for heading in ("How to Use", "The Embedded Matcher", "Limitations and Bias"):
        assert f"\n## {heading}\n" in text
    for name in {"bem", "nli_lex"} & {*SPACES}:
        assert 'REPOSITORY = "org/matcher"' in (built / "spaces" / "org" / name / "shared_matcher.py").read_text()


def test_modules_of_a_space_have_their_data_as_text_or_beside_them(built):
    space = Repository("space", "org", "bem", built)
    files = {name: file.read_text() for name, file in space.files().items() if "place" in name}
    data = files["evaluate_qa/metrics/_values/place_names.tsv"]
    assert "UNICODE LICENSE" in data
    assert repr(data) in files["values_places.py"]


@pytest.mark.parametrize("name", SPACES)
def test_cards_of_our_spaces_name_the_published_metric_and_have_no_broken_links(built, name):
    space = Repository("space", "org", name, built)
    text = space.card.read_text()
    assert "evaluate-qa install" not in text
    assert f'evaluate.load("{name}"' not in text
    assert f'>>> {name} = evaluate.load("org/{name}"' in text
    links = re.findall(r"\]\((?![a-z]+:|#)([^)#]+)", text)
    assert [link for link in links if not (space.folder / link).exists()] == []


@pytest.mark.parametrize("name", SPACES)
def test_requirements_of_our_spaces_are_the_installed_versions(built, name):
    lines = (built / "spaces" / "org" / name / "requirements.txt").read_text().splitlines()
    here = [requirement for requirement in map(Requirement, lines) if _applies(requirement)]
    assert len({requirement.name for requirement in here}) == len(here)
    for requirement in here:
        assert importlib.metadata.version(requirement.name) in requirement.specifier, requirement


def _applies(requirement):
    return requirement.marker is None or requirement.marker.evaluate()
