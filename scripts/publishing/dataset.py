"""Build a data set in the layout of the Hub, as `evaluate-qa dataset` does: Parquet files, a card and evaluations.

    DIR/README.md                                the builder's card, with YAML that describes the files
    DIR/<config>/<split>-00000-of-00001.parquet  the rows
    DIR/eval.yaml                                tasks for `inspect eval hf/<namespace>/<data set>`

`datasets.load_dataset("DIR", "<config>")` reads this folder.
"""

import dataclasses
from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from evaluate_qa import datasets_scripts
from evaluate_qa.datasets_scripts._shared.questions import is_questions

DATA_SETS = Path(datasets_scripts.__path__[0])
"""Contains a folder per data set, with its builder and card."""

_TASKS = "eval.yaml"

_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "n>10M")
"""Size categories of the Hub: up to three digits, four digits, and so on."""


@dataclasses.dataclass(frozen=True)
class Built:
    """The `DatasetInfo` of each written configuration, and the reasons why others are missing."""

    infos: dict[str, Any]
    missing: dict[str, str]


def build(name: str, output: Path, data_dir: Path | None = None) -> Built:
    """Build all configurations of a data set and write them with their card; skip those without source files.

    Args:
        name: The data set.
        output: The folder to write.
        data_dir: The folder with the source files; None downloads them.

    Raises:
        FileExistsError: `output` holds anything but an earlier build of this data set.
        FileNotFoundError: `data_dir` does not exist, or all configurations lack their source files.
        ValueError: a source file has an unknown format.
    """
    if data_dir is not None and not data_dir.is_dir():
        raise FileNotFoundError(f"there is no folder {data_dir}")
    # The cache of datasets is named after this path, so a relative path would be ambiguous.
    options = {} if data_dir is None else {"data_dir": str(data_dir.resolve())}
    data_set, readme = builder(name), DATA_SETS / name / "README.md"
    _check_output(output, readme, data_set.builder_configs)
    infos, missing = {}, {}
    for config in data_set.builder_configs:
        try:
            infos[config] = _write_config(data_set(config_name=config, **options), output / config)
        except FileNotFoundError as error:
            missing[config] = str(error)
    if not infos:
        raise FileNotFoundError("; ".join(dict.fromkeys(missing.values())))
    _write_card(readme, output / "README.md", infos)
    _write_tasks(output, [config for config, info in infos.items() if is_questions(config) and "test" in info.splits])
    return Built(infos, missing)


def builder(name: str) -> Any:
    """Return the builder class of a data set."""
    import datasets

    module = import_module(f"{datasets_scripts.__name__}.{name}.{name}")
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    return next(found for found in classes if issubclass(found, datasets.GeneratorBasedBuilder))


def _check_output(output: Path, readme: Path, configs: Collection[str]) -> None:
    """Raise FileExistsError if `output` holds anything but an earlier build."""
    from huggingface_hub import DatasetCard

    if output.is_file():
        raise FileExistsError(f"{output} is a file. Name a folder to write to.")
    strange = {path.name for path in output.glob("*")} - {*configs, "README.md", _TASKS}
    card, name = output / "README.md", DatasetCard.load(readme).data.pretty_name
    if card.is_file() and DatasetCard.load(card).data.get("pretty_name") != name:
        strange.add("another README.md")
    if strange:
        raise FileExistsError(f"{output} holds {min(strange)}, which is not part of {name}. Name an empty folder.")


def _write_config(builder: Any, folder: Path) -> Any:
    """Build one configuration and write each of its splits as one Parquet file; return its `DatasetInfo`."""
    from datasets import DownloadMode, VerificationMode
    from datasets.exceptions import DatasetGenerationError

    try:
        # Reuse downloads but not rows, because files in data_dir may have changed.
        builder.download_and_prepare(
            download_mode=DownloadMode.REUSE_CACHE_IF_EXISTS, verification_mode=VerificationMode.NO_CHECKS
        )
    except DatasetGenerationError as error:
        raise ValueError(str(error.__cause__)) from error
    folder.mkdir(parents=True, exist_ok=True)
    size = sum(_write_parquet(rows, folder / _file_name(split)) for split, rows in builder.as_dataset().items())
    info = builder.info.copy()
    info.download_size, info.dataset_size = size, sum(split.num_bytes for split in info.splits.values())
    return info


def _file_name(split: str) -> str:
    """Return the Hub's name for the only file of a split."""
    return f"{split}-00000-of-00001.parquet"


def _write_parquet(rows: Any, path: Path) -> int:
    """Write a complete file or none; return its size in bytes."""
    unfinished = path.with_suffix(".unfinished")
    rows.to_parquet(unfinished)
    unfinished.replace(path)
    return path.stat().st_size


def _write_card(readme: Path, path: Path, infos: dict[str, Any]) -> None:
    """Write the card with `size_categories`, `configs` and `dataset_info` of the configurations."""
    from datasets.info import DatasetInfosDict
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(readme)
    rows = sum(split.num_examples for info in infos.values() for split in info.splits.values())
    card.data["size_categories"] = [_SIZES[min(max(len(str(rows)) - 3, 0), len(_SIZES) - 1)]]
    card.data["configs"] = [
        {
            "config_name": name,
            "data_files": [{"split": split, "path": f"{name}/{_file_name(split)}"} for split in info.splits],
        }
        for name, info in infos.items()
    ]
    DatasetInfosDict(infos).to_dataset_card_data(card.data)
    card.save(path)


def _write_tasks(output: Path, configs: Sequence[str]) -> None:
    """Write `eval.yaml`, which lets the Hub and inspect_ai run the split `test` of these configurations as tasks.

    A language model grades each answer. The samples' metadata has the references, for other scorers. See
    https://huggingface.co/docs/hub/eval-results.
    """
    import yaml
    from huggingface_hub import DatasetCard

    (output / _TASKS).unlink(missing_ok=True)
    if not configs:
        return
    card = DatasetCard.load(output / "README.md")
    content = {
        "name": card.data.pretty_name,
        "description": " ".join(card.text.partition("\n\n")[2].partition("\n\n")[0].split()),
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {
                "id": config,
                "config": config,
                "split": "test",
                "field_spec": {"input": "question", "target": "target", "metadata": ["references"]},
                "solvers": [{"name": "generate"}],
                "scorers": [{"name": "model_graded_fact"}],
            }
            for config in configs
        ],
    }
    with (output / _TASKS).open("w", encoding="utf-8") as file:
        yaml.safe_dump(content, file, sort_keys=False, allow_unicode=True, width=120)
