"""Progress: a bar on a terminal, lines in a log, and nothing if a switch hides bars."""

import sys

import datasets
import pytest
from evaluate.utils import logging as evaluate_logging
from huggingface_hub.utils.tqdm import are_progress_bars_disabled
from transformers.utils import logging as transformers_logging

from evaluate_qa.metrics._shared.progress import library_bars, progress


@pytest.fixture
def clock(monkeypatch):
    """The time in seconds, which changes only if a test sets it."""
    time = [100.0]
    monkeypatch.setattr("tqdm.std.time", lambda: time[0])
    return time


@pytest.fixture
def terminal(monkeypatch, capsys):
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True)  # of the class: capsys makes another one


@pytest.fixture(params=["datasets", "evaluate", "TQDM_DISABLE"])
def hidden(request, monkeypatch):
    """One of the switches that hide bars."""
    if request.param == "TQDM_DISABLE":
        monkeypatch.setenv("TQDM_DISABLE", "1")
    elif request.param == "datasets":
        datasets.disable_progress_bars()
    else:
        evaluate_logging.disable_progress_bar()
    yield
    datasets.enable_progress_bars()
    evaluate_logging.enable_progress_bar()


def work(clock, seconds, describe="smile: answers", **options):
    """Count to a thousand in this number of seconds."""
    with progress(describe, 1000, "text", **options) as bar:
        for _ in range(1000):
            clock[0] += seconds / 1000
            bar.update()


def test_a_log_gets_a_line_every_ten_seconds(clock, capsys):
    work(clock, 35)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4  # after 10, 20 and 30 seconds, and at the end
    assert all(line.startswith("smile: answers: ") for line in lines)
    assert "/1000 [00:20<" in lines[1]


def test_a_program_without_a_console_has_no_bar(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    work(clock, 35)


def test_a_bar_that_stays_logs_a_first_and_a_last_line(clock, capsys):
    with progress("toy", 200, "row", initial=100, stays=True) as bar:
        clock[0] += 1
        bar.update(100)
    first, last = capsys.readouterr().err.splitlines()
    assert "100/200 [00:00<" in first
    assert "200/200 [00:01<" in last


@pytest.mark.usefixtures("terminal")
def test_a_terminal_gets_a_bar_after_two_seconds(clock, capsys):
    work(clock, 1)
    assert capsys.readouterr().err == ""
    work(clock, 3)
    assert "\rsmile: answers: " in capsys.readouterr().err


@pytest.mark.usefixtures("hidden", "terminal")
def test_switches_hide_bars(clock, capsys):
    work(clock, 35, stays=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("options", [{"describe": None, "stays": True}, {"seconds": 9}], ids=["no title", "fast"])
def test_a_log_stays_empty_without_a_title_and_for_fast_work(clock, capsys, options):
    work(clock, **{"seconds": 35} | options)
    assert capsys.readouterr() == ("", "")


def libraries():
    """Return whether bars of loading and of downloads are shown."""
    return transformers_logging.is_progress_bar_enabled(), not are_progress_bars_disabled()


@pytest.mark.usefixtures("hidden", "terminal")
def test_switches_hide_bars_of_libraries():
    with library_bars():
        assert libraries() == (False, False)
    assert libraries() == (True, True)


def test_bars_of_libraries_are_shown_only_on_a_terminal(request):
    with library_bars():
        assert libraries() == (False, False)
    request.getfixturevalue("terminal")
    with library_bars():
        assert libraries() == (True, True)
