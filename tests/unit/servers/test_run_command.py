"""Questions to other programs: bounded in time and words, and nothing of them stays."""

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from workbench.base import InputError
from workbench.servers.run_command import run_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sessions and signals of POSIX")
PARENT = """
import subprocess, sys, time, pathlib
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
place = pathlib.Path(sys.argv[1])
place.with_suffix(".new").write_text(str(child.pid))
place.with_suffix(".new").rename(place)
time.sleep(600)
"""


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def told_pid(place: Path) -> int:
    while not await asyncio.to_thread(place.exists):  # noqa: ASYNC110  # another process makes it
        await asyncio.sleep(0.02)
    return int(await asyncio.to_thread(place.read_text))


async def test_that_a_program_given_up_is_ended_with_what_it_started(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    asking = asyncio.create_task(run_program([sys.executable, "-c", PARENT, str(place)], timeout_s=600))
    child = await told_pid(place)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not lives(child)


async def test_that_a_flood_of_words_is_no_answer() -> None:
    flood = "import sys\nwhile True: sys.stdout.write('y' * 65536)"
    with pytest.raises(InputError, match="printed more than 16 MiB"):
        await run_program([sys.executable, "-c", flood], timeout_s=600)


async def test_that_of_errors_the_last_line_is_told_as_a_message_may_repeat_it() -> None:
    program = "import sys; sys.stderr.buffer.write(b'first\\n' + b'\\xff\\x1b[31m' + b'x' * 5000); "
    said = await run_program([sys.executable, "-c", program + "print('out'); sys.exit(3)"], timeout_s=600)
    assert (said.exit_code, said.output) == (3, b"out\n")
    assert said.last_error.isprintable()
    assert len(said.last_error) == 301


async def test_that_a_program_that_never_ends_is_named() -> None:
    with pytest.raises(InputError, match=r"no answer within 0\.2 s"):
        await run_program([sys.executable, "-c", "import time; time.sleep(600)"], timeout_s=0.2)
