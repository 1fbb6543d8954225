"""Folders of judged answers and of sentence pairs that the accelerator's plan trains on."""

import pytest
from toy_sets import NOUNS, lines, toy_sets

from evaluate_qa.dev.accelerator.sentence_pairs import PAIRS, read_pairs
from evaluate_qa.dev.accelerator.verdicts import REPORTED, read_verdicts


def test_pairs_are_divided_by_premise(tmp_path):
    toy_sets(tmp_path)
    row = {"premise": "The  cat is in the mat snli_dev_test", "hypothesis": "no", "label": "neutral"}
    lines(tmp_path / "pairs" / "mnli_dev.jsonl.gz", [row, row | {"premise": "the cat is in the mat hans"}])
    found = read_pairs(tmp_path / "pairs", 10_000)
    parts = [{" ".join(pair.answer.casefold().split()) for pair in part} for part in (found.train, found.held_out)]
    assert not parts[0] & parts[1]
    assert all(parts)
    assert {pair.label for pair in found.train} == {0.0, 1.0}
    assert {pair.data_set for pair in (*found.train, *found.held_out)} <= PAIRS.keys()
    assert 90 <= len(read_pairs(tmp_path / "pairs", 100).train) <= 140  # rounded up for each set


def test_reported_answers_are_not_trained_on(tmp_path):
    toy_sets(tmp_path)
    asked = f"Where is sas_pairs {NOUNS[0]} 0"
    found = {one.name: one for one in read_verdicts(tmp_path / "verdicts", [asked])}
    for name in REPORTED:
        assert not (*found[name].train, *found[name].dev)
        assert len(found[name].test) == 32  # without scores of .5
    assert asked.lower() not in {row.question.lower() for row in (*found["sas_pairs"].train, *found["sas_pairs"].dev)}
    summhay = found["summhay_insights"]
    groups = [{row.question_id for row in rows} for rows in (summhay.train, summhay.dev, summhay.test)]
    assert sum(map(len, groups)) == len(set.union(*groups)) == 16
    trivia = found["opentriviaqa_wrong"]
    assert sum(row.label for row in trivia.train) == len(trivia.train) / 2
    assert not trivia.dev


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda file: file.unlink(), r"^there is no file .*hans.jsonl.gz; give a folder that has a file hans"),
        (lambda file: file.write_bytes(b"{}"), r"hans.jsonl.gz is not a gzip file of JSON lines .*; copy it again$"),
        (lambda file: lines(file, [{"premise": "a"}]), r"hans.jsonl.gz, line 1: there is no column 'hypothesis'"),
        (
            lambda file: lines(file, [{"premise": "a", "hypothesis": "b", "label": "yes"}]),
            r"hans.jsonl.gz, line 1: label is 'yes'; expected one of entailment, paraphrase, neutral",
        ),
    ],
)
def test_damaged_sets_raise_an_error(tmp_path, damage, message):
    toy_sets(tmp_path)
    damage(tmp_path / "pairs" / "hans.jsonl.gz")
    with pytest.raises((OSError, ValueError), match=message):
        read_pairs(tmp_path / "pairs", 100)
