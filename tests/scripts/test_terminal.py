"""Tables are as wide as the terminal, and not cut in a pipe; errors name the fix."""

import errno
import io
import signal
import sys
import warnings

import pytest
import typer
from rich.console import Console

from evaluate_qa.terminal import interrupt_on_sigterm, new_table, open_console, reported_errors


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        """Return True."""
        return True


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_pipe_is_wide_and_a_terminal_has_its_own_width(monkeypatch, stream):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys, stream, io.StringIO())
    assert open_console(stderr=stream == "stderr").width == 132
    monkeypatch.setattr(sys, stream, Terminal())
    assert open_console(stderr=stream == "stderr").width == 60


def test_a_narrow_terminal_cuts_off_no_figures():
    estimates = new_table("accuracy", ["accuracy", "labels only"])
    estimates.add_row("all", "0.123 [0.456, 0.789]", "0.321 [0.654, 0.987]")
    agreement = new_table("agreement", ["accuracy", "specificity"])
    agreement.add_row("lexical_match", ".123\n.456 .789", ".321\n.654 .987")
    for grid, figures in ((estimates, ["0.456", "0.789]", "0.987]"]), (agreement, [".789", ".987", "lexical_match"])):
        console = Console(file=io.StringIO(), width=40)
        console.print(grid)
        printed = console.file.getvalue()
        assert [figure for figure in figures if figure not in printed] == []
        assert "…" not in printed


def test_an_error_about_a_full_disk_names_the_fix(capsys):
    with pytest.raises(typer.Exit), reported_errors("score"):
        raise OSError(errno.ENOSPC, "No space left on device", "out.csv")
    message = "No space left on device: 'out.csv'. Free some space, and run the command again."
    assert message in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_a_warning_is_printed_without_its_line(capsys):
    with reported_errors("score"):
        warnings.warn("deltableu: the score is 0", stacklevel=1)
    assert capsys.readouterr().err == "evaluate-qa score: warning: deltableu: the score is 0\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_prints_how_to_continue(capsys, number):
    interrupt_on_sigterm()
    with pytest.raises(typer.Exit) as ended, reported_errors("score", "stopped. Continue with --resume."):
        signal.raise_signal(number)
    assert ended.value.exit_code == 128 + number
    assert capsys.readouterr().err == "evaluate-qa score: stopped. Continue with --resume.\n"


def test_a_closed_pipe_is_no_error(capsys):
    """As after `evaluate-qa score -o - | head`; click ends the program."""
    with pytest.raises(BrokenPipeError), reported_errors("score"):
        raise BrokenPipeError
    assert capsys.readouterr().err == ""
