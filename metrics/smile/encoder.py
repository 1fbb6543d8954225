"""The embedding model e(·) of SMILE over many texts: every text once, in batches, from a store where there is one."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._shared.inference import Indices, run
from .loading import load
from .options import LoadOptions
from .vectors import VectorStore

Vectors = NDArray[np.float32]

# Tokens of a batch, padding counted. On a CPU a batch should stay within its caches (measured: 1,024 beats larger
# ones); an accelerator wants enough work to be kept busy.
_TOKEN_BUDGET = {"cpu": 1024, "mps": 16384, "cuda": 65536}
# Texts tokenised at once.
_CHUNK = 8192


class Encoder:
    """A loaded embedding model.

    Attributes:
        name: Short name with the first eight digits of its weights' SHA-256, for the signature.
        options: What it was loaded with; the precision is the one that it has.
        fingerprint: Names checkpoint, prompt and precision: equal fingerprints give equal vectors.
    """

    def __init__(self, config: str, options: LoadOptions) -> None:
        self._model, checkpoint, self.options = load(config, options)
        self._prompt = self._model.prompts.get(self.options.prompt_name or self._model.default_prompt_name) or ""
        self.name = f"{checkpoint.label}@{checkpoint.weights[:8]}"
        self.fingerprint = "|".join([checkpoint.fingerprint, self.options.dtype, self._prompt])
        self._store = VectorStore(options.cache / "vectors", self.fingerprint) if options.cache else None

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
        """Return for each word the sum of its word pieces' input embeddings, less their mean, shape (words, dim).

        Raises:
            ValueError: the model has no table of word pieces.
        """
        vectors = np.zeros((len(words), self._word_pieces.shape[1]), dtype=np.float32)
        for start in range(0, len(words), _CHUNK):
            # Byte-level tokenizers cut a word differently at the start of a text: the space says it is not there.
            chunk = [f" {word}" for word in words[start : start + _CHUNK]]
            for row, ids in enumerate(self._token_ids(chunk, special=False), start):
                vectors[row] = self._word_pieces[ids].sum(axis=0)
        return vectors

    @cached_property
    def _word_pieces(self) -> Vectors:
        try:
            table = self._model[0].auto_model.get_input_embeddings().weight
        except (AttributeError, NotImplementedError) as error:
            raise ValueError(
                f"smile: ngram_candidates needs the model's table of word pieces, and {self.name} has none; "
                "leave ngram_candidates out"
            ) from error
        pieces = table.detach().float().cpu().numpy()
        centred: Vectors = pieces - pieces.mean(axis=0)
        return centred

    def _embedded(self, texts: Sequence[str], describe: str | None) -> Iterator[tuple[Indices, Vectors]]:
        device = self._model.device.type
        return run(
            self._lengths(texts),
            lambda indices: self._forward([texts[i] for i in indices]),
            token_budget=self.options.token_budget or _TOKEN_BUDGET.get(device, _TOKEN_BUDGET["cuda"]),
            batch_size=self.options.batch_size,
            describe=describe,
        )

    def _forward(self, texts: list[str]) -> Vectors:
        vectors: Vectors = self._model.encode(
            texts,
            prompt_name=self.options.prompt_name,
            batch_size=len(texts),
            show_progress_bar=False,
            normalize_embeddings=True,
        )
        return vectors.astype(np.float32, copy=False)

    def _lengths(self, texts: Sequence[str]) -> NDArray[np.int32]:
        lengths = np.empty(len(texts), dtype=np.int32)
        for start in range(0, len(texts), _CHUNK):
            chunk = [self._prompt + text for text in texts[start : start + _CHUNK]]
            lengths[start : start + len(chunk)] = list(map(len, self._token_ids(chunk)))
        # Some checkpoints know no maximum and say None, infinity or 1e30.
        return np.minimum(lengths, min(self._model.max_seq_length or np.inf, np.iinfo(np.int32).max)).astype(np.int32)

    def _token_ids(self, texts: list[str], special: bool = True) -> list[list[int]]:
        tokenizer = self._model.tokenizer
        if hasattr(tokenizer, "encode_batch"):  # static embeddings: a bare tokenizer of the library tokenizers
            return [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
        ids: list[list[int]] = tokenizer(texts, add_special_tokens=special, verbose=False)["input_ids"]
        return ids
