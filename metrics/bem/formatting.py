"""BEM's input: which texts the classifier reads, in which order."""

from .pairs import Pair


def bem_pair(question: str, answer: str, reference: str) -> Pair:
    """Return `[CLS] answer [SEP] | reference [SEP] question [SEP]`; the bar parts the two segments.

    No further special tokens, as in the released checkpoint's own preparation.
    """
    return Pair(answer, (reference, question))
