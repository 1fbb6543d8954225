"""The API of a Space that runs outside the Hub."""

import ast
import json

import pytest
from space_requests import ask

from evaluate_qa.spaces._shared.page.answer_tab import AnswerEvents
from evaluate_qa.spaces._shared.scoring.answering import as_record, explain
from evaluate_qa.spaces.judge.app import SPECIFICATION

pytest.importorskip("gradio")

# The matcher's score is .43, so the answer goes to the judge, whose verdict is recorded.
UNSURE = ("When did the Second World War end?", "1945", "Five years before 1950.")


@pytest.mark.parametrize("endpoint", ["score", "batch"])
@pytest.mark.parametrize("way", ["run", "api"])
def test_requests_without_the_queue_are_refused(judge, way, endpoint):
    """The queue's limits keep one visitor from blocking all others."""
    rows = [{"prediction": "a", "question": "b", "references": ["c"]}]
    data = {"score": ["a", "b", ["c"], "None"], "batch": [rows, "None"]}[endpoint]
    status, response = ask(f"{judge.url}/gradio_api/{way}/{endpoint}", {"data": data})
    assert (status, "Please join the queue" in response) == (404, True)
    status, event = ask(f"{judge.url}/gradio_api/call/{endpoint}", {"data": data})
    assert "event: complete" in ask(f"{judge.url}/gradio_api/call/{endpoint}/{json.loads(event)['event_id']}")[1]


@pytest.fixture(scope="module")
def scorer():
    return SPECIFICATION.scorer()


@pytest.mark.parametrize("asked", ["None", "(0, 1)", "(0, 0)"])
def test_the_code_for_the_api_gives_the_result_of_the_page(judge, scorer, capsys, asked):
    analysis, *_, lines = AnswerEvents(SPECIFICATION, scorer, "judge", judge.url).score(*UNSURE, asked)
    exec(lines, {})
    response = ast.literal_eval(capsys.readouterr().out.strip().split("\n")[-1])
    expected = as_record(explain(SPECIFICATION, scorer, analysis, SPECIFICATION.options([asked])))
    assert response == json.loads(json.dumps(expected))
    assert response["verdict"] is (asked != "(0, 0)")
