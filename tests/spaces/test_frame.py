"""The files and cards of each Space, the words of a text, and the HTML of results."""

import re

import pytest
from huggingface_hub import RepoCard
from markupsafe import escape
from packaging.requirements import Requirement

from evaluate_qa.publishing.requirements import read_requirements
from evaluate_qa.spaces._shared.drawing import markup
from evaluate_qa.spaces._shared.metric.declared import read_card
from evaluate_qa.spaces._shared.metric.outcome import Bar, Mark, Outcome, find_run, words

OUTCOME = Outcome(
    score=0.75,
    verdict=True,
    threshold=0.5,
    best_reference=0,
    bars=[Bar("Words", 0.5, "half of them")],
    marks=[Mark(3, 8, "a <word>")],
    why="Because 1 < 2.",
)


def test_the_front_matter_is_valid_on_the_hub(name, root):
    data = RepoCard.load(root / "metrics" / name / "README.md").data.to_dict()
    assert data["sdk"] == "gradio"
    assert data["app_file"] == "app.py"
    assert data["pinned"] is False
    assert {"evaluate", "metric"} <= {*data["tags"]}
    colors = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {data["colorFrom"], data["colorTo"]} <= colors
    assert all(data[key] for key in ("title", "emoji", "description"))
    # Publishing adds Gradio's version.
    assert "sdk_version" not in data
    assert not (root / "spaces" / name / "README.md").read_text().startswith("---")


def test_the_requirements_are_those_of_the_metric_and_the_frame(name, root):
    file = root / "spaces" / name / "requirements.txt"
    metrics = {"judge": ["judge", "bem"]}.get(name, [name])
    folders = [*(f"../metrics/{metric}" for metric in metrics), "_shared"]
    assert file.read_text() == "".join(f"-r ../{folder}/requirements.txt\n" for folder in folders)


def test_pip_reads_the_requirements_in_the_checkout(processes, root):
    """Publishing reads `-r` lines as pip does, relative to the file that contains them."""
    file = root / "spaces" / "smile" / "requirements.txt"
    options = ["--dry-run", "--no-index", "--no-deps"]
    done = processes.run("-m", "pip", "install", *options, "-r", file, check=True)
    found = re.findall(r"Requirement already satisfied: (\S+)", done.stdout)
    assert {Requirement(line) for line in found} == {Requirement(line) for line in read_requirements(file)}


def test_a_space_and_its_metric_can_share_a_folder(name, root):
    of_space = {path.name for path in (root / "spaces" / name).iterdir() if path.name != "__pycache__"}
    of_metric = {path.name for path in (root / "metrics" / name).iterdir() if path.name != "__pycache__"}
    assert of_space & of_metric == {"README.md", "requirements.txt"}
    assert {entry for entry in of_space if entry.endswith(".py")} == {"app.py"}


def test_each_folder_of_the_frame_imports_only_from_those_above_it(root):
    shared = root / "spaces" / "_shared"
    folders = re.findall(r"^- `(\w+)`: ", (shared / "__init__.py").read_text(), re.MULTILINE)
    assert {*folders} == {file.parent.name for file in shared.glob("*/*.py")}
    for number, folder in enumerate(folders):
        programs = [file.read_text() for file in (shared / folder).glob("*.py")]
        taken = {name for program in programs for name in re.findall(r"^ *from \.\.(\w+)", program, re.MULTILINE)}
        assert taken <= {*folders[:number]}, folder


def test_the_card_has_no_links_to_files(name):
    _, card = read_card(name)
    assert card.lstrip().startswith("# ")
    assert not re.findall(r"\]\((?!https?://|#)", card)
    assert re.findall(r"\]\(https://", card), "the metric's card has a link, such as to its paper"


def test_words_have_their_places():
    text = "“Paris”, the city/町 of - light"
    found = words(text, lambda word: word.strip("“”,-").lower().split("/"))
    assert [text[word.start : word.end] for word in found] == ["Paris", "the", "city", "町", "of", "-", "light"]
    assert find_run(found, ["paris", "the"]) == (1, 12)
    assert find_run(found, ["paris", "city"]) is None
    assert find_run(found, []) is None


def test_a_dropped_word_does_not_interrupt_a_run():
    found = words("Marie - Curie", lambda word: [] if word == "-" else [word])
    assert find_run(found, ["Marie", "Curie"]) == (0, 13)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "${1}{{2}}&amp;"])
def test_texts_are_escaped(text):
    parts = [
        markup.result(OUTCOME, text, 1.0),
        markup.problem(text),
        markup.render("skipped", [text]),
        markup.note(text),
        markup.result(Outcome(0.0, [Bar(text, 0.0, text)], [], text), "", 1.0),
    ]
    for part in parts:
        assert "<script" not in part
        assert "<img" not in part
        assert escape(text)[:3] in part


def test_a_result_has_verdict_score_marks_and_components():
    drawn = markup.result(OUTCOME, "It Paris <b>.", 1.0)
    assert "Correct" in drawn
    assert "0.750" in drawn
    assert 'It <mark class="qa-for" title="a &lt;word&gt;">Paris</mark> &lt;b&gt;.' in drawn
    assert 'role="meter" aria-label="Words" aria-valuemin="0" aria-valuemax="1" aria-valuenow="0.500"' in drawn
    assert "left:50%" in drawn
    assert "Because 1 &lt; 2." in drawn


def test_marks_do_not_overlap():
    outcome = Outcome(0.0, [], [Mark(0, 4, "a"), Mark(2, 6, "b"), Mark(6, 7, "c")], "")
    assert markup.result(outcome, "abcdefgh", 1.0).count("<mark") == 2


def test_many_problems_are_counted_and_the_first_ones_shown():
    drawn = markup.render("skipped", [f"row {i}" for i in range(12)])
    assert "12 rows were skipped" in drawn
    assert drawn.count("<li>") == 10
    assert "and 2 more" in drawn
    assert markup.render("skipped", []) == ""
