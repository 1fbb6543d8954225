"""Reward functions, called as a trainer calls them. tests/e2e/test_grpo.py runs a real trainer."""

import asyncio
import inspect
import pickle
import re
import statistics
import threading

import numpy as np
import pytest

import evaluate_qa
from evaluate_qa.metrics._shared.rewards import extractor

METRICS = ("smile", "nli_lex", "bem", "deltableu", "judge")
PROMPTS = ["who discovered radium", "what is the capital of france", "who discovered radium", "who is marie"]
COMPLETIONS = ["It was Marie Curie.", "lyon", "It was Marie Curie.", "she is marie curie"]
ANSWERS = ["Marie Curie", ["Paris", "Paris, France"], "Marie Curie", "Marie Curie"]
REASONED = [f"Let me think. <answer>{text}</answer>" for text in COMPLETIONS[:3]] + ["Curie, but I forgot the tag"]


@pytest.fixture(scope="module")
def metrics(cases):
    return {name: evaluate_qa.load(name, **cases[name].load) for name in METRICS}


def plain(metric, **columns):
    rows = {"predictions": COMPLETIONS, "references": ANSWERS, "questions": PROMPTS} | columns
    return metric.compute(**rows)["per_example"]


class Log:
    """The logging functions of a TRL trainer."""

    def __init__(self):
        self.figures, self.columns = {}, {}

    def keywords(self):
        """Return the logging arguments of a call."""
        return {"log_metric": self.figures.__setitem__, "log_extra": self.columns.__setitem__}


@pytest.mark.parametrize("name", METRICS)
def test_rewards_are_the_scores_of_a_plain_compute(name, metrics):
    log, metric = Log(), metrics[name]
    reward = metric.reward("gold")
    found = reward(
        prompts=PROMPTS,
        completions=COMPLETIONS,
        completion_ids=[[1, 2]] * 4,
        gold=ANSWERS,
        trainer_state=object(),
        **log.keywords(),
    )
    expected = plain(metric)
    assert found == pytest.approx(expected["score"], abs=1e-6)
    assert found[0] == found[2] > found[1]
    assert {type(value) for value in found} == {float}
    assert reward.__name__ == name
    assert log.columns == {f"{name}_answer": COMPLETIONS, f"{name}_score": pytest.approx(expected["score"])}
    if name != "deltableu":
        assert metric.reward("gold", value="verdict")(PROMPTS, COMPLETIONS, gold=ANSWERS) == [1.0, 0.0, 1.0, 1.0]
        assert log.figures[f"rewards/{name}/accuracy"] == 0.75


def test_conversations_score_as_their_texts(metrics):
    def said(role, content):
        return {"role": role, "content": content}

    prompts = [[said("system", "Be short."), said("user", "hi"), said("user", prompt)] for prompt in PROMPTS]
    completions = [
        [said("assistant", COMPLETIONS[0])],
        [said("assistant", "I look it up"), said("tool", "Paris"), said("assistant", COMPLETIONS[1])],
        [said("assistant", [{"type": "text", "text": COMPLETIONS[2]}, {"type": "image"}])],
        [said("assistant", None)],
    ]
    expected = plain(metrics["bem"], predictions=[*COMPLETIONS[:3], ""])["score"]
    assert metrics["bem"].reward()(prompts, completions, answer=ANSWERS) == pytest.approx(expected, abs=1e-6)


def test_questions_and_further_columns_come_from_the_data_set(metrics):
    given = {"answer": ANSWERS, "asked": PROMPTS, "sentence": ["It was Marie Curie.", None, "Curie", "Marie"]}
    found = metrics["bem"].reward(questions="asked")(["Answer in a word."] * 4, COMPLETIONS, **given)
    assert found == pytest.approx(plain(metrics["bem"])["score"], abs=1e-6)
    smile = metrics["smile"].reward(synthetic_answers="sentence", w=0.3)(PROMPTS, COMPLETIONS, **given)
    expected = plain(metrics["smile"], synthetic_answers=given["sentence"], w=0.3)["score"]
    assert smile == pytest.approx(expected, abs=1e-6)
    assert smile != pytest.approx(plain(metrics["smile"])["score"], abs=1e-3)


@pytest.mark.parametrize("extract", ["answer", r"<answer>(.*)</answer>", re.compile("(?<=<answer>).*(?=<)"), None])
def test_rewards_score_the_extracted_answer(extract, metrics):
    log, bem = Log(), metrics["bem"]
    if extract is None:

        def extract(text):
            return text.split(">")[1].split("<")[0] if ">" in text else None

    found = bem.reward(extract=extract, missing=-0.5)(PROMPTS, REASONED, answer=ANSWERS, **log.keywords())
    assert found == pytest.approx([*plain(bem)["score"][:3], -0.5], abs=1e-6)
    assert log.figures["rewards/bem/extracted"] == 0.75
    assert log.columns["bem_answer"] == [*COMPLETIONS[:3], None]
    assert bem.reward(extract=extract, missing=None)(PROMPTS, REASONED, answer=ANSWERS)[3] is None


@pytest.mark.parametrize(
    ("extract", "text", "answer"),
    [
        ("answer", "<answer>a</answer> no: <answer>\n b\n</answer> so", "b"),
        ("answer", "<think>Perhaps <answer>a</answer>? No.</think>I do not know.", None),
        ("answer", "<think>Perhaps <answer>a</answer>? Hm", None),
        ("<answer>(.*?)</answer>", "<answer>a</answer></think><answer>b</answer>", "b"),
        ("answer", "I write <answer>: <answer>x</answer>", "x"),
        ("answer", "<answer></answer>", ""),
        ("answer", "</answer> turned <answer>", None),
        ("final-answer", "<final-answer>7</final-answer>", "7"),
        (r"####\s*(.+)", "#### 6\n#### 7\nthat was it", "7"),
        (r"\d+", "6 and 7", "7"),
        (r"is (\w+)?", "it is here; it is !", None),
        (r"#### (.+)", "no", None),
        (str.upper, "no", "NO"),
    ],
)
def test_extract_finds_the_answer(extract, text, answer):
    assert extractor("bem", extract)(text) == answer


def test_rows_without_a_reference_have_no_reward(deltableu):
    log = Log()
    answers = ["a b c d", None, "", [], [" ", None], ["a b c d"]]
    found = deltableu.reward()(["?"] * 6, ["a b c d"] * 6, answer=answers, **log.keywords())
    assert found == [pytest.approx(100)] + [None] * 4 + [pytest.approx(100)]
    assert log.columns["deltableu_score"][1:5] == [None] * 4
    nothing = deltableu.reward(extract="a")(["?"] * 2, ["x", "y"], answer=[None, "z"], **log.keywords())
    assert nothing == [None, 0.0]
    penalty = deltableu.reward(extract="a", missing=-1)(["?"], ["x"], answer=["z"])
    assert (penalty, type(penalty[0])) == ([-1.0], float)
    assert log.figures["rewards/deltableu/extracted"] == 0


def test_a_band_maps_scores_linearly(deltableu):
    # BLEU of "a b c d" for "a b c e": 3/4 unigrams, 2/3 bigrams, 1/2 trigrams, smoothed 1/2 of 1 four-gram:
    # 100 (3/4 · 2/3 · 1/2 · 1/2)^(1/4) = 100 (1/8)^(1/4) = 59.46; with the band (40, 80) it is 0.4865.
    texts = ["a b c e", "a b c d", "x y z"]
    found = deltableu.reward(value=(40, 80))(["?"] * 3, texts, answer=["a b c d"] * 3)
    assert found == pytest.approx([(100 * 0.125**0.25 - 40) / 40, 1.0, 0.0], abs=1e-9)
    for band in ([40, 80], np.array([40, 80]), (np.float32(40), np.int64(80))):
        assert deltableu.reward(value=band)(["?"] * 3, texts, answer=["a b c d"] * 3) == pytest.approx(found)


def test_a_reward_logs_means_under_its_own_name(metrics):
    log = Log()
    metrics["bem"].reward(name="mine")(PROMPTS, COMPLETIONS, answer=ANSWERS, **log.keywords())
    expected = plain(metrics["bem"])
    assert log.figures["rewards/mine/margin"] == pytest.approx(statistics.mean(expected["margin"]), abs=1e-6)
    assert "mine_score" in log.columns


@pytest.mark.parametrize("name", ["bem", "deltableu"])
def test_a_reward_can_be_pickled(name, metrics):
    reward = metrics[name].reward(extract="answer")
    there = pickle.loads(pickle.dumps(reward))
    later = pickle.loads(pickle.dumps(metrics[name].reward(extract="answer", asynchronous=True)))
    assert asyncio.run(later(PROMPTS, REASONED, answer=ANSWERS)) == reward(PROMPTS, REASONED, answer=ANSWERS)
    assert there(PROMPTS, REASONED, answer=ANSWERS) == reward(PROMPTS, REASONED, answer=ANSWERS)
    assert there.__name__ == name


def test_the_accelerator_is_left_to_the_policy(monkeypatch):
    import torch

    bem = evaluate_qa.load("bem")
    assert bem.reward().metric is bem, "without an accelerator there is no second model"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    there = bem.reward().metric
    assert (bem.load_options.device, there.load_options.device) == (None, "cpu")
    assert bem.reward(value="verdict").metric is there, "all rewards of a metric share one model"
    assert there.compute(predictions=["Paris"], references=["Paris"], questions=["?"])["bem"] > 0.5
    on_the_accelerator = evaluate_qa.load("bem", device="cuda")
    assert on_the_accelerator.reward().metric is on_the_accelerator


BAD_OPTIONS = [
    ({"value": "scores"}, ValueError, "value is 'scores'; expected 'score', 'verdict' or (low, high) with low < high"),
    ({"value": (0.5, 0.5)}, ValueError, "value is (0.5, 0.5); expected 'score'"),
    ({"value": np.array([1, 0])}, ValueError, "value is array([1, 0]); expected 'score'"),
    ({"missing": "0"}, ValueError, "missing is '0'; expected a finite number or None"),
    ({"missing": float("nan")}, ValueError, "missing is nan; expected a finite number or None"),
    ({"name": 5}, TypeError, "name is 5; expected a string or None"),
    ({"asynchronous": "no"}, ValueError, "asynchronous is 'no'; expected True or False"),
    ({"extract": "(open"}, ValueError, "extract is '(open', which is not a regular expression (missing )"),
    ({"extract": 5}, TypeError, "extract is 5; expected a tag, a regular expression or a callable"),
    ({"references": ANSWERS}, TypeError, "references is ['Marie Curie', "),
    (
        {"value": "verdict"},
        ValueError,
        "value is 'verdict', but deltableu has no verdicts; expected 'score' or (low, high)",
    ),
    ({"questions": ""}, TypeError, "questions is ''; expected the name of a column of the data set"),
    ({"thresold": 0.5}, TypeError, "unknown keyword 'thresold'"),
]


@pytest.mark.parametrize(("given", "error", "message"), BAD_OPTIONS)
def test_invalid_options_raise_an_error_before_training(given, error, message, deltableu):
    with pytest.raises(error, match=f"^deltableu: {re.escape(message)}"):
        deltableu.reward(**given)


BAD_ROWS = [
    (
        {"completions": ["a", 5]},
        TypeError,
        "deltableu: completions[1] is 5; expected a text or a list of messages, {'role': …, 'content': …}",
    ),
    (
        {"gold": [None, 7]},
        TypeError,
        "deltableu: gold[1] is 7; expected a string or a non-empty list of strings (convert numbers with str(…)); "
        "change the data set's column 'gold' with its method map, to None for a row without an answer",
    ),
    ({"gold": ["a"]}, ValueError, "deltableu: references has length 1; expected 2, one per completion"),
    (
        {"gold": None, "solution": ["a", "b"]},
        ValueError,
        "deltableu: the data set has no column 'gold' (it has: solution); expected one with the references: "
        "name it with reward(references='…'), and keep it with remove_unused_columns=False",
    ),
]


@pytest.mark.parametrize(("given", "error", "message"), BAD_ROWS)
def test_invalid_rows_raise_an_error_with_a_fix(given, error, message, deltableu):
    reward = deltableu.reward(references="gold")
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        reward(**{"prompts": ["?", "?"], "completions": ["a", "b"], "gold": ["a", "b"]} | given)
    assert reward(["?"], ["a b c d"], gold=["a b c d"]) == [pytest.approx(100)]


def test_a_missing_question_raises_an_error_with_a_fix(metrics):
    message = "bem: prompts[2] is ' '; expected a question, which BEM needs for every row; name the column"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        metrics["bem"].reward()(["?", "?", " "], ["a"] * 3, answer=["b"] * 3)
    with pytest.raises(TypeError, match="bem: prompts is None; expected a list with one entry for each row"):
        metrics["bem"].reward()(None, ["a"], answer=["b"])
    with pytest.raises(RuntimeError, match="my own"):
        metrics["bem"].reward(extract=_fails)(["?"], ["a"], answer=["b"])
    with pytest.raises(TypeError, match="bem: extract returned 1; expected a string, or None if there is no answer"):
        metrics["bem"].reward(extract=len)(["?"], ["a"], answer=["b"])


def _fails(_):
    raise RuntimeError("my own")


def test_an_asynchronous_reward_does_not_block_the_event_loop(server, deltableu):
    """Another reward finishes while a judge waits for its server. tests/e2e/test_grpo.py runs it in a trainer."""
    waited, reply = threading.Event(), server.reply
    server.reply = lambda body: reply(body) if waited.wait(30) else None
    judge = evaluate_qa.load("judge", endpoint=server.url, model="m")
    slow, fast = judge.reward(asynchronous=True, name="slow"), deltableu.reward(asynchronous=True)
    assert inspect.iscoroutinefunction(slow.__call__)
    assert (slow.__name__, fast.__name__) == ("slow", "deltableu")
    rows = {"prompts": PROMPTS, "completions": COMPLETIONS, "answer": ANSWERS}

    async def step():
        waiting = asyncio.create_task(slow(**rows))
        found = await fast(**rows)
        assert not waiting.done()
        waited.set()
        return found, await waiting

    assert asyncio.run(step()) == (deltableu.reward()(**rows), judge.reward()(**rows))
    with pytest.raises(ValueError, match="the data set has no column 'answer'"):
        asyncio.run(fast(PROMPTS, COMPLETIONS))
