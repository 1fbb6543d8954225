"""The page for labeling, the report and the board in Chromium; none makes requests to other servers."""

import os
import signal
import subprocess

import numpy as np
import pytest
from commands import run_command
from space_visit import Opened, overflow, violations

from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows
from evaluate_qa.spaces.board.page import build as build_board

pytest.importorskip("gradio")

ATTACK = "<script>document.title = 'attacked'</script><img src=x onerror='alert(1)'> ${1+1} {{7*7}} &amp; {x}"
LABEL = "from evaluate_qa.cli import app; app()"


def color(page, element):
    return page.evaluate(f"getComputedStyle(document.getElementById('{element}')).backgroundColor")


@pytest.fixture
def labelling(processes, tmp_path):
    """Starts `evaluate-qa label` on a file; returns the process and the address of the page."""
    running = []

    def start(*arguments):
        port = processes.free_port()
        command = ["-c", LABEL, "label", *arguments]
        with (tmp_path / "log.txt").open("a") as log:
            streams = {"stdout": log, "stderr": subprocess.STDOUT}
            environment = os.environ | {"PYTHONFAULTHANDLER": "1", "GRADIO_SERVER_PORT": str(port), "BROWSER": "true"}
            started = processes.start(*command, cwd=tmp_path, env=environment, start_new_session=True, **streams)
        running.append(started)
        processes.wait_until_up(f"http://127.0.0.1:{port}", started, tmp_path / "log.txt", 200)
        return started, f"http://127.0.0.1:{port}"

    yield start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)


def test_answers_are_labeled_by_keyboard(labelling, browser, axe, artefacts, tmp_path):
    answers = [ATTACK, "Lyon", "", "word" * 400, *["Rome"] * 31]
    rows = [
        {"question": ATTACK if at == 0 else f"Question {at}?", "references": ["Paris", ATTACK], "prediction": answer}
        | {"label": None}
        for at, answer in enumerate(answers)
    ]
    target = tmp_path / os.fsdecode(b"labels\xff.jsonl")  # a name that is not UTF-8
    write_rows(target, rows)
    process, url = labelling(target)

    def labels():
        return [row["label"] for _, row in read_rows(target)]

    with Opened(browser, url) as page:
        asked = page.locator("#asked")
        asked.get_by_text("Row 1 of 35").wait_for()
        assert asked.locator(".qa-answer").inner_text().split() == f"Answer {ATTACK}".split()
        assert asked.locator("h2").inner_text() == ATTACK
        assert asked.locator("li").all_inner_texts() == ["Paris", ATTACK]
        assert page.title() == "Labels: labels\ufffd.jsonl"
        assert page.locator("script:text('attacked')").count() == asked.locator("img").count() == 0
        bar = page.get_by_role("progressbar")
        assert (bar.get_attribute("aria-valuenow"), bar.locator("span").bounding_box()["width"]) == ("0", 0)
        colors = [color(page, name) for name in ("right", "wrong")]
        page.screenshot(path=artefacts / "label-desktop-light.png")
        assert violations(page, axe) == []
        page.keyboard.press("r")
        asked.get_by_text("Row 2 of 35").wait_for()
        assert labels()[:3] == ["right", None, None]
        page.keyboard.press("w")
        asked.get_by_text("Row 3 of 35").wait_for()
        asked.get_by_text("(empty)").wait_for()
        page.keyboard.press("b")
        asked.get_by_text("Row 2 of 35, labeled: wrong").wait_for()
        page.locator("#right").click()
        asked.get_by_text("Row 3 of 35").wait_for()
        page.keyboard.press("s")
        asked.get_by_text("Row 4 of 35").wait_for()
        assert labels()[:4] == ["right", "right", "skip", None]
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert ".jsonl: 2 right, 0 wrong, 1 skipped, 32 left" in (tmp_path / "log.txt").read_text()
    process, url = labelling(target)
    with Opened(browser, url, (390, 844), "dark") as page:
        page.locator("#asked").get_by_text("Row 4 of 35").wait_for()
        page.wait_for_timeout(300)
        page.screenshot(path=artefacts / "label-phone-dark.png")
        height = page.locator("#right").bounding_box()["y"]
        assert 0 < height < 844, "the buttons must stay visible under an answer that is longer than the window"
        assert overflow(page) <= 0
        assert violations(page, axe) == []
        assert [color(page, name) for name in ("right", "wrong")] == colors
        keys = "Rww" * 10 + "rw"
        for key in keys:  # faster than the page saves
            page.keyboard.press(key)
        page.get_by_text("All rows are labeled.").wait_for()
    names = {"r": "right", "w": "wrong"}
    assert labels() == ["right", "right", "skip", *(names[key.lower()] for key in keys)]


def test_a_report_is_accessible_and_fits(browser, axe, artefacts, tmp_path):
    generator = np.random.default_rng(0)
    for name in ("old", "new"):
        write_rows(tmp_path / f"{name}.jsonl", [
            {"id": f"r{at}", "question": f"What is {at}?", "references": [f"Paris {at}"], "verdict": bool(score > 0.5)}
            | {"prediction": f"It is Paris {at}. {'word' * 60}", "score": score, "kind": "ab"[at % 2]}
            for at, score in enumerate(generator.random(60).tolist())
        ])  # fmt: skip
    for name in ("old", "new"):
        write_rows(tmp_path / f"{name}-labels.jsonl", [{"id": f"r{at}", "label": at % 2} for at in range(40)])
    files = [tmp_path / name for name in ("old.jsonl", "new.jsonl")]
    labels = [part for name in ("old", "new") for part in ("--labels", tmp_path / f"{name}-labels.jsonl")]
    target = tmp_path / "report.html"
    run_command("report", *files, *labels, "--by", "kind", "--output", target)
    grounds = {}
    for size, scheme in (((1280, 900), "light"), ((390, 844), "light"), ((390, 844), "dark")):
        with Opened(browser, target.as_uri(), size, scheme) as page:
            page.screenshot(path=artefacts / f"report-{size[0]}-{scheme}.png", full_page=True)
            assert overflow(page) <= 0
            assert violations(page, axe) == []
            grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
            closed = page.locator("details:not([open]) summary").first
            title = closed.inner_text()
            for _ in range(40):
                page.keyboard.press("Tab")
                if page.evaluate("document.activeElement.innerText") == title:
                    break
            page.keyboard.press("Enter")
            page.locator("details[open] summary", has_text=title).wait_for()
    assert grounds == {"light": "rgb(255, 255, 255)", "dark": "rgb(24, 24, 27)"}


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    target = tmp_path_factory.mktemp("board") / "index.html"
    target.write_text(build_board(), encoding="utf-8")
    return target.as_uri()


@pytest.mark.parametrize(("size", "scheme"), [((1280, 900), "light"), ((375, 812), "dark")], ids=["desktop", "phone"])
def test_the_board_is_used_by_keyboard(browser, axe, artefacts, board, size, scheme):
    """Without an error on the console, or a request other than for the page itself."""
    with Opened(browser, board, size, scheme) as page:
        page.screenshot(path=artefacts / f"board-{size[0]}-{scheme}.png")
        assert overflow(page) <= 0
        assert violations(page, axe) == []
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(24, 24, 27)"}[scheme]

        table = page.locator("table").first
        head = table.get_by_role("columnheader", name="EVOUNA")
        place = head.evaluate("head => head.cellIndex")
        head.get_by_role("button").focus()
        for figure, directions in (("mcc", ("descending", "ascending")), ("calibration_error", ("ascending",))):
            if figure != "mcc":
                page.reload()
                page.locator("#figure").select_option(figure)
                head.get_by_role("button").focus()
            for direction in directions:
                page.keyboard.press("Enter")
                assert head.get_attribute("aria-sort") == direction
                rows = table.locator("tbody tr")
                keys = rows.evaluate_all(f"rows => rows.map(row => row.cells[{place}].dataset.{figure})")
                known = [float(key) for key in keys if key]
                assert len(known) >= 3
                assert known == sorted(known, reverse=direction == "descending")
                assert keys == [*(key for key in keys if key), *[""] * (len(keys) - len(known))]

        page.locator("#metric").focus()
        page.keyboard.type("TOKEN")
        names = page.locator("tbody").first.locator("tr:visible td:first-child > button")
        assert sorted(names.all_inner_texts()) == ["token_f1", "token_recall"]
        assert page.locator("#count").inner_text().startswith("2 of ")
        page.keyboard.press("Tab")
        page.keyboard.type("near name")
        assert page.locator("h2:visible").all_inner_texts()[:1] == ["Traps"]
        assert page.locator("thead").nth(1).locator("th:visible").all_inner_texts() == ["metric", "near name"]

        for _ in range(5):  # the table, its two headings, the first metric, and its figure
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        card = page.get_by_role("dialog")
        card.get_by_text("Some of the answers, misjudged ones first").wait_for()
        assert card.locator("article").count() == 4
        assert overflow(page) <= 0
        assert violations(page, axe) == []
        page.screenshot(path=artefacts / f"board-answers-{size[0]}-{scheme}.png")
        page.keyboard.press("Escape")
        card.wait_for(state="hidden")
