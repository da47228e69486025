"""The busiest of the load workers is found by its command line."""

import subprocess
import sys
import time

from workbench.telemetry import BusiestChild

BUSY = "import time\nprint(flush=True)\nwhile True: sum(range(2000)); time.sleep(0.001)"
IDLE = "import time\nprint(flush=True)\ntime.sleep(120)"


def start(code: str, word: str) -> subprocess.Popen[bytes]:
    child = subprocess.Popen([sys.executable, "-c", code, word], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    return child


def test_that_the_busiest_of_those_with_the_word_counts() -> None:
    children = [start(IDLE, "load.worker.test"), start(BUSY, "load.worker.test"), start(BUSY, "other")]
    try:
        busiest = BusiestChild("load.worker.test")
        assert busiest.cores() is None
        busiest.find()
        deadline = time.monotonic() + 30
        while (cores := busiest.cores() or 0.0) <= 0.02:
            assert time.monotonic() < deadline
            time.sleep(0.3)
        assert cores < 1.5
        children[1].kill()
        children[1].wait()
        assert (busiest.cores() or 0.0) < cores
        none = BusiestChild("nobody has this word")
        none.find()
        assert none.cores() is None
    finally:
        for child in children:
            child.kill()
            child.wait()
            assert child.stdout is not None
            child.stdout.close()
