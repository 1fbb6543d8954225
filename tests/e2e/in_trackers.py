"""Logs to trackio and mlflow, from a real trainer and from a reward: `in_trackers.py FOLDER LINE`.

LINE is README's line of code. Writes what the trackers have stored afterwards to FOLDER/found.json.
"""

import json
import logging
import os
import sys
from pathlib import Path

import evaluate_qa

PROMPTS = ["who discovered radium", "what is the capital of france", "what is the capital of italy"]
COMPLETIONS = ["It was Marie Curie.", "lyon", "Rome"]
ANSWERS = ["Marie Curie", ["Paris", "Paris, France"], "Rome"]
STEPS = 2


def train(tracker, metric, folder):
    """Evaluate after each step; the trainer starts the tracker's run and ends it."""
    import tiny_training
    from transformers import DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments

    tokenizer, rows = tiny_training.tokenizer(), tiny_training.answered(tiny_training.ANSWERS)
    options = tiny_training.options(folder / tracker, max_steps=STEPS, eval_strategy="steps", eval_steps=1)
    trainer = Seq2SeqTrainer(
        tiny_training.t5(),
        Seq2SeqTrainingArguments(**options | {"report_to": [tracker]}, predict_with_generate=True),
        train_dataset=rows * STEPS,
        eval_dataset=rows[: tiny_training.ROWS],
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        processing_class=tokenizer,
        compute_metrics=metric.compute_metrics(tokenizer, questions=tiny_training.QUESTIONS[:7], log=tracker),
    )
    trainer.train()
    return [log for log in trainer.state.log_history if "eval_bem" in log]


def reward(tracker, metric):
    """Run the reward of README's line, which names trackio."""
    from transformers import TrainerState

    names = {"bem": metric}
    exec(sys.argv[2].replace("trackio", tracker), names)
    (log,) = names["reward_funcs"]
    log(PROMPTS, COMPLETIONS, answer=ANSWERS, trainer_state=TrainerState(global_step=5))


def in_trackio(metric, folder):
    """Return the trainer's evaluations and the stored logs of the two runs."""
    import trackio
    from trackio.sqlite_storage import SQLiteStorage

    evaluations = train("trackio", metric, folder)
    trackio.init(project="rewards", name="one")
    reward("trackio", metric)
    trackio.finish()
    (trained,) = SQLiteStorage.get_runs("huggingface")
    logs = SQLiteStorage.get_logs("huggingface", trained), SQLiteStorage.get_logs("rewards", "one")
    return [evaluations, *logs]


def in_mlflow(metric, folder):
    """Return the trainer's evaluations, and figures by step and tables of the two runs."""
    import mlflow

    mlflow.set_experiment(experiment_id=mlflow.create_experiment("here", artifact_location=str(folder / "mlflow")))
    evaluations = train("mlflow", metric, folder)
    with mlflow.start_run():
        reward("mlflow", metric)
    client, runs = mlflow.MlflowClient(), mlflow.search_runs(output_format="list", order_by=["start_time"])
    found = []
    for run in runs:
        names = [name for name in run.data.metrics if "bem/" in name]
        figures = {
            name: [(one.step, one.value) for one in client.get_metric_history(run.info.run_id, name)] for name in names
        }
        stored = {
            path.name: json.loads(path.read_text()) for path in (folder / "mlflow").glob(f"{run.info.run_id}/**/worst*")
        }
        found.append({"figures": figures, "tables": stored})
    return [evaluations, *found]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    # Read when the trackers are imported.
    os.environ |= {"TRACKIO_DIR": str(folder / "trackio"), "MLFLOW_TRACKING_URI": f"sqlite:///{folder}/mlflow.db"}
    bem, warned = evaluate_qa.load("bem"), []
    handler = logging.Handler()
    handler.emit = lambda record: warned.append(record.getMessage())
    logging.getLogger("evaluate_qa").addHandler(handler)
    for _ in range(2):
        reward("trackio", bem)
        reward("mlflow", bem)
    before = [line for line in warned if "is active" in line]
    everything = {"before": before, "trackio": in_trackio(bem, folder), "mlflow": in_mlflow(bem, folder)}
    (folder / "found.json").write_text(json.dumps(everything))
