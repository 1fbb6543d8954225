"""Python sessions and shell commands in README and cards run as documented."""

import doctest
import importlib
import re
import shlex
from pathlib import Path

import pytest
from commands import run_command
from packaging.version import Version

import evaluate_qa
from evaluate_qa.dev import cards
from evaluate_qa.publishing.install import install_metrics

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("metrics/*/README.md"))]
MODULES = [path for path in sorted(ROOT.glob("metrics/*/*.py")) if path.stem != path.parent.name]


@pytest.fixture(scope="module")
def installed():
    install_metrics(evaluate_qa.metric_names())


def test_documents_are_short():
    """README has at most 170 lines, and a card at most 130."""
    folders = ("metrics", "datasets_scripts", "spaces")
    others = [path for folder in folders for path in ROOT.glob(f"{folder}/*/README.md")]
    most = {ROOT / "README.md": 170} | dict.fromkeys(others, 130)
    assert {path: count for path in most if (count := len(path.read_text().splitlines())) > most[path]} == {}


def test_the_changelog_has_a_section_for_this_version_or_unreleased_changes():
    """With unreleased changes, scores may differ from the last release, so the version must not be the same."""
    sections = re.split(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    first, changes, released = sections[1:4]
    version = Version(evaluate_qa.__version__)
    assert first == "Unreleased"
    assert version.is_devrelease == bool(changes.strip())
    assert version > Version(released) if version.is_devrelease else released == str(version)


@pytest.mark.parametrize("name", evaluate_qa.metric_names())
def test_cards_list_the_declared_options(name):
    """After changing an option, run: python -m evaluate_qa.dev.cards."""
    card = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
    assert card.count("<!-- options -->\n") == 1
    assert cards.with_options(card, name) == card


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_sessions_in_documents_run(working_folder, document):
    failed, attempted = doctest.testfile(
        str(document), module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert attempted > 0
    assert failed == 0


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", evaluate_qa.metric_names())
def test_examples_of_inputs_descriptions_run(name):
    import evaluate

    metric = evaluate.load(name)
    examples = doctest.DocTestParser().get_doctest(metric.inputs_description, {"evaluate": evaluate}, name, None, 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_examples_in_docstrings_run(module):
    name = ".".join(module.relative_to(ROOT).with_suffix("").parts)
    found = doctest.testmod(importlib.import_module(f"evaluate_qa.{name}"), extraglobs={"evaluate_qa": evaluate_qa})
    assert found.failed == 0


def shell_commands():
    """Return the commands in README's ```bash blocks, except for installation and pages, which other tests cover."""
    blocks = re.findall(r"```bash\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    commands = [line.split("  #")[0].strip() for line in lines]
    elsewhere = r"#|git clone|cd |pip install|scripts/(demo|test)|python spaces/|evaluate-qa label"
    return [line for line in commands if line and not re.match(elsewhere, line)]


@pytest.fixture
def checkout(tmp_path):
    """A folder like a checkout, with half of the sample, and with the labeled data as `data`, if available."""
    (tmp_path / "README.md").symlink_to(ROOT / "README.md")
    (tmp_path / "scripts").mkdir()
    lines = evaluate_qa.sample_path().read_bytes().split(b"\n")[:-1:2]
    (tmp_path / "scripts/sample.jsonl").write_bytes(b"\n".join(lines))
    if (ROOT.parent / "shared/data").is_dir():
        (tmp_path / "data").symlink_to(ROOT.parent / "shared/data")
    return tmp_path


# Ray does not wait for the processes that it kills.
@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
@pytest.mark.usefixtures("processes")
def test_shell_commands_in_readme_run(checkout, server, one_line, monkeypatch):
    """The command that downloads a data set reads it from disk, if available. No command needs pyarrow for a file."""
    server.reply = "It is what the reference says."
    typed = [command.replace("$ENDPOINT", server.url) for command in [*shell_commands(), one_line("Ray")]]
    assert ".parquet" not in " ".join(typed)
    commands = [command.replace("dataset evouna", "dataset evouna --data-dir data/evouna") for command in typed]
    assert len(commands) >= 8
    assert commands != typed
    monkeypatch.chdir(checkout)
    for command in commands:
        if " data/" in command and not (checkout / "data").exists():
            continue
        program, *arguments = shlex.split(command)
        assert program == "evaluate-qa"
        run_command(*arguments)
