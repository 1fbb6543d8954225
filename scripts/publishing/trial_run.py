"""Use a built repository as if it came from the Hub: in a new process, with empty caches, without this package."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .repository import Repository

_SECONDS = 900
_SHOWN_LINES = 25
_COMMIT = "0" * 40

# Some examples need this package, for instance to write a video.
_HIDE_PACKAGE = """
import sys
card = open(sys.argv[2], encoding="utf-8").read()
if not any(line.startswith((">>> import evaluate_qa", ">>> from evaluate_qa")) for line in card.splitlines()):
    sys.modules["evaluate_qa"] = None
"""

# Arguments: id and card. The id is a folder in the working directory, which libraries prefer to the Hub.
_EXAMPLES = """
import doctest
failed, _ = doctest.testfile(
    sys.argv[2], module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
)
sys.exit(failed > 0)
"""

_ROWS = """
import datasets, yaml
for config in yaml.safe_load(card.split("\\n---\\n")[0])["configs"]:
    for rows in datasets.load_dataset(sys.argv[1], config["config_name"]).values():
        if not rows.num_rows:
            sys.exit(f"{config['config_name']} has no rows")
"""


def problems(repository: Repository, models: Sequence[Repository] = ()) -> list[str]:
    """Run the examples in the card of a metric or large matcher, or load a data set; return what went wrong.

    This package's own models are skipped, because the metrics use them. A metric finds the built `models` as if they
    had been downloaded.
    """
    if repository.kind == "model" and not repository.source:
        return []
    with tempfile.TemporaryDirectory() as home:
        for there in {*models, repository}:
            put_into_cache(there, Path(home) / "hub")
        # Examples may write files to the working directory.
        work = Path(home) / "work"
        work.mkdir()
        (work / repository.namespace).symlink_to(repository.folder.resolve().parent, target_is_directory=True)
        done = _run(repository, Path(home))
    if done.returncode == 0:
        return []
    printed = "\n".join(f"    {line}" for line in (done.stdout + done.stderr).strip().splitlines()[-_SHOWN_LINES:])
    failed = "the rows cannot be read" if repository.kind == "dataset" else "README.md: the examples fail"
    return [f"{failed} in a new process:\n{printed}"]


def _run(repository: Repository, home: Path) -> "subprocess.CompletedProcess[str]":
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "HF_HUB_DISABLE_PROGRESS_BARS"), "1")
    program = _HIDE_PACKAGE + (_ROWS if repository.kind == "dataset" else _EXAMPLES)
    command = [sys.executable, "-c", program, repository.id, str(repository.card.resolve())]
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
        return subprocess.CompletedProcess(command, 1, "", f"It was stopped after {_SECONDS} s.")


def put_into_cache(repository: Repository, cache: Path) -> None:
    """Put a built repository into the cache of huggingface_hub."""
    folder = cache / f"{repository.kind}s--{repository.namespace}--{repository.name}"
    (folder / "refs").mkdir(parents=True)
    (folder / "snapshots").mkdir()
    (folder / "refs" / "main").write_text(_COMMIT)
    (folder / "snapshots" / _COMMIT).symlink_to(repository.folder.resolve(), target_is_directory=True)
