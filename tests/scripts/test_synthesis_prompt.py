"""What `evaluate-qa synthesize` asks: our own words, or those of a file."""

import json
import re

import pytest

from evaluate_qa.metrics.judge.protocols import PROTOCOLS
from evaluate_qa.synthesis.run import conversation, load_prompt

PAPERS = ("smile", "evouna_appendix", "nli_lex_diverqa", "morqa", "evqascore")


def words(text):
    return re.findall(r"\w+", text.lower())


def runs(text, length):
    found = words(text)
    return {tuple(found[at : at + length]) for at in range(len(found) - length + 1)}


@pytest.mark.parametrize("name", [*PROTOCOLS, "synthesize"])
def test_no_prompt_repeats_a_paper(shared, name):
    """No seven words in a row, which a sentence of a paper's prompt has."""
    own = load_prompt(None).text if name == "synthesize" else PROTOCOLS[name]
    for paper in PAPERS:
        assert not runs(own, 7) & runs((shared / "papers" / f"{paper}.txt").read_text("utf-8"), 7), paper


def test_the_papers_exact_text_goes_as_a_file(shared, tmp_path):
    paper = (shared / "papers" / "smile.txt").read_text("utf-8")
    system = re.search(
        r"(You are an intelligent chatbot designed for generating.*?nothing else\.)\n", paper, re.DOTALL
    )[1]
    user = re.search(r"(Please phrase a short.*?SHORT SENTENCE\.)\n", paper, re.DOTALL)[1]
    template = user.replace("{<question>}", "{{ question }}").replace("{<answer>}", "{{ answer }}")
    file = tmp_path / "paper.jinja"
    file.write_text(f"---\nsystem: {json.dumps(system)}\n---\n{template}\n", "utf-8")
    filled = user.replace("{<question>}", "How {{ many }}?").replace("{<answer>}", "8")
    assert conversation(load_prompt(file), "How {{ many }}?", "8") == [
        {"role": "system", "content": system},
        {"role": "user", "content": filled},
    ]


def test_a_template_alone_is_the_whole_request(tmp_path):
    file = tmp_path / "short.j2"
    file.write_text("Say {{ answer | quoted }} in a sentence.\r\n", "utf-8")
    assert conversation(load_prompt(file), "Who?", 'a "b"') == [
        {"role": "user", "content": 'Say "a \\"b\\"" in a sentence.'}
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Say something.", "it does not contain {{ answer }}"),
        (
            "{{ question }} {{ reference }} {{ answer }}",
            "'reference' is undefined; the template can use question, answer",
        ),
        ("{{ 1 / 0 }} {{ answer }}", "division by zero"),
        ("---\nlabels: {}\n---\n{{ answer }}", "its setting 'labels' is unknown; expected some of source, system"),
        ("---\nsystem: x\n{{ answer }}", "does not begin with settings in YAML between two lines ---"),
        (b"\xff{{ answer }}", "is not UTF-8 text"),
        (None, "expected a file"),
    ],
)
def test_what_is_wrong_with_a_prompt_is_told(tmp_path, text, told):
    file = tmp_path / "mine.j2"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=r"^--prompt .*'.*mine.j2'") as caught:
        load_prompt(file)
    assert told in str(caught.value)
