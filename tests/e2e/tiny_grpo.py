"""Train a tiny causal model with GRPO in two processes, for test_grpo.py.

`python tiny_grpo.py FOLDER`: each process writes the calls of its rewards and the trainer's log to FOLDER/<rank>.json.
"""

import json
import os
import sys
from pathlib import Path

from ranks import run_two

import evaluate_qa

QUESTIONS = ["what is the capital of france", "what is the capital of italy", "what is the capital of nowhere"]
ANSWERS = ["Paris", "Rome", None]
SPECIALS = ["<pad>", "</s>", "<unk>"]
VOCABULARY = [*SPECIALS, *sorted({word for question in QUESTIONS for word in question.split()}), "paris", "rome"]
STEPS, GENERATIONS = 12, 16
TOKENS = 3  # of a completion


def tokenizer():
    """A word for a token; pads at the left, as generation needs it."""
    from tiny_causal import word_tokenizer

    return word_tokenizer(VOCABULARY, pad_token="<pad>", padding_side="left")


class Recorded:
    """A reward function that records its calls."""

    def __init__(self, reward):
        self.reward, self.calls, self.__name__ = reward, [], reward.__name__

    def __call__(self, **given):
        """Return the rewards of a step."""
        return self.record(given, self.reward(**given))

    def record(self, given, found):
        """Keep a call, and return its rewards."""
        kept = ("prompts", "completions", "completion_ids", "gold")
        self.calls.append({name: given[name] for name in kept} | {"rewards": found, "names": sorted(given)})
        return found


class RecordedLater(Recorded):
    """A coroutine function that records its calls."""

    async def __call__(self, **given):
        """Return the rewards of a step."""
        return self.record(given, await self.reward(**given))


def main(folder):
    set_seed(0)
    sizes = {"n_embd": 32, "n_layer": 1, "n_head": 2, "n_positions": 16}
    dropouts = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    config = GPT2Config(vocab_size=len(VOCABULARY), **sizes, **dropouts, pad_token_id=0, eos_token_id=1, bos_token_id=1)
    bem = evaluate_qa.load("bem")
    rewards = [
        Recorded(bem.reward("gold")),
        RecordedLater(bem.reward("gold", value="verdict", name="right", asynchronous=True)),
    ]
    trainer = GRPOTrainer(
        GPT2LMHeadModel(config),
        reward_funcs=rewards,
        args=GRPOConfig(
            output_dir=str(folder),
            max_steps=STEPS,
            per_device_train_batch_size=len(QUESTIONS) * GENERATIONS // 2,
            num_generations=GENERATIONS,
            max_completion_length=TOKENS,
            learning_rate=1e-2,
            lr_scheduler_type="constant",
            reward_weights=[1.0, 0.1],
            gradient_checkpointing=False,
            bf16=False,
            use_cpu=True,
            logging_steps=1,
            report_to=[],
            disable_tqdm=True,
            save_strategy="no",
        ),
        train_dataset=Dataset.from_dict({"prompt": QUESTIONS, "gold": ANSWERS}),
        processing_class=tokenizer(),
    )
    trainer.train()
    found = {reward.__name__: reward.calls for reward in rewards} | {"log": trainer.state.log_history}
    found["extra"] = {column: list(values) for column, values in trainer._logs["extra"].items()}
    (folder / f"{os.environ['RANK']}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    from datasets import Dataset
    from transformers import GPT2Config, GPT2LMHeadModel, set_seed
    from trl import GRPOConfig, GRPOTrainer

    run_two(main, Path(sys.argv[1]))
