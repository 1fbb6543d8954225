"""A CLIP of open_clip with two small layers and random weights."""

import json

import open_clip
import torch

NAME = "Tiny-CLIP"
WIDTH = 24
ARCHITECTURE = {
    "embed_dim": WIDTH,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 1, "layers": 2},
}


def tiny_clip(folder, *, seed=0, **options):
    """Return the model; open_clip then also finds its architecture by NAME. The folder gets a configuration file."""
    (folder / f"{NAME}.json").write_text(json.dumps(ARCHITECTURE))
    open_clip.add_model_config(folder)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return open_clip.create_model(NAME, **options)


def openai_clip(folder):
    """Return a model with OpenAI's activation, and a file like PAC-S's, in OpenAI's precision."""
    model, file = tiny_clip(folder, force_quick_gelu=True), folder / "clip_tiny.pth"
    weights = {name: tensor.half() for name, tensor in model.state_dict().items()}
    model.load_state_dict(weights)
    torch.save({"state_dict": weights, "epoch": 3}, file)
    return model, file
