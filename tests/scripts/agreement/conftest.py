"""Small data sets in the formats of the releases, and small metrics."""

import csv
import json

import pytest
from toy_metric import write_metric, write_plain_metric
from toy_sets import evouna_question, write_evouna

from evaluate_qa.datasets_scripts.evouna.rows import SYSTEMS

BLEND = '''\
"""The share of the reference's words and letters in the answer; follows this package's contract."""

import datasets
import evaluate


class Blend(evaluate.Metric):
    calls = 0

    def _info(self):
        strings = datasets.List(datasets.Value("string"))
        features = {"predictions": datasets.Value("string"), "references": strings}
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=datasets.Features(features)
        )

    def _compute(self, predictions, references, questions=None, synthetic_answers=None, w=0.5):
        synthetic_answers = synthetic_answers or references
        words = [
            best(answer.split(), [text.split() for text in texts]) for answer, texts in zip(predictions, references)
        ]
        letters = [best(answer, texts) for answer, texts in zip(predictions, synthetic_answers)]
        score = [w * one + (1 - w) * other for one, other in zip(letters, words)]
        return {
            "blend": sum(score) / len(score),
            "signature": f"blend|w:{w}|questions:{len(questions or [])}",
            "per_example": {
                "score": score, "verdict": [value > 0.6 for value in score], "words": words, "letters": letters,
                "first": predictions,
            },
        }


def best(answer, references):
    return max(len({*answer} & {*reference}) / len({*reference}) for reference in references)
'''


@pytest.fixture
def blend(tmp_path):
    return write_metric(tmp_path, "blend", BLEND)


@pytest.fixture
def plain(tmp_path):
    """Folder of a metric that accepts one reference per row and returns no verdicts."""
    return write_plain_metric(tmp_path)


def answered_question(number, **changed):
    """One question of an EVOUNA file: the first three systems are right, the last two wrong, unless changed."""
    fields = {"question": f"question {number}?", "golden_answer": "Paris/City of Light"}
    for place, system in enumerate(SYSTEMS):
        right = place < 3
        fields[f"answer_{system}"] = f"It is {'Paris' if right else 'Rome'}, I think {'so ' * number}"
        fields[f"judge_{system}"] = right
    return evouna_question(**fields | changed)


@pytest.fixture
def evouna_dir(tmp_path):
    """A small EVOUNA: 4 questions in NQ and 3 in TQ, with one row of each defect, and a split file."""
    nq = [
        answered_question(0),
        answered_question(1, judge_gpt4=None),  # a row without a verdict
        answered_question(2, improper=True),  # 5 rows
        answered_question(3, answer_fid=None),  # a row without an answer
    ]
    tq = [answered_question(0), answered_question(1, golden_answer=None), answered_question(2, judge_fid="nan")]
    splits = {"NQ": {"train": [0, 2], "dev": [1, 3]}, "TQ": {"train": [0], "dev": [1, 2]}}
    return write_evouna(tmp_path / "evouna", nq, tq, splits)


@pytest.fixture
def diver_qa_dir(tmp_path):
    """A small DIVER-QA: two models answer two questions of aqa and one of squad."""
    folder = tmp_path / "diver_qa"
    folder.mkdir()
    answers = [
        # question, reference, source, answer, model, verdict
        ("Where?", "Paris", "aqa", "In Paris.", "claude", 1),
        ("Who?", "Ann", "aqa", "Bob", "claude", 0),
        ("When?", "1999", "squad", "It was 1999", "claude", 1),
        ("Where?", "Paris", "aqa", "In Rome.", "phi", 0),
        ("Who?", "Ann", "aqa", "I do not know Ann", "phi", 0),
        ("When?", "1999", "squad", "Last century", "phi", 1),
    ]
    with (folder / "diver_qa.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["questions", "answers", "dataset", "prediction", "model", "eval"])
        writer.writerows([q, r, source, answer, model, verdict] for q, r, source, answer, model, verdict in answers)
    return folder


MORQA_QUERIES = {
    # encounter: the gold answers in English and Chinese
    "E1": [("a plantar wart", "跖疣"), ("it is a wart on the foot", "足部疣"), ("see a doctor", "")],
    "E2": [("keep it dry", "保持干燥"), ("dry it and wait", "擦干等待")],
    "E3": [("nothing to fear", "不用担心")],
}

MORQA_RATINGS = [
    # encounter, language, system, answer, aspect, rater, value
    ("E1", "en", "S1", "a plantar wart", "overall", "A", "1"),
    ("E1", "en", "S1", "a plantar wart", "overall", "B", "0.5"),
    ("E1", "en", "S1", "a plantar wart", "relevance", "A", "1"),
    ("E1", "en", "S2", "keep it clean", "overall", "A", "0"),
    ("E1", "en", "S2", "keep it clean", "relevance", "A", "0.5"),
    ("E2", "en", "S1", "dry it", "overall", "A", "0.5"),
    ("E2", "en", "S1", "dry it", "relevance", "A", ""),  # no value
    ("E2", "en", "S2", "", "overall", "A", "0"),
    ("E3", "en", "S1", "nothing", "overall", "A", "0.5"),
    ("E3", "en", "S2", "nothing to fear at all", "overall", "A", "1"),
    ("E1", "zh", "S1", "跖疣", "factual-consistency-wgold", "C", "1"),
    ("E1", "zh", "S2", "湿疹", "factual-consistency-wgold", "C", "0"),
    ("E2", "zh", "S1", "保持湿润", "factual-consistency-wgold", "C", "0.5"),
    ("E2", "zh", "S2", "等待", "factual-consistency-wgold", "C", ""),  # without a rating
]


@pytest.fixture
def morqa_dir(tmp_path):
    """A small MORQA: WoundcareVQA's test set with three queries and two systems, and a rating without its query."""
    folder = tmp_path / "morqa"
    (folder / "woundcare").mkdir(parents=True)
    queries = [
        {
            "encounter_id": encounter,
            "query_title_en": "Help",
            "query_content_en": f"What is {encounter}?",
            "query_title_zh": "",
            "query_content_zh": f"{encounter}是什么？",
            "responses": [{"author_id": "D", "content_en": en, "content_zh": zh} for en, zh in gold],
        }
        for encounter, gold in MORQA_QUERIES.items()
    ]
    (folder / "woundcare" / "test.json").write_text(json.dumps(queries))
    with (folder / "ratings-test.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        columns = ["dataset", "encounter_id", "lang", "candidate_author_id", "candidate", "metric", "rater_id", "value"]
        writer.writerow(columns)
        writer.writerows(["woundcare", *rating] for rating in MORQA_RATINGS)
        writer.writerow(["liveqa", "9", "en", "S1", "an answer", "overall", "A", "3"])
    return folder
