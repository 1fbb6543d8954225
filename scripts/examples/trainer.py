"""Train a model and let SMILE choose the best checkpoint: `evaluate-qa install smile`, then `python trainer.py`.

Needs `pip install 'evaluate-qa[train,evaluate]'`. Runs in a few seconds, without a download, and writes to
./checkpoints; `trainer.train(resume_from_checkpoint=True)` resumes there. On several GPUs: `torchrun trainer.py`.
"""

import datasets
import evaluate
from transformers import (
    ByT5Tokenizer,
    DataCollatorForSeq2Seq,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

set_seed(1)

QUESTIONS = ["Who discovered radium?", "What is the capital of France?", "What is the capital of Italy?"]
REFERENCES = [["Curie", "Marie Curie"], ["Paris"], ["Rome", "Roma"]]

# A tiny model. A real one: AutoTokenizer.from_pretrained(…), AutoModelForSeq2SeqLM.from_pretrained(…).
tokenizer = ByT5Tokenizer()
model = T5ForConditionalGeneration(T5Config(vocab_size=384, d_model=64, d_kv=32, d_ff=128, num_layers=2, num_heads=2))
model.config.decoder_start_token_id = model.generation_config.decoder_start_token_id = 0

rows = datasets.Dataset.from_dict(
    {
        "input_ids": tokenizer(QUESTIONS).input_ids,
        "labels": tokenizer([references[0] for references in REFERENCES]).input_ids,
    }
)

smile = evaluate.load("smile", device="cpu")  # leaves the accelerator to the model that is trained

trainer = Seq2SeqTrainer(
    model,
    Seq2SeqTrainingArguments(
        "checkpoints",
        predict_with_generate=True,
        include_for_metrics=["inputs"],  # the questions
        generation_max_length=16,
        max_steps=60,
        learning_rate=1e-2,
        eval_strategy="steps",
        eval_steps=20,
        save_steps=20,
        load_best_model_at_end=True,
        metric_for_best_model="smile",
        report_to=[],
    ),
    train_dataset=rows,
    eval_dataset=rows,
    data_collator=DataCollatorForSeq2Seq(tokenizer, model),
    processing_class=tokenizer,
    # Without references= the labels are the references.
    compute_metrics=smile.compute_metrics(tokenizer, references=REFERENCES),
)
trainer.train()
print(f"best: {trainer.state.best_metric:.3f} at step {trainer.state.best_global_step}")
