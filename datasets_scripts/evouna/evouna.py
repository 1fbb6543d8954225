"""EVOUNA for `datasets`: human verdicts on five systems' answers to open questions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets

from .._shared.sources import only_split
from .rows import SOURCES, parse_file


class Evouna(datasets.GeneratorBasedBuilder):
    """Build the configurations `nq` and `tq`, each with one split, `test`."""

    BUILDER_CONFIGS = [  # noqa: RUF012 - the name and type that datasets looks for
        datasets.BuilderConfig(name="nq", version="1.0.0", description="Answers to Natural Questions"),
        datasets.BuilderConfig(name="tq", version="1.0.0", description="Answers to TriviaQA"),
    ]

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            features=datasets.Features(
                {
                    "question_id": datasets.Value("int32"),
                    "question": datasets.Value("string"),
                    "references": datasets.List(datasets.Value("string")),
                    "system": datasets.Value("string"),
                    "answer": datasets.Value("string"),
                    "judgement": datasets.Value("bool"),
                    "improper": datasets.Value("bool"),
                    "usable": datasets.Value("bool"),
                }
            ),
            license="apache-2.0",
            homepage="https://github.com/wangcunxiang/QA-Eval",
        )

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        return only_split(SOURCES[self.config.name], self.config.data_dir, dl_manager)

    def _generate_examples(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        yield from enumerate(parse_file(path))
