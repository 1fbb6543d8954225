"""Where a CLIP model comes from: an open_clip tag, the Hub, a folder, a file of weights, or this metric's own demo."""

import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from .._shared.arguments import is_file, is_folder, shown
from .._shared.checkpoints import check_whole, file_hash
from .clip import Clip, Pixels, not_loaded, transformers_tokens, unusable_package
from .open_clip_models import is_architecture, load_file, load_named, load_saved, saved_weights

# Of the demo's weights that come with this version: wherever they are found, they are these or they are refused.
DEMO_SHA256 = "2741ebbcfab1ef5aef4d33ab755d6a9777cf04dba877f788dc0bac5c67d98a14"
# Its folder, beside this file and in the Space on the Hub, of which `evaluate-qa publish` changes the namespace here.
DEMO_FOLDER = "demo_clip"
DEMO_SPACE = "evaluate-qa/evqascore"
DEMO_IN_SPACE = f"evaluate_qa/metrics/evqascore/{DEMO_FOLDER}"

_CURE = (
    "Give an open_clip tag such as model='ViT-B-32/openai', a CLIP repository of the Hub such as "
    "'openai/clip-vit-large-patch14', a folder with such a model, or a checkpoint "
    "file such as PAC-S's clip_ViT-B-32.pth"
)
_SETTINGS = ["*.json", "*.txt", "*.model"]
_PICKLES = ["pytorch_model.bin", "open_clip_pytorch_model.bin"]


def load_clip(model: str, revision: str | None = None) -> Clip:
    """Load a model, in single precision, on the CPU.

    Args:
        model: A file; a folder; `name/pretrained` of open_clip, where `pretrained` is a tag or a file; or a repository
            of the Hub.
        revision: Branch, tag or commit of a repository.

    Raises:
        FileNotFoundError: it is nowhere; the message says where it was looked for and how to get it.
        ImportError: a package is missing, or torch and torchvision do not fit.
        ValueError: what is there is no CLIP model.
    """
    local = Path(model).expanduser()
    if is_file(local):
        return load_file(local)
    if is_folder(local):
        return _folder(local, local.absolute().name)
    name, _, pretrained = model.partition("/")
    if pretrained and is_architecture(name):
        return load_named(name, pretrained)
    if model.count("/") != 1:
        raise FileNotFoundError(f"evqascore: model is {shown(model)}, which is no file and no folder here. {_CURE}")
    return _folder(_downloaded(model, revision), pretrained)


def load_demo() -> Clip:
    """Load the toy that comes with this metric, whose hash is checked.

    Raises:
        FileNotFoundError: it is nowhere.
        ValueError: it is damaged.
    """
    return _transformers(demo_folder(), "demo")


def demo_folder() -> Path:
    """Return the demo's folder, checked: beside this file, in the installed package, or downloaded from the Space.

    evaluate copies only code, so that a metric from the Hub has it not beside it.
    """
    try:
        installed = Path(str(resources.files("evaluate_qa.metrics") / "evqascore" / DEMO_FOLDER))
    except ModuleNotFoundError:
        installed = Path("evaluate_qa")
    places = [Path(__file__).parent / DEMO_FOLDER, installed]
    found = (place for place in places if (place / "model.safetensors").is_file())
    folder = next(found, None) or _published_demo(places[0])
    if (digest := file_hash(folder / "model.safetensors")) != DEMO_SHA256:
        raise ValueError(
            f"evqascore: {folder / 'model.safetensors'} has the SHA-256 {digest}, not {DEMO_SHA256}: it is damaged or "
            "of another version. Reinstall: pip install --force-reinstall evaluate-qa"
        )
    return folder


def _published_demo(beside: Path) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        space = Path(snapshot_download(DEMO_SPACE, repo_type="space", allow_patterns=f"{DEMO_IN_SPACE}/*"))
        if (space / DEMO_IN_SPACE / "model.safetensors").is_file():
            return space / DEMO_IN_SPACE
        reason = "it has no such folder"
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        reason = type(error).__name__
    raise FileNotFoundError(
        f"evqascore: the demo's model is neither in {beside}, nor in an installed evaluate-qa, nor on the Hub in the "
        f"Space {DEMO_SPACE} ({reason}). Either: pip install evaluate-qa. Or: {_CURE[0].lower()}{_CURE[1:]}"
    )


def _folder(folder: Path, label: str) -> Clip:
    """Load a folder: open_clip's own format, or transformers'."""
    if weights := saved_weights(folder):
        return load_saved(folder, weights, label)
    if _model_type(folder / "config.json") != "clip":
        raise ValueError(
            f"evqascore: {folder} is no CLIP checkpoint: it has neither an open_clip_config.json with weights nor a "
            f"config.json of model_type 'clip'. {_CURE}"
        )
    return _transformers(folder, label)


def _model_type(config: Path) -> str | None:
    try:
        settings = json.loads(config.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return settings.get("model_type") if isinstance(settings, dict) else None


def _downloaded(model: str, revision: str | None) -> Path:
    """Return the folder of a repository; safetensors where it has them, else the pickles that transformers checks."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    at = f" --revision {revision}" if revision else ""
    try:
        folder = Path(snapshot_download(model, revision=revision, allow_patterns=[*_SETTINGS, "*.safetensors"]))
        if not any(folder.glob("*.safetensors")):
            snapshot_download(model, revision=revision, allow_patterns=_PICKLES)
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise FileNotFoundError(
            f"evqascore: the model {shown(model)} is no file, no folder, no name of open_clip and not in the local Hub "
            f"cache, and could not be downloaded ({type(error).__name__}). On a machine with a network: "
            f"hf download {model}{at}"
        ) from error
    return folder


def _transformers(folder: Path, label: str) -> Clip:
    try:
        import torch
        import transformers
    except (ImportError, RuntimeError) as error:
        raise unusable_package(error) from error
    # Which of the two needs no torchvision depends on the version of transformers.
    processor = getattr(transformers, "CLIPImageProcessorPil", transformers.CLIPImageProcessor)
    # No code of the checkpoint's own; without the second transformers would ask whether to run it.
    source: Any = {"local_files_only": True, "trust_remote_code": False}
    try:
        model, found = transformers.CLIPModel.from_pretrained(
            folder, dtype=torch.float32, ignore_mismatched_sizes=True, output_loading_info=True, **source
        )
        check_whole(found)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **source)
        if max(tokenizer.get_vocab().values()) >= model.config.text_config.vocab_size:
            raise ValueError("its tokenizer has tokens that its weights do not know")
        preprocess = processor.from_pretrained(folder, **source)
        files = sorted(file for pattern in ("*.safetensors", "*.bin", *_SETTINGS) for file in folder.glob(pattern))
        hashes = {file: file_hash(file) for file in files}
        weights = next(hashes[file] for ending in (".safetensors", ".bin") for file in files if file.suffix == ending)
        fingerprint = hashlib.sha256("\n".join(f"{hashes[file]} {file.name}" for file in files).encode()).hexdigest()
        return of_transformers(model, preprocess, tokenizer, f"{label}@{weights[:8]}", fingerprint)
    except Exception as error:  # a file that is damaged, or made to do damage, may raise anything
        raise not_loaded(folder, "transformers' CLIP", error) from error


def of_transformers(model: Any, processor: Any, tokenizer: Any, label: str, fingerprint: str) -> Clip:
    """Return a CLIPModel of transformers, with its image processor and its tokenizer, as a `Clip`."""
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

    tokens = transformers_tokens(tokenizer, model.config.text_config.max_position_embeddings)
    return Clip(model, label, fingerprint, tokens, prepare, processor.image_mean, processor.image_std, images, texts)


def _pooled(output: Any) -> Any:
    """The vectors themselves, which transformers 4 returns bare and transformers 5 in an object."""
    return getattr(output, "pooler_output", output)
