"""EVOUNA for `datasets`: human verdicts on five systems' answers to open questions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets

from .._shared.questions import features, is_questions, unique_questions
from .._shared.sources import only_split
from .rows import SOURCES, parse_file

_TEXT, _FLAG = datasets.Value("string"), datasets.Value("bool")

_FEATURES = {
    "question_id": datasets.Value("int32"), "question": _TEXT, "references": datasets.List(_TEXT), "system": _TEXT,
    "answer": _TEXT, "judgement": _FLAG, "improper": _FLAG, "usable": _FLAG,
}  # fmt: skip


class Evouna(datasets.GeneratorBasedBuilder):
    """Build `nq` and `tq`, and the questions of each, `nq_questions` and `tq_questions`; the only split is `test`."""

    BUILDER_CONFIGS = [  # noqa: RUF012 - the name and type that datasets looks for
        datasets.BuilderConfig(name="nq", version="1.0.0", description="Answers to Natural Questions"),
        datasets.BuilderConfig(name="tq", version="1.0.0", description="Answers to TriviaQA"),
        datasets.BuilderConfig(name="nq_questions", version="1.0.0", description="Natural Questions"),
        datasets.BuilderConfig(name="tq_questions", version="1.0.0", description="Questions of TriviaQA"),
    ]

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            features=datasets.Features(features() if is_questions(self.config.name) else _FEATURES),
            license="apache-2.0",
            homepage="https://github.com/wangcunxiang/QA-Eval",
        )

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        return only_split(SOURCES[self.config.name.removesuffix("_questions")], self.config.data_dir, dl_manager)

    def _generate_examples(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        rows = parse_file(path)
        if is_questions(self.config.name):
            rows = unique_questions(row for row in rows if not row["improper"])
        yield from enumerate(rows)
