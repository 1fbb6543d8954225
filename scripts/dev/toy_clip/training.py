"""Train the demo's CLIP model on clips that are written and read as videos.

`python -m evaluate_qa.dev.toy_clip.training FOLDER` saves it in a folder. It needs about four minutes on one core.
"""

import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.progress import track_progress
from evaluate_qa.metrics.evqascore.clip_models import wrap_transformers
from evaluate_qa.metrics.evqascore.video import Sampling, read_samples

from .clips import ToyClip, all_clips, held_out, write_clip
from .texts import PHRASES, SEEN, Claim, claim, vocabulary

# transformers pools a text at its largest token id, not at its end, if the end token has id 2.
_SPECIAL = ["<pad>", "<unk>", "<|startoftext|>", "<|endoftext|>"]
_PIXELS, _PATCH, _SHIFT = 32, 4, 2
_CONTEXT = 77
_FRAMES, _INTERVAL = 13, 6
_LEARNING_RATE = 1.5e-3


def train(
    folder: Path,
    report: Callable[[str], None],
    *,
    steps: int = 2000,
    batch: int = 64,
    copies: int = 2,
    clips: int | None = None,
) -> None:
    """Train the model and save it with its tokenizer and image processor in the format of transformers.

    The same machine always gives the same model. A batch has as many texts as frames. There are some copies of each of
    the first `clips` clips that are not held out (default: all), with different starts and shades.
    """
    import torch

    torch.manual_seed(0)
    model, tokenizer, processor = _blank()
    clip = wrap_transformers(model, processor, tokenizer, "", "")
    frames, owners = _frames(clip.prepare, copies, clips)
    report(f"{len(frames)} frames of {len(set(owners))} clips; {sum(p.numel() for p in model.parameters())} parameters")
    pixels = _normalized(frames, clip.mean, clip.std)
    optimizer = torch.optim.AdamW(model.parameters(), lr=_LEARNING_RATE, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _LEARNING_RATE, total_steps=steps, pct_start=0.1)
    generator = random.Random(0)
    for step in range(steps):
        chosen = generator.sample(range(len(frames)), batch)
        claims = [claim(owners[n], generator) for n in chosen]
        loss = _loss(clip, model, _augment(pixels[chosen], generator), [owners[n] for n in chosen], claims)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0 or step == steps - 1:
            report(f"step {step}: loss {loss.item():.4f}")
    for part in (model.half(), tokenizer, processor):
        part.save_pretrained(folder)


def _loss(clip: Any, model: Any, pixels: Any, owners: Sequence[ToyClip], claims: Sequence[Claim]) -> Any:
    """Return CLIP's loss over all pairs of frame and text, plus a cross-entropy over the values of each attribute.

    Frames share the texts that are true of them, so a text is the closer to its frames the more it claims. Without the
    cross-entropy, shapes are learned late.
    """
    import torch
    from torch.nn import functional

    seen = functional.normalize(clip.images(pixels))
    phrases = [PHRASES[name].format(value) for name, values in SEEN.items() for value in values]
    texts = _vectors(clip, [*(one.text for one in claims), *phrases])
    logits = model.logit_scale.exp().clamp(max=50) * seen @ texts.T
    pairs, *named = logits.split([len(claims), *map(len, SEEN.values())], dim=1)
    truth = torch.tensor([[float(one.true_of(owner)) for one in claims] for owner in owners])
    share = truth / truth.sum(0)
    loss = -(share * (pairs.log_softmax(0) + pairs.log_softmax(1))).sum() / len(owners)
    for (name, values), of_values in zip(SEEN.items(), named, strict=True):
        right = torch.tensor([values.index(getattr(owner, name)) for owner in owners])
        loss = loss + functional.cross_entropy(of_values, right)
    return loss


def _augment(pixels: Any, generator: random.Random) -> Any:
    """Shift all frames by at most `_SHIFT` pixels, mirror them in half of the batches, and add noise."""
    import torch

    padded = torch.nn.functional.pad(pixels, (_SHIFT,) * 4, mode="replicate")
    top, left = generator.randint(0, 2 * _SHIFT), generator.randint(0, 2 * _SHIFT)
    shifted = padded[:, :, top : top + _PIXELS, left : left + _PIXELS]
    mirrored = shifted.flip(-1) if generator.random() < 0.5 else shifted  # noqa: PLR2004 - half
    return mirrored + 0.05 * torch.randn_like(mirrored)


def _vectors(clip: Any, texts: Sequence[str]) -> Any:
    import torch
    from torch.nn.functional import normalize

    windows = [clip.tokens.windows(text, "truncate")[0] for text in texts]
    ids = torch.from_numpy(clip.tokens.batch(windows))
    return normalize(clip.texts(ids, [len(window) for window in windows]))


def _frames(
    prepare: Callable[[Any], NDArray[np.uint8]], copies: int, count: int | None
) -> tuple[NDArray[np.uint8], list[ToyClip]]:
    """Write clips as videos; return their prepared sampled frames, and the clip of each frame."""
    from PIL import Image

    frames, owners = [], []
    training = [one for one in all_clips() if not held_out(one)][:count]
    with tempfile.TemporaryDirectory() as folder:
        for copy in range(copies):
            for one in track_progress(training, "clips", "clip"):
                clip = ToyClip(**vars(one) | {"seed": one.seed + 10_000 * (copy + 1)})
                path = write_clip(clip, Path(folder) / "clip.mp4", _FRAMES)
                for sample in read_samples(str(path), Sampling(_INTERVAL)):
                    frames.append(prepare(Image.fromarray(sample.image)))
                    owners.append(clip)
    return np.stack(frames), owners


def _normalized(frames: NDArray[np.uint8], mean: Sequence[float], std: Sequence[float]) -> Any:
    import torch

    pixels = torch.from_numpy(frames).permute(0, 3, 1, 2).float() / 255
    return (pixels - torch.tensor(mean).view(3, 1, 1)) / torch.tensor(std).view(3, 1, 1)


def _blank() -> tuple[Any, Any, Any]:
    """Return a new model with its word tokenizer and its image processor."""
    import transformers
    from transformers import CLIPConfig, CLIPModel

    tokenizer = _tokenizer()
    sizes: dict[str, Any] = {"hidden_size": 64, "intermediate_size": 256, "num_attention_heads": 4}
    special = {f"{name}_token_id": getattr(tokenizer, f"{name}_token_id") for name in ("bos", "eos", "pad")}
    config = CLIPConfig(
        text_config={
            **sizes,
            **special,
            "num_hidden_layers": 2,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": _CONTEXT,
        },
        vision_config={**sizes, "num_hidden_layers": 3, "image_size": _PIXELS, "patch_size": _PATCH},
        projection_dim=32,
    )
    processor = getattr(transformers, "CLIPImageProcessorPil", transformers.CLIPImageProcessor)
    size = {"height": _PIXELS, "width": _PIXELS}
    return CLIPModel(config), tokenizer, processor(size={"shortest_edge": _PIXELS}, crop_size=size)


def _tokenizer() -> Any:
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    padding, unknown, begin, end = _SPECIAL
    words = {word: number for number, word in enumerate([*_SPECIAL, *vocabulary()])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token=unknown))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    special = [(begin, words[begin]), (end, words[end])]
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{begin} $A {end}", special_tokens=special)
    named = {"unk_token": unknown, "bos_token": begin, "eos_token": end, "pad_token": padding}
    wrap: Any = transformers.PreTrainedTokenizerFast
    return wrap(tokenizer_object=tokenizer, model_max_length=_CONTEXT, **named)


if __name__ == "__main__":
    train(Path(sys.argv[1]), print)
