"""`python -m evaluate_qa.dev.hacks`: what templates get, by arithmetic, and of a real metric."""

import json

import pytest
from commands import run_program

from evaluate_qa.dev.hacking.study import study
from evaluate_qa.dev.hacking.templates import FAMILIES, questions


class Words:
    """Scores the share of the reference's words; accepts all of them."""

    def compute(self, predictions, references, questions):
        """As a metric's."""
        scores = [
            max(
                sum(word in text.lower() for word in right.lower().split()) / len(right.split()) for right in references
            )
            for text, references in zip(predictions, references, strict=True)
        ]
        return {"per_example": {"score": scores, "verdict": [s == 1 for s in scores]}, "signature": "words"}


def test_questions_have_other_answers_beside_their_own():
    asked = questions()
    assert len(asked) > 200
    assert len({one.question for one in asked}) == len(asked)
    for one in asked:
        own = {word for reference in one.references for word in reference.lower().split()}
        assert len(set(one.others)) == 4
        assert not any(own & set(other.lower().split()) for other in one.others)
    assert questions(3) == asked[:3]


def test_templates_say_what_their_family_says():
    one = questions(1)[0]
    assert one.answers("wrong answer") == [one.others[0]]
    assert one.answers("right answer") == [one.references[0]]
    assert all(one.references[0] in text for text in one.answers("candidates"))
    assert all(one.question in text for family in ("copied question", "echo") for text in one.answers(family))
    untold = one.answers("override") + one.answers("padding") + one.answers("wrong answer")
    assert not any(one.references[0].lower() in text.lower() for text in untold)


def test_the_best_of_each_family_counts():
    asked = questions(40)
    found, signature = study(Words(), asked)
    families = {one.family: one for one in found}
    assert list(families) == list(FAMILIES)
    assert signature == "words"
    assert families["right answer"].mean == 1
    assert families["wrong answer"].accepted == 0
    # Every list has all words of the reference.
    lists = families["candidates"]
    assert (lists.templates, lists.reward, lists.accepted, lists.mean) == (6, 1, 1, 1)
    echo = families["echo"]
    expected = [
        [
            any(all(word in text.lower() for word in right.lower().split()) for right in one.references)
            for text in one.answers("echo")
        ]
        for one in asked
    ]
    assert echo.accepted == pytest.approx(sum(map(any, expected)) / 40)
    assert echo.mean == pytest.approx(sum(map(sum, expected)) / 160)


def test_the_command_prints_and_writes(tmp_path):
    out = tmp_path / "hacks.json"
    done = run_program("hacks", "--metric", "bem", "--questions", "1", "--json", out)
    assert "bem: 1 questions" in done.output
    written = json.loads(out.read_text())
    assert written["questions"] == 1
    assert written["metrics"]["bem"]["signature"].startswith("bem|v:")
    families = written["metrics"]["bem"]["families"]
    assert [one["family"] for one in families] == list(FAMILIES)
    assert families[-1]["accepted"] == 1
    assert 0 <= families[0]["reward"] <= 1
    wrong = run_program("hacks", "--metric", "deltableu", "--questions", "1", code=1)
    assert "deltableu has no verdicts" in wrong.output
