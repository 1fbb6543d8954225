"""Rescoring with other options equals the metric's `compute`, and explanations fit the scores."""

import itertools
from dataclasses import replace

import pytest

import evaluate_qa
from evaluate_qa.spaces._shared.drawing.code import for_row
from evaluate_qa.spaces._shared.metric.declared import SliderControl
from evaluate_qa.spaces._shared.scoring.answering import analyze, as_record, explain
from evaluate_qa.spaces._shared.visitors.limits import Refusal


def settings(specification):
    """Combinations of some values of each control; the first is not the default."""
    values = [
        [control.low, 3 if control.step == 1 else 0.3, control.shown]
        if isinstance(control, SliderControl)
        else [*reversed(control.labels)]
        for control in specification.controls
    ]
    return [specification.options(given) for given in itertools.product(*values)]


def close(specification):
    """The tolerance between two scores: given vectors of frames are normalized again."""
    return 1e-7 if specification.video else 1e-9


@pytest.mark.slow
def test_rescoring_equals_compute(specification, scorer):
    for example in specification.examples.values():
        analysis = analyze(specification, scorer, example.row, specification.options())
        for options in settings(specification):
            outcome = explain(specification, scorer, analysis, options)
            expected = scorer.compute([example.row], specification.arguments(options))["per_example"]
            assert outcome.score == pytest.approx(expected["score"][0], abs=close(specification)), options
            assert [outcome.verdict] == expected.get("verdict", [None])
            assert [outcome.best_reference] == expected.get("best_reference", [None])


@pytest.mark.parametrize("name", ["bem", "nli_lex"])
@pytest.mark.parametrize(
    ("answer", "references"),
    [
        ("The Missisippi", ["Ohio (River)", "Mississippi (River)"]),
        ("myoglobin", ["iron", "hemoglobin [do not accept myoglobin]"]),
        ("a TCA cycle", ["Calvin cycle", "Krebs cycle [accept TCA cycle]"]),
    ],
)
def test_answer_keys_are_read_as_by_compute(name, answer, references, explained, scorer_of):
    row = {"questions": "Which is it?", "references": references, "predictions": answer}
    outcome, expected = explained(name, row), scorer_of(name).compute([row], {})["per_example"]
    assert [outcome.score] == pytest.approx(expected["score"])
    assert [outcome.verdict, outcome.best_reference] == [expected["verdict"][0], expected["best_reference"][0]]


def test_rescoring_does_not_run_the_model(specification, scorer, monkeypatch):
    if specification.video:
        pytest.skip("a video's frames are kept, but its keywords depend on the options and are encoded anew")
    row = specification.first
    analysis = analyze(specification, scorer, row, specification.options())

    def compute(*_):
        raise AssertionError("the model ran again")

    monkeypatch.setattr(scorer, "compute", compute)
    if scorer.metric.model is not None:
        monkeypatch.setattr(scorer, "features", compute)
    for options in settings(specification):
        explain(specification, scorer, analysis, options)


def test_the_best_reference_follows_the_options(smile, explained):
    """With w = 0 only words count, with w = 1 only meaning."""
    row = {"predictions": "The city of light", "references": ["light", "Paris, the city of light"]}
    words, meaning = (explained("smile", row, replace(smile.options(), w=w)) for w in (0, 1))
    assert (words.best_reference, meaning.best_reference) == (0, 1)


def test_an_empty_answer_scores_0_with_an_explanation(name, specification, explained):
    outcome = explained(name, specification.first | {"predictions": ""})
    assert (outcome.score, bool(outcome.verdict), list(outcome.marks)) == (0, False, [])
    assert "empty" in outcome.why


@pytest.mark.parametrize(
    ("answer", "changed"),
    [("It was Marie Curie who discovered radium, not Pierre.", False), ("Marie Curie and her husband found it.", True)],
)
def test_an_explanation_names_only_visible_changes(answer, changed, explained):
    row = {"questions": "Who discovered radium?", "references": ["Marie Curie"], "predictions": answer}
    why = explained("bem", row).why
    assert ("shared character trigrams" in why) == changed, why


def test_examples_fit_their_titles(name, specification, explained):
    scores = {}
    for title, example in specification.examples.items():
        outcome = explained(name, example.row, replace(specification.options(), **example.options))
        scores[title] = outcome.score
        assert (0 if specification.most else -1) <= outcome.score <= (specification.most or 10)
        if outcome.verdict is not None and title in ("Right", "Wrong", "Verbose"):
            assert outcome.verdict == (title != "Wrong")
    assert scores["Right"] > scores["Wrong"]
    assert {"Right", "Wrong", "Verbose", "Negated"} <= {*specification.examples}


def test_marks_are_inside_the_answer(name, specification, explained):
    for title, example in specification.examples.items():
        marks = explained(name, example.row, replace(specification.options(), **example.options)).marks
        for mark in marks:
            text = example.row["predictions"][mark.start : mark.end]
            assert text.strip() == text != ""
        assert marks or title != "Right"


def test_smile_quotes_the_marked_words_as_the_closest_ones(explained):
    """Not their lemmas, such as “be” for “was”."""
    row = {"predictions": "It was.", "references": ["existed"]}
    outcome = explained("smile", row)
    (mark,) = outcome.marks
    assert row["predictions"][mark.start : mark.end] == "was"
    assert "“was” is closest to it" in outcome.why


@pytest.mark.parametrize(
    ("name", "answer", "references", "marked"),
    [
        ("smile", "Yes: (Marie Curie), I think.", ["Marie Curie"], ["Marie Curie"]),
        ("smile", "I saw the wolves.", ["The wolf"], ["the wolves"]),
        ("smile", "北京是首都", ["北京"], ["北京"]),
        ("bem", "It's in the city of Paris.", ["Paris, the city"], ["city", "Paris"]),
        ("nli_lex", "It's in the city of Paris.", ["Paris, the city"], ["city", "Paris"]),
        ("deltableu", "it is eczema, I think", ["it is eczema"], ["it is eczema"]),
    ],
)
def test_matching_words_are_marked(name, answer, references, marked, explained):
    outcome = explained(name, {"questions": "What?", "predictions": answer, "references": references})
    assert [answer[mark.start : mark.end] for mark in outcome.marks] == marked


def test_marks_depend_on_the_references_weights(explained):
    row = {
        "predictions": "red green blue white",
        "references": ["red", "green", "blue"],
        "reference_weights": [1.0, 0.5, -1.0],
    }
    outcome = explained("deltableu", row)
    assert [(mark.start, mark.end, mark.kind) for mark in outcome.marks] == [
        (0, 3, "for"), (4, 9, "half"), (10, 14, "against"),
    ]  # fmt: skip
    # Words: 1 + 0.5 − 1 of 4 · 1.
    assert as_record(outcome)["components"]["Words"] == pytest.approx(100 * 0.5 / 4)


def test_the_python_code_gives_the_score(name, specification, explained, capsys):
    row, options, done = specification.first, settings(specification)[0], {}
    exec(for_row(specification, evaluate_qa.path(name), row, options, specification.python), done)
    expected = pytest.approx(explained(name, row, options).score, abs=close(specification))
    assert done["out"]["per_example"]["score"] == [expected]
    assert capsys.readouterr().out


def test_the_python_code_has_the_row_as_it_was_entered(specification_of, scorer_of):
    """Answer and references are not those that the metric reads from the answer key."""
    from evaluate_qa.spaces._shared.page.answer_tab import AnswerEvents

    specification, key = specification_of("bem"), "hemoglobin [or Hb; reject myoglobin]"
    shown_options = [control.shown for control in specification.controls]
    form = AnswerEvents(specification, scorer_of("bem"), "bem")
    _, shown, code = form.score("Which is it?", key, "myoglobin", *shown_options)
    assert "The answer key rejects this answer." in shown
    assert f'references=[["{key}"]]' in code


def test_the_python_code_has_only_changed_options(smile):
    row = {"predictions": 'a "b"', "references": ["c"]}
    assert for_row(smile, "smile", row, replace(smile.options(), w=0.25), {}) == (
        'import evaluate_qa\n\nsmile = evaluate_qa.load("smile")\n'
        'out = smile.compute(\n    predictions=["a \\"b\\""],\n'
        '    references=[["c"]],\n    w=0.25,\n)\nprint(out["per_example"])\n'
    )


def test_the_sampled_frames_are_shown(specification_of, scorer_of, explained):
    specification = specification_of("evqascore")
    outcome = explained("evqascore", specification.first)
    expected = scorer_of("evqascore").compute([specification.first], specification.fixed)["per_example"]
    # 24 frames at 12 per second; every 6th is sampled.
    assert [picture.time for picture in outcome.pictures] == ["0.0 s", "0.5 s", "1.0 s", "1.5 s"]
    best = {f"{time:.1f} s" for time in expected["best_times"][0]}
    assert {picture.time for picture in outcome.pictures if picture.phrases} == best
    assert sorted(p for picture in outcome.pictures for p in picture.phrases) == sorted(expected["keywords"][0])
    assert all(picture.address.startswith("data:image/jpeg;base64,") for picture in outcome.pictures)


def test_other_files_than_videos_are_refused(explained, tmp_path):
    path = tmp_path / "a.mp4"
    path.write_bytes(b"no video")
    with pytest.raises(Refusal, match=r"^Video: the file cannot be read as a video\."):
        explained("evqascore", {"videos": str(path), "predictions": "a"})
