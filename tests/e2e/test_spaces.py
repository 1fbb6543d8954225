"""The pages of all Spaces in Chromium, at the widths of a desktop and a phone."""

import csv
import json
import re
from pathlib import Path

import pytest
from chat_server import ChatServer
from space_requests import ask
from space_server import CLIP
from space_visit import WIDTHS, Visit, overflow, violations

pytest.importorskip("gradio")

KEY = "sk-visitor-0123456789"

# Keys that move a slider to its lowest value, and a drop-down from its first value to its last.
LOWEST = {"range": ("Home",), "text": ("ArrowUp", "Enter")}

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("name", ["smile", "evqascore", "judge"])
def test_every_tab_is_accessible_and_fits(name, servers, browser, axe, artefacts):
    """With and without a verdict, with a video, and with a demo; the other Spaces have the fields of smile's.

    In the dark scheme only two Spaces, with and without a verdict, because the colors are the frame's.
    """
    server = servers(name)
    for scheme in ("light", "dark") if name != "judge" else ("light",):
        with Visit(browser, server, "desktop", scheme) as visit:
            page, found = visit.page, []
            for tab in page.get_by_role("tab").all_inner_texts():
                visit.tab(tab)
                if tab == "File":
                    visit.score_examples()
                    visit.select_row(1)
                for width in WIDTHS if scheme == "light" else ["desktop"]:
                    visit.resize(width)
                    page.wait_for_timeout(300)
                    name = f"{server.name}-{width}-{scheme}-{tab.lower()}.png"
                    page.screenshot(path=artefacts / name, full_page=True)
                    found += [f"{tab}, {width}: {violation}" for violation in violations(page, axe)]
                    assert overflow(page) <= 0, f"{tab} is wider than the window of a {width}"
                visit.resize("desktop")
            assert found == []


def test_a_phone_shows_no_stray_dot_and_no_text_under_an_arrow(nli_lex, browser):
    with Visit(browser, nli_lex, "phone") as visit:
        assert visit.page.locator("footer").inner_text().strip() == ""
        ends = visit.page.locator("#option-lexical").evaluate(
            """option => {
                const input = option.querySelector("input"), arrow = option.querySelector("svg");
                const padding = parseFloat(getComputedStyle(input).paddingRight);
                return [input.getBoundingClientRect().right - padding, arrow.getBoundingClientRect().left];
            }"""
        )
        assert ends[0] <= ends[1]


def test_examples_sliders_and_python(server, browser):
    with Visit(browser, server, "desktop") as visit:
        page = visit.page
        first, *others = page.locator(".qa-examples button").all()
        for button in [*others, first]:
            assert re.search(r"(Correct|Score)\s+-?\d|Incorrect\s+\d", visit.changed(button.click))
        option = page.locator(
            "#option-ask input" if server.name == "judge" else "[id^=option-] input[type=range]"
        ).first
        option.focus()
        keys = LOWEST[option.evaluate("input => input.type")]
        visit.changed(lambda: [option.press(key) for key in keys])
        visit.tab("Python")
        lines = page.locator(".cm-content").first.inner_text()
        assert f'evaluate_qa.load("{server.name}"' in lines
        assert re.search(r"(w|threshold)=0|(max_ngram_order|max_keywords)=1|ask=\(0, 0\)", lines)


def test_the_keyboard_is_enough(smile, browser):
    with Visit(browser, smile, "desktop") as visit:
        visit.box("prediction").fill("a green ring and a yellow cross")
        visit.tab_to("#score")
        visit.changed(lambda: visit.page.keyboard.press("Enter"))
        visit.tab_to("[id^=option-] input[type=range]")
        visit.changed(lambda: visit.page.keyboard.press("Home"))


def test_wrong_input_is_explained(smile, browser, tmp_path):
    with Visit(browser, smile, "phone") as visit:
        page = visit.page
        visit.box("references").fill("")
        assert "There is no reference. Enter at least one." in visit.score()
        visit.tab("File")
        page.locator("#score-file").click()
        page.get_by_text("Upload a file first").wait_for()
        broken = tmp_path / "broken.jsonl"
        broken.write_text('{"prediction": "a", "references": ["b"], "question": "q"}\n{oops\n')
        shown = visit.upload(broken)
        assert "broken.jsonl: 1 row to score" in shown
        assert "line 2: not JSON" in shown
        assert "Traceback" not in page.content()
    assert "Traceback" not in smile.log.read_text()


def test_texts_are_not_run_as_html(smile, browser):
    with Visit(browser, smile, "desktop") as visit:
        text = "<img src=x onerror=\"document.title='owned'\"> ${6*7} {{6}} <b>b</b> </script>"
        visit.box("prediction").fill(text)
        assert text in visit.score()
        assert visit.page.title() != "owned"


def test_two_systems_answers_are_compared(smile, browser, axe, artefacts, tmp_path):
    """Of 40 rows, 10 become right and 2 wrong; McNemar: 2 · (1 + 12 + 66)/4096 = .0386."""
    right, wrong = "It is Paris.", "Mount Everest"
    pairs = [(wrong, right)] * 10 + [(right, wrong)] * 2 + [(right, "Paris")] * 28
    path = tmp_path / "answers.jsonl"
    path.write_text(
        "\n".join(
            json.dumps({"question": f"{n}?", "references": ["Paris"], "prediction": one, "prediction_b": other})
            for n, (one, other) in enumerate(pairs)
        )
    )
    with Visit(browser, smile, "desktop") as visit:
        page = visit.page
        visit.tab("File")
        assert "answers.jsonl: 40 rows to score." in visit.upload(path)
        page.locator("#score-file").click()
        page.locator(".qa-compared").wait_for()
        shown = page.locator("#results").inner_text()
        assert re.search(r"Newly correct\s+10\s+Newly incorrect\s+2\s", shown)
        assert re.search(r"Judged correct\s+75.0%\s+[\d.]+ to [\d.]+%\s+95.0%\s+[\d. to]+%\s+\+20.0 points", shown)
        assert "p = 0.0386" in shown
        page.locator("#answers table").first.wait_for()
        for width in reversed(WIDTHS):
            visit.resize(width)
            page.wait_for_timeout(300)
            page.screenshot(path=artefacts / f"compared-{width}.png", full_page=True)
            assert violations(page, axe) == []
            assert overflow(page) <= 0
        with page.expect_download() as download:
            page.locator("#download-csv").click()
        with Path(download.value.path()).open(newline="") as lines:
            table = list(csv.DictReader(lines))
        assert [row["change"] for row in table] == ["win"] * 10 + ["loss"] * 2 + [""] * 28
        assert {"score", "score_b", "verdict", "verdict_b", "prediction", "prediction_b"} <= {*table[0]}
        visit.tab("Python")
        assert "evaluate-qa compare" in page.locator(".cm-content").nth(1).inner_text()


def test_a_video_can_be_uploaded(evqascore, browser):
    with Visit(browser, evqascore, "phone") as visit:
        page = visit.page
        page.get_by_label("Clear").first.click()
        assert "There is no video. Upload one." in visit.score()
        page.locator("#box-video input[type=file]").set_input_files(CLIP)
        page.locator("#box-video video").wait_for()
        assert "4 frames" in visit.score()


def test_a_long_file_can_be_stopped(smile, browser, tmp_path):
    path = tmp_path / "long.jsonl"
    words = " ".join(f"word{i}" for i in range(150))
    path.write_text("\n".join(json.dumps({"prediction": f"{words} {i}", "references": [str(i)]}) for i in range(900)))
    with Visit(browser, smile, "desktop") as visit:
        page = visit.page
        visit.tab("File")
        visit.upload(path)
        page.locator("#score-file").click()
        page.wait_for_function("document.querySelector('#status progress')?.value > 0")
        smile.client()
        # Another visitor gets a turn between two chunks of the file.
        assert page.locator("#status progress").is_visible()
        page.locator("#stop").click()
        page.get_by_text("; not scored: ").wait_for()
        scored = int(page.locator(".qa-figures dd").first.inner_text().replace(",", ""))
        assert 0 < scored < 900


def test_the_demo_opens_first(judge, browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(judge.url)
    page.locator("#demo-shown .qa-groups").wait_for()
    assert page.get_by_text("the verdicts were written by hand").is_visible()
    asked = page.locator("#demo-shown .qa-figures dd").first
    before = asked.inner_text()
    assert re.fullmatch(r"\d+ of 30", before)
    page.locator("#demo-low input[type=range]").press("Home")
    page.wait_for_function("before => document.querySelector('#demo-shown dd').innerText != before", arg=before)
    assert int(asked.inner_text().split()[0]) > int(before.split()[0])
    page.close()


def test_a_visitors_endpoint_is_asked_and_the_key_is_not_stored(judge, browser):
    sent, chat = [], ChatServer()
    with Visit(browser, judge, "phone") as visit:
        page = visit.page
        page.on("request", lambda request: sent.append(request.post_data or ""))
        page.locator("#endpoint button").first.click()
        for box, text in (("url", "ftp://a.org"), ("model", "m"), ("key", KEY)):
            page.locator(f"#endpoint-{box} input").fill(text)
        assert page.locator("#endpoint-key input").get_attribute("type") == "password"
        assert "URL: expected an address such as" in visit.score()
        page.locator("#endpoint-url input").fill("http://127.0.0.1:9")  # "discard", which nothing here listens to
        visit.box("prediction").fill("Marie, I believe.")  # .69
        assert "there is no verdict" in visit.score()
        page.locator("#endpoint-url input").fill(chat.url)
        assert "The judge is asked. Its verdict is “correct”." in visit.score()
        assert chat.keys == [f"Bearer {KEY}"]
        visit.tab("File")
        visit.score_examples()
        assert len(chat.bodies) == 1  # bem decides all answers in the file
        visit.tab("Python")
        assert chat.url in page.locator(".cm-content").first.inner_text()
        assert KEY not in page.content()
        assert "Traceback" not in page.content()
    chat.close()
    # Gradio would write the visitor's input to a file for everybody who has the link.
    (session,) = {match for body in sent for match in re.findall(r'"session_hash":"(\w+)"', body)}
    assert ask(f"{judge.url}/gradio_api/deep_link?session_hash={session}")[0] == 403
    written = [judge.log, *(path for path in judge.uploads.rglob("*") if path.is_file())]
    assert len(written) > 1
    assert not [path for path in written if KEY.encode() in path.read_bytes()]
    assert "Traceback" not in judge.log.read_text()
