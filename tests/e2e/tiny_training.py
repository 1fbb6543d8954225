"""Train tiny models with every text metric; test_trainer.py runs `main` itself, and this program in two processes.

`python tiny_training.py FOLDER TRAINED`: each process writes its results to FOLDER/<rank>.json. The models of TRAINED,
the FOLDER of an earlier run, are evaluated, because training on two processes sums gradients in another
order and gives slightly different models.
"""

import json
import os
import sys
from pathlib import Path

from ranks import run_two
from tiny_causal import word_tokenizer
from transformers import (
    DataCollatorForSeq2Seq,
    GPT2Config,
    GPT2LMHeadModel,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
    set_seed,
)

import evaluate_qa

FACTS = [
    ("who discovered radium", "marie curie"),
    ("who wrote les miserables", "victor hugo"),
    ("who painted the mona lisa", "leonardo da vinci"),
    ("what is the capital of france", "paris"),
    ("what is the capital of italy", "rome"),
    ("who found the law of gravity", "isaac newton"),
    ("what is the highest mountain", "mount everest"),
    ("who wrote faust", "johann wolfgang von goethe"),
]
QUESTIONS, ANSWERS = map(list, zip(*FACTS, strict=True))
SPECIALS = ["<pad>", "</s>", "<unk>"]
VOCABULARY = [*SPECIALS, *sorted({word for fact in FACTS for text in fact for word in text.split()})]
ROWS = 7  # to be evaluated: with two processes and batches of two, the last batch is not full
ONCE = len(FACTS)

METRICS = ("smile", "nli_lex", "bem", "deltableu")
# Further columns and options of each metric.
GIVEN = {
    "smile": {"synthetic_answers": [f"it is {answer}" for answer in ANSWERS[:ROWS]], "threshold": 0.9},
    "nli_lex": {"threshold": 0.3},
    "bem": {},
    "deltableu": {
        "references": [[answer, "i do not know"] for answer in ANSWERS[:ROWS]],
        "reference_weights": [[1.0, -0.5]] * ROWS,
        "effective_order": True,
    },
}


def tokenizer():
    """A word for a token; pads at the left, as generation by a causal model needs it."""
    return word_tokenizer(VOCABULARY, pad_token="<pad>", padding_side="left")


def ids(text, end=True):
    return [VOCABULARY.index(word) for word in text.split()] + [1] * end


def row(inputs, labels):
    return {"input_ids": inputs, "attention_mask": [1] * len(inputs), "labels": labels}


def answered(answers):
    return [row(ids(question), ids(answer)) for question, answer in zip(QUESTIONS, answers, strict=True)]


class Together:
    """All metrics as one callable, each with its own prefix."""

    def __init__(self, metrics, **given):
        self.scores = [
            metric.compute_metrics(tokenizer(), prefix=name, **GIVEN[name] | given) for name, metric in metrics.items()
        ]

    def __call__(self, evaluated, compute_result=True):
        """Return the results of all metrics."""
        return {name: value for score in self.scores for name, value in score(evaluated, compute_result).items()}


def options(folder, **more):
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    return {
        "output_dir": str(folder),
        "per_device_train_batch_size": ONCE // processes,
        "per_device_eval_batch_size": 2,
        "learning_rate": 1e-2,
        "lr_scheduler_type": "constant",
        "train_sampling_strategy": "sequential",
        "report_to": [],
        "use_cpu": True,
        "disable_tqdm": True,
        "save_strategy": "no",
        "seed": 0,
        **more,
    }


def predicted(trainer, rows):
    """Return the results for all rows at once and by batches, and the predicted ids."""
    output = trainer.predict(rows, metric_key_prefix="eval")
    trainer.args.batch_eval_metrics = True
    by_batches = trainer.evaluate(rows)
    trainer.args.batch_eval_metrics = False
    return {"figures": output.metrics, "by_batches": by_batches, "ids": output.predictions.tolist()}


def failure(trainer, rows):
    """Return the error of an evaluation with invalid rows."""
    try:
        trainer.evaluate(rows)
    except (ValueError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


def keep_or_replace(model, folder, trained):
    """Save the model for a later run, or load the weights of an earlier run."""
    if trained is None:
        model.save_pretrained(folder / "trained")
    else:
        model.load_state_dict(type(model).from_pretrained(trained / "trained").state_dict())


def t5():
    """An encoder-decoder of two layers, untrained."""
    set_seed(0)
    sizes = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2, "dropout_rate": 0.0}
    config = T5Config(vocab_size=len(VOCABULARY), **sizes, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
    model = T5ForConditionalGeneration(config)
    model.generation_config.max_length = 8
    return model


def encoder_decoder(folder, trained, metrics):
    """Train a T5 on right answers, then on wrong ones; the checkpoint that smile finds best is evaluated."""
    model = t5()
    rows = answered(ANSWERS)
    trainer = Seq2SeqTrainer(
        model,
        Seq2SeqTrainingArguments(
            **options(folder, max_steps=24, eval_strategy="steps", eval_steps=8)
            | {"save_strategy": "steps", "save_steps": 8, "save_only_model": True},
            predict_with_generate=True,
            include_for_metrics=["inputs"],
            load_best_model_at_end=True,
            metric_for_best_model="smile",
        ),
        train_dataset=rows * 16 + answered(ANSWERS[1:] + ANSWERS[:1]) * 8,
        eval_dataset=rows[:ROWS],
        data_collator=DataCollatorForSeq2Seq(tokenizer()),
        processing_class=tokenizer(),
        compute_metrics=metrics["smile"].compute_metrics(tokenizer()),
    )
    trainer.train()
    history = {log["step"]: log["eval_smile"] for log in trainer.state.log_history if "eval_smile" in log}
    chosen = [text.strip() for text in tokenizer().batch_decode(trainer.predict(rows[:ROWS]).predictions, True)]
    keep_or_replace(trainer.model, folder, trained)
    blank = [*rows[:2], row(ids("who"), ids(""))]
    failed = failure(trainer, blank)
    trainer.compute_metrics = Together(metrics)
    best = Path(trainer.state.best_model_checkpoint).name
    found = {"history": history, "best": best, "chosen": chosen[:ROWS], "failed": failed}
    return found | predicted(trainer, rows[:ROWS])


def causal(folder, trained, metrics):
    """Train a GPT-2 and evaluate the answers that it generates."""
    set_seed(0)
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 32}
    dropouts = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    config = GPT2Config(vocab_size=len(VOCABULARY), **sizes, **dropouts, pad_token_id=0, eos_token_id=1, bos_token_id=1)
    model = GPT2LMHeadModel(config)
    common = {"data_collator": DataCollatorForSeq2Seq(tokenizer()), "processing_class": tokenizer()}
    whole = [
        row(prompt + answer, [-100] * len(prompt) + answer)
        for prompt, answer in ((ids(question, end=False), ids(answer)) for question, answer in FACTS)
    ]
    trainer = Trainer(model, TrainingArguments(**options(folder, max_steps=12)), train_dataset=whole * 12, **common)
    trainer.train()
    keep_or_replace(trainer.model, folder, trained)
    trainer.model.generation_config.max_new_tokens = 6
    prompts = [ids(question, end=False) for question in QUESTIONS[:ROWS]]
    arguments = options(folder, predict_with_generate=True, include_for_metrics=["inputs"])
    generating = Seq2SeqTrainer(
        trainer.model,
        Seq2SeqTrainingArguments(**arguments),
        # The trainer needs labels, but the given references are used.
        compute_metrics=Together(metrics, references=GIVEN["deltableu"]["references"]),
        **common,
    )
    return predicted(generating, [row(prompt, prompt) for prompt in prompts])


def main(folder, trained=None):
    metrics = {name: evaluate_qa.load(name) for name in METRICS}
    found = {
        name: run(folder / name, trained and trained / name, metrics)
        for name, run in (("t5", encoder_decoder), ("gpt2", causal))
    }
    (folder / f"{os.environ.get('RANK', '0')}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    run_two(main, *map(Path, sys.argv[1:]))
