"""Use what was built as if it came from the Hub: in a new process, with empty caches and without this package."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .repository import Kind, Repository

_SECONDS = 900
_SHOWN_LINES = 25
_COMMIT = "0" * 40

# A card whose examples need this package, say to make a video, is run with it.
_HIDE_PACKAGE = """
import sys
card = open(sys.argv[2], encoding="utf-8").read()
if not any(line.startswith((">>> import evaluate_qa", ">>> from evaluate_qa")) for line in card.splitlines()):
    sys.modules["evaluate_qa"] = None
"""

# Each is given the id and the card. In the working directory the id is a folder, which libraries take before the Hub.
_PROGRAMS: dict[Kind, str] = {
    "space": """
import doctest
failed, _ = doctest.testfile(
    sys.argv[2], module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
)
sys.exit(failed > 0)
""",
    "dataset": """
import datasets, yaml
for config in yaml.safe_load(card.split("\\n---\\n")[0])["configs"]:
    for rows in datasets.load_dataset(sys.argv[1], config["config_name"]).values():
        if not rows.num_rows:
            sys.exit(f"{config['config_name']} has no rows")
""",
}


def problems(repository: Repository, models: Sequence[Repository] = ()) -> list[str]:
    """Load and use a metric or a data set; return what went wrong, if anything.

    Of a metric the examples of its card are run, which must give what the card says. It finds the models, and its own
    files, as if they had been downloaded.

    Args:
        repository: What to use; of a model the metrics make use.
        models: Built models.
    """
    if repository.kind not in _PROGRAMS:
        return []
    with tempfile.TemporaryDirectory() as home:
        for there in (*models, repository):
            put_into_cache(there, Path(home) / "hub")
        # In an own working directory, because examples may write files.
        work = Path(home) / "work"
        work.mkdir()
        (work / repository.namespace).symlink_to(repository.folder.resolve().parent, target_is_directory=True)
        done = _run(repository, Path(home))
    if done.returncode == 0:
        return []
    said = "\n".join(f"    {line}" for line in (done.stdout + done.stderr).strip().splitlines()[-_SHOWN_LINES:])
    return [f"README.md: its examples fail in a new process; fix them, or what they use:\n{said}"]


def _run(repository: Repository, home: Path) -> "subprocess.CompletedProcess[str]":
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "HF_HUB_DISABLE_PROGRESS_BARS"), "1")
    command = [
        sys.executable,
        "-c",
        _HIDE_PACKAGE + _PROGRAMS[repository.kind],
        repository.id,
        str(repository.card.resolve()),
    ]
    try:
        return subprocess.run(
            command,
            cwd=home / "work",
            env={**inherited, **offline, "HF_HOME": str(home), "HF_UPDATE_DOWNLOAD_COUNTS": "0"},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no end after {_SECONDS} s")


def put_into_cache(repository: Repository, cache: Path) -> None:
    """Make huggingface_hub find what was built in its cache, which has a folder of each commit."""
    folder = cache / f"{repository.kind}s--{repository.namespace}--{repository.name}"
    (folder / "refs").mkdir(parents=True)
    (folder / "snapshots").mkdir()
    (folder / "refs" / "main").write_text(_COMMIT)
    (folder / "snapshots" / _COMMIT).symlink_to(repository.folder.resolve(), target_is_directory=True)
