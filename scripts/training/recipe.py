"""How a matcher or a teacher is trained: everything that a recipe file can set."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluate_qa.metrics._shared.matcher import TASKS

from .balance import Balance
from .examples import Mixture

_LOWEST = {"epochs": 1, "token_budget": 64, "max_tokens": 16, "frozen_layers": 0, "eval_rows": 1}
_SHARES = ("ema_decay", "label_smoothing", "teacher_weight")


@dataclass(frozen=True)
class TrainingRecipe:
    """How a matcher or a teacher is trained.

    Args:
        tasks: The metrics whose heads are trained, keys of `TASKS`. The command sets them, not the file.
        kind: `matcher`, or `teacher` for a larger encoder that matchers learn from. A teacher has one head,
            whatever the tasks.
        data: Data sets to train on, as `read_sets` takes them.
        encoder: For a teacher: folder of the encoder, or its name on the Hub.
        start: File of a matcher, or for a teacher of a teacher, to continue from.
        teachers: Files of matchers or teachers to learn from in addition to the labels.
        average: Files of matchers to average instead of training.
        refit_layers: With `average`: names of the final layers to fit again; the others are copied from the first file.
            None fits all of them.
        epochs: Number of epochs; each draws new examples.
        learning_rate: Highest learning rate. It rises over the first tenth of the steps and falls to 0 over the rest.
        token_budget: Most tokens in a batch, padding included.
        max_tokens: Longer inputs are truncated to this number of tokens.
        ema_decay: Decay of the exponential moving average of the weights, which is what is saved.
        label_smoothing: Label smoothing.
        teacher_weight: Weight of the teachers' mean probability in the target of a labeled answer; the label has the
            rest.
        seed: Random seed of examples, batches and dropout.
        device: Device as torch names it; None uses the best one. The command sets it, not the file.
        bfloat16: Train and evaluate in bfloat16 (autocast) where it is safe.
        frozen_layers: Freeze this number of the lowest encoder layers. With 3 of 6, training takes two thirds of the
            time.
        eval_rows: Most answers of each data set to compute figures on; None uses all of them.
        balance: How many answers of each data set an epoch draws.
        mixture: How many examples of each kind are made from the labeled answers.
    """

    tasks: tuple[str, ...] = tuple(TASKS)
    kind: Literal["matcher", "teacher"] = "matcher"
    data: tuple[str, ...] = ("evouna",)
    encoder: str | None = None
    start: Path | None = None
    teachers: tuple[Path, ...] = ()
    average: tuple[Path, ...] = ()
    refit_layers: tuple[str, ...] | None = None
    epochs: int = 5
    learning_rate: float = 1e-4
    token_budget: int = 4096
    max_tokens: int = 384
    ema_decay: float = 0.999
    label_smoothing: float = 0.05
    teacher_weight: float = 0.5
    seed: int = 0
    device: str | None = None
    bfloat16: bool = False
    frozen_layers: int = 0
    eval_rows: int | None = None
    balance: Balance = Balance()
    mixture: Mixture = Mixture()

    def __post_init__(self) -> None:
        for name, least in _LOWEST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; expected a whole number of at least {least}")
        if not 0 < self.learning_rate < 1:  # NaN fails, too
            raise ValueError(f"learning_rate is {self.learning_rate}; expected a number between 0 and 1, such as 1e-4")
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}; expected a number from 0 to 1")

    @property
    def teaches(self) -> bool:
        """True if a teacher is trained."""
        return self.kind == "teacher"
