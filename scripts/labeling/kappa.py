"""How far two people agree: Cohen's kappa of the rows that both judged."""

from dataclasses import dataclass

import numpy as np

from ..estimation.keys import key_names, keys, places
from ..files.rows import RowsError
from .sheet import Sheet

_TEXTS = ("question", "prediction")


@dataclass(frozen=True)
class LabelerAgreement:
    """How far two people agree.

    Attributes:
        both: How many rows both called right or wrong.
        alike: Of how many of these they say the same.
        kappa: Cohen's kappa (1960), (p − e)/(1 − e) with the share p of which they say the same and the share e that
            their numbers of right and wrong rows would give by chance; from −1 to 1. None where both say one and the
            same of all rows, as then nothing is left to chance.
    """

    both: int
    alike: int
    kappa: float | None


def agreement(one: Sheet, other: Sheet) -> LabelerAgreement:
    """Compare two people's labels of the same rows, which may be in another order.

    Raises:
        RowsError: nothing says which row is which, there is no row that both judged, or a label is neither right nor
            wrong but between.
        ImportError: scikit-learn is not installed.
    """
    try:
        from sklearn.metrics import cohen_kappa_score
    except ImportError as error:
        raise ImportError("Cohen's kappa needs scikit-learn: pip install scikit-learn") from error
    first, second = one.columns(), other.columns()
    marks, others = one.marks(), other.marks()
    for file, found in ((first, marks), (second, others)):
        if (between := (found > 0) & (found < 1)).any():
            raise RowsError(f"{file.place(int(between.argmax()))}: kappa is of labels that are right or wrong")
    names, other_names = key_names([first, second], (), _TEXTS)
    index = places(second, keys(second, other_names), other_names)
    own = places(first, keys(first, names), names)
    pairs = np.array([(marks[row], others[index[key]]) for key, row in own.items() if key in index]).reshape(-1, 2)
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if not len(pairs):
        raise RowsError(f"there is no row that is labeled both in {one.path} and in {other.path}")
    kappa = float(cohen_kappa_score(*pairs.T)) if len(np.unique(pairs)) > 1 else None
    return LabelerAgreement(len(pairs), int((pairs[:, 0] == pairs[:, 1]).sum()), kappa)


def told(found: LabelerAgreement) -> str:
    """Return it as a line."""
    kappa = "not defined, as both say the same of all" if found.kappa is None else f"{found.kappa:.3f}"
    return (
        f"both judged {found.both:,} rows, and {found.alike:,} of them alike ({found.alike / found.both:.1%}); "
        f"Cohen's kappa: {kappa}"
    )
