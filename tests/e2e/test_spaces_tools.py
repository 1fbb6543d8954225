"""The tools of a Space, called by the client of the package mcp."""

import asyncio
import json

import pytest
from space_requests import upload
from space_server import CLIP

pytest.importorskip("gradio")
pytest.importorskip("mcp")

PATH = "/gradio_api/mcp/"
ANSWER = {"prediction": "It was Marie Curie.", "references": ["Marie Curie"]}


def talk(server, *calls):
    """Return the tools by name, and the text and the error flag of each call's result."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def client():
        async with (
            streamable_http_client(f"{server.url}{PATH}") as (read, write, *_),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            results = [await session.call_tool(name, given) for name, given in calls]
            return tools, [(result.content[0].text, result.isError) for result in results]

    return asyncio.run(client())


def test_every_tool_and_parameter_is_described(server, one_line):
    assert json.loads(one_line("MCP"))["mcpServers"]["smile"]["url"].partition(":7860")[2] == PATH
    tools, _ = talk(server)
    answer, file = ["score_answer", "explain_answer"], ["score_file"] * (server.name != "evqascore")
    assert [*tools] == [*answer, *file]
    for tool in tools.values():
        assert len(tool.description) > 20
        for about in tool.inputSchema["properties"].values():
            assert len(about["description"]) > 10
            assert {"type", "oneOf", "anyOf"} & {*about}


def test_tools_score_and_explain(smile):
    rows = "prediction,references\nIt was Marie Curie.,Marie Curie\nNobody.,Marie Curie\n"
    calls = [
        ("score_answer", ANSWER),
        ("explain_answer", ANSWER),
        ("score_file", {"rows": rows}),
        ("score_file", {"rows": f"{json.dumps(ANSWER)}\n" * 2}),
        ("score_file", {"rows": [ANSWER], "w": 0.0}),
    ]
    tools, results = talk(smile, *calls)
    assert tools["score_answer"].inputSchema["required"] == ["prediction", "references"]
    assert tools["score_answer"].inputSchema["properties"]["references"]["type"] == "array"
    (one, explained, *files), errors = zip(*results, strict=True)
    assert not any(errors)
    one, csv, jsonl, rows = map(json.loads, (one, *files))
    assert one == smile.client().predict(**ANSWER, api_name="/score")
    assert explained.startswith(f"Verdict: correct. Score: {one['score']:.3f}. {one['why']}\n- Semantic: ")
    assert explained.endswith(f"“Marie Curie” counts: the reference\nSignature: {one['signature']}")
    assert one["signature"] == csv["signature"] == jsonl["signature"] != rows["signature"]
    assert [row["verdict"] for row in csv["rows"]] == [True, False]
    assert [row["score"] for row in jsonl["rows"]] == pytest.approx([one["score"]] * 2)
    assert rows["score"] == pytest.approx(1.0)


def test_tools_explain_invalid_input(smile):
    calls = [
        ("score_answer", ANSWER | {"references": []}),
        ("score_answer", {"prediction": "a"}),
        ("score_file", {"rows": "one,two\n1,2\n"}),
        ("explain_answer", ANSWER | {"w": 2}),
    ]
    _, results = talk(smile, *calls)
    expected = ["There is no reference", "'references' is a required", "there is no column 'references'", "w: expected"]
    for (text, is_error), message in zip(results, expected, strict=True):
        assert (is_error, message in text) == (True, True), text


def test_a_tool_scores_an_uploaded_video_and_no_other_file(evqascore):
    given = {"prediction": "A large red square moves."}
    wrong = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}
    _, ((found, _), (refused, is_error)) = talk(
        evqascore,
        ("explain_answer", given | {"video": upload(evqascore, CLIP.read_bytes())}),
        ("explain_answer", given | {"video": wrong}),
    )
    assert "“large red” counts: a keyword" in found
    assert is_error
    assert "passwd" not in refused
