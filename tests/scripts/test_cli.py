"""The command `evaluate-qa` has all subcommands, and their help is complete."""

import pytest
import typer
from typer.testing import CliRunner

import evaluate_qa
from evaluate_qa.cli import app


def test_every_module_of_commands_is_a_command(root):
    modules = {path.stem for path in (root / "scripts" / "commands").glob("[a-z]*.py")}
    assert typer.main.get_command(app).commands.keys() == modules


def test_the_version_is_printed():
    assert CliRunner().invoke(app, ["--version"]).output == f"evaluate-qa {evaluate_qa.__version__}\n"


def test_help_breaks_lines_only_where_the_terminal_ends():
    shown = CliRunner().invoke(app, ["sample", "--help"], env={"COLUMNS": "300"}).output
    assert "fill in 1 or 0, right or wrong, or skip. Rows are in random order" in shown


@pytest.mark.parametrize("command", ["fit", "agreement"])
def test_help_shows_the_whole_text_of_each_option(command):
    """Typer reads text in square brackets as the name of a style, and drops it."""
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "500"}).output
    texts = [option.help for option in typer.main.get_command(app).commands[command].params if option.help]
    assert len(texts) > 5
    assert [text for text in texts if text not in shown] == []


@pytest.mark.parametrize("module", ["evaluate_qa", "evaluate_qa.cli"])
def test_the_module_runs_as_the_command(processes, module):
    assert processes.run("-m", module, "--version").stdout == f"evaluate-qa {evaluate_qa.__version__}\n"
    assert processes.run("-m", module, "no-command").returncode == 2
