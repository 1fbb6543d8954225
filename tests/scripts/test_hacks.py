"""`python -m evaluate_qa.dev.hacks`: the figures of templates, by arithmetic and with a real metric."""

import json

import pytest
from commands import run_program

from evaluate_qa.dev.hacks import FAMILIES, answers, named_questions, study


class WordsMetric:
    """Scores the share of the reference's words, and accepts an answer that has all of them."""

    def compute(self, predictions, references, questions):
        """Return scores and verdicts, like a metric."""
        scores = [
            max(
                sum(word in text.lower() for word in right.lower().split()) / len(right.split()) for right in references
            )
            for text, references in zip(predictions, references, strict=True)
        ]
        return {"per_example": {"score": scores, "verdict": [s == 1 for s in scores]}, "signature": "words"}


def test_templates_hold_the_reference_only_in_their_families():
    asked = named_questions()
    assert len({row["question"] for row in asked}) == len(asked) > 200
    for row in asked:
        own = {word for reference in row["references"] for word in reference.lower().split()}
        assert len(set(row["others"])) == 4
        assert not any(own & set(other.lower().split()) for other in row["others"])
    first = asked[0]
    assert answers(first, "wrong answer") == [first["others"][0]]
    assert answers(first, "right answer") == [first["references"][0]]
    assert all(first["references"][0] in text for text in answers(first, "candidates"))
    assert all(first["question"] in text for family in ("copied question", "echo") for text in answers(first, family))
    without = [text for family in ("override", "padding", "wrong answer") for text in answers(first, family)]
    assert not any(first["references"][0].lower() in text.lower() for text in without)


def test_study_reports_the_best_template_of_each_family():
    asked = named_questions()[:40]
    found, signature = study(WordsMetric(), asked)
    families = {one["family"]: one for one in found}
    assert list(families) == list(FAMILIES)
    assert signature == "words"
    assert families["right answer"]["mean"] == 1
    assert families["wrong answer"]["accepted"] == 0
    # Every list has all words of the reference.
    assert families["candidates"] == {"family": "candidates", "templates": 6, "reward": 1, "accepted": 1, "mean": 1}
    echo = families["echo"]
    expected = [
        [
            any(all(word in text.lower() for word in right.lower().split()) for right in row["references"])
            for text in answers(row, "echo")
        ]
        for row in asked
    ]
    assert echo["accepted"] == pytest.approx(sum(map(any, expected)) / 40)
    assert echo["mean"] == pytest.approx(sum(map(sum, expected)) / 160)


def test_command_prints_and_writes_figures(tmp_path):
    out = tmp_path / "hacks.json"
    done = run_program("hacks", "--metric", "bem", "--questions", "1", "--json", out)
    assert "bem: 1 question " in done.output
    written = json.loads(out.read_text())
    assert written["questions"] == 1
    assert written["metrics"]["bem"]["signature"].startswith("bem|v:")
    families = written["metrics"]["bem"]["families"]
    assert [one["family"] for one in families] == list(FAMILIES)
    assert families[-1]["accepted"] == 1
    assert 0 <= families[0]["reward"] <= 1
    wrong = run_program("hacks", "--metric", "deltableu", "--questions", "1", code=1)
    assert "deltableu has no verdicts" in wrong.output
