"""Contents by name, in parts that travel one at a time, and weights in few bits.

A parcel is a folder: the contents, one after another, cut into the files `part-1`, `part-2`, …, and `manifest.json`.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats32 = NDArray[np.float32]

_MANIFEST = "manifest.json"
# Weights that share a scale.
_GROUP = 64


def write(folder: Path, contents: Mapping[str, bytes], part_bytes: int) -> None:
    """Write a parcel, in parts of at most `part_bytes`."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("part-*"):
        old.unlink()
    whole = b"".join(contents.values())
    pieces = [whole[start : start + part_bytes] for start in range(0, len(whole), part_bytes)]
    digests = {f"part-{number}": hashlib.sha256(piece).hexdigest() for number, piece in enumerate(pieces, 1)}
    for name, piece in zip(digests, pieces, strict=True):
        (folder / name).write_bytes(piece)
    lengths = {name: len(content) for name, content in contents.items()}
    (folder / _MANIFEST).write_text(json.dumps({"parts": digests, "contents": lengths}, indent=1))


def read(folder: Path) -> dict[str, bytes]:
    """Read a parcel.

    Raises:
        FileNotFoundError, ValueError: a part is missing, or belongs to another parcel.
    """
    if not (folder / _MANIFEST).is_file():
        raise FileNotFoundError(f"{folder} has no {_MANIFEST}; give the folder that `pack` wrote")
    manifest = json.loads((folder / _MANIFEST).read_text())
    pieces = []
    for name, digest in manifest["parts"].items():
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder} lacks {name} of {len(manifest['parts'])} parts; copy it there")
        pieces.append((folder / name).read_bytes())
        if hashlib.sha256(pieces[-1]).hexdigest() != digest:
            raise ValueError(f"{folder / name} is damaged, or belongs to another parcel; copy all parts again")
    whole = b"".join(pieces)
    ends = list(itertools.accumulate(manifest["contents"].values()))
    return {name: whole[start:end] for name, start, end in zip(manifest["contents"], [0, *ends], ends, strict=False)}


def rounded(tensors: Iterable[tuple[str, Floats32, int]]) -> bytes:
    """Return tensors as the bytes of a safetensors file, each in 4, 8 or 16 bits; vectors always take 16.

    In 4 and 8 bits, 64 weights share a scale: the highest absolute value is 7 or 127 times the scale.
    """
    from safetensors.numpy import save

    stored: dict[str, NDArray[Any]] = {}
    forms = {}
    for name, values, asked in tensors:
        bits = asked if values.ndim > 1 else 16
        forms[name] = [bits, list(values.shape)]
        if bits == 16:  # noqa: PLR2004
            stored[name] = values.astype(np.float16)
            continue
        groups = np.pad(values.reshape(-1), (0, -values.size % _GROUP)).reshape(-1, _GROUP)
        level = 2 ** (bits - 1) - 1
        scale = (np.abs(groups).max(axis=1) / level).astype(np.float16)
        whole = np.rint(groups / np.maximum(scale.astype(np.float32), 1e-7)[:, None]).clip(-level, level)
        numbers = whole.astype(np.int8).reshape(-1)
        stored[f"{name}.scale"] = scale
        stored[name] = numbers if bits == 8 else ((numbers[::2] + 8) | ((numbers[1::2] + 8) << 4)).astype(np.uint8)  # noqa: PLR2004
    return bytes(save(stored, {"forms": json.dumps(forms)}))


def restored(content: bytes) -> dict[str, Floats32]:
    """Return the tensors of `rounded`."""
    from safetensors.numpy import load

    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    stored, found = load(content), {}
    for name, (bits, shape) in json.loads(header["__metadata__"]["forms"]).items():
        values = stored[name]
        if bits == 4:  # noqa: PLR2004
            values = np.stack([values & 15, values >> 4], axis=1).astype(np.float32) - 8
        if bits < 16:  # noqa: PLR2004
            values = values.reshape(-1, _GROUP) * stored[f"{name}.scale"].astype(np.float32)[:, None]
        found[name] = values.astype(np.float32).reshape(-1)[: int(np.prod(shape))].reshape(shape)
    return found
