"""Only processes of ours whose owner is gone are ended, told by pid and start time."""

import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest

from workbench.servers import end_orphan, find_orphans
from workbench.servers.cleanup import LeftFiles, ServerRecord, server_records_folder, write_server_record
from workbench.servers.processes import ProcessIdentity, find, identify_process


@pytest.fixture
def sleeper() -> Iterator[ProcessIdentity]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    known = identify_process(process.pid)
    assert known is not None
    yield known
    process.kill()
    process.wait()


def write_orphan(sleeper: ProcessIdentity, **changes: object) -> None:
    """A roll whose owner has died."""
    owner = ProcessIdentity(pid=2**22 - 1, started=1.0, name="gone")
    living = msgspec.structs.replace(sleeper, **changes)
    server_records_folder().mkdir(parents=True)
    roll = ServerRecord(owner=owner, command="vllm serve m", processes=(living,))
    (server_records_folder() / "1.json").write_bytes(msgspec.json.encode(roll))


async def test_that_a_left_over_is_found_and_ended(sleeper: ProcessIdentity) -> None:
    write_orphan(sleeper)
    (orphan,) = find_orphans()
    assert orphan.living == (sleeper,)
    assert await end_orphan(orphan) == []
    assert find(sleeper) is None
    assert find_orphans() == []
    assert not list(server_records_folder().iterdir())


def test_that_another_process_with_the_same_pid_is_left_alone(sleeper: ProcessIdentity) -> None:
    write_orphan(sleeper, started=sleeper.started - 60.0)
    assert find_orphans() == []
    assert find(sleeper) is not None


def test_that_the_server_of_a_living_owner_is_its_own_business(sleeper: ProcessIdentity) -> None:
    write_server_record(server_records_folder() / "2.json", "vllm serve m", [sleeper], LeftFiles())
    assert find_orphans() == []
    assert (server_records_folder() / "2.json").exists()


def test_that_a_foreign_file_is_left_alone() -> None:
    server_records_folder().mkdir(parents=True)
    (server_records_folder() / "x.json").write_text("{}")
    assert find_orphans() == []
    assert (server_records_folder() / "x.json").exists()
