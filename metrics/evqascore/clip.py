"""A CLIP model, whichever library it comes from: what the encoder needs of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tokens import Tokens, of_open_clip, of_transformers

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Clip:
    """A loaded model.

    Args:
        model: The torch module.
        label: Short name with the beginning of its weights' hash.
        fingerprint: Names weights and settings: of two models with equal ones all vectors are equal.
        tokens: Its tokenizer.
        prepare: Makes an RGB picture of Pillow the size that the model wants, shape (height, width, 3).
        mean: Subtracted from the pixels, which are in [0, 1], by channel.
        std: What they are divided by then.
        images: Runs the image encoder over pixels, shape (n, 3, height, width).
        texts: Runs the text encoder over token numbers, shape (n, length), of which windows are that long.
    """

    model: Any
    label: str
    fingerprint: str
    tokens: Tokens
    prepare: Callable[[Any], Pixels]
    mean: Sequence[float]
    std: Sequence[float]
    images: Callable[[Any], Any]
    texts: Callable[[Any, Sequence[int]], Any]


def of_open_clip_model(model: Any, preprocess: Any, tokenizer: Any, label: str, fingerprint: str) -> Clip:
    """Return a model of open_clip, with the preprocessing and the tokenizer that open_clip has for it."""
    *shaping, _to_tensor, normalize = preprocess.transforms
    tokens = of_open_clip(tokenizer, getattr(model, "context_length", None) or tokenizer.context_length)

    def prepare(picture: Any) -> Pixels:
        for shape in shaping:
            picture = shape(picture)
        return np.asarray(picture)

    def texts(ids: Any, lengths: Sequence[int]) -> Any:
        return _open_clip_texts(model, tokens, ids)

    return Clip(model, label, fingerprint, tokens, prepare, normalize.mean, normalize.std, model.encode_image, texts)


def _open_clip_texts(model: Any, tokens: Tokens, ids: Any) -> Any:
    """Encode texts; of open_clip's plain CLIP only as many positions as the longest text has.

    That model wants all 77 positions, and its tokens look only back: what comes after a text's end does not change
    its vector, but costs most of the time.
    """
    import torch

    if hasattr(model, "positional_embedding") and model.attn_mask is not None:
        positions = ids.shape[1]
        shorter = {
            "positional_embedding": model.positional_embedding[:positions],
            "attn_mask": model.attn_mask[:positions, :positions],
        }
        outputs = torch.func.functional_call(model, shorter, kwargs={"text": ids})
        return outputs["text_features"] if isinstance(outputs, dict) else outputs[1]
    whole = torch.full((len(ids), tokens.length), tokens.pad, dtype=ids.dtype, device=ids.device)
    whole[:, : ids.shape[1]] = ids
    return model.encode_text(whole)


def of_transformers_model(model: Any, processor: Any, tokenizer: Any, label: str, fingerprint: str) -> Clip:
    """Return a CLIPModel of transformers, with its image processor and its tokenizer."""
    import torch

    def prepare(picture: Any) -> Pixels:
        made = processor(images=[picture], do_rescale=False, do_normalize=False, return_tensors="np")
        return np.ascontiguousarray(np.asarray(made["pixel_values"][0], dtype=np.uint8).transpose(1, 2, 0))

    def images(pixels: Any) -> Any:
        return _pooled(model.get_image_features(pixel_values=pixels))

    def texts(ids: Any, lengths: Sequence[int]) -> Any:
        ends = torch.as_tensor(list(lengths), device=ids.device)[:, None]
        mask = (torch.arange(ids.shape[1], device=ids.device)[None] < ends).long()
        return _pooled(model.get_text_features(input_ids=ids, attention_mask=mask))

    tokens = of_transformers(tokenizer, model.config.text_config.max_position_embeddings)
    return Clip(model, label, fingerprint, tokens, prepare, processor.image_mean, processor.image_std, images, texts)


def _pooled(output: Any) -> Any:
    """The vectors themselves, which transformers 4 returns bare and transformers 5 in an object."""
    return getattr(output, "pooler_output", output)


def unusable_package(error: Exception) -> ImportError:
    """Return the error that tells a user how to mend an import that failed with this one."""
    if "torchvision" in str(error):
        return ImportError(
            f"evqascore: torchvision does not fit this torch ({error}). Install both from one index, for a machine "
            "without a GPU: pip install --force-reinstall torch torchvision --index-url "
            "https://download.pytorch.org/whl/cpu"
        )
    return ImportError(
        f"evqascore: a package is missing or broken ({error}): pip install open_clip_torch torch transformers"
    )


def not_loaded(where: Path, what: str, error: Exception) -> ValueError:
    """Return the error for what is there, but is no such model."""
    reason = str(error).partition("\n")[0]
    return ValueError(f"evqascore: {where} does not load as {what} ({type(error).__name__}: {reason})")
