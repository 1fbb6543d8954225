"""Training of tiny models with every text metric in the trainer, in one and in two processes."""

import json
import os

import pytest
import tiny_training
from tiny_training import ANSWERS, GIVEN, METRICS, QUESTIONS, ROWS, VOCABULARY
from transformers import DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments, TrainerCallback

import evaluate_qa

WORDS_OF_ANSWERS = 13  # 2 + 2 + 3 + 1 + 1 + 2 + 2 in those of the first seven facts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return tmp_path_factory.mktemp("alone")


@pytest.fixture(scope="module")
def alone(trained):
    tiny_training.main(trained)
    return json.loads((trained / "0.json").read_text())


@pytest.fixture(scope="module")
def two(processes, alone, trained, tmp_path_factory):
    """The output of each of two processes that evaluated the same models."""
    folder = tmp_path_factory.mktemp("two")
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": processes.free_port()}
    processes.run(tiny_training.__file__, folder, trained, env=os.environ | place, timeout=300, check=True)
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


@pytest.fixture(scope="module")
def metrics():
    return {name: evaluate_qa.load(name) for name in METRICS}


def text(ids):
    """Return the words of ids, without the code under test."""
    return " ".join(VOCABULARY[number] for number in ids if number > 2)


def figures(evaluation):
    """Return the metrics' results, without the trainer's own."""
    return {name: value for name, value in evaluation.items() if name.startswith(tuple(f"eval_{m}_" for m in METRICS))}


def plain(metrics, predictions, **given):
    """Return the results of `compute` for these texts, with the trainer's names."""
    expected = {}
    for name, metric in metrics.items():
        columns = {"references": ANSWERS[:ROWS], "questions": QUESTIONS[:ROWS]} | GIVEN[name] | given
        result = metric.compute(predictions=predictions, **columns)
        expected |= {f"eval_{name}_{key}": value for key, value in result.items() if isinstance(value, (int, float))}
    return expected


def test_the_trainer_selects_the_checkpoint_that_smile_finds_best(alone, two):
    """Steps 1 to 16 train on right answers, the last 8 on wrong ones."""
    for found in (alone, *two):
        history = found["t5"]["history"]
        assert history["24"] < history["8"] < history["16"]
        assert found["t5"]["best"] == "checkpoint-16"
        # The loaded model answers correctly; the last checkpoint did not.
        assert found["t5"]["chosen"] == ANSWERS[:ROWS]


def test_generated_answers_of_an_encoder_decoder_score_as_in_a_plain_compute(alone, metrics):
    found = alone["t5"]
    assert figures(found["figures"]) == pytest.approx(plain(metrics, [text(ids) for ids in found["ids"]]), abs=1e-6)


def test_generated_answers_of_a_causal_model_score_without_their_prompts(alone, metrics):
    found = alone["gpt2"]
    whole = [text(ids) for ids in found["ids"]]
    assert all(map(str.startswith, whole, QUESTIONS))
    answers = [answer.removeprefix(question).strip() for answer, question in zip(whole, QUESTIONS, strict=False)]
    assert answers != ANSWERS[:ROWS], "all answers are right, so the test would prove little"
    expected = plain(metrics, answers, references=GIVEN["deltableu"]["references"])
    assert figures(found["figures"]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["t5", "gpt2"])
def test_scoring_by_batches_gives_equal_results(name, alone, two):
    for found in (alone, *two):
        by_batches = figures(found[name]["by_batches"])
        assert by_batches
        assert by_batches == pytest.approx(figures(found[name]["figures"]), abs=1e-6)


@pytest.mark.parametrize("name", ["t5", "gpt2"])
def test_two_processes_get_the_results_of_one(name, alone, two):
    expected = figures(alone[name]["figures"])
    assert {key.split("_")[1] for key in expected} == {"smile", "nli", "bem", "deltableu"}
    for found in two:
        assert figures(found[name]["figures"]) == pytest.approx(expected, abs=1e-6)


def test_two_processes_evaluated_some_rows_twice(two):
    """The test above then shows that repeated rows are removed."""
    assert len(two[0]["t5"]["ids"]) == ROWS + 1
    assert len(two[0]["gpt2"]["ids"]) == ROWS + 1


def test_invalid_rows_stop_both_processes(alone, two):
    """Only the first process scores; without its error the second would wait forever."""
    message = (
        "ValueError: smile: the labels of row 2 of the evaluation set have no text; expected the tokens of a right "
        "answer. Remove rows whose labels are all -100, such as those with prompts that fill the maximum length, or "
        "pass references=[…] to compute_metrics"
    )
    assert alone["t5"]["failed"] == two[0]["t5"]["failed"] == message
    assert two[1]["t5"]["failed"] == f"RuntimeError: scoring failed on the first process: {message}"


@pytest.fixture
def trainer(tmp_path):
    """Return a function that makes a trainer for `ROWS` rows with an untrained model."""

    def made(compute_metrics, rows=None, **more):
        options = tiny_training.options(tmp_path, predict_with_generate=True, **more)
        return Seq2SeqTrainer(
            tiny_training.t5(),
            Seq2SeqTrainingArguments(**options),
            eval_dataset=rows or tiny_training.answered(ANSWERS)[:ROWS],
            data_collator=DataCollatorForSeq2Seq(tiny_training.tokenizer()),
            processing_class=tiny_training.tokenizer(),
            compute_metrics=compute_metrics,
        )

    return made


def scores(metrics, **given):
    return metrics["deltableu"].compute_metrics(tiny_training.tokenizer(), **given)


def test_columns_with_rows_sorted_by_length_raise_an_error(metrics, trainer):
    sorting = {"train_sampling_strategy": "group_by_length"}
    with pytest.raises(ValueError, match="sorts the rows by length, so references would go to wrong rows"):
        trainer(scores(metrics, references=ANSWERS[:ROWS]), **sorting).evaluate()
    assert trainer(scores(metrics), **sorting).evaluate()["eval_ref_len"] == WORDS_OF_ANSWERS


def test_an_interrupted_evaluation_raises_an_error_once(metrics, trainer):
    class BreaksOff(TrainerCallback):
        steps = 0

        def on_prediction_step(self, *_, **__):
            self.steps += 1
            if self.steps == 3:
                raise KeyboardInterrupt

    by_batches = trainer(scores(metrics), batch_eval_metrics=True)
    by_batches.add_callback(BreaksOff())
    with pytest.raises(KeyboardInterrupt):
        by_batches.evaluate()
    with pytest.raises(ValueError, match="11 rows were evaluated, 7 expected: an earlier evaluation was interrupted"):
        by_batches.evaluate()
    assert by_batches.evaluate()["eval_ref_len"] == WORDS_OF_ANSWERS
