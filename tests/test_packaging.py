"""The layout: links in the checkout, regular files in the wheel and in copies, one list of what each metric needs."""

import importlib.metadata
import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import evaluate_qa
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
LINKS = sorted(path for folder in ("metrics", "datasets_scripts", "spaces") for path in (ROOT / folder).glob("*/*"))
LINKS = [path for path in LINKS if path.is_symlink()]

# Those whose default needs no checkpoint from the Hub.
SCORED = ["deltableu", "smile"]

# Loads metrics by their folders, without the package, and prints what each makes of two answers.
PROGRAM = """
import json, sys
sys.modules["evaluate_qa"] = None
import evaluate
found = {}
for folder in sys.argv[1:]:
    metric = evaluate.load(folder)
    if metric.name in SCORED:
        found[metric.name] = metric.compute(
            predictions=["It was Marie Curie.", "Lyon"],
            references=["Marie Curie", ["Paris", "Paris, France"]],
            questions=["Who discovered radium?", "What is the capital of France?"],
        )
print(json.dumps(found))
""".replace("SCORED", repr(SCORED))


@pytest.fixture(scope="module")
def wheel(processes, tmp_path_factory):
    """The wheel, built from a copy of the checkout, so that nothing is left in it."""
    folder = tmp_path_factory.mktemp("checkout")
    parts = ["pyproject.toml", "README.md", "LICENSE", "scripts", "metrics", "datasets_scripts", "spaces"]
    for part in filter(Path.exists, (ROOT / part for part in parts)):
        if part.is_dir():
            shutil.copytree(part, folder / part.name, symlinks=True)
        else:
            shutil.copy(part, folder)
    processes.run("-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "dist", folder, new=True, check=True)
    return next((folder / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    """The wheel as it lies in site-packages."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def score(processes):
    """Scores in another process, with a cache of modules of its own, so that nothing is taken from another load."""

    def run(folders, cache):
        cache.mkdir()
        environment = {**os.environ, "HF_MODULES_CACHE": str(cache)}
        done = processes.run("-c", PROGRAM, *folders, cwd=cache, env=environment, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.mark.parametrize("link", LINKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_shared_files_of_the_checkout(link):
    """To one file of the folder `_shared` beside it; a Space's to the whole of it, and from there to a room."""
    shared = (link.parent.parent / "_shared").resolve()
    targets = {"space": shared, "uncertainty": ROOT / "scripts" / "uncertainty"}
    assert not link.readlink().is_absolute()
    assert link.resolve(strict=True) == targets.get(link.name, shared / link.name)


def test_there_are_links_for_all_that_is_shared():
    """No metric has a copy of its own of a shared file."""
    shared = {path.name for path in (ROOT / "metrics" / "_shared").glob("*.py")}
    assert {path.name for path in LINKS if "metrics" in path.parts} <= shared
    copies = [path for path in (ROOT / "metrics").glob("[a-z]*/*.py") if path.name in shared and path not in LINKS]
    assert copies == []


def test_the_wheel_has_one_package_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    version = evaluate_qa.__version__
    assert {name.split("/")[0] for name in names} == {"evaluate_qa", f"evaluate_qa-{version}.dist-info"}
    assert not [name for name in names if re.search("(^|/)(tests?/|test_|conftest|__pycache__)", name.lower())]


def test_the_wheel_holds_every_file_of_the_metrics_as_a_regular_file(wheel):
    archive = zipfile.ZipFile(wheel)
    # The upper half of the attributes is the Unix mode: 0o12 is a link, 0o10 a regular file.
    assert {info.external_attr >> 28 for info in archive.infolist()} == {0o10}
    files = [file for folder in ("metrics", "datasets_scripts", "spaces") for file in _files(ROOT / folder)]
    assert ROOT / "spaces" / "smile" / "space" / "drawing" / "style.css" in files
    for file in files:
        if file.suffix in {".css", ".md", ".mp4", ".py", ".txt"}:
            assert archive.read(f"evaluate_qa/{file.relative_to(ROOT)}") == file.read_bytes()


def _files(folder):
    """All files below a folder, those of linked folders too."""
    return [Path(at, name) for at, _, names in os.walk(folder, followlinks=True) for name in names]


def test_the_wheel_has_the_command_and_our_own_data(unpacked):
    distribution = next(iter(importlib.metadata.distributions(path=[str(unpacked)])))
    assert [entry.value for entry in distribution.entry_points] == ["evaluate_qa.cli:app"]
    rows = ("sample.jsonl", "agreement/near_names.jsonl", "agreement/traps.jsonl")
    for file in (*rows, "datasets_scripts/evouna/split.json", "reporting/page.html", "synthesis/prompt.jinja"):
        assert (unpacked / "evaluate_qa" / file).stat().st_size > 0
    assert list(unpacked.glob("*.dist-info/licenses/LICENSE"))


@pytest.mark.parametrize("name", [*evaluate_qa.metric_names(), "spaces"])
def test_the_requirements_of_a_metric_and_of_the_spaces_are_its_extra(unpacked, name):
    distribution = next(iter(importlib.metadata.distributions(path=[str(unpacked)])))
    folder = "spaces/_shared" if name == "spaces" else f"metrics/{name}"
    wanted = {Requirement(line) for line in (ROOT / folder / "requirements.txt").read_text().split()}
    of_package, of_extra = set(), set()
    for requirement in map(Requirement, distribution.requires):
        if requirement.marker is None:
            of_package.add(requirement)
        elif requirement.marker.evaluate({"extra": name}):
            requirement.marker = None
            of_extra.add(requirement)
    # What the package itself needs is no part of any extra, but of what a published Space is told to install.
    assert (wanted - of_package if name == "spaces" else wanted) == of_extra


def test_copies_and_the_wheel_load_and_score_as_the_checkout_does(score, unpacked, tmp_path):
    names = evaluate_qa.metric_names()
    copies = tmp_path / "copies"
    copies.mkdir()
    for name in names:
        shutil.copytree(ROOT / "metrics" / name, copies / name)
        assert not [path for path in (copies / name).rglob("*") if path.is_symlink()]
    of_copies = score([copies / name for name in names], tmp_path / "copied")
    assert set(of_copies) == {*SCORED} & {*names}
    assert of_copies["smile"]["per_example"]["verdict"] == [True, False]
    modules = [*(tmp_path / "copied").rglob("evaluate_modules/metrics/*/*/*.py")]
    assert {path.stem for path in modules} >= {*names}
    assert not [path for path in modules if path.is_symlink()]
    assert score([evaluate_qa.path(name) for name in names], tmp_path / "checkout") == of_copies
    assert score([unpacked / "evaluate_qa" / "metrics" / name for name in names], tmp_path / "wheel") == of_copies


def test_the_package_of_the_wheel_finds_its_metrics(processes, unpacked, tmp_path):
    program = "import evaluate_qa; print(evaluate_qa.path('smile'))"
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    done = processes.run("-c", program, cwd=tmp_path, env=environment, new=True, check=True)
    assert done.stdout.strip() == str(unpacked / "evaluate_qa" / "metrics" / "smile")
