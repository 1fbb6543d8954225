"""Draw the examples and write them with the encoders into parcels."""

import json
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...labeled_data.rows import LabeledRow
from ...training.balance import Balance, Balanced
from ...training.examples import TrainingExample
from ...training.job import generator_of
from ...training.recipe import read_recipe
from ...training.sources import KNOWN, LabeledSet, read_sets, sample
from . import parcel
from .sentence_pairs import read_pairs
from .verdicts import KINDS, read_verdicts, reported_questions

SMALL, LARGE = "minilm", "mpnet"
"""Names of the parcels: the data with MiniLM, and the large encoder, all-mpnet-base-v2."""
TEST = "test:"
"""Start of the names of sets whose rows nothing is fitted on."""

# The recipe whose mixture is used.
_RECIPE = Path(__file__).parents[2] / "training" / "recipes" / "distilled.yaml"
# Draws of examples, which seeds take in turns.
_DRAWS = 2
# Most held-out answers of a set, and of a set that a language model wrote.
_ROWS, _WRITTEN_ROWS = 300, 60
# Files of an encoder besides its weights are smaller.
_SETTINGS_BYTES = 5_000_000
_FIELDS = ("question_id", "question", "references", "answer", "label", "language")
# Bits of the matrices and of the word embeddings, which are not trained.
_BITS = {SMALL: (16, 8), LARGE: (8, 4)}


def pack(
    output: Path,
    data_dir: Path,
    pairs: Path,
    verdicts: Path,
    minilm: Path,
    large: Path | None,
    *,
    pair_rows: int,
    rows: int,
    unlabeled: int,
    part_bytes: int,
    data: tuple[str, ...] = KNOWN,
) -> Mapping[str, int]:
    """Write the parcels to the folder `output`; return the number of bytes of each of their contents.

    The other arguments are those of the command `pack`, with the folders of MiniLM and of the large encoder, which None
    leaves out. A draw makes examples from `rows` judged answers, and adds `unlabeled` pairs for a teacher to judge.

    Raises:
        OSError, ValueError: a file is missing, or a row has the wrong form.
    """
    reported = reported_questions(data_dir) if data == KNOWN else []
    sets = [*read_sets(data, data_dir), *read_verdicts(verdicts, reported)]
    mixture = read_recipe(_RECIPE)["mixture"]
    generators = [generator_of(found, mixture, minilm) for found in sets if found.train]
    balanced = Balanced(generators, Balance(rows=rows, pairs=unlabeled))
    contents = {
        "pairs": _examples(read_pairs(pairs, pair_rows).train),
        "rows": _lines(_held_out(sets)),
        **{f"draw-{seed}": _examples(balanced.epoch(seed)) for seed in range(_DRAWS)},
    }
    parcels = {SMALL: contents | _encoder(minilm, SMALL)}
    if large:
        parcels[LARGE] = _encoder(large, LARGE)
    for name, found in parcels.items():
        parcel.write(output / name, found, part_bytes)
    return {f"{parcel}/{name}": len(content) for parcel, found in parcels.items() for name, content in found.items()}


@dataclass(frozen=True)
class Packed:
    """The data of a parcel."""

    pairs: list[TrainingExample]
    rows: dict[str, list[LabeledRow]]
    draws: list[list[TrainingExample]]


def unpack(folder: Path, encoders: Path) -> Packed:
    """Read the parcels in a folder, and write their encoders into folders as checkpoints.

    Raises:
        FileNotFoundError, ValueError: a part is missing or damaged.
    """
    contents = parcel.read(folder / SMALL)
    restore(contents, encoders / SMALL)
    if (folder / LARGE).is_dir():
        restore(parcel.read(folder / LARGE), encoders / LARGE)
    rows: dict[str, list[LabeledRow]] = {}
    for name, row in _read(contents["rows"]):
        rows.setdefault(name, []).append(LabeledRow(**row, groups=frozenset()))
    draws = [_read_examples(content) for name, content in contents.items() if name.startswith("draw-")]
    return Packed(_read_examples(contents["pairs"]), rows, draws)


def restore(contents: Mapping[str, bytes], folder: Path) -> None:
    """Write the encoder of a parcel into a folder, as a checkpoint with weights of 32 bits."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        if name.startswith("encoder/"):
            (folder / name.partition("/")[2]).write_bytes(content)
    save_file(parcel.restored(contents["weights"]), folder / "model.safetensors", metadata={"format": "pt"})


def kind_of(data_set: str) -> str | None:
    """Return the kind of answers of a data set or of one of its sets; None for written answers."""
    return KINDS.get(data_set.removeprefix(TEST).partition("/")[0])


def _held_out(sets: Sequence[LabeledSet]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of a set and the fields of a row, for the held-out rows of all sets but `written`."""
    for found in sets:
        dev = [] if found.data_set == "written" else sample(found.dev, _WRITTEN_ROWS if found.generated else _ROWS)
        for name, rows in ((found.name, dev), (f"{TEST}{found.name}", sample(found.test, _ROWS))):
            for row in rows:
                yield name, {key: value for key, value in asdict(row).items() if key in _FIELDS}


def _encoder(folder: Path, name: str) -> dict[str, bytes]:
    """Return the settings and tokenizer of a checkpoint, and its weights in few bits."""
    from safetensors.numpy import load_file

    files = [file for file in sorted(folder.iterdir()) if file.suffix in (".json", ".txt")]
    settings = {f"encoder/{file.name}": file.read_bytes() for file in files if file.stat().st_size < _SETTINGS_BYTES}
    tensors = load_file(folder / "model.safetensors")
    matrices, words = _BITS[name]
    chosen = [
        (key, values, words if "word_embeddings" in key else matrices)
        for key, values in tensors.items()
        if not key.endswith("position_ids")  # the numbers 0, 1, …
    ]
    return settings | {"weights": parcel.rounded(chosen)}


def _examples(examples: Iterable[TrainingExample]) -> bytes:
    return _lines([*vars(example).values()] for example in examples)


def _read_examples(content: bytes) -> list[TrainingExample]:
    return [TrainingExample(*values) for values in _read(content)]


def _lines(values: Iterable[Any]) -> bytes:
    return lzma.compress("\n".join(json.dumps(value, ensure_ascii=False) for value in values).encode())


def _read(content: bytes) -> list[Any]:
    return [json.loads(line) for line in lzma.decompress(content).decode().split("\n")]
