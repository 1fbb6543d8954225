"""MORQA for `datasets`: medical questions, gold and system answers in English and Chinese, and experts' ratings."""

from collections.abc import Iterator
from typing import Any

import datasets

from .._shared.questions import features
from .._shared.sources import download
from .release import DOWNLOADS, SPLITS, Release, find_release
from .rows import TABLES, missing

_HUB_SPLITS = {"valid": datasets.Split.VALIDATION, "test": datasets.Split.TEST}

_TEXT = datasets.Value("string")
_NUMBER = datasets.Value("float64")

_COMMON = {"subset": _TEXT, "split": _TEXT, "encounter_id": _TEXT, "language": _TEXT}

_FEATURES = {
    "queries": {"author_id": _TEXT, "title": _TEXT, "content": _TEXT, "image_ids": datasets.List(_TEXT)},
    "references": {
        "position": datasets.Value("int32"),
        "author_id": _TEXT,
        "content": _TEXT,
        "completeness": _NUMBER,
        "contains_frequent_answer": datasets.Value("bool"),
        "author_validation": _TEXT,
        "author_rank": datasets.Value("int32"),
        "weight": _NUMBER,
    },
    "responses": {
        "system": _TEXT,
        "answer": _TEXT,
        "question": _TEXT,
        "references": datasets.List(_TEXT),
        "reference_weights": datasets.List(_NUMBER),
    },
    "ratings": {"system": _TEXT, "rater_id": _TEXT, "aspect": _TEXT, "value": _NUMBER},
    "questions": features(),
}

_logger = datasets.logging.get_logger(__name__)


class Morqa(datasets.GeneratorBasedBuilder):
    """Build the configurations of `TABLES` from the available files.

    Without `data_dir`, only DermaVQA's queries and references are downloaded.
    """

    BUILDER_CONFIGS = [datasets.BuilderConfig(name=name, version="1.0.0") for name in TABLES]  # noqa: RUF012

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            features=datasets.Features(_COMMON | _FEATURES[self.config.name]),
            license="other",
            homepage="https://github.com/wyim/morqa-eval",
        )

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        data_dir, table = self.config.data_dir, self.config.name
        release = find_release(data_dir) if data_dir is not None else download_release(dl_manager)
        found = {row["split"] for row in TABLES[table](release)}
        if not found:
            raise FileNotFoundError(missing(table, release))
        if lacking := missing(table, release):
            _logger.warning(lacking)
        return [
            datasets.SplitGenerator(name=_HUB_SPLITS[split], gen_kwargs={"release": release, "split": split})
            for split in SPLITS
            if split in found
        ]

    def _generate_examples(self, release: Release, split: str) -> Iterator[tuple[int, dict[str, Any]]]:
        yield from enumerate(row for row in TABLES[self.config.name](release) if row["split"] == split)


def download_release(manager: Any) -> Release:
    """Return the files that a program can download: DermaVQA's queries and the authors of its gold responses."""
    paths = {name: download(source, manager) for name, source in DOWNLOADS.items()}
    return Release({("dermavqa", split): paths[split] for split in SPLITS}, authors=paths["authors"])
