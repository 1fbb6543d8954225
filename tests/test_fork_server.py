"""A forked Python does what a started one does."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

SAYS_ALL = """
import os, sys, threading
print(sys.argv, sys.path[0], os.getcwd(), os.environ.get("GIVEN"), __name__, sys.stdin.read())
print([thread.name for thread in threading.enumerate()])
sys.stderr.write("é")
"""
ENDS = ["", "1 / 0", "raise SystemExit(3)", "raise SystemExit('told')", "import os; os.kill(os.getpid(), 15)"]


@pytest.fixture
def both(processes, tmp_path):
    """Runs Python with these arguments in both ways; gives what came of it, which is the same."""

    def run(*arguments, **options):
        started, forked = (
            processes.run(*arguments, cwd=tmp_path, env={**os.environ, "GIVEN": "ü"}, new=new, **options)
            for new in (True, False)
        )
        assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
        # Above the frames of the program stand those of the fork server.
        assert forked.stderr.splitlines()[-1:] == started.stderr.splitlines()[-1:]
        return forked

    return run


def test_a_program(both):
    assert "['-c', '1', '-x']  " in both("-c", SAYS_ALL, 1, "-x").stdout


def test_a_file(both, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file.py").write_text(f"{SAYS_ALL}\nimport beside\nprint(__file__)")
    (tmp_path / "folder" / "beside.py").touch()
    assert both("folder/file.py", "-c").stdout.endswith(f"\n{tmp_path}/folder/file.py\n")


def test_a_module(both, tmp_path):
    (tmp_path / "module.py").write_text(SAYS_ALL)
    assert f"{tmp_path}/module.py" in both("-m", "module", "-m").stdout


@pytest.mark.parametrize("program", ENDS)
def test_its_end(both, program):
    both("-c", program)


def test_what_runs_at_the_end(both):
    program = """
import atexit, threading, time
atexit.register(print, "at the end")
threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
print("main")
"""
    assert both("-c", program).stdout.split("\n") == ["main", "thread", "at the end", ""]


def test_warnings(both):
    assert both("-W", "error", "-c", "import warnings; warnings.warn('told')").returncode == 1


def test_what_libraries_read_when_they_are_imported(processes):
    program = "import datasets, torch; print(datasets.config.HF_DATASETS_CACHE, torch.get_num_threads())"
    for given in ({"HF_DATASETS_CACHE": "/there"}, {"HF_DATASETS_CACHE": "/there", "OMP_NUM_THREADS": "2"}):
        told = processes.run("-c", program, env=os.environ | given).stdout
        assert told == f"/there {given.get('OMP_NUM_THREADS', 1)}\n"


def test_what_matters_to_nothing_that_was_imported(processes):
    given = {"PYTHONUNBUFFERED": "1", "COLUMNS": "80", "PYTHONBREAKPOINT": "ray's", "LD_LIBRARY_PATH": "OpenCV's"}
    with processes.start("-c", "", env=processes.ENVIRONMENT | given) as process:
        assert isinstance(process, processes.Forked) == (sys.platform == "linux")


def test_it_can_be_waited_for_and_killed(processes, tmp_path):
    process = processes.start(
        "-c", "import time; open('here', 'w'); time.sleep(60)", cwd=tmp_path, start_new_session=True
    )
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.1)
    assert process.poll() is None
    assert os.getpgid(process.pid) == process.pid
    process.kill()
    assert process.wait(10) == process.poll() == -signal.SIGKILL
    process.kill()
    assert process.communicate() == ("", "")


def test_two_threads_wait(processes):
    process = processes.start("-c", "import time; time.sleep(.3); raise SystemExit(7)")
    with ThreadPoolExecutor() as threads:
        assert [waiting.result() for waiting in [threads.submit(process.wait) for _ in range(4)]] == [7] * 4
    process.communicate()
