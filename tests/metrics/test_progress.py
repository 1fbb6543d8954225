"""Progress: a bar on a terminal, a line now and then in a log, nothing where any switch hides bars."""

import sys

import datasets
import pytest
from evaluate.utils import logging as evaluate_logging
from huggingface_hub.utils.tqdm import are_progress_bars_disabled
from transformers.utils import logging as transformers_logging

from evaluate_qa.metrics._shared.progress import library_bars, progress


@pytest.fixture
def clock(monkeypatch):
    """The time in seconds, which stands still unless it is set."""
    time = [100.0]
    monkeypatch.setattr("tqdm.std.time", lambda: time[0])
    monkeypatch.setattr("evaluate_qa.metrics._shared.progress.monotonic", lambda: time[0])
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


def work(clock, seconds, **options):
    """Do a thousand pieces of work in so many seconds."""
    with progress(options.pop("describe", "smile: answers"), 1000, "text", **options) as bar:
        for _ in range(1000):
            clock[0] += seconds / 1000
            bar.update()


def test_a_log_gets_a_line_every_ten_seconds(clock, capsys):
    work(clock, 35)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("smile: answers: ") for line in lines)
    assert "/1000 [00:20<" in lines[1]


def test_what_stays_has_a_first_and_a_last_line(clock, capsys):
    with progress("toy", 200, "row", initial=100, stays=True) as bar:
        clock[0] += 1
        bar.update(100)
    first, last = capsys.readouterr().err.splitlines()
    assert "100/200 [00:00<" in first
    assert "200/200 [00:01<" in last


def test_what_takes_no_time_is_not_in_the_log(clock, capsys):
    work(clock, 9)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("terminal")
def test_a_terminal_gets_a_bar_after_two_seconds(clock, capsys):
    work(clock, 1)
    assert capsys.readouterr().err == ""
    work(clock, 3)
    assert "\rsmile: answers: " in capsys.readouterr().err


@pytest.mark.usefixtures("hidden", "terminal")
def test_hidden_bars_are_not_on_a_terminal(clock, capsys):
    work(clock, 35, stays=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("hidden")
def test_hidden_bars_are_not_in_a_log(clock, capsys):
    work(clock, 35, stays=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("terminal")
def test_no_title_no_bar(clock, capsys):
    work(clock, 35, describe=None)
    assert capsys.readouterr() == ("", "")


def libraries():
    """Whether bars of loading and of downloads are shown."""
    return transformers_logging.is_progress_bar_enabled(), not are_progress_bars_disabled()


@pytest.mark.usefixtures("hidden", "terminal")
def test_libraries_hide_theirs_where_ours_are_hidden():
    with library_bars():
        assert libraries() == (False, False)
    assert libraries() == (True, True)


def test_libraries_hide_theirs_in_a_log():
    with library_bars():
        assert libraries() == (False, False)
    assert libraries() == (True, True)


@pytest.mark.usefixtures("terminal")
def test_libraries_show_theirs_on_a_terminal():
    with library_bars():
        assert libraries() == (True, True)
