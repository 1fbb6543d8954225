"""DIVER-QA for `datasets`: human verdicts on the answers of five language models to questions from five data sets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets

from .._shared.questions import features, is_questions, unique_questions
from .._shared.sources import only_split
from .rows import SOURCE, parse_file

_TEXT = datasets.Value("string")

_FEATURES = {
    "question": _TEXT, "references": datasets.List(_TEXT), "answer": _TEXT, "source": _TEXT, "model": _TEXT,
    "judgement": datasets.Value("bool"),
}  # fmt: skip


class DiverQa(datasets.GeneratorBasedBuilder):
    """Build the configurations `default` and `questions`, each with one split, `test`."""

    BUILDER_CONFIGS = [  # noqa: RUF012 - the name and type that datasets looks for
        datasets.BuilderConfig(name="default", version="1.0.0"),
        datasets.BuilderConfig(name="questions", version="1.0.0"),
    ]
    DEFAULT_CONFIG_NAME = "default"

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            features=datasets.Features(features() if is_questions(self.config.name) else _FEATURES),
            license="mit",
            homepage="https://github.com/saishridhar/DIVER-QA",
        )

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        return only_split(SOURCE, self.config.data_dir, dl_manager)

    def _generate_examples(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        rows = parse_file(path)
        yield from enumerate(unique_questions(rows) if is_questions(self.config.name) else rows)
