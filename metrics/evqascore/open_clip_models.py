"""Load CLIP models with open_clip: an architecture with a tag's weights or a file, or a file in OpenAI's layout."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np

from .._shared.checkpoints import file_hash
from .._shared.messages import short_repr
from .._shared.probes import is_file
from .clip import Clip, ClipTokens, Pixels, loading_error, package_error, transformers_tokens

# The time of open_clip's own tokenizer grows with the square of a word's length.
_LONGEST_WORD = 200


def is_architecture(name: str) -> bool:
    """Whether open_clip has an architecture of this name."""
    return name in _open_clip().list_models()


def load_named(name: str, pretrained: str) -> Clip:
    """Load an architecture of open_clip with the weights of a tag or a file."""
    file = Path(pretrained).expanduser()
    if is_file(file):
        return _create(name, file, f"{name}/{file.name}", _read_weights(file), pretrained=str(file))
    open_clip = _open_clip()
    known = open_clip.list_pretrained_tags_by_model(name)
    if pretrained not in known:
        raise ValueError(
            f"evqascore: open_clip's {name} has no weights {short_repr(pretrained)}, and there is no such file; "
            f"expected a file or one of {', '.join(known) or '(no tags)'}"
        )
    settings = open_clip.pretrained.get_pretrained_cfg(name, pretrained)
    try:
        weights = Path(open_clip.pretrained.download_pretrained(settings))
    except Exception as error:  # without a network, the Hub's client and urllib raise various errors
        raise FileNotFoundError(
            f"evqascore: the weights of open_clip's '{name}/{pretrained}' are not in the local cache, and could not be "
            f"downloaded ({type(error).__name__}). On a machine with a network: "
            f"python -c \"import open_clip; open_clip.create_model('{name}', '{pretrained}')\""
        ) from error
    # The tag knows which activation its weights were trained with; open_clip itself would only warn.
    options = {"pretrained": pretrained, "force_quick_gelu": settings.get("quick_gelu", False)}
    return _create(name, weights, f"{name}/{pretrained}", {}, **options)


def _create(name: str, weights: Path, label: str, given: Mapping[str, Any], **options: Any) -> Clip:
    """Create a model with exactly the given weights.

    `given` holds the tensors of a user's file. Without this check, open_clip would interpolate position embeddings of
    another size. open_clip gets the other options.
    """
    open_clip = _open_clip()
    try:
        model, _, preprocess = open_clip.create_model_and_transforms(name, weights_only=True, **options)
        own = model.state_dict()
        for tensor_name, tensor in given.items():
            if tensor_name in own and own[tensor_name].numel() != tensor.numel():
                shapes = tuple(tensor.shape), tuple(own[tensor_name].shape)
                raise ValueError(f"{tensor_name} has the shape {shapes[0]}; expected {shapes[1]}")
        return _describe(model, preprocess, open_clip.get_tokenizer(name), label, weights)
    except Exception as error:  # a damaged or malicious file may raise anything
        raise loading_error(weights, f"open_clip's {name}", error) from error


def load_file(file: Path) -> Clip:
    """Load a file of weights with the tensor names of OpenAI's CLIP, as PAC-S and PAC-S++ are published.

    The shapes of the tensors determine the architecture. The activation is OpenAI's, QuickGELU.
    """
    weights = _read_weights(file)
    if "visual.conv1.weight" not in weights or "text_projection" not in weights:
        raise ValueError(
            f"evqascore: {file} does not have the tensor names of OpenAI's CLIP with a vision transformer "
            f"('visual.conv1.weight', …). For another architecture, name it: model='RN50', checkpoint='{file}'"
        )
    import torch

    open_clip = _open_clip()
    try:
        build = open_clip.model.build_model_from_openai_state_dict
        model = build({**weights}, quick_gelu=True, cast_dtype=torch.float32)
        # In spite of `cast_dtype`, open_clip rounds the weights to half precision.
        model.load_state_dict({name: tensor.float() for name, tensor in weights.items()}, assign=True)
        preprocess = open_clip.image_transform(model.visual.image_size, is_train=False)
        tokenizer = open_clip.SimpleTokenizer(context_length=model.context_length)
        return _describe(model, preprocess, tokenizer, file.name, file)
    except Exception as error:  # the tensors may have any shape
        raise loading_error(file, "OpenAI's CLIP", error) from error


def _read_weights(file: Path) -> dict[str, Any]:
    """Read tensors by name from a safetensors file, or from a pickle that may hold nothing else."""
    import torch
    from safetensors.torch import load_file

    try:
        # Memory-mapped: the file's bytes are the parameters.
        if file.suffix == ".safetensors":
            found: Any = load_file(file)
        else:
            found = torch.load(file, map_location="cpu", weights_only=True, mmap=is_zipfile(file))
    except Exception as error:  # zipfile, pickle and torch each raise their own errors
        raise loading_error(file, "a checkpoint of weights", error) from error
    found = found.get("state_dict", found) if isinstance(found, dict) else {}
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        found = {}
    sizes = {"input_resolution", "context_length", "vocab_size"}  # OpenAI stores them with the tensors
    return {name.removeprefix("module."): tensor for name, tensor in found.items() if name not in sizes}


def _describe(model: Any, preprocess: Any, tokenizer: Any, label: str, weights: Path) -> Clip:
    """Return a model of open_clip, with its preprocessing and tokenizer, as a `Clip`."""
    digest = file_hash(weights)
    # Both print all their settings: sizes, means and interpolation; layers and activations.
    settings = hashlib.sha256(f"{preprocess}\n{model}".encode()).hexdigest()
    label, fingerprint = f"{label}@{digest[:8]}", f"{digest}|{settings}"
    *shaping, _to_tensor, normalize = preprocess.transforms
    tokens = open_clip_tokens(tokenizer, getattr(model, "context_length", None) or tokenizer.context_length)

    def prepare(picture: Any) -> Pixels:
        for shape in shaping:
            picture = shape(picture)
        return np.asarray(picture)

    encode = model.encode_image, lambda ids, _lengths: _encode_texts(model, tokens, ids)
    return Clip(model, label, fingerprint, tokens, prepare, normalize.mean, normalize.std, *encode)


def open_clip_tokens(tokenizer: Any, length: int) -> ClipTokens:
    """Return the tokens of an open_clip tokenizer: CLIP's own, or a wrapped one of transformers."""
    if hasattr(tokenizer, "tokenizer"):
        return transformers_tokens(tokenizer.tokenizer, length, clean=tokenizer.clean_fn)
    special = set(tokenizer.all_special_ids)

    def encode(text: str) -> list[int]:
        pieces = (word[i : i + _LONGEST_WORD] for word in text.split() for i in range(0, len(word), _LONGEST_WORD))
        return [token for token in tokenizer.encode(" ".join(pieces)) if token not in special]

    return ClipTokens(encode, [tokenizer.sot_token_id], [tokenizer.eot_token_id], 0, length)


def _encode_texts(model: Any, tokens: ClipTokens, ids: Any) -> Any:
    """Encode texts; for open_clip's plain CLIP, only as many positions as the longest text has.

    That model expects all 77 positions. Its attention is causal, so the padding after a text does not change the
    vector, but takes most of the time.
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


def _open_clip() -> Any:
    """Import open_clip. It imports torchvision, which fails if it was built for another torch."""
    try:
        import open_clip
    except (ImportError, RuntimeError) as error:
        raise package_error(error) from error
    return open_clip
