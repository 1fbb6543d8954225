"""The wheel holds one package, standalone folders work without it, and requirements match the extras."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

import evaluate_qa
from evaluate_qa.publishing import trial_run
from evaluate_qa.publishing.building import build
from evaluate_qa.publishing.repository import Repository
from evaluate_qa.standalone import metric_files

ROOT = Path(__file__).parent.parent
FOLDERS = ("scripts", "metrics", "datasets_scripts", "spaces")

# Loads metrics from standalone folders, without the package, and prints their results.
PROGRAM = """
import json, sys
sys.modules["evaluate_qa"] = None
import evaluate
found = {}
for name, (folder, options, columns) in json.loads(sys.argv[1]).items():
    found[name] = evaluate.load(folder, **options).compute(**columns)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def wheel(processes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkout")
    parts = ["pyproject.toml", "README.md", "LICENSE", *FOLDERS]
    for part in filter(Path.exists, (ROOT / part for part in parts)):
        if part.is_dir():
            shutil.copytree(part, folder / part.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(part, folder)
    processes.run("-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "dist", folder, check=True)
    return next((folder / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_repository_has_no_links():
    listed = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [line for line in listed.splitlines() if line.startswith("120000")] == []


def test_the_wheel_has_one_package_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    version = evaluate_qa.__version__
    assert {name.split("/")[0] for name in names} == {"evaluate_qa", f"evaluate_qa-{version}.dist-info"}
    assert not [name for name in names if re.search("(^|/)(tests?/|test_|conftest|__pycache__)", name.lower())]


def test_the_wheel_holds_the_folders_without_developers_files(wheel):
    archive = zipfile.ZipFile(wheel)
    names = {name.removeprefix("evaluate_qa/") for name in archive.namelist() if name.startswith("evaluate_qa/")}
    for folder in FOLDERS:
        inside = "" if folder == "scripts" else f"{folder}/"
        files = {f"{inside}{path.relative_to(ROOT / folder).as_posix()}" for path in (ROOT / folder).rglob("*.py")}
        assert {name for name in files if not name.startswith(("dev/", "examples/", "training/written/"))} <= names
    assert {"py.typed", "spaces/_shared/drawing/style.css"} <= names
    left_out = r"dev/|examples/|training/(everyday|natural|polarity|written|README)"
    assert not [name for name in names if re.match(left_out, name)]
    code = [archive.read(f"evaluate_qa/{name}") for name in names if name.endswith(".py")]
    assert len(archive.namelist()) <= 420
    assert sum(text.count(b"\n") for text in code) <= 38_400
    assert wheel.stat().st_size <= 14 * 2**20


def test_the_wheel_has_the_command_and_our_own_data(unpacked):
    distribution = next(iter(importlib.metadata.distributions(path=[str(unpacked)])))
    assert [entry.value for entry in distribution.entry_points] == ["evaluate_qa.cli:app"]
    rows = ("sample.jsonl", "labeled_data/near_names.jsonl", "labeled_data/traps.jsonl")
    data = ("metrics/_values/place_names.tsv", "datasets_scripts/evouna/split.json")
    for file in (*rows, *data, "labeling/page.js", "reporting/page.html", "synthesis/prompt.jinja"):
        assert (unpacked / "evaluate_qa" / file).stat().st_size > 0
    assert list(unpacked.glob("*.dist-info/licenses/LICENSE"))


@pytest.mark.parametrize("name", [*evaluate_qa.metric_names(), "spaces"])
def test_package_and_extra_have_the_requirements_of_a_metric_or_the_spaces(unpacked, name):
    distribution = next(iter(importlib.metadata.distributions(path=[str(unpacked)])))
    folder = "spaces/_shared" if name == "spaces" else f"metrics/{name}"
    wanted = {Requirement(line) for line in (ROOT / folder / "requirements.txt").read_text().split()}
    of_package, of_extra, in_all = set(), set(), set()
    for requirement in map(Requirement, distribution.requires):
        if requirement.marker is None:
            of_package.add(requirement)
        elif requirement.marker.evaluate({"extra": name}):
            requirement.marker = None
            of_extra.add(requirement)
        elif requirement.marker.evaluate({"extra": "all"}):
            in_all |= requirement.extras
    assert wanted - of_package == of_extra
    assert not of_extra or name == "spaces" or name in in_all


@pytest.fixture
def standalone(processes, tmp_path):
    """Scores with the standalone folders of metrics in a process without evaluate_qa.

    The matcher and the toy model of EVQAScore's Space are in the cache of the Hub.
    """

    def run(wanted):
        for name in wanted:
            folder = tmp_path / "folders" / name
            folder.mkdir(parents=True)
            for file, text in metric_files(name).items():
                (folder / file).write_text(text, encoding="utf-8")
        for kind, name in (("model", "matcher"), ("space", "evqascore")):
            repository = Repository(kind, "evaluate-qa", name, tmp_path / "built")
            build(repository)
            trial_run.put_into_cache(repository, tmp_path / "hub")
        given = {name: (str(tmp_path / "folders" / name), *rest) for name, rest in wanted.items()}
        environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_MODULES_CACHE": str(tmp_path / "modules")}
        done = processes.run("-c", PROGRAM, json.dumps(given), cwd=tmp_path, env=environment, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    return run


def test_standalone_folders_score_as_the_package_does(standalone, server):
    """All metrics on a twelfth of the sample, with their default models; the judge uses a server."""
    rows = [json.loads(line) for line in evaluate_qa.sample_path().read_text(encoding="utf-8").splitlines()][::12]
    columns = {
        "predictions": [row["prediction"] for row in rows],
        "references": [row["references"] for row in rows],
        "questions": [row["question"] for row in rows],
    }
    frames = np.random.default_rng(0).normal(size=(4, 3, 32)).tolist()
    clips = {"predictions": ["a red square", "a ring", "", "blue"], "video_features": frames}
    wanted = {name: ({}, columns) for name in evaluate_qa.metric_names()}
    wanted["judge"] = ({"endpoint": server.url, "model": "m"}, columns)
    wanted["evqascore"] = ({"config_name": "demo"}, clips)
    found = standalone(wanted)
    for name, (options, given) in wanted.items():
        loading = {"config" if option == "config_name" else option: value for option, value in options.items()}
        expected = evaluate_qa.load(name, **loading).compute(**given)
        assert found[name]["signature"] == expected["signature"]
        assert found[name]["per_example"]["score"] == pytest.approx(expected["per_example"]["score"], abs=1e-6), name


def test_every_file_of_a_standalone_folder_is_imported_by_its_main_file():
    """Evaluate copies no other files."""
    for name in evaluate_qa.metric_names():
        files = metric_files(name)
        imported = set(re.findall(r"^from \.(\w+) import [^#\n]*$", files[f"{name}.py"], re.MULTILINE))
        assert imported == {file.removesuffix(".py") for file in files} - {name}
        assert not any(re.search(r"^from evaluate_qa", text, re.MULTILINE) for text in files.values())


def test_the_package_of_the_wheel_finds_its_metrics(processes, unpacked, tmp_path):
    program = "import evaluate_qa; print(evaluate_qa.path('smile'))"
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    done = processes.run("-c", program, cwd=tmp_path, env=environment, check=True)
    assert done.stdout.strip() == str(unpacked / "evaluate_qa" / "metrics" / "smile")
