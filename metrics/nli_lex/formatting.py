"""NLI+lex's input: the premise holds the answer, the hypothesis the reference."""

from .pairs import Pair

TEMPLATE = "Question: {question} Answer: {answer}"


def nli_pair(question: str, answer: str, reference: str, premise: str = TEMPLATE, hypothesis: str = TEMPLATE) -> Pair:
    """Return (premise, hypothesis): the templates filled; without a question, the bare texts."""
    if not question:
        return Pair(answer, (reference,))
    return Pair(fill(premise, question, answer), (fill(hypothesis, question, reference),))


def fill(template: str, question: str, answer: str) -> str:
    """Put question and answer into a template; braces in either are text."""
    before, _, after = template.partition("{answer}")
    return before.replace("{question}", question) + answer + after.replace("{question}", question)
