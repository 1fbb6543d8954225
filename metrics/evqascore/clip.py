"""Encode frames and texts as unit vectors with a CLIP model from any library."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._shared.arrays import Indices
from .._shared.batching import run_batches
from .._shared.devices import best_device, check_device, fastest_dtype
from .._shared.engines import split_around
from .._shared.model_options import Dtype

Pixels = NDArray[np.uint8]
Vectors = NDArray[np.float32]
LongText = Literal["mean", "truncate"]

# Frames per batch. An accelerator needs large batches; a CPU does not, and with small ones encoding starts earlier.
_FRAMES = {"cpu": 8, "mps": 64, "cuda": 128}
# Tokens per batch of texts, including padding.
_TOKENS = {"cpu": 1024, "mps": 8192, "cuda": 32768}


@dataclass(frozen=True)
class ClipTokens:
    """A tokenizer and the special tokens of its model."""

    encode: Callable[[str], list[int]]  # return the token ids of a text, without special tokens
    before: list[int]
    after: list[int]
    pad: int  # token that pads the shorter texts of a batch
    length: int  # length of the longest text, including special tokens; 77 for CLIP

    def windows(self, text: str, long_text: LongText) -> list[list[int]]:
        """Split a text into as many windows as needed ("mean"), or keep only the first ("truncate")."""
        room = self.length - len(self.before) - len(self.after)
        ids = self.encode(text)
        ids = ids[:room] if long_text == "truncate" else ids
        pieces = [ids[start : start + room] for start in range(0, len(ids), room)] or [[]]
        return [[*self.before, *piece, *self.after] for piece in pieces]

    def batch(self, windows: Sequence[list[int]]) -> NDArray[np.int64]:
        """Return windows as a matrix, padded to the longest."""
        filled = np.full((len(windows), max(map(len, windows))), self.pad, dtype=np.int64)
        for row, window in enumerate(windows):
            filled[row, : len(window)] = window
        return filled


def transformers_tokens(tokenizer: Any, length: int, clean: Callable[[str], str] = str) -> ClipTokens:
    """Return the tokens of a transformers tokenizer; a trial shows which special tokens it adds."""

    def encode(text: str) -> list[int]:
        ids = tokenizer(clean(text), add_special_tokens=False, split_special_tokens=True, verbose=False)["input_ids"]
        return list(ids)

    bare, whole = tokenizer("a", add_special_tokens=False)["input_ids"], tokenizer("a")["input_ids"]
    before, after = split_around(bare, whole)
    pad = tokenizer.pad_token_id
    return ClipTokens(encode, before, after, (after or [0])[-1] if pad is None else pad, length)


@dataclass(frozen=True)
class Clip:
    """A loaded model."""

    model: Any  # the torch module
    label: str  # short name with the first eight digits of a SHA-256 of its weights and settings
    fingerprint: str  # identifies weights and settings: models with equal fingerprints give equal vectors
    tokens: ClipTokens
    prepare: Callable[[Any], Pixels]  # resize and crop an RGB image of Pillow; return shape (height, width, 3)
    mean: Sequence[float]  # subtracted from the pixels in [0, 1], by channel
    std: Sequence[float]  # divisor of the pixels afterwards, by channel
    images: Callable[[Any], Any]  # encode pixels of shape (n, 3, height, width)
    texts: Callable[[Any, Sequence[int]], Any]  # encode token ids of shape (n, length), with the lengths of the texts


class Encoder:
    """A CLIP model on its device, which by default is the best available; raise ValueError if torch cannot use it.

    `batch_size` is the largest number of frames, and of texts, per batch, and `token_budget` the largest number of
    tokens per batch of texts, including padding.

    Attributes:
        label: Short name of the model, for the signature.
        fingerprint: Identifies weights, settings and precision.
        dtype: The precision of the model; "auto" selects the fastest on the device.
        dim: Length of the vectors.
        batch_frames: Frames per batch.
    """

    def __init__(
        self,
        clip: Clip,
        *,
        device: str | None = None,
        dtype: Dtype | Literal["auto"] = "float32",
        batch_size: int | None = None,
        token_budget: int | None = None,
    ) -> None:
        import torch

        check_device("evqascore", device)
        self._clip, self._device = clip, torch.device(device or best_device())
        self.dtype: Dtype = fastest_dtype(str(self._device)) if dtype == "auto" else dtype
        self._dtype = getattr(torch, self.dtype)
        clip.model.to(self._device, self._dtype).eval()
        kind = self._device.type if self._device.type in _FRAMES else "cuda"
        self._batch_size, self._token_budget = batch_size, token_budget or _TOKENS[kind]
        self.batch_frames = batch_size or _FRAMES[kind]
        self.label = clip.label
        self.fingerprint = f"{clip.fingerprint}|{self.dtype}"
        self.dim = int(self._encode_windows(clip.tokens.windows("", "truncate")).shape[1])

    def encode_texts(self, texts: Sequence[str], long_text: LongText = "mean", describe: str | None = None) -> Vectors:
        """Return the unit vectors of texts, shape (texts, dim); equal texts are encoded once.

        For a text longer than the model's context, "mean" averages the vectors of its windows, and "truncate" reads the
        beginning. `describe` is the title of the progress bar.
        """
        distinct = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        windows: list[list[int]] = []
        owners: list[int] = []
        for text, number in distinct.items():
            pieces = self._clip.tokens.windows(text, long_text)
            windows += pieces
            owners += [number] * len(pieces)
        batches = run_batches(
            np.array([len(window) for window in windows], dtype=np.int32),
            lambda indices: self._encode_windows([windows[i] for i in indices]),
            token_budget=self._token_budget,
            batch_size=self._batch_size,
            describe=describe,
        )
        sums = np.zeros((len(distinct), self.dim), dtype=np.float32)
        np.add.at(sums, owners, self._collect(len(windows), batches))
        return _unit(sums)[[distinct[text] for text in texts]]

    def prepare(self, frame: Pixels) -> Pixels:
        """Resize and crop a frame with the model's own preprocessing. Thread-safe."""
        from PIL import Image

        return self._clip.prepare(Image.fromarray(frame))

    def encode_prepared(self, frames: Pixels) -> Vectors:
        """Return the unit vectors of prepared frames of shape (frames, height, width, 3); shape (frames, dim)."""
        ones = np.ones(len(frames), dtype=np.int32)
        batches = run_batches(ones, lambda rows: self._encode_images(frames[rows]), token_budget=self.batch_frames)
        return self._collect(len(frames), batches)

    def _collect(self, count: int, batches: Iterator[tuple[Indices, Vectors]]) -> Vectors:
        vectors = np.empty((count, self.dim), dtype=np.float32)
        for indices, found in batches:
            vectors[indices] = found
        return vectors

    def _encode_images(self, frames: Pixels) -> Vectors:
        import torch

        mean, std = (torch.tensor(values).view(3, 1, 1) for values in (self._clip.mean, self._clip.std))
        with torch.inference_mode():
            pixels = torch.from_numpy(frames).to(self._device).permute(0, 3, 1, 2).float().div(255)
            pixels = pixels.sub(mean.to(self._device)).div(std.to(self._device)).to(self._dtype)
            return _unit(self._clip.images(pixels).float().cpu().numpy())

    def _encode_windows(self, windows: list[list[int]]) -> Vectors:
        import torch

        with torch.inference_mode():
            ids = torch.from_numpy(self._clip.tokens.batch(windows)).to(self._device)
            return _unit(self._clip.texts(ids, [len(window) for window in windows]).float().cpu().numpy())


def _unit(vectors: NDArray[Any]) -> Vectors:
    """Normalize rows; a row of zeros stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, np.finfo(np.float32).tiny)).astype(np.float32)
    return unit


def loading_error(where: Path, what: str, error: Exception) -> ValueError:
    """Return the error for files that are not the expected model."""
    reason = shorten(str(error), 300, placeholder=" …")
    return ValueError(f"evqascore: {where} does not load as {what} ({type(error).__name__}: {reason})")


def package_error(error: Exception) -> ImportError:
    """Return an error that explains how to fix a failed import."""
    if "torchvision" in str(error):
        return ImportError(
            f"evqascore: torchvision does not match the installed torch ({error}). Install both from one index. "
            "Without a GPU: pip install --force-reinstall torch torchvision --index-url "
            "https://download.pytorch.org/whl/cpu"
        )
    return ImportError(
        f"evqascore: a package is missing or broken ({error}): pip install open_clip_torch torch transformers"
    )
