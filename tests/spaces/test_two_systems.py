"""Confidence intervals and the comparison of two systems: by hand, and as the commands report them."""

import json
import re
from dataclasses import asdict

import pytest
from commands import run_command

import evaluate_qa
from evaluate_qa.spaces._shared.drawing import summary
from evaluate_qa.spaces._shared.scoring import batch
from evaluate_qa.spaces._shared.scoring.certainty import as_figures, certainty
from evaluate_qa.spaces._shared.scoring.files import UploadedTable, collect, read
from evaluate_qa.spaces._shared.scoring.records import changed_first, records_of, write
from evaluate_qa.spaces._shared.visitors.limits import Refusal

# Two rows per question: the answers of both systems.
ANSWERS = {
    "Who discovered radium?": [("Marie Curie", "Lise Meitner"), ("Pierre", "Marie Curie")],
    "Where was she born?": [("in Paris", "in Warsaw"), ("Warsaw", "Warsaw")],
    "What is its symbol?": [("Ra", "It is Ra."), ("Rd", "Ra")],
}
REFERENCES = dict(zip(ANSWERS, ("Marie Curie", "Warsaw", "Ra"), strict=True))


def rows():
    return [
        {"question": question, "references": [REFERENCES[question]], "prediction": one, "prediction_b": other}
        for question, pairs in ANSWERS.items()
        for one, other in pairs
    ]


def table_of(specification, records):
    return collect(UploadedTable("rows.jsonl", ".jsonl"), enumerate(records, 1), specification.fields)


@pytest.fixture(scope="module")
def scored(scored_rows):
    return scored_rows("smile", rows())


def given(smile, scores, others=None, questions=None):
    """A scored file with these scores, and verdicts with a threshold of .5."""
    named = questions or [f"Q{place}?" for place in range(len(scores))]
    records = [{"question": q, "references": ["x"], "prediction": f"a{n}"} for n, q in enumerate(named)]
    if others is not None:
        records = [record | {"prediction_b": f"b{n}"} for n, record in enumerate(records)]
    table = table_of(smile, records)
    return of_table(table, scores, of_table(table.of_others(), others) if others else None)


def of_table(table, scores, other=None):
    columns = {"score": scores, "verdict": [score >= 0.5 for score in scores]}
    return batch.ScoredFile(
        table, kept=[*range(len(scores))], columns=columns, score=sum(scores) / len(scores), other=other
    )


def test_intervals_by_hand(smile):
    """The mean of .2 .4 .6 .8 is .5, its error √(2 · .3² + 2 · .1²)/√12 = .129099, times t₃ = 3.182446 .410852.

    Two of four right, by Wilson with z² = 3.841459: (.5 + z²/8 ± z √(.25/4 + z²/64)) / (1 + z²/4) = .5 ± .349961.
    """
    found = certainty(given(smile, [0.2, 0.4, 0.6, 0.8]))
    assert vars(found.means["score"]) == pytest.approx({"value": 0.5, "low": 0.089148, "high": 0.910852}, abs=1e-6)
    assert vars(found.means["verdict"]) == pytest.approx({"value": 0.5, "low": 0.150039, "high": 0.849961}, abs=1e-6)
    assert (found.rows, found.clusters, found.grouped, found.pair) == (4, 4, False, None)
    shown = summary.cards(given(smile, [0.2, 0.4, 0.6, 0.8]), found, smile)
    assert shown["Score"] == ("0.500", "0.089 to 0.911")
    assert shown["Judged correct"] == ("50.0%", "15.0 to 85.0%")


def test_rows_with_the_same_question_form_a_cluster(smile):
    """With .2 .4 and .6 .8 for two questions, the standard error is √(2 · .4²/2)/2 = .2, and t₁ is 12.7: 0 to 1."""
    found = certainty(given(smile, [0.2, 0.4, 0.6, 0.8], questions=["Who?", "Who?", "Where?", " Where? "]))
    assert (found.means["score"].low, found.means["score"].high) == (0, 1)
    assert (found.clusters, found.grouped) == (2, True)
    assert "Rows with the same question count as one group (2 questions)." in [*summary.notes(found)]
    assert certainty(given(smile, [0.2, 0.4], questions=["Who?", "Who?"])) is None


def test_a_difference_by_hand(smile):
    """Ten rows: 4 become right and 1 wrong, +30 points; McNemar: 2 · (1 + 5)/32 = .375."""
    before = [0.9, 0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9, 0.1, 0.1]
    after = [0.1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1, 0.1]
    scored = given(smile, before, after)
    found = certainty(scored)
    assert found.pair.verdicts.p_value == pytest.approx(0.375)
    cards = summary.cards(scored, found, smile)
    assert {name: value for name, (value, _) in cards.items()} == {
        "Rows scored": "10", "Newly correct": "4", "Newly incorrect": "1"
    }  # fmt: skip
    lines = summary.comparison(scored, found, smile)
    assert lines[""] == [("prediction", ""), ("prediction_b", ""), ("difference", "")]
    assert [value for value, _ in lines["Judged correct"]] == ["40.0%", "70.0%", "+30.0 points"]
    assert lines["Judged correct"][2][1].endswith("p = 0.3750")
    assert [value for value, _ in lines["Score"]] == ["0.420", "0.660", "+0.240"]


def test_the_comparison_equals_that_of_the_command(scored, tmp_path, uploads):
    """On two files from the download, one for each system."""
    records = [json.loads(line) for line in write(records_of(scored))[1].read_text().splitlines()]
    for name, end in (("a", ""), ("b", "_b")):
        of_one = [
            {"id": row["row"], "question": row["question"]} | {key: row[f"{key}{end}"] for key in ("score", "verdict")}
            for row in records
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, of_one)))
    run_command("compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--json", tmp_path / "out.json")
    report = json.loads((tmp_path / "out.json").read_text())
    found = as_figures(certainty(scored))
    assert (found["rows"], found["clusters"]) == (report["rows"], report["clusters"]) == (6, 3)
    (system,) = report["systems"]
    for name in ("wins", "losses", "scores", "verdicts"):
        assert found[name] == system[name], name


def test_both_systems_are_scored_as_each_alone(scored, scored_rows):
    for one, name in ((scored, "prediction"), (scored.other, "prediction_b")):
        alone = [{k: row[k] for k in ("question", "references")} | {"prediction": row[name]} for row in rows()]
        expected = scored_rows("smile", alone)
        assert one.columns["score"] == pytest.approx(expected.columns["score"], abs=1e-6)
        assert one.columns["verdict"] == expected.columns["verdict"]
        assert one.score == pytest.approx(expected.score, abs=1e-6)


def test_changed_rows_come_first_and_the_download_has_both_systems(scored, smile, uploads):
    records = records_of(scored)
    assert [row["row"] for row in records] == [1, 2, 3, 4, 5, 6]
    first = ["row", "change", "score", "score_b", "verdict", "verdict_b", "prediction", "prediction_b"]
    assert list(records[0])[:8] == first
    changes = {row["row"]: row["change"] for row in records}
    assert (changes[1], changes[2], changes[4]) == ("loss", "win", "")
    ordered = changed_first(records)
    turned = [row for row in ordered if row["change"]]
    assert ordered[: len(turned)] == turned
    sizes = [abs(row["score_b"] - row["score"]) for row in turned]
    assert sizes == sorted(sizes, reverse=True)
    for file in write(records):
        again = read(file, smile.fields)
        assert again.others == [row["prediction_b"] for row in rows()]
        assert again.rows == scored.table.rows


def test_scores_without_verdicts_are_compared_by_sign_flips(specification_of, scored_rows):
    """The score of all rows is shown next to their mean, which has the interval."""
    specification, scored = specification_of("deltableu"), scored_rows("deltableu", rows())
    found = certainty(scored)
    assert found.pair.verdicts is None
    expected = evaluate_qa.compare(
        {"a": scored.columns["score"], "b": scored.other.columns["score"]}, clusters=[row["question"] for row in rows()]
    )
    assert asdict(found.pair.scores) == asdict(expected[0].scores)
    lines = summary.comparison(scored, found, specification)
    assert [*lines] == ["", "Score of all rows", "Mean score"]
    assert lines["Score of all rows"] == [(f"{scored.score:.1f}", ""), (f"{scored.other.score:.1f}", ""), ("", "")]
    assert {"Higher score", "Lower score"} < {*summary.cards(scored, found, specification)}


def test_answers_that_cannot_be_compared_are_refused(smile, limit):
    some, same, wrong = rows(), rows(), rows()
    del some[2]["prediction_b"]
    some[3]["prediction_b"] = None
    same = [row | {"prediction_b": row["prediction"]} for row in same]
    wrong[4]["prediction_b"] = ["Ra"]
    lacking = "rows.jsonl: line 3 has no prediction_b, but line 1 has one. Fill it in every row"
    with pytest.raises(Refusal, match=re.escape(lacking)):
        table_of(smile, some)
    with pytest.raises(Refusal, match="prediction_b equals prediction in every line, from 1 to 6"):
        table_of(smile, same)
    limit(rows=11)
    with pytest.raises(Refusal, match="There are more than 5 rows with two answers each"):
        table_of(smile, rows())
    limit(rows=12)
    assert len(table_of(smile, rows()).others) == 6
    assert table_of(smile, wrong).problems == ["line 5: Other answer: expected a text, not a list."]
    empty = [row | {"prediction_b": ""} for row in rows()]
    assert table_of(smile, empty).others == [""] * 6
    assert table_of(smile, [row | {"prediction_b": None} for row in rows()]).others == []
    renamed = [{("predictions_b" if key == "prediction_b" else key): row[key] for key in row} for row in rows()]
    assert table_of(smile, renamed).others == table_of(smile, rows()).others


def test_a_note_warns_of_few_questions(smile):
    few, enough = (certainty(given(smile, [0.1, 0.9] * count)) for count in (14, 15))
    assert "With fewer than 30 rows, the intervals may be too narrow." in [*summary.notes(few)]
    assert not [note for note in summary.notes(enough) if "fewer" in note]
    assert [*summary.notes(None)] == ["Intervals need rows with at least two different questions."]
