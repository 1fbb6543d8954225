"""MORQA: medical answers that experts rated on several aspects, in groups by subset, language and aspect.

The rating of an answer on an aspect is the mean over its raters. The paper's own tables seem to count each English
answer once per rater: their pairwise accuracies are multiples of 1/1395 and 1/1500, which is 15 pairs of 6 rows for
each of 93 and 100 queries. Correlations do not change by this; accuracies do, because 3 of the 15 pairs are an answer
with itself.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from evaluate_qa.datasets_scripts.morqa.ratings import ratings, response_key
from evaluate_qa.datasets_scripts.morqa.release import LANGUAGES, RATINGS_ORIGIN, SPLITS, SUBSETS, Release, find_release
from evaluate_qa.datasets_scripts.morqa.rows import missing, responses

from ..files.rows import Row
from ..labeled_data.rows import DataSelection, LabeledRow, first_questions
from .baselines import LONG_ANSWER_BASELINES
from .benchmark import Benchmark

_MAIN_ASPECTS = {"en": "overall", "zh": "factual-consistency-wgold"}


def morqa(selection: DataSelection) -> Benchmark:
    """Read the rated answers of a split (default: `test`) with their ratings."""
    release = _release(selection)
    rated = mean_ratings(ratings(release))
    rows: list[LabeledRow] = []
    dropped: dict[str, Counter[str]] = {}
    for answer in _select_answers(selection, responses(release)):
        reasons = dropped.setdefault(f"{answer['subset']}/{answer['language']}", Counter())
        if not answer["references"]:
            reasons["without a reference"] += 1
        elif response_key(answer) not in rated:
            reasons["unrated"] += 1
        else:
            rows += [_rated_row(answer, aspect, rating) for aspect, rating in rated[response_key(answer)].items()]
    if not rows:
        raise ValueError(f"no rated answer with a reference is left. {missing('responses', release)}")
    return Benchmark(
        name="morqa",
        rows=rows,
        groups=sorted(frozenset[str]().union(*(row.groups for row in rows)), key=_order),
        statistics=["kendall", "pearson", "spearman", "mean_correlation", "pairwise_accuracy"],
        dropped=dropped,
        baselines=LONG_ANSWER_BASELINES,
        rated=True,
        each_reference=True,
    )


def mean_ratings(rows: Iterable[Row]) -> dict[tuple[str, str, str, str], dict[str, float]]:
    """Return the mean rating of each answer, by its key, on each aspect; missing values are left out."""
    values: dict[tuple[str, str, str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["value"] is not None:
            values[response_key(row)][row["aspect"]].append(row["value"])
    return {
        key: {aspect: sum(found) / len(found) for aspect, found in aspects.items()} for key, aspects in values.items()
    }


def _release(selection: DataSelection) -> Release:
    folder = selection.folder("morqa")
    if folder is None:
        raise ValueError(
            f"MORQA's ratings cannot be downloaded by a program. Get them from {RATINGS_ORIGIN}, put them into a "
            "folder with the queries, and give the folder as --data-dir."
        )
    if selection.split not in (None, *SPLITS):
        raise ValueError(f"--split is {selection.split!r}; expected one of morqa's splits: {' and '.join(SPLITS)}")
    return find_release(folder)


def _select_answers(selection: DataSelection, rows: Iterable[Row]) -> list[Row]:
    """Return the selected systems' answers of the split to the first queries of each subset and language."""
    answers = [row for row in rows if row["split"] == (selection.split or "test")]
    systems = selection.choose_systems(sorted({row["system"] for row in answers}))
    first = first_questions(
        answers, selection.limit, lambda row: ((row["subset"], row["language"]), row["encounter_id"])
    )
    return [row for row in first if row["system"] in systems]


def _rated_row(answer: Row, aspect: str, rating: float) -> LabeledRow:
    return LabeledRow(
        question_id=f"{answer['subset']}/{answer['encounter_id']}/{answer['language']}",
        question=answer["question"] or "",
        references=answer["references"],
        answer=answer["answer"],
        label=rating,
        groups=frozenset({f"{answer['subset']}/{answer['language']}/{aspect}"}),
        reference_weights=tuple(answer["reference_weights"]),
        language=answer["language"],
    )


def _order(group: str) -> tuple[int, int, bool, str]:
    """Order groups by subset, language and aspect, starting with the aspect that papers report first."""
    subset, language, aspect = group.split("/", 2)
    return list(SUBSETS).index(subset), LANGUAGES.index(language), aspect != _MAIN_ASPECTS[language], aspect
