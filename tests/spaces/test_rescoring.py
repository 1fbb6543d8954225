"""Other options rescore at once, and give what the metric's `compute` gives with them."""

import itertools
from dataclasses import replace

import pytest

import evaluate_qa
from evaluate_qa.spaces._shared.drawing.code import for_row
from evaluate_qa.spaces._shared.metric.declared import SliderControl
from evaluate_qa.spaces._shared.scoring.answering import analyse, as_record, explain
from evaluate_qa.spaces._shared.visitors.limits import Refusal


def settings(specification):
    """Every combination of some values of each control; the first is not the default."""
    values = [
        [control.low, 3 if control.step == 1 else 0.3, control.shown]
        if isinstance(control, SliderControl)
        else [*reversed(control.labels)]
        for control in specification.controls
    ]
    return [specification.options(given) for given in itertools.product(*values)]


def close(specification):
    """How near two scores must be: vectors of frames that are handed to the metric are normed once more."""
    return 1e-7 if specification.video else 1e-9


@pytest.mark.slow
def test_rescoring_equals_compute(specification, scorer):
    for example in specification.examples.values():
        analysed = analyse(specification, scorer, example.row)
        for options in settings(specification):
            outcome = explain(specification, scorer, analysed, options)
            expected = scorer.compute([example.row], specification.arguments(options))["per_example"]
            assert outcome.score == pytest.approx(expected["score"][0], abs=close(specification)), options
            assert [outcome.verdict] == expected.get("verdict", [None])
            assert [outcome.best_reference] == expected.get("best_reference", [None])


def test_rescoring_asks_no_model(specification, scorer, monkeypatch):
    if specification.video:
        pytest.skip("a video's frames are kept, but its key phrases depend on the options and are encoded anew")
    row = next(iter(specification.examples.values())).row
    analysed = analyse(specification, scorer, row)

    def compute(*_):
        raise AssertionError("the model was asked again")

    monkeypatch.setattr(scorer, "compute", compute)
    if scorer.metric.model is not None:
        monkeypatch.setattr(scorer, "parts", compute)
    for options in settings(specification):
        explain(specification, scorer, analysed, options)


def test_the_best_reference_follows_the_options(smile, scorer_of):
    """With w = 0 only the words count, with w = 1 only the meaning."""
    row = {"predictions": "The city of light", "references": ["light", "Paris, the city of light"]}
    analysed = analyse(smile, scorer_of("smile"), row)
    words, meaning = (explain(smile, scorer_of("smile"), analysed, replace(smile.options(), w=w)) for w in (0, 1))
    assert (words.best_reference, meaning.best_reference) == (0, 1)


def test_an_empty_answer_scores_nothing_and_says_so(specification, scorer):
    row = next(iter(specification.examples.values())).row | {"predictions": ""}
    outcome = explain(specification, scorer, analyse(specification, scorer, row), specification.options())
    assert (outcome.score, bool(outcome.verdict), list(outcome.marks)) == (0, False, [])
    assert "empty" in outcome.why


def test_examples_do_what_their_titles_say(specification, scorer):
    scores = {}
    for title, example in specification.examples.items():
        options = replace(specification.options(), **example.options)
        outcome = explain(specification, scorer, analyse(specification, scorer, example.row), options)
        scores[title] = outcome.score
        assert 0 <= outcome.score <= (specification.most or 10)
        assert (
            outcome.verdict is None
            or title not in ("Right", "Wrong", "Verbose")
            or (outcome.verdict == (title != "Wrong"))
        )
    assert scores["Right"] > scores["Wrong"]
    assert {"Right", "Wrong", "Verbose", "Negated"} <= {*specification.examples}


def test_marks_lie_in_the_answer(specification, scorer):
    marked = 0
    for example in specification.examples.values():
        options = replace(specification.options(), **example.options)
        outcome = explain(specification, scorer, analyse(specification, scorer, example.row), options)
        for mark in outcome.marks:
            text = example.row["predictions"][mark.start : mark.end]
            assert text.strip() == text != ""
            marked += 1
    assert marked


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
def test_what_counted_is_marked(name, answer, references, marked, specification_of, scorer_of):
    specification, scorer = specification_of(name), scorer_of(name)
    row = {"questions": "What?", "predictions": answer, "references": references}
    outcome = explain(specification, scorer, analyse(specification, scorer, row), specification.options())
    assert [answer[mark.start : mark.end] for mark in outcome.marks] == marked


def test_weights_of_references_show_in_the_marks(specification_of, scorer_of):
    specification, scorer = specification_of("deltableu"), scorer_of("deltableu")
    row = {
        "predictions": "red green blue white",
        "references": ["red", "green", "blue"],
        "reference_weights": [1.0, 0.5, -1.0],
    }
    outcome = explain(specification, scorer, analyse(specification, scorer, row), specification.options())
    assert [(mark.start, mark.end, mark.kind) for mark in outcome.marks] == [
        (0, 3, "for"), (4, 9, "half"), (10, 14, "against"),
    ]  # fmt: skip
    # Words: 1 + 0.5 − 1 of 4 · 1.
    assert as_record(outcome)["components"]["Words"] == pytest.approx(100 * 0.5 / 4)


def test_the_python_lines_give_the_score(specification, scorer, capsys):
    example, options = next(iter(specification.examples.values())), settings(specification)[0]
    outcome = explain(specification, scorer, analyse(specification, scorer, example.row), options)
    done = {}
    metric = (evaluate_qa.path(scorer.name), specification.configuration)
    arguments = specification.arguments(options)
    exec(for_row(metric, specification.name, example.row, arguments, specification.python), done)
    assert done["out"]["per_example"]["score"] == [pytest.approx(outcome.score, abs=close(specification))]
    assert capsys.readouterr().out


def test_the_python_lines_say_only_what_is_not_default(smile):
    row = {"predictions": 'a "b"', "references": ["c"]}
    assert for_row(("smile", None), "smile", row, smile.arguments(replace(smile.options(), w=0.25))) == (
        'import evaluate_qa\n\nsmile = evaluate_qa.load("smile")\n'
        'out = smile.compute(\n    predictions=["a \\"b\\""],\n'
        '    references=[["c"]],\n    w=0.25,\n)\nprint(out["per_example"])\n'
    )


def test_a_video_is_shown_as_it_was_looked_at(specification_of, scorer_of):
    specification, scorer = specification_of("evqascore"), scorer_of("evqascore")
    row = specification.examples["Right"].row
    outcome = explain(specification, scorer, analyse(specification, scorer, row), specification.options())
    expected = scorer.compute([row], specification.fixed)["per_example"]
    # 24 frames at 12 a second, of which every 6th is looked at.
    assert [picture.time for picture in outcome.pictures] == ["0.0 s", "0.5 s", "1.0 s", "1.5 s"]
    best = {f"{time:.1f} s" for time in expected["best_times"][0]}
    assert {picture.time for picture in outcome.pictures if picture.phrases} == best
    assert sorted(p for picture in outcome.pictures for p in picture.phrases) == sorted(expected["keywords"][0])
    assert all(picture.address.startswith("data:image/jpeg;base64,") for picture in outcome.pictures)


def test_what_is_no_video_is_refused(specification_of, scorer_of, tmp_path):
    path = tmp_path / "a.mp4"
    path.write_bytes(b"no video")
    with pytest.raises(Refusal, match=r"^Video: the file cannot be read as a video\."):
        analyse(specification_of("evqascore"), scorer_of("evqascore"), {"videos": str(path), "predictions": "a"})
