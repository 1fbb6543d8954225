"""Cohen's kappa: the agreement of two people beyond chance."""

import numpy as np

from ..estimation.keys import key_names, keys, places
from ..files.rows import RowsError
from .sheet import Sheet


def agreement(one: Sheet, other: Sheet) -> tuple[int, int, float | None]:
    """Compare two people's labels of the same rows, in any order.

    Cohen's kappa (1960) is (p − e)/(1 − e), from −1 to 1, with the share p of rows with the same label and the share e
    expected by chance from the numbers of right and wrong rows.

    Returns:
        The number of rows that both labeled, the number of rows with the same label, and kappa; None if all labels are
        the same.
    """
    first, second = one.columns(), other.columns()
    marks, others = one.marks(), other.marks()
    for file, found in ((first, marks), (second, others)):
        if (between := (found > 0) & (found < 1)).any():
            raise RowsError(
                f"{file.place(int(between.argmax()))}: the label is between right and wrong. Kappa needs one of them."
            )
    names, other_names = key_names([first, second], (), ("question", "prediction"))
    index = places(second, keys(second, other_names), other_names)
    own = places(first, keys(first, names), names)
    pairs = np.array([(marks[row], others[index[key]]) for key, row in own.items() if key in index]).reshape(-1, 2)
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if not len(pairs):
        raise RowsError(f"no row is labeled in both {one.path} and {other.path}")
    same = pairs[:, 0] == pairs[:, 1]
    right = pairs.mean(axis=0)
    chance = float(right.prod() + (1 - right).prod())
    kappa = float((same.mean() - chance) / (1 - chance)) if chance < 1 else None
    return len(pairs), int(same.sum()), kappa
