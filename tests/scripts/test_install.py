"""`evaluate-qa install`: metrics load by name from any folder, and in their newest version."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from commands import run_command
from evaluate.loading import CachedEvaluationModuleFactory
from toy_metric import write_toy_metric

from evaluate_qa.publishing.install import install, metric_folder, uninstall


@pytest.fixture
def toy():
    return {"toy.py": b"from .words import WORDS\n\nversion = '0'\n", "words.py": b"WORDS = 1\n"}


@pytest.fixture
def modules(tmp_path):
    folder = tmp_path / "cache" / "evaluate_modules"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder.parent / "__init__.py").touch()
    return folder


def _chosen(modules):
    module = CachedEvaluationModuleFactory("evaluate-metric--toy", dynamic_modules_path=str(modules)).get_module()
    return metric_folder("toy", modules) / module.hash


@pytest.mark.parametrize("name", ["toy.py", "words.py"])
def test_a_change_in_any_file_makes_a_new_version(toy, modules, name):
    install("toy", toy, modules)
    toy[name] += b"# a comment, which evaluate's own hash ignores\n"
    version = install("toy", toy, modules)
    assert _chosen(modules) == version
    assert (version / name).read_bytes() == toy[name]
    assert [path.parent for path in modules.rglob("toy.py")] == [version]


def test_a_damaged_version_is_repaired(toy, modules):
    version = install("toy", toy, modules)
    (version / "words.py").write_text("half a fi")
    assert install("toy", toy, modules) == version
    assert (version / "words.py").read_bytes() == toy["words.py"]
    (version / "__init__.py").unlink()
    assert install("toy", toy, modules) == version
    assert (version / "__init__.py").is_file()


def test_files_of_a_killed_install_are_ignored(toy, modules):
    left = metric_folder("toy", modules) / ".new"
    left.mkdir(parents=True)
    (left / "toy.py").write_text("half")
    version = install("toy", toy, modules)
    assert _chosen(modules) == version
    assert not left.exists()


def test_uninstall_removes_all_files(toy, modules):
    assert not uninstall("toy", modules)
    install("toy", toy, modules)
    assert uninstall("toy", modules)
    with pytest.raises(FileNotFoundError):
        _chosen(modules)
    assert not [path for path in modules.rglob("*") if path.name in toy]


@pytest.fixture
def package(tmp_path, root):
    """A copy of the package with the layout of a wheel and the toy metric."""
    copy = tmp_path / "release" / "evaluate_qa"
    shutil.copytree(root / "scripts", copy, ignore=shutil.ignore_patterns("__pycache__", "training"))
    shutil.copytree(root / "metrics", copy / "metrics", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("spaces", "datasets_scripts"):
        (copy / folder).mkdir()
        (copy / folder / "__init__.py").touch()
    write_toy_metric(copy / "metrics")
    return copy


PROGRAM = """
from evaluate_qa.cli import app

def command(*arguments):
    app(arguments, standalone_mode=False)

def load():
    import evaluate
    out = evaluate.load("toy").compute(predictions=["a b"], references=["a c"])
    print(out["signature"], out["toy"])
"""
INSTALL = """
command("install", "toy")
load()
"""
UPGRADE = """
command("install")
load()
command("install", "--uninstall", "toy")
try:
    load()
except FileNotFoundError as error:
    print(error)
"""


def test_install_load_upgrade_and_uninstall(processes, package, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    env = {**os.environ, "HF_MODULES_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(package.parent)}
    program = processes.HIDE_TORCH + PROGRAM
    options = {"cwd": tmp_path / "elsewhere", "env": env, "check": True}
    first = processes.run("-c", program + INSTALL, **options).stdout
    assert 'toy is installed. Use evaluate.load("toy").' in first
    assert first.endswith("\ntoy|v:1 0.5\n")  # one of the reference's two words
    toy = package / "metrics" / "toy" / "toy.py"
    toy.write_text(toy.read_text().replace('version = "1"', 'version = "2"'))
    second = processes.run("-c", program + UPGRADE, **options).stdout
    assert "smile is installed." in second
    assert "\ntoy|v:2 0.5\ntoy was removed.\nCouldn't find a module script" in second


def test_installs_at_the_same_time_leave_one_whole_version(modules):
    versions = [{"toy.py": b"%d" % number, "words.py": b"%d" % number} for number in range(40)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda files: install("toy", files, modules), versions))
    (version,) = [path.parent for path in modules.rglob("toy.py")]
    assert _chosen(modules) == version
    assert (version / "toy.py").read_bytes() == (version / "words.py").read_bytes()


def test_wrong_names_and_options_are_reported():
    assert "there is no metric 'smlie'. Did you mean 'smile'?" in run_command("install", "smlie", code=1).stderr
