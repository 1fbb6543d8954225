"""`evaluate-qa synthesize` with a real HTTP server and a real, tiny chat model."""

import json
import re
import shutil
import signal
import time
from datetime import date

import pytest
from chat_server import ChatServer, completion
from commands import run_command
from tiny_chat_model import TEMPLATE, train_chat_model

from evaluate_qa.commands.synthesize import PAPER_MODEL
from evaluate_qa.files.work_folder import lock_work_folder
from evaluate_qa.files.writing import write_rows
from evaluate_qa.metrics._shared.chat_models import LocalModel
from evaluate_qa.synthesis.run import conversation, load_prompt

OUR_PROMPT = load_prompt(None)


def reference_of(body):
    return re.search(r"\nAnswer: (.*)\nReply with", body["messages"][1]["content"], flags=re.DOTALL)[1]


def sentence(body):
    return f"  It is {reference_of(body)}.\n"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = ChatServer(reply=sentence, subject=reference_of)
    yield server
    server.close()


@pytest.fixture
def run(server, tmp_path):
    """Writes rows and runs the command; returns its errors. Other keywords are options, by default of `--load`."""

    def run(rows, code=0, **options):
        source = write(tmp_path / "a.jsonl", rows) if isinstance(rows, list) else rows
        options = {"output": tmp_path / "b.jsonl", "endpoint": server.url, "model": "m"} | options
        typed = ["--input", source]
        for name, value in options.items():
            for one in value if isinstance(value, list) else [] if value is None else [value]:
                own = name in ("output", "endpoint", "model", "column", "prompt")
                typed += [f"--{name}", one] if own else ["--load", f"{name}={one}"]
        return run_command("synthesize", *typed, code=code).stderr

    return run


@pytest.fixture
def output(tmp_path):
    return lambda: read(tmp_path / "b.jsonl")


def write(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def read(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def some_rows(count):
    return [{"id": n, "questions": f"Which is number {n}?", "references": [f"r{n}", f"s{n}"]} for n in range(count)]


def answered(row):
    references = row["references"] if isinstance(row["references"], list) else [row["references"]]
    return row | {"synthetic_answers": [f"It is {reference}." for reference in references]}


# -- requests ------------------------------------------------------------------------------------------------------


def test_messages_are_the_prompt_with_question_and_reference(run, server):
    run([{"questions": "How many {legs} has a spider?", "references": "8"}])
    system, user = server.bodies[0]["messages"]
    assert system["content"].startswith("You turn answers to questions into sentences.")
    assert "\nQuestion: How many {legs} has a spider?\nAnswer: 8\n" in user["content"]
    messages = [{"role": "system", "content": system["content"]}, {"role": "user", "content": user["content"]}]
    assert server.bodies == [{"model": "m", "messages": messages, "max_tokens": 256, "temperature": 0}]


def test_extra_body_overrides_fields_of_the_request(run, server):
    extra = '{"max_tokens": null, "max_completion_tokens": 99, "temperature": 1}'
    run(some_rows(1), extra_body=extra)
    body = server.bodies[0]
    assert (body["max_tokens"], body["max_completion_tokens"], body["temperature"]) == (None, 99, 1)


# -- rows ----------------------------------------------------------------------------------------------------------


def test_rows_keep_their_order_and_each_pair_is_asked_once(run, server, output):
    rows = [
        {"questions": "Wer schrieb es?", "references": ["Müller", "MÜLLER 🎭", "Müller"], "x": {"deep": [1, None]}},
        {"questions": "q\u2028\ud800", "references": "lone \ud83d", "x": 1.5},
        {"questions": "Wer schrieb es?", "references": "Müller"},
        {"questions": "Wer schrieb es?", "references": "Müller"},
        *some_rows(20),
    ]
    assert "The output has answers for 24 of 24 rows." in run(rows)
    expected = [answered(row) for row in rows]
    expected[1]["synthetic_answers"] = ["It is lone \ufffd."]  # a request is UTF-8, which cannot encode half a pair
    assert output() == expected
    # The first four rows have three different pairs.
    assert len(server.bodies) == len(server.asked) == 3 + 40


@pytest.mark.parametrize(
    ("row", "options"),
    [
        ({"question": "q", "reference": "r"}, {}),
        ({"questions": "q", "references": ["r"], "question": 1, "reference": 2}, {}),
        ({"ask": "q", "gold": ["r"]}, {"column": ["questions=ask", "references=gold"]}),
    ],
)
def test_columns_may_have_other_names(run, output, row, options):
    run([row], **options)
    assert output() == [row | {"synthetic_answers": ["It is r."]}]


@pytest.mark.parametrize("column", ["references", "gold"])
def test_csv_is_read(run, output, tmp_path, column):
    source = tmp_path / "a.csv"
    source.write_text(f'questions,{column}\nq,"[""r"", ""s""]"\n')
    run(source, **({"column": ["references=gold"]} if column == "gold" else {}))
    assert output() == [{"questions": "q", column: ["r", "s"], "synthetic_answers": ["It is r.", "It is s."]}]


def test_parquet_is_read_and_a_complete_output_is_kept(run, server, output, tmp_path):
    write_rows(tmp_path / "a.parquet", [{"questions": "q", "references": ["r"], "day": date(2024, 7, 26)}])
    run(tmp_path / "a.parquet")
    assert output() == [answered({"questions": "q", "references": ["r"], "day": "2024-07-26"})]
    assert "is complete already: 1 row." in run(tmp_path / "a.parquet")
    assert len(server.bodies) == 1


# -- failures ------------------------------------------------------------------------------------------------------


FAULTS = {
    "empty": (" \n\u00a0\t", "answer is empty"),
    "cut off": (completion("It is", finish_reason="length"), "cut off at 256 tokens; increase max_tokens"),
    "no completion": (b"<html>", "not a chat completion"),
    "bad request": ((400, b'{"error": {"message": "a fault"}}'), "a fault"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failed_row_is_reported_and_retried_by_the_next_run(run, server, output, tmp_path, fault):
    rows = [*some_rows(3), {"questions": "again?", "references": "s1"}]
    reply, reason = FAULTS[fault]
    server.plan["s1"] = [reply] * 2
    error = run(rows, code=1, max_retries=0)
    assert output() == [answered(rows[0]), answered(rows[2])]
    assert "for 2 of 4 rows." in error
    first, second = (line for line in error.splitlines() if ", line " in line)
    assert "line 2: " in first
    assert "line 4: " in second
    assert reason in first
    assert reason in second
    server.bodies.clear()
    assert "An earlier run wrote 5 answers." in run(rows)
    assert output() == [answered(row) for row in rows]
    assert server.asked == {"s1": 2}
    assert not (tmp_path / "b.jsonl.work").exists()


def test_a_server_that_is_not_there_ends_the_run_early(run, tmp_path):
    # Nothing listens on port 9 (discard).
    error = run(some_rows(100), code=1, endpoint="http://127.0.0.1:9/v1", max_retries=0, concurrency=1)
    assert "for 0 of 100 rows." in error
    assert "The run ended early because 20 requests in a row failed: cannot connect to 127.0.0.1:9 (" in error
    assert "10 rows failed" in error
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_refused_requests_do_not_end_the_run(run, server, output):
    rows = [{"questions": "q", "references": f"{n}"} for n in range(60)]
    server.plan = {f"{n}": [(400, b"{}")] for n in range(1, 41)}
    error = run(rows, code=1, concurrency=1)
    assert "for 20 of 60 rows." in error
    assert "… and 30 more." in error
    assert output() == [answered(rows[n]) for n in (0, *range(41, 60))]


# -- resumed runs --------------------------------------------------------------------------------------------------


@pytest.fixture
def partial(run, server, tmp_path):
    """The rows of a run in which the last of three rows failed, and its work folder."""
    server.plan["s2"] = [""]
    run(some_rows(3), code=1)
    server.bodies.clear()
    return some_rows(3), tmp_path / "b.jsonl.work"


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"model": "other"}, "with model m, but this run has model other"),
        ({"extra_body": '{"seed": 1}'}, "with extra_body {}, but this run has extra_body {'seed': 1}"),
        ({"column": ["references=references"]}, "with columns {}, but"),
        ({"endpoint": None}, "with generator endpoint, but this run has generator transformers"),
    ],
)
def test_a_resumed_run_refuses_other_settings(run, server, partial, options, difference):
    rows, work = partial
    error = run(rows, code=1, **options)
    assert f"{work} was made {difference}" in error
    assert f"Use the earlier value, or delete {work / 'progress.json'} to start over.\n" in error
    assert server.bodies == []


def test_a_resumed_run_refuses_another_prompt(run, partial, tmp_path):
    (tmp_path / "prompt.jinja").write_text(OUR_PROMPT.text + " ", "utf-8")
    assert "was made with prompt " in run(partial[0], code=1, prompt=tmp_path / "prompt.jinja")
    (tmp_path / "prompt.jinja").write_text(OUR_PROMPT.text, "utf-8")
    run(partial[0], prompt=tmp_path / "prompt.jinja")


def test_a_resumed_run_may_have_a_longer_limit_and_more_rows(run, server, partial, output):
    rows = [{"questions": "new?", "references": "new"}, *partial[0]]
    run(rows, max_tokens=512)
    assert server.asked == {"new": 1, "s2": 1}
    assert output() == [answered(row) for row in rows]


@pytest.mark.parametrize("damage", [lambda line: line[:-9], lambda line: line.replace(b"It", b"Is"), lambda line: b""])
def test_a_damaged_answer_is_asked_again(run, server, partial, output, damage):
    rows, work = partial
    *lines, last = (work / "000000.answers").read_bytes().split(b"\n")
    (work / "000000.answers").write_bytes(b"\n".join([*lines, damage(last)]))
    run(rows)
    assert len(server.bodies) == 2
    assert output() == [answered(row) for row in rows]


@pytest.mark.parametrize(
    "rows", [[], [{"mine": 1}], [{**answered(row), "id": 7} for row in some_rows(3)], some_rows(3)]
)
def test_an_output_with_other_rows_is_not_replaced(run, server, tmp_path, rows):
    write(tmp_path / "b.jsonl", rows)
    before = (tmp_path / "b.jsonl").read_bytes()
    assert "exists, but its rows do not match the input. Remove it" in run(some_rows(3), code=1)
    assert ((tmp_path / "b.jsonl").read_bytes(), server.bodies) == (before, [])


def test_two_runs_do_not_write_the_same_file(run, server, tmp_path):
    with lock_work_folder(tmp_path / "b.jsonl"):
        error = run(some_rows(1), code=1)
    assert f"{tmp_path / 'b.jsonl'}: another run is writing it. Wait for that run, or stop it" in error
    assert server.bodies == []


def test_a_killed_run_resumes_and_ends_like_an_uninterrupted_one(processes, run, server, tmp_path):
    rows = some_rows(20)
    run(rows, output=tmp_path / "whole.jsonl")
    server.bodies.clear()
    server.seconds = 0.02
    options = ["--input", tmp_path / "a.jsonl", "--output", tmp_path / "b.jsonl", "--endpoint", server.url]
    code = "from evaluate_qa.cli import app; app()"
    answers = tmp_path / "b.jsonl.work" / "000000.answers"
    with processes.start("-c", code, "synthesize", *options, "--model", "m", "--load", "concurrency=4") as process:
        deadline = time.monotonic() + 60
        while not answers.exists() or answers.read_bytes().count(b"\n") < 5:
            assert process.poll() is None, "ended before it was killed"
            assert time.monotonic() < deadline, "wrote nothing"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    time.sleep(0.1)  # until the server has answered the last requests
    server.bodies.clear()
    saved = answers.read_bytes().count(b"\n")
    assert f"An earlier run wrote {saved} answers." in run(rows)
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert len(server.bodies) == 40 - saved


# -- refused before any request ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"questions": "q"', "not JSON"),
        ('{"question": "q", "referenze": "r"}', "Did you mean 'referenze'"),
        ('{"prompt": "q", "references": "r"}', "Use --column questions=NAME to read another column."),
        ('{"questions": "q", "references": []}', "references is []; expected a non-empty string or a non-empty list"),
        ('{"questions": "", "references": "r"}', "questions is ''; expected a string that is not empty"),
        ('{"questions": "q", "references": "r", "synthetic_answers": ["a"]}', "'synthetic_answers' already"),
    ],
)
def test_a_bad_row_is_reported_before_any_request(run, server, tmp_path, line, reason):
    source = tmp_path / "a.jsonl"
    source.write_text('{"questions": "q", "references": "r"}\n\n' + line + "\n")
    error = run(source, code=1)
    assert f"evaluate-qa synthesize: {source}, line 3: " in error
    assert reason in error
    assert (server.bodies, (tmp_path / "b.jsonl").exists()) == ([], False)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"endpoint": "localhost:8000"}, "expected a URL such as"),
        ({"concurrency": 0}, "--load: concurrency is 0; expected a positive whole number"),
        ({"extra_body": "[1]"}, "extra_body is [1]; expected a mapping such as"),
        ({"extra_body": "{"}, "extra_body is '{'; expected a mapping such as"),
        ({"endpoint": None, "batch_size": 0}, "batch_size is 0"),
        ({"endpoint": None, "batch_size": "many"}, "batch_size is 'many'; expected a positive whole number"),
        ({"concurrency": 1.5}, "--load: concurrency is 1.5; expected a positive whole number"),
        ({"timeout": "long"}, "--load: timeout is 'long'; expected a number from 0.001 to 86400"),
        ({"endpoint": None, "concurrency": 2}, "--load concurrency: there is no such option without --endpoint."),
        ({"timeuot": 2}, "no such option with --endpoint. Did you mean 'timeout'?"),
        ({"output": "b.parquet"}, "Use a name that ends in .jsonl"),
        ({"output": "none/b.jsonl"}, ": there is no folder none. Create it first, or name another file."),
    ],
)
def test_bad_options_are_refused(working_folder, run, tmp_path, options, reason):
    assert reason in run(some_rows(1), code=1, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_an_empty_input_is_refused(run):
    assert "there are no rows" in run([], code=1)


# -- local models --------------------------------------------------------------------------------------------------

KNOWN = {
    ("What is the capital of France?", "Paris"): "The capital is Paris .",
    ("Who wrote Faust?", "Goethe"): "It was written by Goethe .",
    ("Who wrote Faust, and did he finish it in the year before he died?", "yes, Goethe did"): "Goethe finished it .",
    ("How many legs has a spider?", "8"): "A spider walks on 8 legs .",
}
SILENT = ("Say nothing .", "nothing")
# Like Llama 3's template, it uses a date; without one, it refuses, where Llama's uses today's.
DATED = "{%- if date_string is not defined %}{{ raise_exception('no date') }}{% endif -%}" + TEMPLATE


@pytest.fixture(scope="module")
def chat_model(tmp_path_factory):
    """The folder of a model that has memorized four answers, and silence for a fifth question."""
    replies = [(conversation(OUR_PROMPT, *pair), answer) for pair, answer in (KNOWN | {SILENT: ""}).items()]
    model, tokenizer = train_chat_model(replies, DATED)
    # All words are nearly as likely, and sampling is the default as in Llama 3.2, so only greedy decoding is right.
    model.lm_head.weight.data *= 0.05
    model.generation_config.update(do_sample=True, temperature=2.0, top_p=0.9, top_k=5)
    folder = tmp_path_factory.mktemp("chat_model")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def known_rows(*pairs):
    return [dict(zip(("questions", "references"), pair, strict=True)) for pair in [*KNOWN, *pairs]]


@pytest.mark.parametrize("batch_size", [1, 3])
def test_answers_of_a_local_model_do_not_depend_on_the_batch(run, output, chat_model, batch_size):
    run(known_rows(), endpoint=None, model=chat_model, batch_size=batch_size, max_tokens=12, device="cpu")
    assert [row["synthetic_answers"] for row in output()] == [[answer] for answer in KNOWN.values()]


def test_empty_and_truncated_answers_of_a_local_model_fail(run, output, chat_model):
    rows = known_rows(SILENT)
    error = run(rows, code=1, endpoint=None, model=chat_model, max_tokens=5)
    # With its end, "Goethe finished it ." has five tokens; the others have more.
    assert [row["synthetic_answers"] for row in output()] == [["Goethe finished it ."]]
    assert "line 1: the answer was cut off at 5 tokens; increase max_tokens" in error
    assert "line 5: the model's answer is empty" in error
    error = run(rows, code=1, endpoint=None, model=chat_model, max_tokens=12)
    assert "for 4 of 5 rows." in error
    assert [row["synthetic_answers"] for row in output()] == [[answer] for answer in KNOWN.values()]


def test_a_local_model_returns_answers_batch_by_batch(chat_model):
    order = []
    model = LocalModel(str(chat_model), batch_size=2, max_tokens=12)
    conversations = [conversation(OUR_PROMPT, *pair) for pair in KNOWN]
    model.answer(conversations, lambda number, answer: order.append((number, answer)))
    assert dict(order) == dict(enumerate(KNOWN.values()))
    assert order[0][0] == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda folder: (folder / "chat_template.jinja").unlink(), "has no chat template"),
        (lambda folder: (folder / "chat_template.jinja").write_text("{{ raise_exception('no') }}"), "refuses"),
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "safetensors"),
        (lambda folder: (folder / "tokenizer_config.json").unlink(), "has no end-of-text token"),
    ],
)
def test_a_local_model_that_cannot_be_used_is_reported(run, tmp_path, chat_model, change, reason):
    folder = shutil.copytree(chat_model, tmp_path / "model")
    change(folder)
    error = run(known_rows(), code=1, endpoint=None, model=folder)
    assert str(folder) in error
    assert reason in error


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"model": PAPER_MODEL}, f"cannot load the chat model '{PAPER_MODEL}'"),
        ({"device": "cuda:99"}, "device is 'cuda:99', which torch cannot use here"),
    ],
)
def test_a_missing_model_or_device_is_reported(run, chat_model, options, reason):
    assert reason in run(known_rows(), code=1, **({"endpoint": None, "model": chat_model} | options))
