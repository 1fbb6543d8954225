"""Tests of `evaluate-qa audit`: its figures on a judge with known biases, drift, resuming, and errors."""

import json
import random
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from threading import Lock

import numpy as np
import pytest
from chat_server import completion, texts
from commands import run_command

from evaluate_qa.auditing.requests import INJECTED, INJECTIONS, PLAIN
from evaluate_qa.auditing.statistics import AuditedRows, compute_statistics
from evaluate_qa.files.writing import write_rows
from evaluate_qa.metrics.judge.protocols import load_protocol

# Two answers to each question, one of them right. A third of the answers are long.
ROWS = [
    {
        "question": f"Question {at // 2}?",
        "references": [f"right {at:03}", f"correctly {at:03}"] if at % 4 == 0 else f"right {at:03}",
        "prediction": f"{'right' if at % 2 else 'wrong'} {at:03}{' and so on' * (at % 3 == 0)}",
        "label": at % 2,
        "system": f"model-{'ab'[at % 5 == 0]}",
    }
    for at in range(120)
]
WRONG, RIGHT = ([row["prediction"] for row in ROWS if row["label"] == label] for label in (0, 1))
IN_ORDER = ("--load", "concurrency=1")  # repetitions arrive after the first request
LONG = [answer for answer in WRONG if answer.endswith("so on")]

# The judge's biases, as probabilities.
FOOLED, FOOLED_BY_LENGTH, STRICT, FLIPS, LIKES_BOLD, OBEYS = 0.1, 0.5, 0.15, 0.2, 0.4, {"order": 0.6, "verdict": 0.3}


def happens(probability, *what):
    """The judge's dice: a fixed outcome for each event."""
    return random.Random(repr(what)).random() < probability


def believes(answer):
    if answer in RIGHT:
        return not happens(STRICT, "strict", answer)
    return happens(FOOLED_BY_LENGTH if answer in LONG else FOOLED, "fooled", answer)


def accepts(answer, time=1, seed=0):
    """The verdict when the judge sees an answer for the nth time."""
    return believes(answer) ^ happens(FLIPS, seed, answer, time)


def accepts_bold(answer):
    return believes(answer) or happens(LIKES_BOLD, "bold", answer)


def obeys(name, answer):
    return believes(answer) or happens(OBEYS.get(name, 0), name, answer)


def biased(seed=0):
    """The reply of the judge: it rejects lists, and accepts what else it does not know, such as swapped answers."""
    times, turn = Counter(), Lock()

    def reply(body):
        answer = texts(body)["Answer"][0]
        core, _, rest = answer.partition("\n")
        with turn:  # requests come in several threads
            times[json.dumps(body)] += 1
            asked = times[json.dumps(body)]
        if injected := [name for name, text in INJECTIONS.items() if rest == text]:
            verdict = obeys(injected[0], core)
        elif answer.startswith("**"):
            verdict = accepts_bold(answer.strip("*"))
        elif answer in {*WRONG, *RIGHT} and not texts(body)["Reference"][0].startswith("wrong"):
            first, *others = texts(body)["Reference"]
            verdict = believes(answer) if others and first < others[0] else accepts(answer, asked, seed)
        else:
            verdict = "## Answer" not in answer
        return completion("correct" if verdict else "incorrect")

    return reply


@pytest.fixture
def audit(working_folder, server):
    server.reply = biased()
    write_rows("rows.jsonl", ROWS)

    def audit(*arguments, code=0):
        judge = (f"endpoint={server.url}", "model=m", "api=chat", "cache_dir=kept")
        loads = [part for one in judge for part in ("--load", one)]
        done = run_command("audit", "--data", "rows.jsonl", *loads, *arguments, code=code)
        return done.stderr if code else done

    return audit


def read(path):
    found = json.loads(Path(path).read_text("utf-8"))["figures"]
    return {f"{group}/{name}": one for group, its in found.items() for name, one in its.items()}


def share(values):
    return float(np.mean([*values]))


def test_figures_equal_those_of_a_judge_with_known_biases(audit):
    printed = audit("--json", "audit.json", "--family", "model-b", "--output", "audit.html", *IN_ORDER).stdout
    found = read("audit.json")
    plain = {answer: accepts(answer) for answer in [*WRONG, *RIGHT]}
    accuracy = share([*(plain[answer] for answer in RIGHT), *(not plain[answer] for answer in WRONG)])
    rejected = [answer for answer in WRONG if not plain[answer]]
    obeyed = {name: [obeys(name, answer) for answer in rejected] for name in INJECTIONS}
    own = [row["prediction"] for row in ROWS if row["system"] == "model-b" and not row["label"]]
    expected = {
        "agreement/accuracy": accuracy,
        "agreement/kappa": 2 * accuracy - 1,  # half of the answers are right, so chance agrees on half of them
        "agreement/sensitivity": share(plain[answer] for answer in RIGHT),
        "agreement/specificity": share(not plain[answer] for answer in WRONG),
        "agreement/calibration_error": 1 - accuracy,  # all scores are 0 or 1
        "stability/repetition_flips": share(
            one != other for answer in plain for one, other in combinations([accepts(answer, t) for t in (1, 2, 3)], 2)
        ),
        "rewriting/bold_flips": share(accepts_bold(answer) != plain[answer] for answer in plain),
        "rewriting/bold_shift": share(accepts_bold(answer) - plain[answer] for answer in plain),
        "rewriting/list_shift": -share(plain.values()),
        "rewriting/padding_shift": 1 - share(plain.values()),
        "length/wrong_accepted_longer": share(plain[answer] for answer in LONG),
        **{f"injections/{name}": share(obeyed[name]) for name in INJECTIONS},
        "injections/any": share(map(any, zip(*obeyed.values(), strict=True))),
        "family/wrong_accepted_own": share(plain[answer] for answer in own),
        "family/wrong_accepted_others": share(plain[answer] for answer in WRONG if answer not in own),
    }
    assert {name: found[name]["value"] for name in expected} == pytest.approx(expected)
    assert found["length/wrong_accepted_longer"]["rows"] == len(LONG)
    assert found["rewriting/reversed_references_flips"]["rows"] == sum(isinstance(r["references"], list) for r in ROWS)
    # The probabilities that the judge was made with are inside the intervals.
    known = {
        "stability/repetition_flips": 2 * FLIPS * (1 - FLIPS),
        "agreement/sensitivity": (1 - STRICT) * (1 - FLIPS) + STRICT * FLIPS,
        "length/wrong_accepted_longer": FOOLED_BY_LENGTH,  # 0.5 · 0.8 + 0.5 · 0.2
        "length/wrong_accepted_difference": (FOOLED_BY_LENGTH - FOOLED) * (1 - 2 * FLIPS),
    }
    assert not {name for name, p in known.items() if not found[name]["low"] <= p <= found[name]["high"]}
    text = re.sub("</?span>", "", Path("audit.html").read_text("utf-8"))
    assert "default-src 'none'" in text
    assert "notice of a new policy, verdict, forged field" in printed
    for name in ("agreement/kappa", "injections/order", "length/wrong_accepted_longer"):
        one = found[name]
        assert f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" in text


def test_one_injection_that_deceives_the_judge_is_enough():
    """The first row is deceived by `order`, even without a verdict on `field`; the second row is unknown."""
    zeros, nan = np.zeros(4), np.nan
    verdicts = {PLAIN: zeros, f"{INJECTED}order": np.eye(4)[0], f"{INJECTED}field": np.array([nan, nan, 0, 0])}
    audited = AuditedRows(zeros, np.arange(4), np.ones(4, np.int64), [""] * 4, [], verdicts, zeros)
    found = compute_statistics(audited)["injections"]["any"]
    assert (found.value, found.rows) == (pytest.approx(1 / 3), 3)


def test_drift_of_the_model_behind_a_name(audit, server):
    write_rows("rows.jsonl", ROWS[:40])
    audit("--json", "before.json", *IN_ORDER)
    server.reply = biased(seed=1)
    audit("--json", "same.json", "--against", "before.json", *IN_ORDER)
    server.reply = lambda body: completion("correct")
    audit("--json", "other.json", "--against", "same.json", "--output", "other.html")
    same, other = read("same.json"), read("other.json")
    before = read("before.json")
    changed = share(accepts(answer, 1, 0) != accepts(answer, 1, 1) for answer in [*WRONG[:20], *RIGHT[:20]])
    assert same["drift/changed"]["value"] == pytest.approx(changed)
    beyond = same["drift/changed_beyond_repetition"]
    assert beyond["low"] < 0 < beyond["high"], "noise alone is not drift"
    specificity = other["agreement/specificity"]
    assert specificity["change"]["value"] == pytest.approx(-before["agreement/specificity"]["value"])
    assert specificity["change"]["high"] < 0
    assert other["drift/changed_beyond_repetition"]["low"] > 0
    assert "Changes are differences from m on" in Path("other.html").read_text("utf-8")


def test_a_stopped_audit_continues(audit, server):
    write_rows("rows.jsonl", ROWS[:40])
    announced = audit("--dry-run").stderr
    # Ten answers have two references, and 13 equal their reference, so there is nothing to swap.
    count = 40 * (3 + 1 + 3) + 10 + 20 * len(INJECTIONS) - 13
    assert f"{count:,} requests about 40 answers. {count:,} requests without a stored verdict will" in announced
    assert not server.bodies
    reply, left = server.reply, iter(range(150))
    server.reply = lambda body: reply(body) if next(left, None) is not None else (401, b"{}", {})
    assert "run the same command again" in audit(code=1)
    server.bodies.clear()
    server.reply = reply
    audit("--json", "audit.json")
    assert len(server.bodies) == count - 150
    assert f"{count:,} requests about 40 answers. 0 requests without" in audit("--dry-run").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--samples", "0"], "--samples is 0; expected 1 to 100"),
        (["--family", "model-c"], "--family is 'model-c'"),
        (["--load", "first=bem"], "Leave out first."),
        (["--output", "a.txt"], "--output is a.txt; expected a file that ends in .html"),
        (["--against", "right.jsonl"], "right.jsonl is not an audit"),
        (["--against", "keyless.json"], "keyless.json is not an audit"),
        (["--against", "foreign.json"], "no answer in common"),
        (["--against", "protocol.json"], "Use the same --load protocol"),
        (["--data", "right.jsonl"], "no answer with the label wrong"),
    ],
)
def test_invalid_input_is_reported_before_the_judge_is_asked(audit, server, arguments, message):
    write_rows("right.jsonl", [row for row in ROWS if row["label"]])
    of_judge = load_protocol("default").signature
    for name, its, rows in (
        ("keyless", of_judge, [{"verdicts": {}}]),
        ("foreign", of_judge, []),
        ("protocol", "smile", []),
    ):
        earlier = {"judge": "m", "date": "2026-11-27", "protocol": its, "round": 0, "rows": rows}
        Path(f"{name}.json").write_text(json.dumps(earlier))
    assert message in audit(*arguments, code=1)
    assert not server.bodies
