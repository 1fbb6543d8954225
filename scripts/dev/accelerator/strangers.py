"""Read labeled sentence pairs and judged answers from folders with a `<set>.jsonl.gz` for each set.

A row of a set of pairs has `premise`, `hypothesis`, `label` and perhaps `kind` and `lang`.
"""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evaluate_qa.metrics._shared.words import exact_words

from ...files.rows import RowsError
from ...labeled_data.judged_answers import read_answers, read_gzip
from ...labeled_data.rows import LabeledRow, divided
from ...training.examples import TrainingExample
from ...training.sources import LabeledSet, sample

_AGREE = {"entailment": 1.0, "paraphrase": 1.0} | dict.fromkeys(
    ("neutral", "contradiction", "not_entailment", "not_paraphrase"), 0.0
)
# Share of premises that are held out, in 256ths, and most held-out pairs of each skill and language.
_HELD_OUT, _TESTED = 13, 250
_HALF, _DEV = 0.5, 0.2


PAIRS = {
    "inference": "mnli_dev snli_train_20k snli_dev_test wanli_15k counterfactual_nli conjnli scitail_test rte3_fr",
    "world facts": "te_new_protocols fever_nli fever_symmetric fool_me_twice",
    "negation": "cannot_negation negation_rte_snli_mnli scone",
    "word order and roles": "paws_x_en paws_x_de paws_x_es paws_x_fr paws_x_zh hans",
    "numbers and names": "semi_auto_nli_wiki",
    "names": "names_wordnet names_nicknames names_countries",
    "near synonyms": "breaking_nli wordnet_pairs",
    "paraphrase": "checklist_qqp summedits_pairs",
    "quantifiers": "help med",
}
"""The sets of pairs by the skill that they test."""
# Most pairs of a set to train on; the encoders do not read Chinese.
_PAIR_ROWS = {"paws_x_zh": 0, "names_nicknames": 3000, "wordnet_pairs": 10000} | dict.fromkeys(
    ("conjnli", "scone", "med", "help", "hans"), 4000
)
# The same, for each kind of a set's pairs.
_KIND_ROWS = {"checklist_qqp": 100}
_EXCLUDED = "samsum"  # The license of its texts, CC BY-NC-ND 4.0, forbids edited copies.

KINDS = {
    data_set: kind
    for kind, data_sets in {
        "short factual": ("evouna", "opentriviaqa_wrong", "halueval_qa_small"),
        "open-domain predictions": ("efficientqa",),
        "student answers": ("semeval2013",),
        "course answers": ("saf",),
        "children's explanations": ("mindca",),
        "reading comprehension": ("sas_pairs", "fairytaleqa_two"),
        "worked math": ("gsm_solutions", "stepverify"),
        "covered statements": ("summhay_insights",),
        "medical": ("kqa_statements",),
        "misconceptions": ("truthfulqa_human", "truthfulqa_multi_human"),
    }.items()
    for data_set in data_sets
}
"""Data set to its kind of answers. Other data sets have none: a language model wrote their answers."""

REPORTED = ("kqa_statements", "truthfulqa_human", "truthfulqa_multi_human")
"""Sets of answers that must not be trained on."""
TRAINED = {
    "mindca": 2000,
    "sas_pairs": None,
    "fairytaleqa_two": 2000,
    "gsm_solutions": 1500,
    "stepverify": None,
    "summhay_insights": None,  # half of it
    "opentriviaqa_wrong": 3000,
    "halueval_qa_small": None,
}
"""Sets of answers to train on, with the most rows of each."""


@dataclass(frozen=True)
class SentencePairs:
    """Pairs as examples; no premise is in both parts."""

    train: list[TrainingExample]
    held_out: list[TrainingExample]


def read_pairs(folder: Path, count: int) -> SentencePairs:
    """Read all sets of `PAIRS`: about `count` pairs to train on, and held-out pairs of each skill and language.

    `data_set` of a held-out pair is its skill. Raises OSError or RowsError if a file is missing or a row is damaged.
    """
    kept, tested = [], defaultdict[tuple[str, str], list[TrainingExample]](list)
    for name, skill in ((name, skill) for skill, names in PAIRS.items() for name in names.split()):
        chosen, of_kind = [], Counter[str]()
        for example, kind in sorted(_pairs(folder / f"{name}.jsonl.gz"), key=lambda found: _digest(repr(found[0]))):
            if _digest(" ".join(example.answer.casefold().split()))[0] < _HELD_OUT:
                tested[skill, example.language].append(replace(example, data_set=skill))
            elif _EXCLUDED not in kind and of_kind[kind] < _KIND_ROWS.get(name, math.inf):
                of_kind[kind] += 1
                chosen.append(example)
        kept.append(chosen[: _PAIR_ROWS.get(name)])
    share = min(1.0, count / max(1, sum(map(len, kept))))
    train = [example for chosen in kept for example in chosen[: math.ceil(share * len(chosen))]]
    held_out = [
        example
        for found in tested.values()
        for example in sorted(found, key=lambda example: _digest(repr(example)))[:_TESTED]
    ]
    return SentencePairs(sorted(train, key=lambda example: _digest(repr(example))), held_out)


def read_verdicts(folder: Path, reported: Collection[str]) -> list[LabeledSet]:
    """Read all sets of answers; `test` holds the rows that must not be trained on, `dev` a fifth of the others.

    Args:
        folder: The folder.
        reported: Questions that figures are reported on elsewhere; other rows with them are left out.
    """
    asked, found = {_same(question) for question in reported}, []
    for name in (*TRAINED, *REPORTED):
        answers = (row for _, row in read_answers(folder / f"{name}.jsonl.gz"))
        rows = [row for row in answers if _same(row.question) not in asked and not _named(name, row)]
        rows, test = divided(rows, 1.0 if name in REPORTED else _HALF if name == "summhay_insights" else 0.0)
        train, dev = divided(rows, _DEV)
        if not any(row.label for row in dev):
            dev = []  # says nothing about right answers
        found.append(LabeledSet(name, _with_right(sample(train, TRAINED.get(name))), dev, test))
    return found


def _with_right(rows: list[LabeledRow]) -> list[LabeledRow]:
    """Add each reference as a right answer to rows that are all wrong."""
    if any(row.label for row in rows):
        return rows
    right = {row.question_id: replace(row, answer=row.references[0], label=1.0) for row in rows}
    return [*rows, *right.values()]


def _named(name: str, row: LabeledRow) -> bool:
    """Return whether a made-up answer names the person of the reference: a few of HaluEval's are right."""
    return name == "halueval_qa_small" and bool({*exact_words(row.references[0])[-1:]} & {*exact_words(row.answer)})


def _pairs(file: Path) -> Iterator[tuple[TrainingExample, str]]:
    for where, row in read_gzip(file, ("premise", "hypothesis", "label")):
        if row["label"] not in _AGREE:
            raise RowsError(f"{where}: label is {row['label']!r}; expected one of {', '.join(_AGREE)}; correct it")
        texts, language = (row["premise"], row["hypothesis"]), row.get("lang") or "en"
        name = file.name.partition(".")[0]
        yield TrainingExample("", *texts, _AGREE[row["label"]], language, name), row.get("kind", "")


def _same(question: str) -> str:
    return " ".join(exact_words(question))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
