"""SMILE's embedding model: ONNX Runtime runs the default model, sentence-transformers all others."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shared.checkpoints import MINILM, SENTENCE_TRANSFORMERS, Checkpoint, find_checkpoint, load_whole
from .._shared.engines import choose_engine, torch_token_budget
from .._shared.onnx_engine import OnnxEngine
from .._shared.progress import library_bars
from .options import SmileLoading

Vectors = NDArray[np.float32]

# Model and revision by configuration.
PRESETS = {"default": (MINILM, None), "paper": ("llmrails/ember-v1", "5e5ce5904901f6ce1c353a95020f17f09e5d021d")}

# The packages that torch models need.
_PACKAGES = ("torch", "sentence_transformers")

# The prompts of a model without prompts in sentence-transformers.
_PROMPTS = {"query": "", "document": ""}


class MiniLMEngine(OnnxEngine):
    """all-MiniLM-L6-v2 on ONNX Runtime: the mean of the tokens' states, at unit length; all its prompts are empty."""

    prompt = ""
    max_length = 256
    dimension = 384

    def __init__(
        self, folder: Path, prompt_name: str | None = None, num_threads: int | None = None, dtype: str = "float32"
    ) -> None:
        from safetensors.numpy import load_file

        check_prompt(_PROMPTS, prompt_name)
        tensors = load_file(folder / "model.safetensors")
        self._pieces = tensors["embeddings.word_embeddings.weight"]
        unused = ("pooler.", "embeddings.position_ids")
        used = {name: values for name, values in tensors.items() if not name.startswith(unused)}
        super().__init__("minilm", used, folder / "tokenizer.json", num_threads, dtype)

    def run(self, batch: Sequence[str]) -> Vectors:
        """Return the unit vectors of a batch of texts, truncated to the maximum length."""
        return self.run_ids([([*ids[:-1][: self.max_length - 1], ids[-1]], []) for ids in self.token_ids(list(batch))])

    def word_pieces(self) -> Vectors:
        """Return the input embeddings of the word pieces, shape (pieces, width)."""
        return self._pieces


class SentenceTransformersEngine:
    """A model of sentence-transformers, on torch."""

    def __init__(self, model: Any, prompt_name: str | None = None) -> None:
        self.model, self._prompt_name = model, prompt_name

    @property
    def token_budget(self) -> int:
        """Tokens per batch at which the model is fast."""
        return torch_token_budget(self.model.device.type)

    @property
    def prompt(self) -> str:
        """The prefix of each text."""
        return self.model.prompts.get(self._prompt_name or self.model.default_prompt_name) or ""

    @property
    def max_length(self) -> float:
        """Maximum number of tokens; for no limit, some checkpoints have None, infinity or 1e30."""
        return self.model.max_seq_length or np.inf

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.model.get_embedding_dimension())

    def token_ids(self, texts: list[str], special: bool = True) -> list[list[int]]:
        """Return the token ids of texts."""
        tokenizer = self.model.tokenizer
        if hasattr(tokenizer, "encode_batch"):  # static embeddings have a tokenizer of the library tokenizers
            return [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
        ids: list[list[int]] = tokenizer(texts, add_special_tokens=special, verbose=False)["input_ids"]
        return ids

    def run(self, batch: Sequence[str]) -> Vectors:
        """Return the unit vectors of a batch of texts."""
        vectors: Vectors = self.model.encode(
            list(batch),
            prompt_name=self._prompt_name,
            batch_size=len(batch),
            show_progress_bar=False,
            normalize_embeddings=True,
        )
        return vectors.astype(np.float32, copy=False)

    def word_pieces(self) -> Vectors | None:
        """Return the input embeddings of the word pieces, shape (pieces, width); None if there are none."""
        try:
            table = self.model[0].auto_model.get_input_embeddings().weight
        except (AttributeError, NotImplementedError):
            return None
        pieces: Vectors = table.detach().float().cpu().numpy()
        return pieces


TextEngine = MiniLMEngine | SentenceTransformersEngine


def check_prompt(prompts: Mapping[str, str | None], prompt_name: str | None) -> None:
    """Raise ValueError if the model does not have the prompt."""
    names = [name for name, prompt in prompts.items() if prompt is not None]
    if prompt_name is not None and prompt_name not in names:
        there = ", ".join(map(repr, names)) or "none"
        raise ValueError(f"smile: prompt_name is {prompt_name!r}; the model's prompts are {there}")


def load(config: str, options: SmileLoading) -> tuple[TextEngine, Checkpoint, SmileLoading]:
    """Load the model of a configuration or of the options; return the options with the actual precision.

    Raises:
        ImportError: A package is missing.
        FileNotFoundError: The checkpoint or one of its files is missing.
        ValueError: The checkpoint is damaged, or does not support an option, or this machine does not.
    """
    model, revision = (options.model, options.model_revision) if options.model else PRESETS[config]
    embedded = (model, revision) == (MINILM, None)
    engine, options = choose_engine("smile", options, model, embedded, _PACKAGES)
    if engine == "onnxruntime":
        checkpoint = find_checkpoint("smile", MINILM, None, SENTENCE_TRANSFORMERS)
        minilm = MiniLMEngine(checkpoint.folder, options.prompt_name, options.num_threads, options.dtype)
        return minilm, checkpoint, options
    with library_bars():
        checkpoint = find_checkpoint("smile", model, revision, SENTENCE_TRANSFORMERS)
        loaded = _sentence_transformer(checkpoint, options)
        return SentenceTransformersEngine(loaded, options.prompt_name), checkpoint, options


def _sentence_transformer(checkpoint: Checkpoint, options: SmileLoading) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        model = SentenceTransformer(
            str(checkpoint.folder),
            device=options.device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"dtype": options.dtype},
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
    transformer.register_forward_hook(_run_in_single_precision)
    for module in others:
        module.float()
    return model


def _check_weights(transformer: Any) -> None:
    """Raise ValueError if weights are missing. It loads the model again, because only transformers reports them."""
    module = getattr(transformer, "auto_model", None)
    if module is None:  # static embeddings
        return
    load_whole(type(module), module.config.name_or_path, superfluous=True, local_files_only=True)


def _run_in_single_precision(_module: Any, _inputs: Any, features: dict[str, Any]) -> dict[str, Any]:
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
