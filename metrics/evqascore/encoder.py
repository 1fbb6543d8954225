"""CLIP's two encoders over frames and texts: unit vectors in one space."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .clip import Clip, Pixels
from .clip_files import load_clip
from .inference import Indices, run
from .tokens import LongText

Vectors = NDArray[np.float32]
Dtype = Literal["float32", "float16", "bfloat16"]

# Frames of a batch, by device: an accelerator wants enough work to be kept busy, a CPU is as fast with few, and the
# sooner a batch is full, the sooner encoding goes on beside decoding.
_FRAMES = {"cpu": 8, "mps": 64, "cuda": 128}
# Tokens of a batch of texts, padding counted.
_TOKENS = {"cpu": 1024, "mps": 8192, "cuda": 32768}


def load_encoder(
    model: str,
    *,
    revision: str | None = None,
    device: str | None = None,
    dtype: Dtype = "float32",
    batch_size: int | None = None,
) -> "Encoder":
    """Load a CLIP model.

    Args:
        model: `"demo"`, an open_clip `name/pretrained` such as `"ViT-B-32/openai"`, a repository of the Hub, a folder
            (open_clip's or transformers' CLIP), or a checkpoint file such as PAC-S's.
        revision: Branch, tag or commit of a repository.
        device: `"cpu"`, `"cuda"`, `"cuda:1"`, `"mps"`; by default the best there is.
        dtype: Precision of the model. Half precisions are for accelerators and recent CPUs.
        batch_size: Frames, and texts, of a batch at most.

    Raises:
        FileNotFoundError: the model is nowhere; the message says how to get it.
        ImportError: a package is missing, or torch and torchvision do not fit.
        ValueError: an option outside its range, or something that is no CLIP model.
    """
    if dtype not in get_args(Dtype):
        raise ValueError(f"evqascore: dtype is {dtype!r}; expected one of {', '.join(get_args(Dtype))}")
    if batch_size is not None and (isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1):
        raise ValueError(f"evqascore: batch_size is {batch_size!r}; expected a positive whole number")
    return Encoder(load_clip(model, revision), device=device, dtype=dtype, batch_size=batch_size)


class Encoder:
    """A loaded CLIP model on its device.

    Attributes:
        label: Short name with the first eight digits of its weights' SHA-256, for the signature.
        fingerprint: Names weights, settings and precision: equal fingerprints give equal vectors.
        dim: Length of the vectors.
        batch_frames: Frames of a batch.
    """

    def __init__(
        self, clip: Clip, *, device: str | None = None, dtype: Dtype = "float32", batch_size: int | None = None
    ) -> None:
        import torch

        self._clip, self._dtype, self._device = clip, getattr(torch, dtype), _device(device)
        clip.model.to(self._device, self._dtype).eval()
        self._batch_size = batch_size
        self.batch_frames = batch_size or _FRAMES.get(self._device.type, _FRAMES["cuda"])
        self.label = clip.label
        self.fingerprint = f"{clip.fingerprint}|{dtype}"
        self.dim = int(self.encode_texts([""]).shape[1])

    def encode_texts(self, texts: Sequence[str], long_text: LongText = "mean", describe: str | None = None) -> Vectors:
        """Return the unit vectors of texts, shape (texts, dim); equal texts go through the model once.

        Args:
            texts: Any texts.
            long_text: Of a text longer than the model reads: "mean" splits it into windows and takes the unit vector
                of the mean of theirs, "truncate" reads its beginning.
            describe: Title of the progress bar.
        """
        distinct = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        windows, owners = [], []
        for text, number in distinct.items():
            pieces = self._clip.tokens.windows(text, long_text)
            windows += pieces
            owners += [number] * len(pieces)
        vectors = self._windows(windows, describe)
        sums = np.zeros((len(distinct), *vectors.shape[1:]), dtype=np.float32)
        np.add.at(sums, owners, vectors)
        return _unit(sums)[[distinct[text] for text in texts]]

    def encode_images(self, frames: Iterable[Any]) -> Vectors:
        """Return the unit vectors of frames, shape (frames, dim).

        Args:
            frames: RGB bytes, each of shape (height, width, 3).
        """
        return self.encode_prepared(np.stack([self.prepare(frame) for frame in frames]))

    def prepare(self, frame: Pixels) -> Pixels:
        """Make a frame the size that the model wants, as the model's own preprocessing does. Safe in threads."""
        from PIL import Image

        return self._clip.prepare(Image.fromarray(frame))

    def encode_prepared(self, frames: Pixels) -> Vectors:
        """Return the unit vectors of prepared frames, shape (frames, dim); takes shape (frames, height, width, 3)."""
        vectors: Vectors | None = None
        ones = np.ones(len(frames), dtype=np.int32)
        for indices, found in run(ones, lambda indices: self._images(frames[indices]), token_budget=self.batch_frames):
            vectors = np.empty((len(frames), found.shape[1]), dtype=np.float32) if vectors is None else vectors
            vectors[indices] = found
        if vectors is None:
            raise ValueError("evqascore: there is no frame to encode")
        return vectors

    def _images(self, frames: Pixels) -> Vectors:
        import torch

        mean, std = (torch.tensor(values).view(3, 1, 1) for values in (self._clip.mean, self._clip.std))
        with torch.inference_mode():
            pixels = torch.from_numpy(frames).to(self._device).permute(0, 3, 1, 2).float().div(255)
            pixels = pixels.sub(mean.to(self._device)).div(std.to(self._device)).to(self._dtype)
            return _unit(self._clip.images(pixels).float().cpu().numpy())

    def _windows(self, windows: list[list[int]], describe: str | None) -> Vectors:
        vectors: Vectors | None = None
        lengths = np.array([len(window) for window in windows], dtype=np.int32)
        for indices, found in run(
            lengths,
            lambda indices: self._texts(windows, indices),
            token_budget=_TOKENS.get(self._device.type, _TOKENS["cuda"]),
            batch_size=self._batch_size,
            describe=describe,
        ):
            vectors = np.empty((len(windows), found.shape[1]), dtype=np.float32) if vectors is None else vectors
            vectors[indices] = found
        return np.empty((0, self.dim), dtype=np.float32) if vectors is None else vectors

    def _texts(self, windows: list[list[int]], indices: Indices) -> Vectors:
        import torch

        batch = [windows[i] for i in indices]
        with torch.inference_mode():
            ids = torch.from_numpy(self._clip.tokens.batch(batch)).to(self._device)
            return _unit(self._clip.texts(ids, [len(window) for window in batch]).float().cpu().numpy())


def _unit(vectors: NDArray[Any]) -> Vectors:
    """Divide rows by their lengths; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, np.finfo(np.float32).tiny)).astype(np.float32)
    return unit


def _device(name: str | None) -> Any:
    import torch

    if name is None:
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError, TypeError) as error:  # AssertionError where torch lacks the whole backend
        reason = str(error).partition("\n")[0]
        raise ValueError(f"evqascore: device is {name!r}, which torch cannot use here ({reason})") from error
