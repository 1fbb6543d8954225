"""BEM's classifiers: presets, the class that counts, and the input."""

from collections.abc import Mapping

from .._shared.classifiers import Preset, Texts

PRESETS: Mapping[str, Preset] = {
    "default": (None, None),
    "paper": ("kortukov/answer-equivalence-bem", "main"),
}


def equivalent_class(labels: list[str]) -> int:
    """Return the index of the class "equivalent": by its name, or else 1 if there are two classes.

    >>> equivalent_class(["LABEL_0", "LABEL_1"])
    1
    """
    named = [i for i, label in enumerate(labels) if label.lower() in {"equivalent", "equivalence", "entailment"}]
    if len(named) == 1:
        return named[0]
    if len(labels) != 2:  # noqa: PLR2004
        raise ValueError(
            f"bem: the checkpoint has the classes {', '.join(labels)}; expected two, or one named 'equivalent'"
        )
    return 1


def bem_pair(question: str, answer: str, reference: str) -> Texts:
    """Return `[CLS] answer [SEP] | reference [SEP] question [SEP]`, as in the released program; segments end at |."""
    return answer, (reference, question)
