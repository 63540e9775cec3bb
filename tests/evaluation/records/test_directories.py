import multiprocessing
import subprocess
import sys

import pytest

from evaluation.records.directories import BusyError, DirectoryLock

HOLD = """
import sys, time
from pathlib import Path
from evaluation.records.directories import DirectoryLock
lock = DirectoryLock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_a_directory_is_free_once_it_is_released(tmp_path):
    lock = DirectoryLock(tmp_path)
    with pytest.raises(BusyError, match="another process is writing to"):
        DirectoryLock(tmp_path)
    lock.release()
    DirectoryLock(tmp_path).release()


def test_the_end_of_a_process_frees_what_it_held_however_it_ends(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(BusyError):
            DirectoryLock(tmp_path)
        process.kill()
    DirectoryLock(tmp_path).release()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes do not fork here")
def test_a_forked_process_that_lives_longer_holds_nothing(tmp_path):
    context = multiprocessing.get_context("fork")
    lock, end = DirectoryLock(tmp_path), context.Event()
    child = context.Process(target=end.wait, args=(60,))
    child.start()
    lock.release()
    try:
        DirectoryLock(tmp_path).release()
    finally:
        end.set()
        child.join()
