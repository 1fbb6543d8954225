"""How a matcher is trained."""

from dataclasses import dataclass

from evaluate_qa.metrics._shared.matcher import TASKS


@dataclass(frozen=True)
class Recipe:
    """How the encoder is trained.

    Args:
        tasks: Whose heads are trained, keys of `TASKS`.
        epochs: Each draws its own examples.
        learning_rate: The highest; it rises over the first tenth of the steps and falls to 0 over the rest.
        token_budget: Tokens of a batch, padding counted.
        max_tokens: Longer inputs are cut.
        average: Decay of the running mean of the weights, which is what is kept.
        smoothing: Of the labels, towards a half.
        teaching: With teachers, the share of their mean probability in what is learned; the label has the rest.
        seed: Of examples, batches and dropout.
        device: As torch names it; by default the best there is.
        half: Train in bfloat16 where it is safe (autocast), and classify in it.
        frozen: So many of the encoder's lowest layers, and what is below them, stay as they are: with 3 of 6 training
            takes two thirds of the time.
    """

    tasks: tuple[str, ...] = tuple(TASKS)
    epochs: int = 5
    learning_rate: float = 1e-4
    token_budget: int = 4096
    max_tokens: int = 384
    average: float = 0.999
    smoothing: float = 0.05
    teaching: float = 0.5
    seed: int = 0
    device: str | None = None
    half: bool = False
    frozen: int = 0

    def __post_init__(self) -> None:
        lowest = {"epochs": 1, "token_budget": 64, "max_tokens": 16, "frozen": 0}
        for name, least in lowest.items():
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}; expected at least {least}")
        if not self.learning_rate > 0:  # nan is not either
            raise ValueError(f"learning_rate is {self.learning_rate}; expected more than 0")
