"""Read labeled sentence pairs, and test metrics on them.

A folder has a file `<set>.jsonl.gz` for each set of `PAIRS`. A row has `premise`, `hypothesis`, `label` and perhaps
`kind` and `lang`.
"""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...files.rows import RowsError
from ...labeled_data.judged_answers import read_gzip
from ...training.examples import TrainingExample

_AGREE = {"entailment": 1.0, "paraphrase": 1.0} | dict.fromkeys(
    ("neutral", "contradiction", "not_entailment", "not_paraphrase"), 0.0
)
# Share of premises that are held out, in 256ths, and most held-out pairs of each skill and language.
_HELD_OUT, _TESTED = 13, 250

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
# bem needs a question for each row.
_QUESTION = "What is true?"
_EXCLUDED = "samsum"  # The license of its texts, CC BY-NC-ND 4.0, forbids edited copies.


@dataclass(frozen=True)
class SentencePairs:
    """Pairs as examples; no premise is in both parts. `data_set` of a pair is the skill that it tests."""

    train: list[TrainingExample]
    held_out: list[TrainingExample]


def read_pairs(folder: Path, count: int) -> SentencePairs:
    """Read all sets of `PAIRS`: about `count` pairs to train on, and held-out pairs of each skill and language.

    Raises:
        OSError, RowsError: a file is missing, or a row is damaged.
    """
    kept, tested = [], defaultdict[tuple[str, str], list[TrainingExample]](list)
    for name, skill in ((name, skill) for skill, names in PAIRS.items() for name in names.split()):
        chosen, of_kind = [], Counter[str]()
        rows = _pairs(folder / f"{name}.jsonl.gz", skill)
        for example, kind in sorted(rows, key=lambda found: _digest(repr(found[0]))):
            if _digest(" ".join(example.answer.casefold().split()))[0] < _HELD_OUT:
                tested[skill, example.language].append(example)
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


def _pairs(file: Path, skill: str) -> Iterator[tuple[TrainingExample, str]]:
    for where, row in read_gzip(file, ("premise", "hypothesis", "label")):
        if row["label"] not in _AGREE:
            raise RowsError(f"{where}: label is {row['label']!r}; expected one of {', '.join(_AGREE)}; correct it")
        texts, language = (row["premise"], row["hypothesis"]), row.get("lang") or "en"
        yield TrainingExample("", *texts, _AGREE[row["label"]], language, skill), row.get("kind", "")


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def skills(pairs: Sequence[TrainingExample], metrics: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, float]]:
    """Return how well loaded metrics tell entailment from the rest: their AUC on the pairs of each skill and language.

    The premise is the answer, and the hypothesis is its reference. Each skill and language has pairs with both labels.
    """
    from sklearn.metrics import roc_auc_score

    groups = defaultdict[tuple[str, str], list[int]](list)
    for number, pair in enumerate(pairs):
        groups[pair.data_set, pair.language].append(number)
    columns = {
        "predictions": [pair.answer for pair in pairs],
        "references": [pair.reference for pair in pairs],
        "questions": [pair.question or _QUESTION for pair in pairs],
    }
    scores = {name: metric.compute(**columns)["per_example"]["score"] for name, metric in metrics.items()}
    return {
        group: {
            name: float(roc_auc_score([pairs[one].label for one in rows], [found[one] for one in rows]))
            for name, found in scores.items()
        }
        for group, rows in groups.items()
    }
