"""Loads the embedding model."""

from typing import Any

from .._shared.checkpoints import MINILM, SENTENCE_TRANSFORMERS, Checkpoint, check_whole, find
from .._shared.engines import chosen, onnx_dtype
from .._shared.progress import library_bars
from .engines import MiniLMEngine, SentenceTransformersEngine, TextEngine, check_prompt
from .options import SmileLoading

# Model and revision by configuration.
PRESETS = {
    "default": (MINILM, None),
    "paper": ("llmrails/ember-v1", "5e5ce5904901f6ce1c353a95020f17f09e5d021d"),
}

# The packages that torch models need.
_PACKAGES = ("torch", "sentence_transformers")


def load(config: str, options: SmileLoading) -> tuple[TextEngine, Checkpoint, SmileLoading]:
    """Load the model of a configuration or of the options; return the options with the actual precision.

    Raises:
        ImportError: A package is missing.
        FileNotFoundError: The checkpoint or one of its files is missing.
        ValueError: The checkpoint is damaged, or does not support an option, or this machine does not.
    """
    model, revision = (options.model, options.model_revision) if options.model else PRESETS[config]
    embedded = (model, revision) == (MINILM, None)
    engine, options = chosen("smile", options, model, embedded, _PACKAGES)
    if engine == "onnxruntime":
        checkpoint = find("smile", MINILM, None, SENTENCE_TRANSFORMERS)
        minilm = MiniLMEngine(checkpoint.folder, options.prompt_name, options.num_threads, onnx_dtype(options))
        return minilm, checkpoint, options
    with library_bars():
        checkpoint = find("smile", model, revision, SENTENCE_TRANSFORMERS)
        loaded = _sentence_transformer(checkpoint, options)
        return SentenceTransformersEngine(loaded, options.prompt_name), checkpoint, options


def _sentence_transformer(checkpoint: Checkpoint, options: SmileLoading) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    try:
        model = SentenceTransformer(
            str(checkpoint.folder),
            device=options.device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"dtype": getattr(torch, options.dtype)},
        )
        if not checkpoint.verified:
            _check_weights(model[0])
            model.encode("a", show_progress_bar=False)  # raises for invalid settings
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"smile: {checkpoint.label} in {checkpoint.folder} does not load as a sentence-transformers checkpoint "
            f"({type(error).__name__}: {reason})"
        ) from error
    _check_tokenizer(model, checkpoint)
    check_prompt(model.prompts, options.prompt_name)
    transformer, *others = model.eval().children()
    transformer.register_forward_hook(_single_precision)
    for module in others:
        module.float()
    return model


def _check_weights(transformer: Any) -> None:
    """Raise ValueError if weights are missing. It loads the model again, because only transformers reports them."""
    module = getattr(transformer, "auto_model", None)
    if module is None:  # static embeddings
        return
    folder = module.config.name_or_path
    _, found = type(module).from_pretrained(folder, local_files_only=True, output_loading_info=True)
    # Most models are saved without the pooling layer that transformers adds, and do not use it.
    missing = [name for name in found["missing_keys"] if not name.startswith("pooler.")]
    check_whole({**found, "missing_keys": missing}, superfluous=True)


def _single_precision(_module: Any, _inputs: Any, features: dict[str, Any]) -> dict[str, Any]:
    """Run the modules after a transformer in single precision: half precision would add errors and save little."""
    import torch

    half = (torch.float16, torch.bfloat16)
    return {name: value.float() if getattr(value, "dtype", None) in half else value for name, value in features.items()}


def _check_tokenizer(model: Any, checkpoint: Checkpoint) -> None:
    """Raise ValueError for an empty tokenizer, which transformers creates if the tokenizer's files are missing."""
    tokenizer: Any = getattr(model, "tokenizer", None)
    words = len(tokenizer.get_vocab()) if hasattr(tokenizer, "get_vocab") else 0
    if words <= len(getattr(tokenizer, "all_special_tokens", [])):
        raise ValueError(
            f"smile: {checkpoint.label} in {checkpoint.folder} has no usable tokenizer; add its tokenizer.json or "
            "other files of the tokenizer"
        )
