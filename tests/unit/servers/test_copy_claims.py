"""Who holds a copy of this program on another machine: the shell scripts, run here in a home of their own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench import __version__
from workbench.servers.run_command import CommandOutput
from workbench.servers.ssh import program_copy
from workbench.servers.ssh.program_copy import ProgramCopies

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")


def run_here(words: Sequence[str], stdin: bytes, timeout_s: float) -> CommandOutput:
    done = subprocess.run(words, input=stdin, capture_output=True, timeout=timeout_s, check=False)
    return CommandOutput(exit_code=done.returncode, output=done.stdout, last_error=done.stderr.decode())


class Link:
    """Runs commands here, as a connection does there."""

    def __init__(self, host: str = "host") -> None:
        self.host = host

    async def call(
        self, words: Sequence[str], *, stdin: bytes | None = None, timeout_s: float = 60.0
    ) -> CommandOutput:
        return run_here(words, stdin or b"", timeout_s)

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of copies, with a build to copy."""
    build = tmp_path / "build"
    build.mkdir()
    (build / "workbench").write_text(f"#!/bin/sh\necho {__version__}\n")
    (build / "workbench").chmod(0o755)
    monkeypatch.setenv(program_copy.FOLDER_VARIABLE, str(build))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(program_copy, "SshConnection", Link)
    return tmp_path / ".cache" / "vllm-workbench"


def left(folder: Path, pattern: str = "*") -> list[str]:
    return sorted(path.name for path in folder.glob(pattern))


def age(mark: Path) -> None:
    os.utime(mark, (0, 0))


async def provide(copies: ProgramCopies, *, keep: bool = False) -> Path:
    link: Any = Link()
    return Path(await copies.provide(link, keep=keep))


async def test_that_the_last_of_two_conductors_removes_the_copy(cache: Path) -> None:
    first, second = ProgramCopies(), ProgramCopies()
    async with second.hold():
        async with first.hold():
            program = await provide(first)
            assert await provide(second) == program
        assert os.access(program, os.X_OK)
    assert left(cache) == ["lock"]


async def test_that_a_later_holder_can_keep_the_copy(cache: Path) -> None:
    copies = ProgramCopies()
    async with copies.hold():
        program = await provide(copies)
        await provide(copies, keep=True)
    assert program.exists()
    async with copies.hold():
        assert await provide(copies) == program
    assert program.exists()


async def test_that_a_run_of_more_than_a_week_keeps_its_mark(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies, other = ProgramCopies(), ProgramCopies()
    async with copies.hold():
        program = await provide(copies)
        (mark,) = left(cache, "*/users/*")
        age(program.parent.parent / "users" / mark)
        monkeypatch.setattr(program_copy, "_RENEW_S", -1.0)
        await provide(copies)
        async with other.hold():
            await provide(other)
        assert program.exists()
        assert left(cache, "*/users/*") == [mark]
    assert not program.exists()


@pytest.mark.parametrize("locks", [True, False])
async def test_that_of_two_first_copies_one_stays(cache: Path, locks: bool) -> None:
    script = program_copy._UNPACK if locks else program_copy._UNPACK.replace("test -e program || ", "")
    name = "program-1"
    build = cache.parent.parent / "build"
    packed = program_copy._packed(build)
    (cache / name).mkdir(parents=True)
    for mark in ("a", "b"):
        done = await Link().call(["sh", "-c", script, "sh", name, mark], stdin=packed)
        assert done.exit_code == 0, done.last_error
    assert left(cache / name) == ["program"]
    assert left(cache / name / "program") == ["workbench"]
