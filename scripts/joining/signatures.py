"""Refuse to compare scores of different metrics or options."""

import re
from collections.abc import Iterable, Mapping

from ..files.columns import Columns
from ..files.rows import RowsError

# Parts of signatures that depend on the rows, and so on the chunk; a comma precedes a part of the judge's matcher.
OF_ROWS = re.compile(r"\|weights:(given|ones)|[|,](questions|syn):given|\|(nrefs|kw|av|mode):[^|]*")


def column_beside(score: str, name: str) -> str:
    """Return the column that `score` writes with a column of scores, such as the signature.

    >>> column_beside("score", "signature"), column_beside("bem_score", "verdict")
    ('signature', 'bem_verdict')
    """
    return f"{score.removesuffix('score').removesuffix('verdict')}{name}"


def merge_signatures(signatures: Iterable[str]) -> list[str]:
    """Merge the signatures of a file's chunks that differ only in parts that depend on the rows.

    >>> merge_signatures(["deltableu|v:1|nrefs:1|weights:ones", "deltableu|v:1|nrefs:2|weights:given", "bem|v:2"])
    ['deltableu|v:1|nrefs:var|weights:given', 'bem|v:2']
    """
    groups: dict[str, dict[str, set[str]]] = {}
    for signature in sorted(signatures, key=lambda one: one.count("|"), reverse=True):
        parts = groups.setdefault(OF_ROWS.sub("", signature), {})
        for key, colon, value in (part.partition(":") for part in signature.split("|")):
            parts.setdefault(key + colon, set()).add(value)
    return ["|".join(key + _merge(key, values) for key, values in parts.items()) for parts in groups.values()]


def _merge(key: str, values: set[str]) -> str:
    if key in {"kw:", "mode:"}:
        return "+".join(sorted({*"+".join(values).split("+")}, key=lambda part: (part != "given", part)))
    return "var" if key == "nrefs:" and len(values) > 1 else max(values, key=len)  # "given" is longer than "ones"


def signature_warnings(files: Mapping[str, Columns], score: str, *, allow_mixed: bool | None = None) -> list[str]:
    """Return warnings about files without signatures, and about different signatures if they are allowed.

    Raise RowsError if they differ and are not allowed; `allow_mixed` is None if the command has no such option.
    """
    column = column_beside(score, "signature")
    first: dict[str, str] = {}
    warnings = []
    for file in files.values():
        signatures = {str(value) for value in file.values.get(column, ()) if value not in (None, "")}
        if not signatures and len(files) > 1:
            warnings.append(
                f"{file.source} has no {column}, so it is unknown whether its scores are comparable; if they are from "
                "this package, score again with this version to add one"
            )
        for signature in merge_signatures(sorted(signatures)):
            first.setdefault(signature, file.source)
    if len(first) > 1:
        found = "; ".join(f"{signature} in {source}" for signature, source in first.items())
        mixed = f"the scores were made by different metrics or options: {found}"
        if not allow_mixed:
            way_out = "" if allow_mixed is None else ", or give --allow-mixed"
            raise RowsError(f"{mixed}. Score all rows with the same metric and options{way_out}")
        warnings.append(mixed)
    return warnings
