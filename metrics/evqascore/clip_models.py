"""Find a CLIP model: an open_clip tag, a repository of the Hub, a folder, a file of weights, or the demo."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._shared.checkpoints import check_hash, download_errors, file_hash, load_whole, packaged_path
from .._shared.messages import short_repr
from .._shared.probes import is_file, is_folder
from .clip import Clip, Pixels, loading_error, package_error, transformers_tokens
from .open_clip_models import is_architecture, load_file, load_named

# The demo's weights must have this hash wherever they are found.
DEMO_SHA256 = "92d6b8a67c1ac552d082920e51877ffe0863386505415acdf3a1b6c04e5c989a"
# The demo's folder in the package and in the Space. `evaluate-qa publish` changes the namespace of the Space.
DEMO_FOLDER = "demo_clip"
DEMO_SPACE = "evaluate-qa/evqascore"
DEMO_IN_SPACE = f"evaluate_qa/metrics/evqascore/{DEMO_FOLDER}"

_CURE = (
    "Give an open_clip tag such as model='ViT-B-32/openai', a CLIP repository of the Hub such as "
    "'openai/clip-vit-large-patch14', a folder in the format of transformers, or a checkpoint file such as PAC-S's "
    "clip_ViT-B-32.pth"
)
_SETTINGS = ["*.json", "*.txt", "*.model"]


def load_clip(model: str, revision: str | None = None) -> Clip:
    """Load a model in single precision on the CPU.

    Args:
        model: A file; a folder; `name/pretrained` of open_clip, where `pretrained` is a tag or a file; or a repository
            of the Hub.
        revision: Branch, tag or commit of a repository.
    """
    local = Path(model).expanduser()
    if is_file(local):
        return load_file(local)
    if is_folder(local):
        return _load_transformers(local, local.absolute().name)
    name, _, pretrained = model.partition("/")
    if pretrained and is_architecture(name):
        return load_named(name, pretrained)
    if model.count("/") != 1:
        raise FileNotFoundError(
            f"evqascore: model is {short_repr(model)}, which is neither a file nor a folder. {_CURE}"
        )
    return _load_transformers(_download(model, revision), pretrained)


def load_demo() -> Clip:
    """Load the demo's model."""
    return _load_transformers(demo_folder(), "demo")


def demo_folder() -> Path:
    """Return the demo's folder, installed or from the Space; raise ValueError if its weights have the wrong hash."""
    folder = packaged_path("evqascore", DEMO_FOLDER) or _download_demo()
    weights = folder / "model.safetensors"
    fix = "It is damaged or of another version: pip install --force-reinstall evaluate-qa"
    check_hash("evqascore", weights, file_hash(weights), DEMO_SHA256, fix)
    return folder


def _download_demo() -> Path:
    from huggingface_hub import snapshot_download

    with download_errors(
        f"evqascore: the demo's model is neither in an installed evaluate-qa nor on the Hub in the Space {DEMO_SPACE}",
        f"Either: pip install evaluate-qa. Or: {_CURE[0].lower()}{_CURE[1:]}",
    ):
        space = Path(snapshot_download(DEMO_SPACE, repo_type="space", allow_patterns=f"{DEMO_IN_SPACE}/*"))
        if not (space / DEMO_IN_SPACE / "model.safetensors").is_file():
            raise FileNotFoundError(space / DEMO_IN_SPACE)
        return space / DEMO_IN_SPACE


def _download(model: str, revision: str | None) -> Path:
    """Download a repository; the pickle, which transformers checks, only if there is no safetensors file."""
    from huggingface_hub import snapshot_download

    with download_errors(
        f"evqascore: the model {short_repr(model)} is not a file, a folder or a name of open_clip, is not in the local "
        "Hub cache, and could not be downloaded",
        f"On a machine with a network: hf download {model}{f' --revision {revision}' if revision else ''}",
    ):
        folder = Path(snapshot_download(model, revision=revision, allow_patterns=[*_SETTINGS, "*.safetensors"]))
        if not any(folder.glob("*.safetensors")):
            snapshot_download(model, revision=revision, allow_patterns="pytorch_model.bin")
        return folder


def _load_transformers(folder: Path, label: str) -> Clip:
    """Load a folder in the format of transformers."""
    if not (folder / "config.json").is_file():
        raise ValueError(
            f"evqascore: {folder} is not a CLIP checkpoint of transformers: it has no config.json. For weights in "
            f"open_clip's format, name the architecture and the file: model='ViT-B-16', checkpoint='…'. {_CURE}"
        )
    try:
        import torch
        import transformers
    except (ImportError, RuntimeError) as error:
        raise package_error(error) from error
    # The processor that does not need torchvision depends on the version of transformers.
    processor = getattr(transformers, "CLIPImageProcessorPil", transformers.CLIPImageProcessor)
    source: Any = {"local_files_only": True, "trust_remote_code": False}
    try:
        model = load_whole(transformers.CLIPModel, folder, dtype=torch.float32, local_files_only=True)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **source)
        if max(tokenizer.get_vocab().values()) >= model.config.text_config.vocab_size:
            raise ValueError("its tokenizer has tokens without embeddings")
        preprocess = processor.from_pretrained(folder, **source)
        files = sorted(file for pattern in ("*.safetensors", "*.bin", *_SETTINGS) for file in folder.glob(pattern))
        fingerprint = hashlib.sha256("\n".join(f"{file_hash(file)} {file.name}" for file in files).encode()).hexdigest()
        return wrap_transformers(model, preprocess, tokenizer, f"{label}@{fingerprint[:8]}", fingerprint)
    except Exception as error:  # a damaged or malicious file may raise anything
        raise loading_error(folder, "transformers' CLIP", error) from error


def wrap_transformers(model: Any, processor: Any, tokenizer: Any, label: str, fingerprint: str) -> Clip:
    """Return a CLIPModel of transformers, with its image processor and tokenizer, as a `Clip`."""
    import torch

    def prepare(picture: Any) -> Pixels:
        made = processor(images=[picture], do_rescale=False, do_normalize=False, return_tensors="np")
        return np.ascontiguousarray(np.asarray(made["pixel_values"][0], dtype=np.uint8).transpose(1, 2, 0))

    def images(pixels: Any) -> Any:
        return _pooled_output(model.get_image_features(pixel_values=pixels))

    def texts(ids: Any, lengths: Sequence[int]) -> Any:
        ends = torch.as_tensor(list(lengths), device=ids.device)[:, None]
        mask = (torch.arange(ids.shape[1], device=ids.device)[None] < ends).long()
        return _pooled_output(model.get_text_features(input_ids=ids, attention_mask=mask))

    tokens = transformers_tokens(tokenizer, model.config.text_config.max_position_embeddings)
    return Clip(model, label, fingerprint, tokens, prepare, processor.image_mean, processor.image_std, images, texts)


def _pooled_output(output: Any) -> Any:
    """Return the vectors, which transformers 5 wraps in an object."""
    return getattr(output, "pooler_output", output)
