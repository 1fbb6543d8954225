"""A metric as a reward against its plain `compute` on the same rows, and its share of a training step by arithmetic."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table


@dataclass(frozen=True)
class Completions:
    """What one step gives a reward: groups of completions, each to one question."""

    prompts: list[str]
    completions: list[str]
    answers: list[list[str]]


@dataclass(frozen=True)
class Step:
    """A training step of GRPO, by arithmetic: its tokens take 8 · parameters operations, and generation reads weights.

    A policy is trained by a forward pass for the old probabilities (2 operations a parameter and token), and a forward
    and a backward pass for the gradients (6). All completions are generated together: each of their tokens reads the
    weights (2 bytes a parameter) once. What else takes time (attention, the reference model, communication) is left
    out, so that the reward's share is stated too high rather than too low.

    Args:
        parameters: Of the policy.
        operations: A second that the accelerator reaches.
        bandwidth: Bytes a second that it reads.
        prompt: Tokens of a prompt.
        completion: Tokens of a completion.
    """

    parameters: float
    operations: float
    bandwidth: float
    prompt: int
    completion: int

    def generation(self) -> float:
        """Seconds, whatever the number of completions: 2 · parameters · tokens / bandwidth."""
        return 2 * self.parameters * self.completion / self.bandwidth

    def training(self, completions: int) -> float:
        """Seconds: 8 · parameters · completions · (prompt + completion) / operations."""
        return 8 * self.parameters * completions * (self.prompt + self.completion) / self.operations


def made_of(rows: Sequence[dict[str, Any]], count: int, group: int, words: int) -> Completions:
    """Return completions of so many words, drawn from the rows' answers (seed 0), in groups to the rows' questions."""
    rng = random.Random(0)
    vocabulary = [word for row in rows for word in row["prediction"].split()]
    asked = [rows[number // group % len(rows)] for number in range(count)]
    completions = [" ".join(rng.choices(vocabulary, k=words)) for _ in range(count)]
    return Completions([row["question"] for row in asked], completions, [row["references"] for row in asked])


@dataclass(frozen=True)
class Took:
    """What a case took at its fastest: seconds by the clock and of the processor, which others' work disturbs less."""

    clock: float
    processor: float

    def best(self, other: "Took") -> "Took":
        """Return the least of both."""
        return Took(min(self.clock, other.clock), min(self.processor, other.processor))


def alternately(cases: Sequence[Callable[[], Any]], rounds: int) -> list[tuple[Took, Any]]:
    """Run the cases in turn; return of each its fastest time and its last result. Whatever slows a round hits all."""
    best: list[Took] = [Took(float("inf"), float("inf"))] * len(cases)
    results: list[Any] = [None] * len(cases)
    for _ in range(rounds):
        for number, case in enumerate(cases):
            clock, processor = time.perf_counter(), time.process_time()
            results[number] = case()
            took = Took(time.perf_counter() - clock, time.process_time() - processor)
            best[number] = best[number].best(took)
    return list(zip(best, results, strict=True))


def measured(metric: Any, given: Completions, rounds: int) -> tuple[Took, Took]:
    """Return what the plain `compute` and the reward took for the same completions.

    Raises:
        ValueError: they do not score alike.
    """
    reward = metric.reward("answer")
    plain = reward.metric
    columns: dict[str, list[Any]] = {
        "predictions": given.completions,
        "references": given.answers,
        "questions": given.prompts,
    }

    def compute() -> list[float]:
        scores: list[float] = plain.compute(**columns)["per_example"]["score"]
        return scores

    def rewarded() -> list[float]:
        rewards: list[float] = reward(given.prompts, given.completions, answer=given.answers)
        return rewards

    plain.compute(**{name: rows[:1] for name, rows in columns.items()})  # loads the model
    (alone, scores), (took, rewards) = alternately([compute, rewarded], rounds)
    if any(abs(score - found) > 1e-6 for score, found in zip(scores, rewards, strict=True)):  # noqa: PLR2004
        raise ValueError(f"{metric.name}: the rewards are not the scores of a plain compute")
    return alone, took


def reward_table(name: str, count: int, alone: Took, took: Took, step: Step) -> Table:
    """Speed of both, their ratio, and the reward's share of a step."""
    table = Table(title=f"{count} completions a step, {name} on this machine")
    for heading in ("", "seconds", "of the processor", "rows/s"):
        table.add_column(heading, justify="right" if heading else "left")
    for title, one in ((f"{name}.compute", alone), (f"{name}.reward", took)):
        table.add_row(title, f"{one.clock:.3f}", f"{one.processor:.3f}", f"{count / one.clock:.1f}")
    table.add_row("ratio", f"{took.clock / alone.clock:.3f}", f"{took.processor / alone.processor:.3f}")
    table.add_section()
    training, generation = step.training(count), step.generation()
    size, length = f"{step.parameters / 1e9:g} B", step.prompt + step.completion
    table.add_row(f"train {size}: 8 x {size} x {count} x {length} / {step.operations:.1e}", f"{training:.3f}")
    table.add_row(f"generate: 2 x {size} x {step.completion} / {step.bandwidth:.1e}", f"{generation:.3f}")
    table.add_row("share of the reward", f"{took.clock / (took.clock + training + generation):.1%}")
    return table
