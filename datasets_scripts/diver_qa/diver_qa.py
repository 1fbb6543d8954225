"""DIVER-QA for `datasets`: what people thought of five language models' answers to questions of five kinds.

`read_rows(data_dir)` gives the rows as dicts and writes nothing; the builder gives them typed:

    builder = DiverQa()  # downloads; with data_dir="…" it takes the file that is there
    builder.download_and_prepare()
    answers = builder.as_dataset(split="test")
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets

from .._shared.sources import only_split
from .rows import SOURCE, parse_file, read_rows

__all__ = ["DiverQa", "read_rows"]


class DiverQa(datasets.GeneratorBasedBuilder):
    """Builds the one configuration, `default`, with one split, `test`."""

    BUILDER_CONFIGS = [datasets.BuilderConfig(name="default", version="1.0.0")]  # noqa: RUF012 - as datasets has it

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            features=datasets.Features(
                {
                    "question": datasets.Value("string"),
                    "references": datasets.List(datasets.Value("string")),
                    "answer": datasets.Value("string"),
                    "source": datasets.Value("string"),
                    "model": datasets.Value("string"),
                    "judgement": datasets.Value("bool"),
                }
            ),
            license="mit",
            homepage="https://github.com/saishridhar/DIVER-QA",
        )

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        return only_split(SOURCE, self.config.data_dir, dl_manager)

    def _generate_examples(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        yield from enumerate(parse_file(path))
