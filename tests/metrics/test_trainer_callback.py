"""`compute_metrics`, called as a trainer calls it. tests/e2e/test_trainer.py runs real trainers."""

import random

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import EvalPrediction, PreTrainedTokenizerFast

import evaluate_qa
from evaluate_qa.metrics._shared.trainer_callback import _strip_answers

# fmt: off
WORDS = [
    "<pad>", "</s>", "<unk>", "who", "discovered", "radium", "marie", "curie", "what", "is", "the", "capital", "of",
    "france", "paris", "lyon",
]
# fmt: on
QUESTIONS = ["who discovered radium", "what is the capital of france", "who is marie"]
ANSWERS = ["marie curie", "lyon", "curie"]
LABELS = ["marie curie", "paris", "marie curie"]
METRICS = ("smile", "nli_lex", "bem", "deltableu")


@pytest.fixture(scope="module")
def tokenizer():
    words = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


@pytest.fixture(scope="module")
def metrics():
    return {name: evaluate_qa.load(name) for name in METRICS}


def ids(texts, padding=-100, start=()):
    """Return rows of ids with </s>, padded at the right like a trainer's."""
    rows = [[*start, *(WORDS.index(word) for word in text.split()), 1] for text in texts]
    longest = max(map(len, rows))
    return np.array([row + [padding] * (longest - len(row)) for row in rows])


def evaluated(answers=ANSWERS, labels=LABELS, **more):
    # Answers of an encoder-decoder begin with its start token, here 0.
    return EvalPrediction(predictions=ids(answers, start=[0]), label_ids=ids(labels), **more)


def numbers(result, prefix=""):
    return {prefix + key: value for key, value in result.items() if isinstance(value, (int, float))}


@pytest.mark.parametrize("name", METRICS)
def test_results_equal_a_plain_compute(name, metrics, tokenizer):
    scores = metrics[name].compute_metrics(tokenizer, prefix="dev")
    found = scores(evaluated(inputs=ids(QUESTIONS)))
    plain = metrics[name].compute(predictions=ANSWERS, references=LABELS, questions=QUESTIONS)
    assert found == pytest.approx(numbers(plain, "dev_"), abs=1e-9)
    assert {type(value) for value in found.values()} == {float}


@pytest.mark.parametrize("name", METRICS)
def test_columns_and_options_are_passed_through(name, metrics, tokenizer):
    references = [["marie curie", "curie"], ["paris"], ["nobody", "marie"]]
    columns = {"questions": QUESTIONS, "references": references}
    given = {
        "smile": {"synthetic_answers": [["it was marie curie", "curie did"], "it is paris", None], "w": 0.3},
        "nli_lex": {"threshold": 0.9, "lexical": "match", "weights": {"intercept": -1, "entailment": 2, "match": 1}},
        "bem": {"threshold": 0.1},
        "deltableu": {"reference_weights": [[1.0, 0.5], None, [-0.5, 1.0]], "effective_order": True},
    }[name]
    found = metrics[name].compute_metrics(tokenizer, **columns, **given)(evaluated())
    plain = metrics[name].compute(predictions=ANSWERS, **columns, **given)
    assert found == pytest.approx(numbers(plain), abs=1e-9)
    assert found != metrics[name].compute_metrics(tokenizer, **columns)(evaluated())


def test_arrays_tensors_lists_of_batches_and_tuples_score_alike(deltableu, tokenizer):
    scores = deltableu.compute_metrics(tokenizer)
    expected = scores(evaluated())
    predictions, labels = ids(ANSWERS, start=[0]), ids(LABELS)
    for given in (
        (torch.tensor(predictions), torch.tensor(labels)),
        ([ids(ANSWERS[:1], start=[0]), ids(ANSWERS[1:])], [ids(LABELS[:1]), ids(LABELS[1:])]),
        ((predictions, "hidden states"), labels),
        (ids(ANSWERS, padding=0), ids(LABELS, padding=0)),
    ):
        assert scores(EvalPrediction(*given)) == expected


@pytest.mark.parametrize("name", METRICS)
def test_batches_are_accumulated_and_reset(name, metrics, tokenizer):
    metric = metrics[name]
    synthetic = ["it is marie curie", "it is paris", "marie curie"]
    scores = metric.compute_metrics(tokenizer, synthetic_answers=synthetic)
    whole = scores(evaluated(inputs=ids(QUESTIONS)))
    for _ in range(2):
        for rows, last in ((slice(0, 2), False), (slice(2, 3), True)):
            batch = EvalPrediction(
                torch.tensor(ids(ANSWERS[rows])),
                torch.tensor(ids(LABELS[rows])),
                inputs={"input_ids": torch.tensor(ids(QUESTIONS[rows], padding=0))},
            )
            found = scores(batch, compute_result=last)
            assert bool(found) == last
        assert found == pytest.approx(whole, abs=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_logits_are_refused(deltableu, tokenizer, dtype):
    logits = torch.zeros(3, 4, len(WORDS), dtype=dtype)
    scores = deltableu.compute_metrics(tokenizer)
    for predictions in (logits, (logits, logits), [logits], logits[:, :, 0]):
        with pytest.raises(ValueError, match=r"^deltableu: the predictions .*predict_with_generate=True"):
            scores(EvalPrediction(predictions, ids(LABELS)), compute_result=False)
    with pytest.raises(ValueError, match=r"shape \(3, 4, 16\) and the type float32"):
        scores(EvalPrediction(logits.float().numpy(), ids(LABELS)))
    assert scores(evaluated()) == scores(evaluated()), "rows of a failed evaluation were kept"


@pytest.mark.parametrize("column", ["questions", "references", "synthetic_answers"])
def test_a_column_of_another_length_raises_an_error_before_the_model_loads(tokenizer, column):
    smile = evaluate_qa.load("smile")
    scores = smile.compute_metrics(tokenizer, **{column: ["paris"] * 4})
    with pytest.raises(ValueError, match=rf"^smile: {column} has length 4, the evaluation set 3; expected one entry"):
        scores(evaluated())
    assert smile._model is None


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("smile", {"references": ["a", "b", None]}, r"references\[2\] is None"),
        ("smile", {"questions": "abc"}, "questions is 'abc'; expected a list"),
        ("smile", {"threshold": 2}, "threshold is 2"),
        ("smile", {"treshold": 0.5}, "unknown keyword 'treshold'; did you mean 'threshold'"),
        ("smile", {"questions": ["a"], "references": ["a", "b"]}, "references has 2"),
        ("smile", {"synthetic_answers": [["a", "b"]]}, r"synthetic_answers\[0\] has 2 entries"),
        ("bem", {"questions": ["who", ""]}, r"questions\[1\] is ''"),
    ],
)
def test_invalid_columns_and_options_raise_an_error_before_training(metrics, tokenizer, name, given, message):
    with pytest.raises((TypeError, ValueError), match=rf"^{name}: .*{message}"):
        metrics[name].compute_metrics(tokenizer, **given)


def test_an_invalid_tokenizer_raises_an_error(deltableu):
    with pytest.raises(TypeError, match=r"^deltableu: tokenizer is str; expected"):
        deltableu.compute_metrics("t5-small")


@pytest.mark.parametrize("given", [(ids(ANSWERS), ids(LABELS)), EvalPrediction(ids(ANSWERS), None)])
def test_a_call_without_labels_raises_an_error(deltableu, tokenizer, given):
    with pytest.raises(TypeError) as caught:
        deltableu.compute_metrics(tokenizer)(given)
    expected = "without label_ids; expected an EvalPrediction(predictions=…, label_ids=…)"
    assert str(caught.value) == f"deltableu: compute_metrics got {type(given).__name__} {expected}"


def test_unused_columns_are_ignored(deltableu, tokenizer):
    scores = deltableu.compute_metrics(tokenizer, QUESTIONS, keywords=[["a"]])
    assert scores(evaluated()) == deltableu.compute_metrics(tokenizer)(evaluated())


def test_labels_without_text_raise_an_error_that_names_the_row(deltableu, tokenizer):
    answers = ids(["marie curie", "paris"])
    labels = np.where([[False], [True]], -100, answers)
    with pytest.raises(ValueError, match=r"^deltableu: the labels of row 1 of the evaluation set have no text; .*-100"):
        deltableu.compute_metrics(tokenizer)(EvalPrediction(predictions=answers, label_ids=labels))
    given = deltableu.compute_metrics(tokenizer, references=["marie curie", "paris"])
    assert given(EvalPrediction(predictions=answers, label_ids=labels))["length_ratio"] == 1


def test_bem_without_questions_raises_an_error(metrics, tokenizer):
    with pytest.raises(ValueError, match=r'^bem: the questions are missing.*include_for_metrics=\["inputs"\]'):
        metrics["bem"].compute_metrics(tokenizer)(evaluated())


def test_prompts_are_removed_from_generated_answers(metrics, tokenizer):
    """Each row's prompt, padded at the left, begins what a causal model generates."""
    prompts = [[0, 0, 0, 3, 4, 5], [8, 9, 10, 11, 12, 13], [0, 0, 0, 3, 9, 6]]
    generated = [[*prompt, *answer[answer >= 0]] for prompt, answer in zip(prompts, ids(ANSWERS), strict=True)]
    longest = max(map(len, generated))
    predictions = np.array([row + [-100] * (longest - len(row)) for row in generated])
    scores = metrics["bem"].compute_metrics(tokenizer)
    found = scores(EvalPrediction(predictions, ids(LABELS), inputs=np.array(prompts)))
    assert found == scores(evaluated(inputs=ids(QUESTIONS)))


def test_prompts_in_predictions_cause_a_warning(metrics, tokenizer, caplog):
    scores = metrics["bem"].compute_metrics(tokenizer, QUESTIONS)
    scores(evaluated())
    assert not caplog.records
    scores(evaluated(answers=[f"{question} {answer}" for question, answer in zip(QUESTIONS, ANSWERS, strict=True)]))
    assert "every prediction begins with its question" in caplog.text


def test_inputs_without_token_ids_are_ignored(deltableu, tokenizer):
    scores = deltableu.compute_metrics(tokenizer)
    for inputs in (np.zeros((3, 2)), {"pixel_values": torch.zeros(3, 2)}):
        assert scores(evaluated(inputs=inputs)) == scores(evaluated())


@pytest.mark.parametrize("name", METRICS)
def test_scoring_does_not_change_global_state(name, tokenizer):
    """The first call loads the metric's model."""
    metric = evaluate_qa.load(name)
    before = (torch.get_rng_state().tolist(), str(np.random.get_state()), random.getstate())
    metric.compute_metrics(tokenizer, QUESTIONS)(evaluated())
    assert (torch.get_rng_state().tolist(), str(np.random.get_state()), random.getstate()) == before
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() == torch.float32


def test_answers_at_the_end_of_inputs_are_removed_from_questions():
    assert _strip_answers(["who is it curie", "where paris"], ["curie", "paris"]) == ["who is it", "where"]
    # Not if only some inputs end with the answer, or the answer is the whole input.
    assert _strip_answers(["paris or lyon", "where"], ["lyon", "rome"]) == ["paris or lyon", "where"]
    assert _strip_answers(["where", "who"], ["where", "who"]) == ["where", "who"]


def logits_of(rows):
    """Return logits whose arg-max are these ids."""
    return torch.nn.functional.one_hot(torch.tensor(rows), num_classes=8).float()


def test_teacher_forced_takes_the_arg_max_of_an_encoder_decoder(deltableu, caplog):
    ids_of = deltableu.teacher_forced()
    assert "too high to report" in caplog.text
    labels = torch.tensor([[4, 5, 1], [6, 1, -100]])
    logits = logits_of([[4, 7, 1], [6, 1, 3]])
    assert ids_of(logits, labels).tolist() == [[4, 7, 1], [6, 1, -100]]
    assert ids_of((logits, "hidden states"), labels).tolist() == [[4, 7, 1], [6, 1, -100]]
    assert ids_of(labels, labels) is labels  # generated
    with pytest.raises(ValueError, match=r"logits of shape \(1, 2, 8\) do not fit labels of shape \(1, 1\)"):
        ids_of(logits_of([[1, 2]]), torch.tensor([[1]]))


def test_teacher_forced_shifts_the_predictions_of_a_causal_model(deltableu):
    """Each position predicts the next token. Positions without a label, the prompt's, are padding."""
    labels = torch.tensor([[-100, -100, 4, 5, 1], [-100, 6, 1, -100, -100]])
    logits = logits_of([[7, 4, 3, 1, 2], [6, 2, 7, 7, 7]])
    found = deltableu.teacher_forced(causal=True)(logits, labels)
    assert found.tolist() == [[-100, -100, 4, 3, 1], [-100, 6, 2, -100, -100]]
