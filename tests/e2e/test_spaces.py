"""Every Space as its visitors meet it: in Chromium, at the width of a desk and of a phone."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
from chat_server import ChatServer
from space_requests import ask
from space_server import CLIP, OTHER_CLIP
from space_visit import WIDTHS, Visit, violations

pytest.importorskip("gradio")

TABS = ("Answer", "File", "Python", "Card")
KEY = "sk-visitor-0123456789"

# What takes a slider to its lowest value, and a list, which opens with its first, to its last.
LOWEST = {"range": ("Home",), "text": ("ArrowUp", "Enter")}

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_tab(server, browser, axe, artefacts, scheme):
    if scheme == "dark" and server.name not in ("smile", "deltableu"):
        pytest.skip("the colours are the frame's; they are looked at with a verdict and without")
    with Visit(browser, server, "desktop", scheme) as visit:
        page, found = visit.page, []
        for tab in (*TABS, "Demo") if server.name == "judge" else TABS:
            visit.tab(tab)
            if tab == "File":
                page.locator("#take-examples").click()
                page.get_by_text("to score.").wait_for()
                page.locator("#score-file").click()
                page.locator("#results .qa-figures").wait_for()
                page.locator("#answers table").first.wait_for()
            for width in WIDTHS if scheme == "light" else ["desktop"]:
                visit.resize(width)
                page.wait_for_timeout(300)
                page.screenshot(path=artefacts / f"{server.name}-{width}-{scheme}-{tab.lower()}.png", full_page=True)
                found += [f"{tab}, {width}: {violation}" for violation in violations(page, axe)]
                assert visit.overflow() <= 0, f"{tab} is wider than a {width}'s window"
            visit.resize("desktop")
        assert found == []


def test_examples_sliders_and_python(server, browser):
    with Visit(browser, server, "desktop") as visit:
        page = visit.page
        first, *others = page.locator(".qa-examples button").all()
        for button in [*others, first]:
            assert re.search(r"(Correct|Score)\s+\d|Incorrect\s+\d", visit.changed(button.click))
        option = page.locator(
            "#option-ask input" if server.name == "judge" else "[id^=option-] input[type=range]"
        ).first
        option.focus()
        keys = LOWEST[option.evaluate("input => input.type")]
        visit.changed(lambda: [option.press(key) for key in keys])
        visit.tab("Python")
        lines = page.locator(".cm-content").first.inner_text()
        assert f'evaluate_qa.load("{server.name}"' in lines
        # The slider's option, at its lowest; of a list, the last one.
        assert re.search(r"(w|threshold)=0|(max_ngram_order|max_keywords)=1|ask=\(0, 0\)", lines)


def test_the_keyboard_is_enough(server, browser):
    with Visit(browser, server, "desktop") as visit:
        page, reached = visit.page, set()
        visit.box("prediction").fill("a green ring and a yellow cross")
        while "score" not in reached and len(reached) < 20:
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.id"))
        visit.changed(lambda: page.keyboard.press("Enter"))
        for _ in range(20):
            page.keyboard.press("Tab")
            kind = page.evaluate("document.activeElement.closest('[id^=option-]') && document.activeElement.type")
            if kind == ("text" if server.name == "judge" else "range"):
                break
        visit.changed(lambda: [page.keyboard.press(key) for key in LOWEST[kind]])


def test_wrong_input_is_explained(with_references, browser, tmp_path):
    with Visit(browser, with_references, "phone") as visit:
        page = visit.page
        visit.box("references").fill("")
        assert "There is no reference. Enter at least one." in visit.score()
        visit.box("references").fill("Paris")
        visit.box("prediction").fill("x" * 5000)
        assert "the text has 5,000 characters; this Space accepts 4,000." in visit.score()
        visit.tab("File")
        page.locator("#score-file").click()
        page.get_by_text("Upload a file first").wait_for()
        broken = tmp_path / "broken.jsonl"
        broken.write_text('{"prediction": "a", "references": ["b"], "question": "q"}\n{oops\n')
        told = visit.upload(broken)
        assert "broken.jsonl: 1 row to score" in told
        assert "line 2: this is not JSON" in told
        broken = broken.rename(tmp_path / "binary.jsonl")
        broken.write_bytes(b"\xff\xfe")
        assert "the file is not UTF-8 text" in visit.upload(broken)
        assert "Traceback" not in page.content()
    assert "Traceback" not in with_references.log.read_text()


def test_what_is_entered_is_text(server, browser):
    with Visit(browser, server, "desktop") as visit:
        text = "<img src=x onerror=\"document.title='owned'\"> ${6*7} {{6}} <b>b</b> </script>"
        visit.box("prediction").fill(text)
        assert text in visit.score()
        assert visit.page.title() != "owned"


def test_a_file_is_scored_downloaded_and_deleted(with_references, browser, tmp_path):
    rows = [
        {"question": "Capital of France?", "references": ["Paris"], "prediction": "It is Paris."},
        {"question": "Capital of Italy?", "references": ["Rome"], "prediction": "I do not know."},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with Visit(browser, with_references, "desktop") as visit:
        page = visit.page
        visit.tab("File")
        assert "answers.jsonl: 2 rows to score." in visit.upload(path)
        assert not list(with_references.uploads.rglob("answers.jsonl"))
        page.locator("#score-file").click()
        page.locator("#results .qa-figures").wait_for()
        with page.expect_download() as download:
            page.locator("#download-csv").click()
        table = Path(download.value.path()).read_text().splitlines()
        assert table[0].startswith("row,score")
        assert len(table) == 3
        scores = [float(line.split(",")[1]) for line in table[1:]]
        assert scores[0] > scores[1]
        header = page.locator("#answers th").filter(has_text="score").first
        header.click()
        visit.tab("Python")
        page.get_by_text("answers.jsonl").wait_for()


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
        told = page.locator("#results").inner_text()
        assert re.search(r"Newly correct\s+10\s+Newly incorrect\s+2\s", told)
        assert re.search(r"Judged correct\s+75.0%\s+[\d.]+ to [\d.]+%\s+95.0%\s+[\d. to]+%\s+\+20.0 points", told)
        assert "p = 0.0386" in told
        page.locator("#answers table").first.wait_for()
        for width in reversed(WIDTHS):
            visit.resize(width)
            page.wait_for_timeout(300)
            page.screenshot(path=artefacts / f"compared-{width}.png", full_page=True)
            assert violations(page, axe) == []
            assert visit.overflow() <= 0
        with page.expect_download() as download:
            page.locator("#download-csv").click()
        with Path(download.value.path()).open(newline="") as lines:
            table = list(csv.DictReader(lines))
        assert [row["change"] for row in table] == ["win"] * 10 + ["loss"] * 2 + [""] * 28
        assert {"score", "score_b", "verdict", "verdict_b", "prediction", "prediction_b"} <= {*table[0]}
        visit.tab("Python")
        assert "from evaluate_qa import compare" in page.locator(".cm-content").nth(2).inner_text()


def test_rows_and_their_videos_are_scored_and_deleted(evqascore, browser, tmp_path):
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"no video")
    names = [CLIP.name, OTHER_CLIP.name, broken.name, "/etc/passwd", CLIP.name]
    answers = ["A large red square moves.", "A large red square moves.", "a", "b", "no"]
    path = tmp_path / "answers.jsonl"
    rows = [{"video": n, "question": "What moves?", "prediction": a} for n, a in zip(names, answers, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))
    with Visit(browser, evqascore, "desktop") as visit:
        page = visit.page
        visit.tab("File")
        assert "answers.jsonl: 5 rows to score." in visit.upload(path)
        told = visit.upload_videos(CLIP, OTHER_CLIP, broken, told="2 videos read: red_square.mp4, green_ring.mp4.")
        assert "1 video was skipped.\nbroken.mp4: the file cannot be read as a video." in told
        left = {file.name for file in evqascore.uploads.rglob("*") if file.is_file()}
        assert not left & {"answers.jsonl", "broken.mp4"}
        page.locator("#score-file").click()
        page.locator(".qa-figures").wait_for()
        results = page.locator("#results").inner_text()
        assert "2 rows were skipped." in results
        assert "row 3: broken.mp4: the file cannot be read as a video." in results
        assert "row 4: Video: there is no video “/etc/passwd”. Uploaded: green_ring.mp4, red_square.mp4." in results
        assert "root:" not in page.content()
        with page.expect_download() as download:
            page.locator("#download-csv").click()
        with Path(download.value.path()).open(newline="") as lines:
            table = list(csv.DictReader(lines))
        assert [row["row"] for row in table] == ["1", "2", "5"]
        assert [row["video"] for row in table] == [CLIP.name, OTHER_CLIP.name, CLIP.name]
        assert len({row["score"] for row in table}) == 3
        # With other options, without the videos, which are gone.
        visit.tab("Answer")
        page.locator("#option-max_keywords input[type=range]").focus()
        page.keyboard.press("Home")
        visit.tab("File")
        figure = page.locator(".qa-figures dd").nth(1)
        before = figure.inner_text()
        page.locator("#score-file").click()
        page.wait_for_function(
            "before => document.querySelectorAll('.qa-figures dd')[1]?.innerText != before", arg=before
        )
        visit.tab("Python")
        lines = page.locator(".cm-content").nth(2)
        lines.get_by_text("answers.jsonl").wait_for()
        assert 'videos=[row["video"] for row in rows]' in lines.inner_text()
        assert 'evaluate_qa.load("evqascore", "demo")' in lines.inner_text()
        assert "max_keywords=1" in lines.inner_text()


def test_each_upload_is_by_itself(evqascore, browser):
    """Of the same video, one is deleted as soon as it has been read for a file, and the form keeps the other."""
    with Visit(browser, evqascore, "desktop") as visit:
        page = visit.page
        page.get_by_label("Clear").first.click()
        page.locator("#box-video input[type=file]").set_input_files(OTHER_CLIP)
        page.locator("#box-video video").wait_for()
        visit.tab("File")
        visit.upload_videos(OTHER_CLIP, told="1 video read: green_ring.mp4.")
        visit.tab("Answer")
        visit.box("prediction").fill("a small green ring")
        assert "4 frames" in visit.score()


def test_videos_that_do_not_fit_are_explained(evqascore, browser, tmp_path):
    many = [shutil.copy(CLIP, tmp_path / f"clip {number}.mp4") for number in range(21)]
    path = tmp_path / "answers.csv"
    path.write_text("video,prediction\nclip 1.mp4,A red square moves.\nclip 2.mp4,no\n")
    with Visit(browser, evqascore, "phone") as visit:
        page = visit.page
        visit.tab("File")
        visit.upload(path)
        page.locator("#score-file").click()
        page.get_by_text("No row could be scored. row 1: Video: there is no video “clip 1.mp4”").wait_for()
        visit.upload_videos(*many, told="There are 21 videos; this Space accepts 20. Leave some out.")
        assert not [file for file in evqascore.uploads.rglob("clip*") if file.is_file()]
        visit.upload_videos(*many[1:3], told="2 videos read: clip 1.mp4, clip 2.mp4.")
        page.locator("#score-file").click()
        page.locator(".qa-figures").wait_for()
        assert page.locator(".qa-figures dd").first.inner_text() == "2"


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
        # Others get their turn between two parts of the file: it is not done.
        assert page.locator("#status progress").is_visible()
        page.locator("#stop").click()
        page.get_by_text("rows were not scored").wait_for()
        scored = int(page.locator(".qa-figures dd").first.inner_text().replace(",", ""))
        assert 0 < scored < 900


def test_the_demo_is_what_one_sees_first(judge, browser):
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


def test_a_visitors_endpoint_is_asked_and_the_key_stays_with_the_visitor(judge, browser):
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
        page.locator("#take-examples").click()
        page.get_by_text("to score.").wait_for()
        page.locator("#score-file").click()
        page.locator("#results .qa-figures").wait_for()
        assert len(chat.bodies) == 1 + 1
        visit.tab("Python")
        assert chat.url in page.locator(".cm-content").first.inner_text()
        assert KEY not in page.content()
        assert "Traceback" not in page.content()
    chat.close()
    # Gradio would write what the visitor entered into a file that a link leads to.
    (session,) = {match for body in sent for match in re.findall(r'"session_hash":"(\w+)"', body)}
    assert ask(f"{judge.url}/gradio_api/deep_link?session_hash={session}")[0] == 403
    written = [judge.log, *(path for path in judge.uploads.rglob("*") if path.is_file())]
    assert len(written) > 1
    assert not [path for path in written if KEY.encode() in path.read_bytes()]
    assert "Traceback" not in judge.log.read_text()
