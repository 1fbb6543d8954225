"""Read the tables of words, `words.tsv`: function words, number words, and words or patterns that rules look for."""

from pathlib import Path

# Language, kind, step and words of each line: function words, cardinals, ordinals without their endings, these
# endings, forms of hours, names of powers of ten, and words or patterns of other modules. Patterns may stand before
# number words (prefix), between them (joiner) and after them (suffix, denominator). Articles and plurals, such as
# "thousands", are no numbers alone. Letters are those that no other language has. In pairs, one word takes the place
# of the step. Numerals are those for 1, 2, 3, … times the step; "/" separates forms of one numeral, "_" its words,
# and "-" stands for none. A phrase of English numbers starts with the first letters of its words, for a fast test,
# and has its replacement and its pattern; phrases are replaced in this order. A line that is `asked` starts with a
# pattern of the question. Words are as in texts of `plain`: Turkish without dotless i, and Hindi without dots below.
WORDS = [line.split("\t") for line in Path(__file__).with_name("words.tsv").read_text(encoding="utf-8").splitlines()]


def words_of(kind: str) -> frozenset[str]:
    """Return all words of one kind in `words.tsv`."""
    return frozenset(word for _, of_kind, _, words in WORDS if of_kind == kind for word in words.split())


def pattern_of(kind: str) -> str:
    """Return a pattern for the phrases of one kind in `words.tsv`, without parentheses around it."""
    return "|".join(words for _, of_kind, _, words in WORDS if of_kind == kind)


def word_set(text: str) -> frozenset[str]:
    """Return the words of a table that is written as text."""
    return frozenset(text.split())
