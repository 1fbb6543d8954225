"""Tables are as wide as the terminal, and not cut in a pipe."""

import io
import sys

import pytest

from evaluate_qa.terminal import open_console


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
