"""NLI+lex's classifiers: presets, the class that counts, and the input."""

from collections.abc import Mapping

from .._shared.classifiers import Preset, Texts
from .options import TEMPLATE

PRESETS: Mapping[str, Preset] = {
    "default": (None, None),
    "paper": ("MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli", "main"),
}


def entailment_class(labels: list[str]) -> int:
    """Return the index of the class "entailment", in any case.

    >>> entailment_class(["not_entailment", "ENTAILMENT"])
    1
    """
    named = [i for i, label in enumerate(labels) if label.lower() in {"entailment", "entail", "entails"}]
    if len(named) != 1:
        raise ValueError(
            f"nli_lex: the checkpoint has the classes {', '.join(labels)}; expected exactly one named 'entailment' "
            "in its config.json (id2label)"
        )
    return named[0]


def nli_pair(question: str, answer: str, reference: str, premise: str = TEMPLATE, hypothesis: str = TEMPLATE) -> Texts:
    """Return premise and hypothesis; without a question, they are the bare answer and reference."""
    if not question:
        return answer, (reference,)
    return fill(premise, question, answer), (fill(hypothesis, question, reference),)


def fill(template: str, question: str, answer: str) -> str:
    """Fill question and answer into a template; braces in the texts have no meaning."""
    before, _, after = template.partition("{answer}")
    return before.replace("{question}", question) + answer + after.replace("{question}", question)
