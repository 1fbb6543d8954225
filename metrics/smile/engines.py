"""The engines of SMILE's embedding model: ONNX Runtime for the default model, sentence-transformers for all others."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._shared.engines import torch_token_budget
from .._shared.onnx_engine import OnnxEngine

Vectors = NDArray[np.float32]

# The prompts of a model without prompts in sentence-transformers.
_PROMPTS = {"query": "", "document": ""}


class MiniLMEngine(OnnxEngine):
    """all-MiniLM-L6-v2 on ONNX Runtime: the mean of the tokens' states, at unit length; all its prompts are empty."""

    prompt = ""
    max_length = 256
    dimension = 384

    def __init__(
        self,
        folder: Path,
        prompt_name: str | None = None,
        num_threads: int | None = None,
        dtype: Literal["float32", "int8"] = "float32",
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
    def device(self) -> str:
        """Type of the device that runs the model."""
        return str(self.model.device.type)

    @property
    def token_budget(self) -> int:
        """Tokens per batch at which the model is fast."""
        return torch_token_budget(self.device)

    @property
    def dtype(self) -> str:
        """Precision of the model's weights."""
        return str(next(self.model.parameters()).dtype).removeprefix("torch.")

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
