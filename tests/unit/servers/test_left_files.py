"""A server of ours leaves nothing in places that it shares with others, and nothing of others is touched."""

import asyncio
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.servers import TargetSpec, end_orphan, find_orphans, make_server
from workbench.servers.cleanup import (
    LeftFiles,
    LeftFilesWatch,
    private_folder,
    server_records_folder,
    write_server_record,
)
from workbench.servers.processes import ProcessIdentity, identify_process
from workbench.vllm_dialect import rendezvous_file

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc and /dev/shm")
SHARED = Path("/dev/shm")
LINE = (
    "(Worker pid=7) INFO 11-29 15:10:14 [parallel_state.py:1906] world_size=1 rank=0 local_rank=0 "
    "distributed_init_method=file://{path} backend=gloo"
)
HOLD = """
import sys, time
from multiprocessing import resource_tracker, shared_memory
held = shared_memory.SharedMemory(**({"name": sys.argv[1]} if sys.argv[1:] else {"create": True, "size": 64}))
resource_tracker.unregister(held._name, "shared_memory")
print(held.name, flush=True)
time.sleep(600)
"""


class Holder:
    """A process that holds shared memory: its own, or what is named."""

    def __init__(self, name: str = "") -> None:
        words = [sys.executable, "-c", HOLD, *([name] if name else [])]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.path = SHARED / self.process.stdout.readline().strip()
        mark = identify_process(self.process.pid)
        assert mark is not None
        self.mark = mark

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def hold() -> Iterator[Callable[..., Holder]]:
    made: list[Holder] = []

    def make(name: str = "") -> Holder:
        made.append(Holder(name))
        return made[-1]

    yield make
    for one in made:
        one.end()
        one.path.unlink(missing_ok=True)


def test_that_shared_memory_which_only_our_processes_mapped_goes(hold: Callable[..., Holder]) -> None:
    before, watch = hold(), LeftFilesWatch()
    watch.begin(None)
    ours, others = hold(), hold()
    watch.scan([before.mark, ours.mark])
    assert watch.known.files == (str(ours.path),)
    ours.end()
    assert watch.known.remove() == ()
    assert not ours.path.exists()
    assert before.path.exists()
    assert others.path.exists()


def test_that_shared_memory_which_another_process_still_maps_stays(hold: Callable[..., Holder]) -> None:
    watch = LeftFilesWatch()
    watch.begin(None)
    ours = hold()
    watch.scan([ours.mark])
    hold(ours.path.name)
    ours.end()
    assert watch.known.remove() == (str(ours.path),)
    assert ours.path.exists()


def test_that_shared_memory_with_a_name_that_others_look_for_is_left_alone(
    hold: Callable[..., Holder],
) -> None:
    named = SHARED / f"kept-cache-{os.getpid()}"
    watch = LeftFilesWatch()
    watch.begin(None)
    named.write_bytes(bytes(64))
    watch.scan([hold(named.name).mark])
    assert watch.known == LeftFiles()


def test_that_the_rendezvous_file_of_the_servers_own_log_goes_and_an_older_one_stays(tmp_path: Path) -> None:
    ours, older = (tmp_path / f"vllm_dist_{digit * 32}" for digit in "ab")
    older.write_text("another server's")
    os.utime(older, (1.0, 1.0))
    watch = LeftFilesWatch()
    watch.begin(None)
    watch.read_line(LINE.format(path=ours))
    watch.read_line(LINE.format(path=older))
    ours.write_text("refcount")
    assert watch.known.existing() == (str(ours),)
    assert watch.known.remove() == ()
    assert (ours.exists(), older.exists()) == (False, True)


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_that_what_is_no_file_of_its_own_is_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"vllm_dist_{'a' * 32}"
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / "elsewhere")
    assert LeftFiles(files=(str(path),)).remove() == (str(path),)


@pytest.mark.parametrize(
    "line",
    [
        LINE.format(path="/tmp/vllm_dist_short"),
        LINE.format(path="/tmp/mine"),
        f"INFO 11-29 15:10:14 [a.py:1] Received request: '{LINE.format(path='/t/vllm_dist_' + 'a' * 32)}'",
        "world_size=1 rank=0 local_rank=0 distributed_init_method=tcp://10.0.0.1:3290 backend=nccl",
    ],
)
def test_that_other_lines_name_no_rendezvous_file(line: str) -> None:
    assert rendezvous_file(line) is None


@pytest.mark.parametrize("depth", [1, 80])
def test_that_a_socket_fits_into_the_private_folder_however_long_the_usual_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: int
) -> None:
    place = Path(tempfile.mkdtemp(dir="/tmp", prefix="x")) / ("d" * depth)
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    folder = private_folder()
    assert (folder.parent == place) is (depth == 1)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len(str(folder / "01234567-0123-0123-0123-012345678901")) <= 103
    for one in (folder, place, place.parent):
        one.rmdir()


def orphan(left_files: LeftFiles, identities: list[ProcessIdentity]) -> None:
    """A roll of an owner that has died."""
    path = server_records_folder() / "1.json"
    write_server_record(path, "vllm serve m", identities, left_files)
    path.write_text(path.read_text().replace(f'"pid":{os.getpid()},', f'"pid":{2**22 - 1},'))


async def test_that_what_a_dead_owners_server_left_is_found_and_removed(hold: Callable[..., Holder]) -> None:
    folder, ours = private_folder(), hold()
    (folder / "socket").touch()
    orphan(LeftFiles(folder=str(folder), files=(str(ours.path), "/tmp/vllm_dist_gone")), [ours.mark])
    (found,) = find_orphans()
    assert found.contents() == [f"{ours.mark.name} ({ours.mark.pid})", str(folder), str(ours.path)]
    assert await end_orphan(found) == []
    assert (folder.exists(), ours.path.exists()) == (False, False)
    assert find_orphans() == []


async def test_that_files_alone_are_a_left_over_too() -> None:
    folder = private_folder()
    orphan(LeftFiles(folder=str(folder)), [])
    (found,) = find_orphans()
    assert (found.living, found.contents()) == ((), [str(folder)])
    await end_orphan(found)
    assert not folder.exists()


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The usual place for temporary files, for this test alone."""
    place = Path(tempfile.mkdtemp(dir="/tmp", prefix="x"))
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield place
    for left in place.iterdir():
        left.unlink()
    place.rmdir()


async def shared_by(lines: list[str]) -> Path:
    """What the stand-in says that it shares."""
    async with asyncio.timeout(60):
        while not (names := [line.rpartition("shared: ")[2] for line in lines if "shared: " in line]):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return SHARED / names[0]


def entries(folder: Path, pattern: str = "*") -> list[Path]:
    return sorted(folder.glob(pattern))


@pytest.mark.parametrize("way", ["stopped", "killed"])
async def test_that_nothing_is_left_of_a_server_however_it_ends(
    vllm_script: Path, scratch: Path, way: str
) -> None:
    spec = TargetSpec(kind="local", model="scatters", executable=str(vllm_script))
    server, lines, failed = make_server(spec, {}), list[str](), asyncio.Event()
    await server.start(lines.append, lambda state, _: failed.set() if state == "failed" else None)
    shared = await shared_by(lines)
    (folder,) = entries(scratch, "vllmwb-*")
    assert [path.is_socket() for path in entries(folder)] == [True]
    assert len(entries(scratch, "vllm_dist_*")) == 1
    assert shared.exists()
    assert 'VLLM_RPC_BASE_PATH="$(mktemp -d)"' in (server.command or "")
    if way == "killed":
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        await asyncio.wait_for(failed.wait(), 20)
    await server.stop()
    assert (entries(scratch), shared.exists()) == ([], False)
    assert entries(server_records_folder(), "*.json") == []


async def test_that_a_users_own_place_for_sockets_is_kept(vllm_script: Path, scratch: Path) -> None:
    own = {"VLLM_RPC_BASE_PATH": str(scratch)}
    spec = TargetSpec(kind="local", model="scatters", executable=str(vllm_script), env=own)
    server, lines = make_server(spec, {}), list[str]()
    await server.start(lines.append, lambda _, __: None)
    await shared_by(lines)
    await server.stop()
    assert shlex.join([f"VLLM_RPC_BASE_PATH={scratch}"]) in (server.command or "")
    assert [path.is_socket() for path in entries(scratch)] == [True]


def test_that_a_roll_of_somebody_else_removes_nothing_but_what_a_server_leaves(
    tmp_path: Path,
) -> None:
    folder, file, link = tmp_path / "work", tmp_path / "letter.txt", tmp_path / "vllmwb-link"
    folder.mkdir()
    file.touch()
    link.symlink_to(folder)
    left_files = LeftFiles(folder=str(folder), files=(str(file), "/dev/shm/../../etc/hostname"))
    assert left_files.remove() == (str(folder), str(file), "/dev/shm/../../etc/hostname")
    LeftFiles(folder=str(link)).remove()
    assert folder.is_dir()
    assert link.is_symlink()
