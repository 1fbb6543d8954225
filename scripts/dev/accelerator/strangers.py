"""Read labeled sentence pairs and judged answers from folders with a `<set>.jsonl.gz` for each set.

A row of a set of pairs has `premise`, `hypothesis`, `label` and perhaps `kind` and `lang`. A row of a set of answers
has `question`, `references`, `prediction`, `group`, and `label` (1 or 0) or `score` (0 to 1), and perhaps `language`.
"""

import gzip
import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from evaluate_qa.metrics._shared.words import exact_words

from ...files.rows import Row, RowsError, require_columns
from ...labeled_data.rows import LabeledRow
from ...training.examples import TrainingExample
from ...training.sources import LabeledSet, divided, sample

_AGREE = {"entailment": 1.0, "paraphrase": 1.0} | dict.fromkeys(
    ("neutral", "contradiction", "not_entailment", "not_paraphrase"), 0.0
)
# Share of premises that are held out, in 256ths, and most held-out pairs of each skill and language.
_HELD_OUT, _TESTED = 13, 250
# Scores below and above them become labels; rows between them are left out.
_WRONG, _RIGHT = 0.25, 0.75
_HALF, _DEV = 0.5, 0.2


class PairSet(NamedTuple):
    """How many pairs of a set to use at most, overall and of each kind, and the skill that they test."""

    skill: str
    rows: int | None = None
    of_kind: int | None = None


PAIRS = {
    "te_new_protocols": PairSet("world facts"),
    "mnli_dev": PairSet("inference"),
    "fever_nli": PairSet("world facts"),
    "cannot_negation": PairSet("negation"),
    "counterfactual_nli": PairSet("inference"),
    **{f"paws_x_{language}": PairSet("word order and roles") for language in ("en", "de", "es", "fr")},
    "paws_x_zh": PairSet("word order and roles", 0),  # the encoders do not read Chinese
    "snli_train_20k": PairSet("inference"),
    "snli_dev_test": PairSet("inference"),
    "wanli_15k": PairSet("inference"),
    "semi_auto_nli_wiki": PairSet("numbers and names"),
    "summedits_pairs": PairSet("paraphrase"),
    "fool_me_twice": PairSet("world facts"),
    "fever_symmetric": PairSet("world facts"),
    "negation_rte_snli_mnli": PairSet("negation"),
    "breaking_nli": PairSet("near synonyms"),
    "names_wordnet": PairSet("names"),
    "conjnli": PairSet("inference", 4000),
    "scone": PairSet("negation", 4000),
    "med": PairSet("quantifiers", 4000),
    "checklist_qqp": PairSet("paraphrase", of_kind=100),
    "names_nicknames": PairSet("names", 3000),
    "names_countries": PairSet("names"),
    "scitail_test": PairSet("inference"),
    "rte3_fr": PairSet("inference"),
    "wordnet_pairs": PairSet("near synonyms", 10000),
    "help": PairSet("quantifiers", 4000),
    "hans": PairSet("word order and roles", 4000),
}
"""The sets of pairs to train on."""

KINDS = {
    "evouna": "short factual",
    "opentriviaqa_wrong": "short factual",
    "halueval_qa_small": "short factual",
    "efficientqa": "open-domain predictions",
    "semeval2013": "student answers",
    "saf": "course answers",
    "mindca": "children's explanations",
    "sas_pairs": "reading comprehension",
    "fairytaleqa_two": "reading comprehension",
    "gsm_solutions": "worked math",
    "stepverify": "worked math",
    "summhay_insights": "covered statements",
    "kqa_statements": "medical",
    "truthfulqa_human": "misconceptions",
    "truthfulqa_multi_human": "misconceptions",
}
"""Data set to its kind of answers. Other data sets have none: a language model wrote their answers."""


class VerdictSet(NamedTuple):
    """How to use a set of judged answers."""

    train: bool = True
    rows: int | None = None


VERDICTS = {
    "mindca": VerdictSet(rows=2000),
    "sas_pairs": VerdictSet(),
    "fairytaleqa_two": VerdictSet(rows=2000),
    "gsm_solutions": VerdictSet(rows=1500),
    "stepverify": VerdictSet(),
    "summhay_insights": VerdictSet(),
    "opentriviaqa_wrong": VerdictSet(rows=3000),
    "halueval_qa_small": VerdictSet(),
    "kqa_statements": VerdictSet(train=False),
    "truthfulqa_human": VerdictSet(train=False),
    "truthfulqa_multi_human": VerdictSet(train=False),
}
"""The sets of answers, and the most rows of each to train on."""


@dataclass(frozen=True)
class Pairs:
    """Pairs as examples; no premise is in both parts."""

    train: list[TrainingExample]
    held_out: list[TrainingExample]


def read_pairs(folder: Path, count: int) -> Pairs:
    """Read all sets of `PAIRS`: about `count` pairs to train on, and held-out pairs of each skill and language.

    `data_set` of a held-out pair is its skill. Raises OSError or RowsError if a file is missing or a row is damaged.
    """
    kept, tested = [], defaultdict[tuple[str, str], list[TrainingExample]](list)
    for name, use in PAIRS.items():
        chosen, of_kind = [], Counter[str]()
        for example, kind in sorted(_pairs(folder / f"{name}.jsonl.gz"), key=lambda found: _digest(repr(found[0]))):
            if _digest(" ".join(example.answer.casefold().split()))[0] < _HELD_OUT:
                tested[use.skill, example.language].append(replace(example, data_set=use.skill))
            elif use.of_kind is None or of_kind[kind] < use.of_kind:
                of_kind[kind] += 1
                chosen.append(example)
        kept.append(chosen[: use.rows])
    share = min(1.0, count / max(1, sum(map(len, kept))))
    train = [example for chosen in kept for example in chosen[: math.ceil(share * len(chosen))]]
    held_out = [
        example
        for found in tested.values()
        for example in sorted(found, key=lambda example: _digest(repr(example)))[:_TESTED]
    ]
    return Pairs(sorted(train, key=lambda example: _digest(repr(example))), held_out)


def read_verdicts(folder: Path, reported: Collection[str]) -> list[LabeledSet]:
    """Read all sets of `VERDICTS`; `test` holds the rows that must not be trained on, `dev` a fifth of the others.

    Args:
        folder: The folder.
        reported: Questions that figures are reported on elsewhere; other rows with them are left out.
    """
    asked, found = {_same(question) for question in reported}, []
    for name, use in VERDICTS.items():
        rows = [row for row in _answers(folder / f"{name}.jsonl.gz", name) if _same(row.question) not in asked]
        if not use.train:
            found.append(LabeledSet(name, [], [], rows))
            continue
        test: list[LabeledRow] = []
        if name == "summhay_insights":
            rows, test = divided(rows, _HALF)
        train, dev = divided(rows, _DEV)
        if not any(row.label for row in rows):
            dev = []  # says nothing about right answers
        found.append(LabeledSet(name, _with_right(sample(train, use.rows)), dev, test))
    return found


def _with_right(rows: Sequence[LabeledRow]) -> list[LabeledRow]:
    """Add each reference as a right answer to rows that are all wrong."""
    if any(row.label for row in rows):
        return list(rows)
    right = {row.question_id: replace(row, answer=row.references[0], label=1.0) for row in rows}
    return [*rows, *right.values()]


def _pairs(file: Path) -> Iterator[tuple[TrainingExample, str]]:
    for where, row in _rows(file, ("premise", "hypothesis", "label")):
        if row["label"] not in _AGREE:
            raise RowsError(f"{where}: label is {row['label']!r}; expected one of {', '.join(_AGREE)}; correct it")
        texts, language = (row["premise"], row["hypothesis"]), row.get("lang") or "en"
        name = file.name.partition(".")[0]
        yield TrainingExample("", *texts, _AGREE[row["label"]], language, name), row.get("kind", "")


def _answers(file: Path, name: str) -> Iterator[LabeledRow]:
    for where, row in _rows(file, ("question", "references", "prediction", "group")):
        value = row.get("label", row.get("score"))
        if not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise RowsError(f"{where}: label or score is {value!r}; expected a number from 0 to 1; correct it")
        question, references, answer = row["question"], row["references"], row["prediction"]
        # Some made-up answers are right: they name the person of the reference.
        right = name == "halueval_qa_small" and {*exact_words(references[0])[-1:]} & {*exact_words(answer)}
        if _WRONG < value < _RIGHT or right or not answer.strip():
            continue
        question_id, language = f"{name}/{row['group']}", row.get("language") or "en"
        label = float(value >= _RIGHT)
        yield LabeledRow(question_id, question, references, answer, label, frozenset(), language=language)


def _rows(file: Path, columns: Sequence[str]) -> Iterator[tuple[str, Row]]:
    """Yield the place of each row and the row."""
    if not file.is_file():
        raise FileNotFoundError(
            f"there is no file {file}; give a folder that has a .jsonl.gz file for each set, or remove "
            f"{file.name.partition('.')[0]} from the sets in {Path(__file__).name}"
        )
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                where, row = f"{file}, line {number}", json.loads(line)
                require_columns(where, row, columns)
                yield where, row
    except (gzip.BadGzipFile, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise RowsError(f"{file} is not a gzip file of JSON lines ({error}); copy it again") from error


def _same(question: str) -> str:
    return " ".join(exact_words(question))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
