"""Only processes of ours whose owner is gone are ended, told by pid and start time."""

import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest

from workbench.servers import end_left_over, find_left_overs
from workbench.servers.cleanup import Remains, Roll, rolls_folder, write_roll
from workbench.servers.processes import ProcessMark, find, mark_of


@pytest.fixture
def sleeper() -> Iterator[ProcessMark]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    known = mark_of(process.pid)
    assert known is not None
    yield known
    process.kill()
    process.wait()


def orphan(sleeper: ProcessMark, **changes: object) -> None:
    """A roll whose owner has died."""
    owner = ProcessMark(pid=2**22 - 1, started=1.0, name="gone")
    living = msgspec.structs.replace(sleeper, **changes)
    rolls_folder().mkdir(parents=True)
    roll = Roll(owner=owner, command="vllm serve m", processes=(living,))
    (rolls_folder() / "1.json").write_bytes(msgspec.json.encode(roll))


async def test_that_a_left_over_is_found_and_ended(sleeper: ProcessMark) -> None:
    orphan(sleeper)
    (left_over,) = find_left_overs()
    assert left_over.living == (sleeper,)
    assert await end_left_over(left_over) == []
    assert find(sleeper) is None
    assert find_left_overs() == []
    assert not list(rolls_folder().iterdir())


def test_that_another_process_with_the_same_pid_is_left_alone(sleeper: ProcessMark) -> None:
    orphan(sleeper, started=sleeper.started - 60.0)
    assert find_left_overs() == []
    assert find(sleeper) is not None


def test_that_the_server_of_a_living_owner_is_its_own_business(sleeper: ProcessMark) -> None:
    write_roll(rolls_folder() / "2.json", "vllm serve m", [sleeper], Remains())
    assert find_left_overs() == []
    assert (rolls_folder() / "2.json").exists()


def test_that_a_foreign_file_is_left_alone() -> None:
    rolls_folder().mkdir(parents=True)
    (rolls_folder() / "x.json").write_text("{}")
    assert find_left_overs() == []
    assert (rolls_folder() / "x.json").exists()
