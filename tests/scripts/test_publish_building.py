"""What `evaluate-qa publish` builds and finds wrong before anything is asked of the Hub."""

import ast
import importlib.metadata
import shutil
import sys
from pathlib import Path

import pytest
from evaluate_qa.metrics._shared import matcher
from evaluate_qa.publish import selection
from evaluate_qa.publishing import checks, sources, trial_run
from evaluate_qa.publishing.building import build
from evaluate_qa.publishing.naming import in_namespace
from evaluate_qa.publishing.repository import Repository
from evaluate_qa.publishing.requirements import pinned
from huggingface_hub import ModelCard, SpaceCard
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from toy_metric import write_toy_metric

SPACES = sorted(path.parent.name for path in (sources.PACKAGE / "spaces").glob("*/app.py"))

CARD = """\
---
title: Toy
emoji: 🧸
colorFrom: red
colorTo: gray
sdk: gradio
app_file: app.py
license: apache-2.0
tags:
  - evaluate
  - metric
description: A toy.
---

# Card

```python
>>> import evaluate
>>> toy = evaluate.load("org/toy")
>>> toy.compute(predictions=["a b"], references=["a c"], per_example=False)["toy"]
MODEL LOADED
0.5

```
"""  # the toy says when its model is loaded


@pytest.fixture
def package(tmp_path, monkeypatch, root):
    """A package with a metric of which a file is a link, and its app, of which a folder is one."""
    folder = tmp_path / "package"
    (folder / "metrics").mkdir(parents=True)
    (folder / "datasets_scripts").mkdir()
    toy = write_toy_metric(folder / "metrics")
    (toy / "arguments.py").rename(folder / "arguments.py")
    (toy / "arguments.py").symlink_to("../../arguments.py")
    (toy / "__pycache__").mkdir()
    (toy / "__pycache__" / "toy.pyc").touch()
    (toy / "README.md").write_text(CARD)
    (toy / "requirements.txt").write_text("numpy>=1.26\ntqdm>=4.66\n")
    app = folder / "spaces" / "toy"
    app.mkdir(parents=True)
    (app / "app.py").write_text("from space import frame\n")
    (app.parent / "_shared").mkdir()
    (app.parent / "_shared" / "frame.py").write_text("FRAME = 1\n")
    (app.parent / "_shared" / "requirements.txt").write_text("evaluate>=0.4\ngradio>=6\nnumpy>=1.26\n")
    (app / "space").symlink_to("../_shared")
    (app / "clip.mp4").write_bytes(b"\0film")
    (app / "README.md").write_text("# How to run it\n")
    (app / "requirements.txt").write_text("-r ../../metrics/toy/requirements.txt\n-r ../_shared/requirements.txt\n")
    shutil.copyfile(root / "scripts" / "constraints.txt", folder / "constraints.txt")
    monkeypatch.setattr(sources, "PACKAGE", folder)
    return folder


@pytest.fixture
def toy(package, tmp_path):
    return Repository("space", "org", "toy", tmp_path / "built")


# -- Spaces ----------------------------------------------------------------------------------------------------------


def test_a_space_holds_metric_and_app_as_regular_files(toy, package):
    build(toy)
    assert set(toy.files()) == {
        "LICENSE",
        "README.md",
        "app.py",
        "arguments.py",
        "clip.mp4",
        "requirements.txt",
        "shell.py",
        "space/frame.py",
        "toy.py",
    }
    assert not [path for path in toy.folder.rglob("*") if path.is_symlink()]
    assert toy.files()["arguments.py"].read_bytes() == (package / "arguments.py").read_bytes()
    assert toy.files()["space/frame.py"].read_text() == "FRAME = 1\n"
    assert toy.files()["clip.mp4"].read_bytes() == b"\0film"
    assert "Apache License" in toy.files()["LICENSE"].read_text()


def test_its_card_is_the_metrics_with_the_version_of_gradio(toy, package):
    build(toy)
    of_metric, card = SpaceCard.load(package / "metrics" / "toy" / "README.md"), SpaceCard.load(toy.card)
    (gradio,) = (line for line in toy.files()["requirements.txt"].read_text().splitlines() if "gradio" in line)
    assert f"gradio=={card.data.sdk_version}" == gradio
    assert card.data.to_dict() == of_metric.data.to_dict() | {"sdk_version": card.data.sdk_version}
    assert card.text == of_metric.text


def test_its_requirements_are_those_of_both_in_the_tested_versions(toy):
    build(toy)
    lines = toy.files()["requirements.txt"].read_text().splitlines()
    assert [Requirement(line).name for line in lines] == ["evaluate", "gradio", *["numpy"] * 3, "tqdm"]
    constraints = (sources.PACKAGE / "constraints.txt").read_text().splitlines()
    pins = {Requirement(line) for line in constraints if not line.startswith("#")}
    assert {Requirement(line) for line in lines} <= pins


def test_a_file_that_metric_and_app_both_have_is_refused(toy, package):
    (package / "spaces" / "toy" / "arguments.py").touch()
    with pytest.raises(ValueError, match=r"metric and app of toy both have a file arguments\.py"):
        build(toy)


def test_a_metric_without_an_app_is_refused(toy, package):
    shutil.rmtree(package / "spaces")
    with pytest.raises(FileNotFoundError, match=r"there is no app for toy: .*app\.py is missing"):
        build(toy)


def test_a_card_without_front_matter_is_refused(toy, package):
    (package / "metrics" / "toy" / "README.md").write_text("# Toy\n")
    with pytest.raises(ValueError, match="has no front matter"):
        build(toy)


def test_a_good_folder_has_no_problems(toy):
    build(toy)
    assert checks.problems(toy) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("license: apache-2.0\n", "", "the front matter has no license; add it"),
        ("title: Toy\n", "", "the front matter has no title"),
        ("colorTo: gray", "colorTo: grey", "colorTo is 'grey'; expected one of blue, gray"),
        ("app_file: app.py", "app_file: main.py", "app_file is 'main.py', which is not in the folder"),
        ("sdk: gradio", "sdk: docker", "sdk is 'docker'; expected 'gradio'"),
        ("  - metric\n", "", "tags lack metric"),
        ("title: Toy", "title: [Toy", "its front matter is no YAML"),
        (">>> import evaluate\n", ">>>import evaluate\n", "an example cannot be read"),
        (".compute", ".add", "no example (>>>) loads the metric and computes"),
        ("org/toy", "toy", "no example (>>>) loads the metric"),
        ("# Card", "[more](more.md)", "the link more.md leads to nothing in the folder"),
        ("# Card", "![a picture](pictures/a.png)", "the link pictures/a.png leads to nothing"),
        ("# Card", "# Card\n\n[below](#results)", "the link #results leads to no heading"),
    ],
)
def test_what_is_wrong_with_a_card_is_told(toy, old, new, told):
    build(toy)
    card = toy.card.read_text()
    assert old in card
    toy.card.write_text(card.replace(old, new))
    found = checks.problems(toy)
    assert len(found) == 1
    assert found[0].startswith("README.md: ")
    assert told in found[0]


def test_links_that_lead_somewhere_are_no_problem(toy):
    build(toy)
    text = "[a](toy.py) [b](#is-it-right) <https://x.org> [c](https://x.org/a.md) [d](mailto:a@x.org)"
    toy.card.write_text(f"{toy.card.read_text()}\n## Is it right?\n\n{text}\n\n```\n[e](none.md)\n```\n")
    assert checks.problems(toy) == []


def test_a_program_that_is_none_is_told_with_its_line(toy):
    build(toy)
    (toy.folder / "app.py").write_text("import gradio\nx = = 1\n")
    assert checks.problems(toy) == ["app.py: line 2 is no Python: invalid syntax"]


@pytest.mark.usefixtures("processes")
def test_examples_that_fail_are_told_and_this_package_is_not_there(toy):
    build(toy)
    card = toy.card.read_text().replace("\n0.5\n", "\n0.7\n>>> __import__('evaluate_qa')\n")
    toy.card.write_text(card)
    found = trial_run.problems(toy)
    assert len(found) == 1
    assert "Expected:\n        MODEL LOADED\n        0.7\n    Got:\n        MODEL LOADED\n        0.5" in found[0]
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
def test_texts_have_the_names_of_their_namespace(text, expected):
    assert in_namespace(text, "org") == expected


@pytest.mark.parametrize("namespace", ["", "a/b", "-a", "a b", "..", "../a"])
def test_a_namespace_that_cannot_be_is_refused(namespace, tmp_path):
    with pytest.raises(ValueError, match="cannot be a user or organisation of the Hub"):
        Repository("space", namespace, "smile", tmp_path)


@pytest.mark.parametrize(
    ("names", "datasets", "models", "expected"),
    [
        (["smile"], False, False, {"spaces": {"smile"}}),
        (["bem", "smile"], False, False, {"models": {"matcher"}, "spaces": {"bem", "smile"}}),
        (["judge"], False, False, {"models": {"matcher"}, "spaces": {"bem", "judge"}}),
        (["evouna"], False, False, {"datasets": {"evouna"}}),
        ([], False, True, {"models": {"matcher"}}),
        ([], True, False, {"datasets": {"evouna", "diver_qa", "morqa"}}),
        (["smile"], False, True, {"models": {"matcher"}, "spaces": {"smile"}}),
        ([], False, False, {"models": {"matcher"}, "spaces": {*SPACES}}),
    ],
)
def test_what_is_chosen(names, datasets, models, expected):
    chosen = selection(names, datasets, models)
    assert {f"{kind}s": {name for other, name in chosen if other == kind} for kind, _ in chosen} == expected
    assert [kind for kind, _ in chosen] == sorted((kind for kind, _ in chosen), key=["model", "dataset", "space"].index)


def test_an_unknown_name_is_told_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"no 'smlie' to publish; expected some of .*smile.*evouna.*matcher"):
        selection(["smile", "smlie"], False, False)


def test_versions_that_are_not_pinned_or_not_wanted_are_told():
    constraints = "# pins\ndatasets==5.2.0\nevaluate==0.4.6\n"
    constraints += "A_b==1.0 ; python_full_version < '3.11'\na-b==2.0 ; python_full_version >= '3.11'\n"
    assert pinned(["a.B[x]>=1", "a_b"], constraints).splitlines()[0] == 'a-b[x]==1.0 ; python_full_version < "3.11"'
    with pytest.raises(ValueError, match=r"constraints\.txt has no version of other"):
        pinned(["other"], constraints)
    with pytest.raises(ValueError, match=r"has A_b==1\.0.*, but a Space needs a-b>=2; renew"):
        pinned(["a-b>=2"], constraints)


# -- what there is in this package -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """All Spaces of this package, and the model."""
    root = tmp_path_factory.mktemp("all")
    repositories = [Repository("space", "org", name, root) for name in SPACES]
    for repository in [*repositories, Repository("model", "org", "matcher", root)]:
        build(repository)
    return root


@pytest.mark.parametrize("name", SPACES)
def test_our_spaces_are_in_order(built, name):
    space = Repository("space", "org", name, built)
    assert checks.problems(space) == []
    assert not [path for path in space.folder.rglob("*") if path.is_symlink()]
    text = space.card.read_text()
    assert "evaluate-qa install" not in text
    assert f'evaluate.load("{name}"' not in text


def test_our_model_is_in_order_and_where_the_metrics_look_for_it(built):
    model = Repository("model", "org", "matcher", built)
    assert checks.problems(model) == []
    assert set(model.files()) == {"LICENSE", "README.md", matcher.PUBLISHED}
    assert model.files()[matcher.PUBLISHED].read_bytes() == matcher.find("bem").read_bytes()
    text = ModelCard.load(model.card).text
    for heading in ("How to use", "The embedded matcher", "Limitations and bias"):
        assert f"\n## {heading}\n" in text
    for name in {"bem", "nli_lex"} & {*SPACES}:
        assert 'REPOSITORY = "org/matcher"' in (built / "spaces" / "org" / name / "matcher.py").read_text()


@pytest.mark.parametrize("name", SPACES)
def test_the_requirements_of_our_spaces_are_the_versions_that_the_tests_run_with(built, name):
    lines = (built / "spaces" / "org" / name / "requirements.txt").read_text().splitlines()
    here = [requirement for requirement in map(Requirement, lines) if _applies(requirement)]
    assert len({requirement.name for requirement in here}) == len(here)
    for requirement in here:
        assert importlib.metadata.version(requirement.name) in requirement.specifier, requirement


def _applies(requirement):
    return requirement.marker is None or requirement.marker.evaluate()


@pytest.mark.parametrize("name", SPACES)
def test_what_our_spaces_import_when_they_start_is_required(built, name):
    folder = built / "spaces" / "org" / name
    lines = (folder / "requirements.txt").read_text().splitlines()
    required = {canonicalize_name(Requirement(line).name) for line in lines}
    own = {path.stem for path in folder.iterdir()} | {"space"}
    distributions = importlib.metadata.packages_distributions()
    for module in _imported(folder) - own - set(sys.stdlib_module_names):
        assert required & {canonicalize_name(found) for found in distributions[module]}, module


def _imported(folder: Path) -> set[str]:
    """What stands at the top of modules; what functions import is for options, or comes with another package."""
    nodes = [node for path in folder.rglob("*.py") for node in ast.parse(path.read_text()).body]
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    whence = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level and node.module}
    return {name.split(".")[0] for name in plain | whence}
