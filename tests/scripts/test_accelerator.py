"""`python -m evaluate_qa.dev.accelerator`: the whole plan with two-layer encoders and a few dozen rows."""

import gzip
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from commands import run_program

from evaluate_qa.dev.accelerator import packing, parcel, stages, strangers
from evaluate_qa.dev.accelerator.figures import best_candidate, means
from evaluate_qa.dev.accelerator.packing import LARGE, SMALL, PackOptions, pack, unpack
from evaluate_qa.dev.accelerator.stages import Clock, Trainer
from evaluate_qa.metrics._shared.matcher import read
from evaluate_qa.training.heads import Heads
from evaluate_qa.training.recipe import TrainingRecipe
from evaluate_qa.training.teacher import Teacher

WORDS = "the cat dog bird fish sat ran flew swam on in mat tree park pond who what where why is it not no yes a".split()
NOUNS, PLACES = ["cat", "dog", "bird", "fish"], ["mat", "tree", "park", "pond"]
RECIPE = TrainingRecipe(device="cpu", token_budget=256, max_tokens=64)


def lines(file, rows):
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode()))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Toy sets, encoders, and the parcels."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer, MPNetConfig, MPNetModel, MPNetTokenizer

    root = tmp_path_factory.mktemp("accelerator")
    layers = {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 300}
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    BertTokenizer(vocab={word: n for n, word in enumerate([*special, *WORDS])}).save_pretrained(root / "bert")
    BertModel(BertConfig(vocab_size=len(WORDS) + 5, hidden_size=384, **layers)).save_pretrained(root / "bert")
    SentenceTransformer(modules=[Transformer(str(root / "bert")), Pooling(384)]).save(str(root / SMALL))
    words = {word: n for n, word in enumerate(["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *WORDS])}
    MPNetTokenizer(vocab=words).save_pretrained(root / LARGE)
    MPNetModel(MPNetConfig(vocab_size=len(words), hidden_size=32, pad_token_id=1, **layers)).save_pretrained(root / LARGE)
    texts = [(f"the {noun} is in the {place}", noun, place) for noun in NOUNS for place in PLACES]
    for name in strangers.PAIRS:
        wrong = "contradiction" if name != "hans" else "not_entailment"
        rows = [(text, f"a {noun}", "entailment") for text, noun, _ in texts]
        rows += [(text, f"it is not in the {place}", wrong) for text, _, place in texts]
        lines(root / "pairs" / f"{name}.jsonl.gz", [dict(zip(("premise", "hypothesis", "label"), r, strict=True)) for r in rows])
    for name in strangers.VERDICTS:
        rows = []
        for n, (text, noun, place) in enumerate(texts):
            row = {"question": f"where is {name} {noun} {n}", "references": [f"in the {place}"], "group": n}
            rows.append(row | {"prediction": f"on the {PLACES[n % 4 - 1]}", "label": 0})
            if "wrong" not in name and "halueval" not in name:
                rows.append(row | {"prediction": text, "score": 1.0})
        lines(root / "verdicts" / f"{name}.jsonl.gz", rows)
    options = PackOptions(
        root / "parcels", root, root / "pairs", root / "verdicts", root / SMALL, root / LARGE, ("traps",), 300, 120, 20, 2, 8, 900_000
    )
    pack(options)
    Heads(root / SMALL, RECIPE).save(root / "shipped.safetensors")
    return root


def test_all_steps(folders, tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "STEPS", [replace(step, seeds=min(2, step.seeds)) for step in stages.STEPS if step.name in ("pairs", "first", "large", "distilled")])
    parcels, output, work = folders / "parcels", tmp_path / "out", tmp_path / "work"
    found = run_program("accelerator.__main__", "train", parcels, "-o", output, "--work", work, "--shipped", folders / "shipped.safetensors", "--device", "cpu", "--no-bfloat16", "--tokens", 512)
    print(found.output)
    assert 0
