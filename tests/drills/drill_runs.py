"""Runs that are killed or fill the disk, and a killed labeler."""

import signal
import time

import pytest
from chat_server import ChatServer

from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows

ROWS = 1000
NO_ROOM = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"


def rows():
    """Rows for deltableu and for `synthesize`; every 17th is bad for deltableu."""
    words = ["alpha", "beta", "gamma", "delta", "é"]
    for number in range(ROWS):
        text = " ".join(words[: number % 5 + 1])
        references = [] if number % 17 == 5 else [f"{words[number % 3]} {number}", "beta"]
        yield {"id": number, "prediction": text, "references": references, "question": f"Which is {number}?"}


COMMANDS = [("score", "jsonl"), ("score", "csv"), ("score", "parquet"), ("synthesize", "jsonl")]


@pytest.fixture(params=COMMANDS, ids=" to ".join)
def attack(request, finished, command, tmp_path):
    """Runs a command in folders, and compares its files with those of an undisturbed run.

    `score` has the metric deltableu, which starts fast and needs no `evaluate`; `synthesize` has a local server.
    """
    name, suffix = request.param
    write_rows(tmp_path / "in.jsonl", (row for row in rows() if row["references"] or name == "score"))
    server = ChatServer(reply="It is this.", seconds=0.005)
    options = {
        "score": ["--metric", "deltableu", "--chunk-size", 5, "--resume"],
        "synthesize": ["--endpoint", server.url, "--load", "concurrency=2", "--load", "max_retries=0"],
    }
    yield Attack([name, "--input", tmp_path / "in.jsonl", *options[name]], suffix, finished, command, tmp_path)
    server.close()


class Attack:
    """A command, which resumes its work, with a folder per attempt."""

    def __init__(self, arguments, suffix, finished, command, tmp_path):
        self._given, self._suffix, self._tmp_path = arguments, suffix, tmp_path
        self._finished, self._command, self._number = finished, command, 0
        self.begin()
        began = time.monotonic()
        code, output = finished(*self._arguments())
        assert code == 0, output
        self.seconds = time.monotonic() - began
        self.whole = self._files()

    def _arguments(self):
        errors = ["--errors", self.folder / "bad.jsonl"] if self._given[0] == "score" else []
        return [*self._given, "--output", self.folder / f"out.{self._suffix}", *errors]

    def _files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def begin(self):
        """Create an empty folder."""
        self._number += 1
        self.folder = self._tmp_path / f"attempt-{self._number}"
        self.folder.mkdir()

    def start(self):
        """Start the command."""
        return self._command(*self._arguments())

    def run(self, **options):
        """Run the command; return exit code and output."""
        return self._finished(*self._arguments(), **options)

    def assert_whole(self):
        """Check that the files equal those of the undisturbed run."""
        files = self._files()
        assert {name: len(content) for name, content in files.items()} == {
            name: len(content) for name, content in self.whole.items()
        }
        assert files == self.whole
        assert not [path for path in self.folder.iterdir() if path.is_dir()]


def test_kills(drill, rng, attack):
    """Kills at random moments, then resumed to the byte.

    `score` in each format, and `synthesize`.
    """
    for _ in range(3):
        attack.begin()
        number, code = rng.choice([signal.SIGKILL] * 3 + [signal.SIGTERM, signal.SIGINT]), None
        while code != 0:
            with drill.attempt(f"{attack.folder}, {number!r}"), attack.start() as process:
                time.sleep(rng.uniform(0.1, attack.seconds))
                process.send_signal(number)
                _, output = process.communicate(timeout=60)
                code = process.returncode
                assert code in {0, -number, 128 + number, 1}, output
                # After the work is done, an interrupt may come while Python exits.
                assert "Traceback" not in output.partition("Exception ignored in")[0], output
        with drill.attempt(attack.folder):
            attack.assert_whole()


def test_a_full_disk(drill, rng, attack):
    """Full disks, then resumed to the byte.

    Files cannot grow beyond a random size, which a message reports.
    """
    sizes = sorted(len(content) for content in attack.whole.values())
    for _ in range(4):
        attack.begin()
        size = rng.randrange(sizes[-1])
        with drill.attempt(f"{attack.folder}, {size} bytes"):
            code, output = attack.run(before=NO_ROOM.format(size=size))
            assert code == 1, output
            assert "File too large" in output or "No space" in output, output
            code, output = attack.run()
            assert code == 0, output
            attack.assert_whole()


LABELER = """
import sys
from pathlib import Path
from evaluate_qa.labeling.sheet import Sheet
sheet = Sheet(Path(sys.argv[1]))
for row in range(int(sys.argv[2]), 200, 2):
    sheet.save(row, "right")
    print(row, flush=True)
"""


def test_two_labelers(drill, rng, processes, tmp_path):
    """Two people label one file, and one process is killed.

    Every acknowledged label is in the file, and no row is lost.
    """
    path = tmp_path / "labels.jsonl"
    for _ in range(4):
        write_rows(path, [{"id": row, "prediction": "word " * 40, "label": None} for row in range(200)])
        with drill.attempt(path):
            labelers = [processes.start("-c", LABELER, path, first) for first in range(2)]
            labelers[0].stdout.readline()
            time.sleep(rng.uniform(0, 1))
            labelers[0].kill()
            output = [process.communicate(timeout=120) for process in labelers]
            assert labelers[1].returncode == 0, output[1][1]
            found = [row for _, row in read_rows(path)]
            assert len(found) == 200
            labeled = {row["id"] for row in found if row["label"] == "right"}
            assert {int(row) for row in output[0][0].split()} | set(range(1, 200, 2)) <= labeled
