"""Training examples made from labeled answers, so that the matcher learns which differences matter.

Each epoch draws new examples, so that no two epochs show the same padding, swap or reference.
"""

import math
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.lexical import match, recall
from evaluate_qa.metrics._shared.words import exact_words

from ..labeled_data.rows import LabeledRow
from .wording import CONCESSIONS, OPENINGS, REFUSALS, REJECTIONS, number_variant, sentences, yes_no

# Longest answer that serves as a reference for another one, in words.
_REFERENCE_WORDS = 40
# Most words of padding: answers of today's models are long, and EVOUNA's are not.
_PADDED_WORDS = 220
_SOME = 0.5
# Kinds with sentences of our own, which are English.
_IN_ENGLISH = frozenset({"rejected", "yes_no", "refused"})
# Number of examples that are sorted by length together.
_BLOCK = 2048


@dataclass(frozen=True)
class TrainingExample:
    """An answer and a reference; the label is 1 if they agree, 0 if not, and NaN if nobody labeled the pair.

    `data_set` names the data set that it was drawn from, if there are several.
    """

    question: str
    answer: str
    reference: str
    label: float
    language: str = "en"
    data_set: str = ""


@dataclass(frozen=True)
class Mixture:
    """How many examples of each kind to draw, as a share of the labeled answers; 0 disables a kind."""

    peer: float = 0.5  # the reference is a right answer of another system
    wrong_reference: float = 0.25  # the reference belongs to another question and has the same form
    question_reference: float = 0.1  # the reference consists of words of the question
    swapped: float = 0.25  # the reference of another question replaces the right one in the answer
    counterfactual: float = 0.2  # the same swap in answer and reference, so that they agree
    rejected: float = 0.15  # the answer denies the reference, or denies something else in favor of it
    yes_no: float = 0.12  # the question asks for yes or no
    refused: float = 0.03  # the answer is a refusal
    cut: float = 0.05  # the answer ends before the reference
    # Probabilities:
    near: float = 0.0  # a replacement is one of the nearest references, or the same number changed a little
    any_reference: float = 0.5  # a right answer is shown with a random reference, not the most similar one
    padded: float = 0.2  # sentences from other answers surround an answer
    reworded: float = 0.3  # numbers and dates are written differently

    def __post_init__(self) -> None:
        for name, share in vars(self).items():
            if not 0 <= share <= 1:
                raise ValueError(f"{name} is {share}; expected a number from 0 to 1")


class Generator:
    """Draws the examples of an epoch from the labeled answers of a set, which belongs to a data set.

    `neighbors` maps a reference to the nearest other ones, and `weights` are the relative frequencies of the answers
    among those with the same verdict.
    """

    def __init__(
        self,
        rows: Sequence[LabeledRow],
        mixture: Mixture,
        data_set: str = "",
        neighbors: Mapping[str, Sequence[str]] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        self.rows, self._mixture = list(rows), mixture
        self.data_set, self._neighbors, self.weights = data_set, neighbors or {}, weights
        self._peers: dict[tuple[str, Sequence[str]], list[str]] = defaultdict(list)
        self._by_shape: dict[str, list[str]] = defaultdict(list)
        right = _answered_right(self.rows)
        for row in right:
            self._peers[row.question_id, tuple(row.references)].append(row.answer)
        for references in {row.question_id: row.references for row in self.rows}.values():
            self._by_shape[_shape(references[0])].append(references[0])
        self._answers: dict[str, list[str]] = defaultdict(list)
        for row in self.rows:
            if row.answer.strip() and len(row.answer.split()) <= _REFERENCE_WORDS:
                self._answers[row.question_id].append(row.answer)
        self._sentences = [text for row in right for text in sentences(row.answer) if len(text.split()) > 3]  # noqa: PLR2004

    def epoch(self, seed: int, rows: Sequence[LabeledRow] | None = None) -> list[TrainingExample]:
        """Return one epoch's examples in random order, made from some rows, possibly with repetition (default: all)."""
        draw = random.Random(seed)
        shown = self.rows if rows is None else rows
        right = _answered_right(shown)
        english = [row for row in right if row.language == "en"]
        kinds: dict[str, Callable[[LabeledRow, random.Random], TrainingExample | None]] = {
            "peer": self._peer,
            "wrong_reference": self._wrong_reference,
            "question_reference": _question_reference,
            "swapped": self._swapped,
            "counterfactual": self._counterfactual,
            "rejected": self._rejected,
            "yes_no": self._yes_no,
            "refused": _refused,
            "cut": _cut,
        }
        examples = [labeled(row, self._mixture.any_reference, draw) for row in shown]
        for kind, make in kinds.items():
            pool = shown if kind == "peer" else english if kind in _IN_ENGLISH else right
            for row in draw.sample(pool, min(len(pool), round(getattr(self._mixture, kind) * len(shown)))):
                example = make(row, draw)
                if example is not None:
                    examples.append(replace(example, language=row.language))
        draw.shuffle(examples)
        return [self._dressed(example, draw) for example in examples]

    def pairs(self, count: int, draw: random.Random) -> list[TrainingExample]:
        """Draw pairs for a teacher to judge: an answer, and another answer to its question as the reference."""
        rows = [row for row in self.rows if row.answer.strip() and {*self._answers[row.question_id]} - {row.answer}]
        pairs = list[TrainingExample]()
        for row in draw.choices(rows, k=count if rows else 0):
            other = draw.choice([text for text in self._answers[row.question_id] if text != row.answer])
            pairs.append(TrainingExample(row.question, row.answer, other, math.nan, row.language))
        return pairs

    def _dressed(self, example: TrainingExample, draw: random.Random) -> TrainingExample:
        if draw.random() < self._mixture.reworded:
            if draw.random() < _SOME:
                example = replace(example, answer=number_variant(example.answer, draw))
            else:
                example = replace(example, reference=number_variant(example.reference, draw))
        if self._sentences and draw.random() < self._mixture.padded:
            example = replace(example, answer=self.padded(example, draw))
        return example

    def padded(self, example: TrainingExample, draw: random.Random) -> str:
        """Return the answer surrounded by sentences from other answers that do not contain the reference."""
        wanted = exact_words(example.reference)
        budget = draw.randint(10, _PADDED_WORDS)
        before: list[str] = []
        after: list[str] = []
        while budget > 0:
            text = draw.choice(self._sentences)
            budget -= len(text.split())
            if recall(exact_words(text), wanted) < _SOME:
                (after if draw.random() < 0.7 else before).append(text)  # noqa: PLR2004 - answers mostly come first
        opening = [draw.choice(OPENINGS)] if draw.random() < 0.3 else []  # noqa: PLR2004
        joint = draw.choice((" ", " ", "\n\n"))
        return joint.join([*opening, *before, example.answer, *after])

    def _other(self, reference: str, draw: random.Random) -> str | None:
        """Return another reference of the same form that shares few words with this one."""
        wanted = exact_words(reference)
        for other in self._candidates(reference, draw):
            found = exact_words(other)
            if recall(found, wanted) < _SOME and recall(wanted, found) < _SOME:
                return other
        return None

    def _candidates(self, reference: str, draw: random.Random) -> list[str]:
        alike = draw.choices(self._by_shape[_shape(reference)] or [reference], k=8)
        if draw.random() >= self._mixture.near:
            return alike
        if any(character.isdigit() for character in reference):
            return [_changed_number(reference, draw), *alike]
        near = list(self._neighbors.get(reference, ()))
        draw.shuffle(near)
        return near + alike

    def _peer(self, row: LabeledRow, draw: random.Random) -> TrainingExample | None:
        peers = [
            text
            for text in self._peers[row.question_id, tuple(row.references)]
            if text != row.answer and len(text.split()) <= _REFERENCE_WORDS
        ]
        return TrainingExample(row.question, row.answer, draw.choice(peers), row.label) if peers else None

    def _wrong_reference(self, row: LabeledRow, draw: random.Random) -> TrainingExample | None:
        other = self._other(draw.choice(row.references), draw)
        if other is None or recall(exact_words(row.answer), exact_words(other)) >= _SOME:
            return None
        return TrainingExample(row.question, row.answer, other, 0.0)

    def _swapped(self, row: LabeledRow, draw: random.Random) -> TrainingExample | None:
        found, example = _mention(row), self._counterfactual(row, draw)
        if found is None or example is None:
            return None
        if any(match(exact_words(example.answer), exact_words(text)) for text in row.references):
            return None  # The answer also has another reference: "Peru (USA)".
        return replace(example, reference=draw.choice([found, row.references[0]]), label=0.0)

    def _counterfactual(self, row: LabeledRow, draw: random.Random) -> TrainingExample | None:
        found = _mention(row)
        other = self._other(found, draw) if found else None
        if found is None or other is None:
            return None
        answer = re.sub(rf"(?<!\w){re.escape(found)}(?!\w)", lambda _: other, row.answer, flags=re.IGNORECASE)
        return TrainingExample(row.question, answer, other, 1.0)

    def _rejected(self, row: LabeledRow, draw: random.Random) -> TrainingExample | None:
        reference = row.references[0]
        other = self._other(reference, draw)
        if other is None:
            return None
        if draw.random() < _SOME:
            text = draw.choice(REJECTIONS).format(wrong=reference, right=other)
            return TrainingExample(row.question, text, reference, 0.0)
        text = draw.choice(REJECTIONS + CONCESSIONS).format(wrong=other, right=reference)
        # A rejection that names no alternative is not an answer.
        return TrainingExample(row.question, text, reference, float(reference in text))

    def _yes_no(self, row: LabeledRow, draw: random.Random) -> TrainingExample | None:
        reference = row.references[0]
        other = self._other(reference, draw)
        if other is None:
            return None
        question, answer, yes, label = yes_no(row.question, row.answer, reference, other, draw)
        return TrainingExample(question, answer, yes, label)


def _answered_right(rows: Sequence[LabeledRow]) -> list[LabeledRow]:
    return [row for row in rows if row.label and row.answer.strip()]


def labeled(row: LabeledRow, any_reference: float, draw: random.Random) -> TrainingExample:
    """Return a labeled answer with one of its references: a random one or, for a right answer, the most similar one."""
    reference = draw.choice(row.references)
    if row.label and draw.random() >= any_reference:
        answer = exact_words(row.answer)
        best = max(recall(answer, exact_words(text)) for text in row.references)
        nearest = [text for text in row.references if recall(answer, exact_words(text)) == best]
        reference = draw.choice(nearest)
    return TrainingExample(row.question, row.answer, reference, row.label, row.language)


def _question_reference(row: LabeledRow, draw: random.Random) -> TrainingExample | None:
    words = row.question.rstrip("?").split()
    length = draw.randint(1, 4)
    start = draw.randrange(max(1, len(words) - length))
    reference = " ".join(words[start : start + length])
    wanted = exact_words(reference)
    if any(recall(wanted, exact_words(text)) > 0 for text in row.references):
        return None
    return TrainingExample(row.question, row.answer, reference, 0.0)


def _refused(row: LabeledRow, draw: random.Random) -> TrainingExample | None:
    text = draw.choice(REFUSALS).format(question=row.question.rstrip("?"))
    return TrainingExample(row.question, text, draw.choice(row.references), 0.0)


def _cut(row: LabeledRow, draw: random.Random) -> TrainingExample | None:
    found = _mention(row)
    if found is None:
        return None
    start = row.answer.lower().index(found.lower())
    before = row.answer[:start].strip()
    return TrainingExample(row.question, before, found, 0.0) if len(before.split()) > 2 else None  # noqa: PLR2004


def _mention(row: LabeledRow) -> str | None:
    """Return the longest reference that the answer contains verbatim."""
    answer = exact_words(row.answer)
    found = [
        text
        for text in row.references
        if text.lower() in row.answer.lower() and match(answer, exact_words(text)) and len(text) > 1
    ]
    return max(found, key=len, default=None)


def _changed_number(text: str, draw: random.Random) -> str:
    """Return the text with every number changed a little, such as 1988 for 1987."""
    return re.sub(r"\d+", lambda number: str(max(0, int(number[0]) + draw.choice((-10, -2, -1, 1, 2, 5)))), text)


def _shape(text: str) -> str:
    """Return the form of a reference: references of one form can replace each other."""
    words = text.split()
    if re.fullmatch(r"(1[0-9]|20)\d\d", text):
        return "year"
    if any(character.isdigit() for character in text):
        return f"number {min(len(words), 3)}"
    return f"words {min(len(words), 4)}"


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield the indices of examples in batches of about `budget` tokens at most, including padding.

    Examples are sorted by length within blocks, so that a batch has similar lengths but is still random.
    """
    for start in range(0, len(lengths), _BLOCK):
        block = sorted(range(start, min(start + _BLOCK, len(lengths))), key=lengths.__getitem__)
        batch: list[int] = []
        for number in block:
            if batch and (len(batch) + 1) * lengths[number] > budget:
                yield batch
                batch = []
            batch.append(number)
        yield batch
