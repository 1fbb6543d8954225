"""How the embedding model is loaded: its options, presets, precision, device and backend."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from .acceleration import multiply_with_onednn
from .checkpoints import MINILM, SENTENCE_TRANSFORMERS, Checkpoint, find
from .onnx_backend import Network, check_onnx, use_onnx
from .progress import library_bars

Dtype = Literal["float32", "float16", "bfloat16"]
Backend = Literal["torch", "onnx"]

# Configuration -> (model, revision). The default is looked for on this machine and checked against its hashes.
PRESETS = {
    "default": (MINILM, None),
    "paper": ("llmrails/ember-v1", "5e5ce5904901f6ce1c353a95020f17f09e5d021d"),
}

# Of different lengths, see `Network`.
_PROBE = ["radium", "It was Marie Curie who discovered radium and polonium with her husband, in Paris."]


@dataclass(frozen=True)
class LoadOptions:
    """What `evaluate.load("smile", …)` takes.

    Args:
        model: A sentence-transformers checkpoint on the Hub or a folder; by default that of the configuration.
        model_revision: Branch, tag or commit of a Hub checkpoint (`revision` is evaluate's own keyword).
        prompt_name: Which of the checkpoint's prompts to put before each text; by default its own default.
        device: `"cpu"`, `"cuda"`, `"cuda:1"`, `"mps"`; by default the best there is.
        dtype: Precision of the transformer. `"bfloat16"` pays on accelerators and recent CPUs, `"float16"` on the
            former only.
        backend: `"torch"`, or `"onnx"` for ONNX Runtime, which is faster on a CPU.
        batch_size: At most this many texts in a batch.
        token_budget: At most this many tokens in a batch, padding counted; by default by device.
        cache_dir: Keeps vectors and exported models there for later calls (evaluate puts its temporary files there
            as well). Without it vectors are not kept, and exported models go to the Hugging Face cache.

    Raises:
        ValueError: a value outside its range.
    """

    model: str | os.PathLike[str] | None = None
    model_revision: str | None = None
    prompt_name: str | None = None
    device: str | None = None
    dtype: Dtype = "float32"
    backend: Backend = "torch"
    batch_size: int | None = None
    token_budget: int | None = None
    cache_dir: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        for name, choices in (("dtype", Dtype), ("backend", Backend)):
            if getattr(self, name) not in get_args(choices):
                there = ", ".join(get_args(choices))
                raise ValueError(f"smile: {name} is {getattr(self, name)!r}; expected one of {there}")
        for name in ("batch_size", "token_budget"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ValueError(f"smile: {name} is {value!r}; expected a positive whole number")
        if self.model is not None and (not isinstance(self.model, (str, os.PathLike)) or not os.fspath(self.model)):
            raise ValueError(f"smile: model is {self.model!r}; expected a folder or the name of a checkpoint")
        if self.model_revision is not None and self.model is None:
            raise ValueError("smile: model_revision is given without model; a configuration has its own revision")
        if self.backend == "onnx" and self.dtype != "float32":
            raise ValueError(f"smile: dtype is {self.dtype!r}; backend='onnx' runs in float32")
        if self.backend == "onnx" and self.device not in {None, "cpu"}:
            raise ValueError(f"smile: device is {self.device!r}; backend='onnx' runs on the CPU")

    @property
    def cache(self) -> Path | None:
        """`cache_dir` as a path."""
        return Path(self.cache_dir).expanduser() if self.cache_dir else None


def load(config: str, options: LoadOptions) -> tuple[Any, Checkpoint]:
    """Load the model of a configuration, or the one that the options name.

    Returns:
        A SentenceTransformer, and where it came from.

    Raises:
        ImportError: a package is missing.
        FileNotFoundError: the checkpoint or a file of it is missing.
        ValueError: the checkpoint is damaged, or an option does not fit it or this machine.
    """
    _check_packages(options)
    model, revision = (options.model, options.model_revision) if options.model else PRESETS[config]
    with library_bars():
        checkpoint = find("smile", model, revision, SENTENCE_TRANSFORMERS)
        return _sentence_transformer(checkpoint, options), checkpoint


def _check_packages(options: LoadOptions) -> None:
    """Raise ImportError where a package is missing, before anything is downloaded."""
    try:
        import sentence_transformers  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise ImportError(f"smile: {error.name} is missing: pip install sentence-transformers torch") from error
    if options.backend == "onnx":
        check_onnx("smile")


def _sentence_transformer(checkpoint: Checkpoint, options: LoadOptions) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    device = "cpu" if options.backend == "onnx" else options.device
    _check_device(device)
    try:
        model = SentenceTransformer(
            str(checkpoint.folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"dtype": getattr(torch, options.dtype)},
        )
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"smile: {checkpoint.label} in {checkpoint.folder} does not load as a sentence-transformers checkpoint "
            f"({type(error).__name__}: {reason})"
        ) from error
    _check_tokenizer(model, checkpoint)
    _check_prompt(model, options.prompt_name)
    transformer, *others = model.eval().children()
    transformer.register_forward_hook(_single_precision)
    for module in others:
        module.float()
    if options.backend == "onnx":
        use_onnx(_network(model, checkpoint), options.cache)
    else:
        multiply_with_onednn(model)
    return model


def _network(model: Any, checkpoint: Checkpoint) -> Network:
    """Return what of the model ONNX Runtime is to run: its transformer."""
    if not hasattr(model[0], "auto_model"):
        raise ValueError(f"smile: {checkpoint.label} does not begin with a transformer; use backend='torch'")
    return Network(
        metric="smile",
        label=checkpoint.label,
        fingerprint=checkpoint.fingerprint,
        module=model[0].auto_model,
        probe=dict(model.tokenizer(_PROBE, padding=True, return_tensors="pt")),
        results=lambda: model.encode(_PROBE, show_progress_bar=False),
        wrap=lambda hidden: {"last_hidden_state": hidden},
    )


def _single_precision(_module: Any, _inputs: Any, features: dict[str, Any]) -> dict[str, Any]:
    """Let what follows a transformer in half precision run in single precision: it costs little, and rounding shows."""
    import torch

    half = (torch.float16, torch.bfloat16)
    return {name: value.float() if getattr(value, "dtype", None) in half else value for name, value in features.items()}


def _check_device(device: str | None) -> None:
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:  # AssertionError where torch lacks the whole backend
        reason = str(error).partition("\n")[0]
        raise ValueError(f"smile: device is {device!r}, which torch cannot use here ({reason})") from error


def _check_tokenizer(model: Any, checkpoint: Checkpoint) -> None:
    """Refuse a model whose tokenizer has no words: without its files transformers makes an empty one."""
    tokenizer: Any = getattr(model, "tokenizer", None)
    words = len(tokenizer.get_vocab()) if hasattr(tokenizer, "get_vocab") else 0
    if words <= len(getattr(tokenizer, "all_special_tokens", [])):
        raise ValueError(
            f"smile: {checkpoint.label} in {checkpoint.folder} has no usable tokenizer; a checkpoint is complete with "
            "its tokenizer.json or the like"
        )


def _check_prompt(model: Any, prompt_name: str | None) -> None:
    prompts = [name for name, prompt in model.prompts.items() if prompt is not None]
    if prompt_name is not None and prompt_name not in prompts:
        there = ", ".join(map(repr, prompts)) or "none"
        raise ValueError(f"smile: prompt_name is {prompt_name!r}; the model's prompts are {there}")
