"""CLIP models of open_clip: an architecture with a tag's weights, a folder, or a file with OpenAI's tensor names."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np

from .._shared.arguments import is_file, shown
from .._shared.checkpoints import file_hash
from .clip import Clip, ClipTokens, Pixels, not_loaded, transformers_tokens, unusable_package

# open_clip's own tokenizer takes time that grows with the square of a word's length.
_LONGEST_WORD = 200
# What open_clip saves weights as, in the order in which it looks for them.
_SAVED = ("open_clip_model.safetensors", "open_clip_pytorch_model.safetensors", "open_clip_pytorch_model.bin")


def is_architecture(name: str) -> bool:
    """Whether open_clip has an architecture of this name."""
    return name in _open_clip().list_models()


def load_named(name: str, pretrained: str) -> Clip:
    """Load an architecture of open_clip with the weights of a tag or a file."""
    open_clip = _open_clip()
    known = open_clip.list_pretrained_tags_by_model(name)
    file = Path(pretrained).expanduser()
    if is_file(file):
        given = _read_weights(file)
        return _created(name, file, f"{name}/{file.name}", f"open_clip's {name}", given, pretrained=str(file))
    if pretrained not in known:
        there = ", ".join(known) or "none"
        raise ValueError(
            f"evqascore: open_clip's {name} has no weights {shown(pretrained)} (and no file has that name); it has "
            f"{there}"
        )
    settings = open_clip.pretrained.get_pretrained_cfg(name, pretrained)
    weights = _weights_of_tag(name, pretrained, settings)
    # The tag says which activation its weights were trained with; open_clip itself would only warn.
    options = {"pretrained": pretrained, "force_quick_gelu": settings.get("quick_gelu", False)}
    return _created(name, weights, f"{name}/{pretrained}", f"open_clip's {name}", {}, **options)


def _weights_of_tag(name: str, pretrained: str, settings: dict[str, Any]) -> Path:
    try:
        return Path(_open_clip().pretrained.download_pretrained(settings))
    except Exception as error:  # whatever the Hub's client or urllib raise where there is no network
        raise FileNotFoundError(
            f"evqascore: the weights of open_clip's '{name}/{pretrained}' are not in the local cache, and could not be "
            f"downloaded ({type(error).__name__}). On a machine with a network: "
            f"python -c \"import open_clip; open_clip.create_model('{name}', '{pretrained}')\""
        ) from error


def saved_weights(folder: Path) -> Path | None:
    """Return the weights that open_clip has saved in a folder, if there are any and their configuration."""
    if not (folder / "open_clip_config.json").is_file():
        return None
    return next((folder / name for name in _SAVED if (folder / name).is_file()), None)


def load_saved(folder: Path, weights: Path, label: str) -> Clip:
    """Load a folder with an open_clip_config.json and a file of weights beside it."""
    given = _read_weights(weights)
    return _created(f"local-dir:{folder}", weights, label, "an open_clip checkpoint", given, require_pretrained=True)


def _created(name: str, weights: Path, label: str, what: str, given: Mapping[str, Any], **options: Any) -> Clip:
    """Let open_clip make a model with its weights, all of which it wants, and no others.

    Args:
        name: As open_clip takes it.
        weights: Their file.
        label: What to call the model.
        what: What it is to be, for messages.
        given: Tensors of a file that a user gave, of which open_clip may have changed the size.
        options: Which weights, and more.
    """
    open_clip = _open_clip()
    try:
        with _no_questions():
            model, _, preprocess = open_clip.create_model_and_transforms(name, weights_only=True, **options)
            tokenizer = open_clip.get_tokenizer(name)
        _check_sizes(model, given)
        return _described(model, preprocess, tokenizer, label, weights)
    except Exception as error:  # a file that is damaged, or made to do damage, may raise anything
        raise not_loaded(weights, what, error) from error


@contextmanager
def _no_questions() -> Iterator[None]:
    """Let transformers refuse a tokenizer or text tower that brings code along.

    It would ask on the terminal whether to run it: open_clip does not hand on `trust_remote_code=False`.
    """
    from transformers import dynamic_module_utils as remote_code

    patience = remote_code.TIME_OUT_REMOTE_CODE
    remote_code.TIME_OUT_REMOTE_CODE = 0
    try:
        yield
    finally:
        remote_code.TIME_OUT_REMOTE_CODE = patience


def _check_sizes(model: Any, given: Mapping[str, Any]) -> None:
    """Refuse position embeddings of another size than the model's, which open_clip would interpolate."""
    own = model.state_dict()
    for name, tensor in given.items():
        if name in own and own[name].numel() != tensor.numel():
            raise ValueError(f"{name} has the shape {tuple(tensor.shape)}; expected {tuple(own[name].shape)}")


def load_file(file: Path) -> Clip:
    """Load a file of weights with the names of OpenAI's CLIP, as PAC-S and PAC-S++ are published.

    The sizes of the model are those of its tensors. Such models have OpenAI's activation, QuickGELU.
    """
    weights = _read_weights(file)
    if "visual.conv1.weight" not in weights or "text_projection" not in weights:
        raise ValueError(
            f"evqascore: {file} has no tensors named as those of OpenAI's CLIP with a vision transformer "
            f"('visual.conv1.weight', …). For another architecture say which: model='RN50/{file}'"
        )
    try:
        return _of_openai(weights, file)
    except Exception as error:  # tensors of any shape, or none
        raise not_loaded(file, "OpenAI's CLIP", error) from error


def _of_openai(weights: Mapping[str, Any], file: Path) -> Clip:
    open_clip = _open_clip()
    width, _, _, patch = weights["visual.conv1.weight"].shape
    vision = open_clip.CLIPVisionCfg(
        layers=_layers(weights, "visual.transformer.resblocks."),
        width=width,
        patch_size=patch,
        image_size=patch * round((len(weights["visual.positional_embedding"]) - 1) ** 0.5),
    )
    context, text_width = weights["positional_embedding"].shape
    text = open_clip.CLIPTextCfg(
        context_length=context,
        vocab_size=len(weights["token_embedding.weight"]),
        width=text_width,
        heads=text_width // 64,
        layers=_layers(weights, "transformer.resblocks."),
    )
    model = open_clip.CLIP(weights["text_projection"].shape[1], vision, text, quick_gelu=True)
    model.load_state_dict({name: tensor.float() for name, tensor in weights.items()}, assign=True)
    preprocess = open_clip.image_transform(vision.image_size, is_train=False)
    tokenizer = open_clip.SimpleTokenizer(context_length=context)
    return _described(model, preprocess, tokenizer, file.name, file)


def _read_weights(file: Path) -> dict[str, Any]:
    """Read tensors by their names from safetensors, or from a pickle that may hold nothing else."""
    import torch
    from safetensors.torch import load_file

    try:
        # Mapped, not read: the file's bytes are the parameters.
        if file.suffix == ".safetensors":
            found: Any = load_file(file)
        else:
            found = torch.load(file, map_location="cpu", weights_only=True, mmap=is_zipfile(file))
    except Exception as error:  # zipfile, pickle and torch each have errors of their own for what is no checkpoint
        raise not_loaded(file, "a checkpoint of weights", error) from error
    found = found.get("state_dict", found) if isinstance(found, dict) else {}
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        found = {}
    sizes = {"input_resolution", "context_length", "vocab_size"}  # OpenAI keeps them among the tensors
    return {name.removeprefix("module."): tensor for name, tensor in found.items() if name not in sizes}


def _layers(weights: Iterable[str], prefix: str) -> int:
    return len({name.removeprefix(prefix).split(".")[0] for name in weights if name.startswith(prefix)})


def _described(model: Any, preprocess: Any, tokenizer: Any, label: str, weights: Path) -> Clip:
    digest = file_hash(weights)
    # The preprocessing prints its sizes, means and interpolation; the model prints its layers and activations.
    settings = hashlib.sha256(f"{preprocess}\n{model}".encode()).hexdigest()
    return of_open_clip(model, preprocess, tokenizer, f"{label}@{digest[:8]}", f"{digest}|{settings}")


def of_open_clip(model: Any, preprocess: Any, tokenizer: Any, label: str, fingerprint: str) -> Clip:
    """Return a model of open_clip, with the preprocessing and the tokenizer that open_clip has for it, as a `Clip`."""
    *shaping, _to_tensor, normalize = preprocess.transforms
    tokens = open_clip_tokens(tokenizer, getattr(model, "context_length", None) or tokenizer.context_length)

    def prepare(picture: Any) -> Pixels:
        for shape in shaping:
            picture = shape(picture)
        return np.asarray(picture)

    def texts(ids: Any, lengths: Sequence[int]) -> Any:
        return _texts(model, tokens, ids)

    return Clip(model, label, fingerprint, tokens, prepare, normalize.mean, normalize.std, model.encode_image, texts)


def open_clip_tokens(tokenizer: Any, length: int) -> ClipTokens:
    """Return the tokens of an open_clip tokenizer: CLIP's own, or one of transformers that open_clip has wrapped."""
    if hasattr(tokenizer, "tokenizer"):
        return transformers_tokens(tokenizer.tokenizer, length, clean=tokenizer.clean_fn)
    special = set(tokenizer.all_special_ids)

    def encode(text: str) -> list[int]:
        pieces = (word[i : i + _LONGEST_WORD] for word in text.split() for i in range(0, len(word), _LONGEST_WORD))
        return [token for token in tokenizer.encode(" ".join(pieces)) if token not in special]

    return ClipTokens(encode, [tokenizer.sot_token_id], [tokenizer.eot_token_id], 0, length)


def _texts(model: Any, tokens: ClipTokens, ids: Any) -> Any:
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


def _open_clip() -> Any:
    """Import open_clip, which imports torchvision, which fails where it was built for another torch."""
    try:
        import open_clip
    except (ImportError, RuntimeError) as error:
        raise unusable_package(error) from error
    return open_clip
