"""Refuse to compare scores of different metrics or options."""

from collections.abc import Mapping

from ..files.columns import Columns
from ..files.rows import RowsError


def column_beside(score: str, name: str) -> str:
    """Return the column that `score` writes with a column of scores, such as the signature.

    >>> column_beside("score", "signature"), column_beside("bem_score", "verdict")
    ('signature', 'bem_verdict')
    """
    return f"{score.removesuffix('score').removesuffix('verdict')}{name}"


def signature_warnings(files: Mapping[str, Columns], score: str, *, allow_mixed: bool | None = None) -> list[str]:
    """Return warnings about files without signatures, and about different signatures if they are allowed.

    Raise RowsError if they differ and are not allowed; `allow_mixed` is None if the command has no such option.
    """
    column = column_beside(score, "signature")
    first: dict[str, str] = {}
    warnings = []
    for file in files.values():
        signatures = {str(value) for value in file.values.get(column, ()) if value not in (None, "")}
        if not signatures:
            warnings.append(
                f"{file.source} has no {column}, so it is unknown whether its scores are comparable; score it again "
                "with this version to add one"
            )
        for signature in sorted(signatures):
            first.setdefault(signature, file.source)
    if len(first) > 1:
        found = "; ".join(f"{signature} in {source}" for signature, source in first.items())
        mixed = f"the scores were made by different metrics or options: {found}"
        if not allow_mixed:
            way_out = "" if allow_mixed is None else ", or give --allow-mixed"
            raise RowsError(f"{mixed}. Score all rows with the same metric and options{way_out}")
        warnings.append(mixed)
    return warnings
