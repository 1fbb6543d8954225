"""Components of the score, by hand, with a model that counts letters."""

import numpy as np
import pytest

from evaluate_qa.metrics.smile.components import components


class Letters:
    """Embeds a text as its numbers of a and b, at unit length."""

    def vectors(self, texts, _):
        """Return a vector for each text."""
        counts = np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float32).reshape(-1, 2)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    def stream(self, texts, describe):
        """Yield indices of texts and their vectors."""
        yield np.arange(len(texts)), self.vectors(texts, describe)


@pytest.mark.parametrize(
    ("synthetic", "semantic"),
    [
        ([], [3 / np.sqrt(10), 4 / 5]),  # (1, 2) with the references' (1, 1) and (2, 1)
        (["a", "b"], [1 / np.sqrt(5), 2 / np.sqrt(5)]),  # with (1, 0) for the first reference, (0, 1) for the second
        (["b"], [2 / np.sqrt(5)] * 2),
    ],
    ids=["none", "one for each reference", "one for all"],
)
def test_components_by_hand(synthetic, semantic):
    """The n-grams a and b have the cosine 1/√2 with "ab"; "a b" has 3/√10 and "b b" 1/√5 with "a ab" (2, 1)."""
    found = components(["a b b", "b"], [["ab", "a ab"], ["b"]], [synthetic, []], Letters(), str)
    assert found.semantic_cosine == pytest.approx([*semantic, 1])
    assert found.ngram_cosine == pytest.approx([1 / np.sqrt(2), 3 / np.sqrt(10), 1])
    assert list(found.best_ngram) == ["a", "a b", "b"]
    assert found.exact_match.tolist() == [0, 0, 1]
    assert found.word_fraction.tolist() == [0, 1 / 2, 1]
    assert found.starts.tolist() == [0, 2]
