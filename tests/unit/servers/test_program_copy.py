"""A machine over SSH without Python: a copy of this program does there what Python would."""

import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.servers.sshd import Sshd
from tests.unit.servers.there import Watch, look_at, needs_sshd, start, target, there_pid, tree
from workbench.base import Refusal
from workbench.servers import COPIES, connect_host
from workbench.servers.ssh import program_copy

pytestmark = needs_sshd
TOOLS = (
    "sh",
    "bash",
    "cat",
    "find",
    "gzip",
    "ls",
    "mkdir",
    "mv",
    "rm",
    "rmdir",
    "tail",
    "tar",
    "test",
    "touch",
    "uname",
)


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Something that runs our modules as a frozen folder does, with parts of a window."""
    folder = tmp_path / "build"
    (folder / "_internal" / "PySide6").mkdir(parents=True)
    (folder / "_internal" / "PySide6" / "QtCore.so").write_text("large")
    (folder / "_internal" / "libssl.so").write_text("small")
    (folder / "_internal" / "libcrypto.so").symlink_to("libssl.so")
    (folder / "workbench").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / "workbench").chmod(0o755)
    (folder / "vllm-workbench").symlink_to("workbench")
    monkeypatch.setenv(program_copy.FOLDER_VARIABLE, str(folder))
    return folder


@pytest.fixture
def bare(vllm_script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    """A daemon on a machine whose PATH has no Python."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found is not None, name
        (tools / name).symlink_to(found)
    settings = {"PATH": str(tools), "PYTHONPATH": str(vllm_script.parent.parent / "packages")}
    daemon = Sshd(tmp_path / "ssh", settings)
    daemon._settings += f' "HOME={daemon.home}"'
    monkeypatch.setenv("HOME", str(daemon.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    daemon.start()
    yield daemon
    daemon.stop()


def copies(daemon: Sshd) -> list[str]:
    return sorted(path.name for path in daemon.home.glob(".cache/vllm-workbench/program-*"))


@pytest.mark.slow
async def test_that_a_server_starts_and_ends_on_a_machine_without_python_and_leaves_no_copy(
    bare: Sshd, build: Path, vllm_script: Path
) -> None:
    del build
    watch = Watch()
    server = await start(target(bare, vllm_script), watch)
    (copy,) = (bare.home / ".cache/vllm-workbench").glob("program-*")
    files = {
        str(path.relative_to(copy / "program")) for path in (copy / "program").rglob("*") if not path.is_dir()
    }
    assert files == {"workbench", "_internal/libssl.so", "_internal/libcrypto.so"}
    assert len(tree(there_pid(server))) == 2
    assert abs(await server.clock_ahead_s() or 9.0) < 1.0
    assert 0 <= ((await look_at(server)).host_cpu or 0) <= 1
    await server.stop()
    assert copies(bare) == []


async def test_that_without_a_build_a_machine_without_python_is_refused(
    bare: Sshd, vllm_script: Path
) -> None:
    with pytest.raises(Refusal) as refused:
        await start(target(bare, vllm_script), Watch())
    assert refused.value.kind == "servers.ssh_needs_python"


async def test_that_a_copy_is_shared_until_the_last_user_ends_and_stays_if_asked(
    bare: Sshd, build: Path
) -> None:
    spec = target(bare, build, load_python="copy")
    async with COPIES.hold():
        async with connect_host(spec) as machine:
            first = machine.program
            assert (await machine.call([str(first), "-m", "workbench.base.tell_version"])).exit_code == 0
        assert len(copies(bare)) == 1
        (used,) = (bare.home / ".cache/vllm-workbench").glob("program-*/users/*")
        other = used.with_name("another-run")
        other.touch()
    assert [path.name for path in used.parent.iterdir()] == ["another-run"]
    other.unlink()
    kept = target(bare, build, load_python="copy", keep_copy=True)
    (copy,) = copies(bare)
    mark = bare.home / ".cache/vllm-workbench" / copy / "program" / "of the first copy"
    mark.touch()
    for _ in range(2):
        async with connect_host(kept) as machine:
            assert machine.program == first
    assert mark.exists(), "nothing new is copied"
    assert len(copies(bare)) == 1


async def test_that_a_build_for_another_machine_is_refused_and_leaves_nothing(
    bare: Sshd, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(Refusal) as refused:
        async with connect_host(target(bare, build, load_python="copy")):
            pass
    assert refused.value.kind == "servers.build_for_another_machine"
    assert refused.value.values["ours"] == "Linux aarch64"
    assert copies(bare) == []
