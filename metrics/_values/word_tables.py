"""Read the tables of words, `words.tsv`: function words, number words, and words or patterns that rules look for."""

from pathlib import Path

# A line of `words.tsv` has four columns: usually a language or "-", a kind, a third column, and words. By kind:
#
# - `cardinal`, `ordinal`, `hour`: the numerals for 1, 2, 3, … times the number in the third column. "/" separates the
#   forms of a numeral, and "_" the words of a form; "-" stands for a numeral that is missing. Ordinals come without
#   their endings, which have the kind `ending`.
# - `prefix`, `joiner`, `suffix`, `denominator`: patterns before, between and after number words. `article`, `plural`:
#   number words that are no numbers alone. `letters`: letters that no other language has.
# - `scale`: the names of a power of ten, whose exponent is in the third column.
# - `phrase`, `portion`, `asked`: the last column is a pattern, and the third one its replacement. Phrases of English
#   numbers are replaced in the order of the file; their first column has the first letters of their words, for a test.
#   The first column of `asked` is a pattern of the question.
# - `symbol`: the prefixes of the unit in the third column. `command`, `complexity`: another text for the third column.
# - `side`: two sets of words of opposite meanings. All others: a set of words (`words_of`) or a pattern (`pattern_of`).
#
# Words are as in the texts that `plain` returns: Turkish without dotless i, and Hindi without dots below.
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
