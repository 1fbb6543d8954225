"""For each text, the texts that are nearest to it in meaning: what a right answer is easily confused with."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np


def nearest(texts: Sequence[str], minilm: Path, k: int = 12) -> Mapping[str, list[str]]:
    """Return for each distinct text its k nearest other texts by the cosine of all-MiniLM-L6-v2."""
    from sentence_transformers import SentenceTransformer

    distinct = list(dict.fromkeys(texts))
    model = SentenceTransformer(str(minilm), local_files_only=True, trust_remote_code=False)
    vectors = model.encode(distinct, normalize_embeddings=True, show_progress_bar=False)
    found = {}
    for start in range(0, len(distinct), 1024):
        cosines = vectors[start : start + 1024] @ vectors.T
        for row, near in enumerate(np.argsort(-cosines, axis=1)[:, : k + 1], start):
            found[distinct[row]] = [distinct[i] for i in near if i != row][:k]
    return found
