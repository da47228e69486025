"""A vLLM on a machine reached over SSH: found, started, read and stopped as if it were local."""

import hashlib
import re
import shlex
import sys
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import msgspec

from workbench.base import Message, Place, Refusal, WorkbenchError, message
from workbench.controls import Value, check_interplay
from workbench.servers.child import ServerProcess
from workbench.servers.cleanup import find_remote_orphans, write_remote_record
from workbench.servers.command import (
    HOST,
    SOCKETS,
    inside_settings,
    serve_command,
    serve_environment,
    socket_environment,
)
from workbench.servers.flags import load_flags
from workbench.servers.model_path import check_model, expand_home, is_path
from workbench.servers.owned import Launch, OwnedServer
from workbench.servers.processes import ProcessIdentity
from workbench.servers.server import MachineWatch, OnLog, ServerFailedError, explanation_of
from workbench.servers.ssh.connection import SshConnection
from workbench.servers.ssh.host import SshHost
from workbench.servers.ssh.program_copy import COPIES, inside_command, program_there
from workbench.servers.ssh.remote_child import FreePort, RemoteChild, Scratch
from workbench.servers.ssh.remote_sampler import RemoteSampler
from workbench.servers.target_spec import TargetSpec
from workbench.vllm_dialect import Phase

_INSIDE = Path(__file__).parent.parent / "inside"
_CACHE = ".cache/vllm-workbench"
"""Below the remote home folder: our files, by their content's hash, and a folder for each server."""
_FIND_HOME = (
    "import sys, os; sys.exit('its python3 is %d.%d' % sys.version_info[:2]) "
    "if sys.version_info < (3, 9) else print(os.path.expanduser('~'))"
)
_START_TIMEOUT_S = 3600.0
_PATIENCE_S = 30.0
_FLAGS_S = 300.0
_MOST_SHOWN = 60
_FETCH_S = 120.0
"""Timeout for fetching a step record: some hundred MB at most on a slow line."""


class _RemoteInstall(msgspec.Struct):
    script: str
    python: str
    version: str
    site_packages: str
    changed: int


class SshServer(OwnedServer):
    """`vllm serve` under our keeper on another machine; a local port of 127.0.0.1 is forwarded to it."""

    def __init__(self, spec: TargetSpec, controls: Mapping[str, Value]) -> None:
        super().__init__(spec)
        check_interplay(controls)
        assert spec.host is not None
        self._controls = dict(controls)
        self._link = SshConnection(spec.host)
        self._copies = AsyncExitStack()
        self._program: str | None = None
        """The executable of a copy of this program there; None: its python3 is used."""
        self._inside: str | None = None
        """The remote folder of our files."""
        self._private: str | None = None
        """The remote folder for sockets."""
        self._machine: SshHost | None = None
        self._remote: RemoteChild | None = None
        self._remote_record: Path | None = None
        self.api_key = spec.api_key()

    async def _prepare(self) -> Launch:
        await self._link.open()
        for note in self._link.notes:
            self._note(message("servers.at", place=self._link.host, problem=note))
        await self._find_program()
        home = await self._find_home()
        await self._require_model(home)
        cache = f"{home}/{_CACHE}"
        inside = self._inside = await self._copy_files(cache)
        keeper = inside_command(self._program, inside, "keeper")
        folder = f"{cache}/servers/{uuid.uuid4().hex[:12]}"
        remote = self._remote = RemoteChild(self._link, keeper, folder, self._handle_line)
        remote.fetch = self._fetch_steps
        await self._sweep(keeper)
        found = await self._find_vllm(remote)
        where = f"{self._link.host}: {found.script}"
        self._note(message("servers.using_vllm", version=found.version, found=where))
        place = Place(file=where)
        flags = await load_flags(_key(found), lambda: self._dump_flags(found, inside), place=place)
        remote.port = (await remote.ask(FreePort, "port")).port
        command = serve_command(found.script, self._spec, self._controls, flags, found.version, remote.port)
        scratch = await remote.ask(Scratch, "scratch", remote.folder)
        private = self._private = scratch.path
        theirs = {SOCKETS: ""} if scratch.sockets is not None else {}
        sockets = socket_environment(private, flags, {**theirs, **self._spec.env})
        inside_settings = await self._open_engine_access(remote, inside, private)
        here = await self._link.forward(0, remote.port)
        self.remote_host = self._machine = SshHost(self._link, f"http://{HOST}:{remote.port}", self._program)
        return Launch(
            command=command,
            environment={**serve_environment(self._spec, self.api_key), **sockets, **inside_settings},
            private=private,
            url=f"http://{HOST}:{here}",
            with_stdin=False,
            start_timeout_s=_START_TIMEOUT_S,
            patience_s=_PATIENCE_S,
            first_phase=Phase.IMPORTING.message,
        )

    async def _open_engine_access(self, remote: RemoteChild, inside: str, private: str) -> dict[str, str]:
        """Return the settings of our code in the engine; forward its socket, in a private folder, to ours."""
        places: dict[str, str] = {}
        if self._access.steps_file is not None:
            places[self._access.record_kind] = f"{remote.folder}/steps"
        if self._access.socket is not None:
            places["limits"] = f"{private}/limits"
            await self._link.forward(str(self._access.socket), places["limits"])
        return inside_settings(places, inside, self._spec.env)

    @property
    def drops(self) -> int:
        """Return how often the connection that carries the tunnel dropped."""
        return self._link.drops

    async def clock_ahead_s(self) -> float | None:
        """Return how far the remote clock is ahead."""
        return await self._machine.clock_ahead_s() if self._machine is not None else None

    def machine(self) -> MachineWatch | None:
        """Return a watch on the remote machine."""
        if self._remote is None or self._inside is None:
            return None
        probe = inside_command(self._program, self._inside, "probe")
        return RemoteSampler(self._link, probe, self._remote.folder)

    def _pid_of(self, child: ServerProcess) -> int | None:  # noqa: ARG002  # its pid is not one of this machine
        return None

    def _shown(self, launch: Launch) -> str:
        shown = super()._shown(launch)
        # One word here, so that the remote shell reads it unchanged.
        return f"ssh {self._link.host} -- {shown if sys.platform == 'win32' else shlex.quote(shown)}"

    async def _spawn(self, launch: Launch) -> ServerProcess:
        assert self._remote is not None
        self._child = self._remote
        # Recorded before it lives: a record without a server does no harm.
        self._remote_record = write_remote_record(
            "ssh", self._link.host, self._remote.folder, self.command or ""
        )
        await self._remote.start(launch.command, launch.environment)
        return self._remote

    def _manual_fix(self, left: Sequence[ProcessIdentity]) -> Message:
        pids = " ".join(str(one.pid) for one in left if one.pid)
        if not pids:
            return message("servers.end_there_later")
        return message("servers.end_there", host=self._link.host, pids=pids)

    async def _end(self) -> Message | None:
        left = await super()._end()
        if self._remote_record is not None and left is None:
            self._remote_record.unlink(missing_ok=True)
        if self._remote_record is None and self._remote is not None and self._private is not None:
            # It never began; its folder is removed.
            with suppress(WorkbenchError):
                await self._remote.ask(dict, "remove", self._remote.folder)
        if self._machine is not None:
            await self._machine.close()
        await self._link.close()
        await self._copies.aclose()
        return left

    async def steps_here(self) -> Path | None:
        """Fetch the new lines of every engine's record; return the first engine's file."""
        file = self._access.steps_file
        if file is None or self._remote is None:
            return None
        _append(file, b"")
        for name in await self._remote_names(self._remote.folder, "steps"):
            here = file.with_name(file.name + name.removeprefix("steps"))
            # Records only grow.
            words = ["tail", "-c", f"+{_size(here) + 1}", f"{self._remote.folder}/{name}"]
            _append(here, (await self._link.call(words, timeout_s=_FETCH_S)).output)
        return file

    async def _remote_names(self, folder: str, first: str) -> list[str]:
        """Return `first`, `first.1`, … in a remote folder: each engine of a server has its own."""
        said = await self._link.call(["ls", folder])
        names = said.output.decode(errors="replace").split()
        return [name for name in names if re.fullmatch(rf"{first}(\.\d+)?", name, re.ASCII)]

    async def _reach_all_engines(self) -> None:
        socket = self._access.socket
        if socket is None or self._private is None:
            return
        for name in await self._remote_names(self._private, socket.name):
            if name != socket.name:
                await self._link.forward(str(socket.with_name(name)), f"{self._private}/{name}")

    async def _fetch_steps(self) -> None:
        try:
            await self.steps_here()
        except (OSError, WorkbenchError) as error:
            self._note(message("servers.steps_stay_there", cause=explanation_of(error)))

    async def _require_model(self, home: str) -> None:
        """Check that a model named by its path exists.

        Raises:
            Refusal: it doesn't exist, or it is no model's folder.
        """
        model = expand_home(self._spec.model or "", home)
        self._spec = msgspec.structs.replace(self._spec, model=model)
        if not is_path(model):
            return
        folder = not (await self._link.call(["test", "-d", model])).exit_code
        said = await self._link.call(["ls", "-1A", model])
        names = said.output.decode(errors="replace").splitlines() if folder else None
        check_model(model, names, self._spec.args, there=not said.exit_code, host=self._link.host)

    async def _find_program(self) -> None:
        """Copy this program if the target asks for it or there is no Python."""
        await self._copies.enter_async_context(COPIES.hold())
        self._program = await program_there(self._link, self._spec)

    async def _find_home(self) -> str:
        python = ["python3", "-c", _FIND_HOME]
        said = await self._link.call(python if self._program is None else ["sh", "-c", 'echo "$HOME"'])
        if said.exit_code:
            raise Refusal("servers.ssh_needs_python", host=self._link.host, said=said.last_error)
        home = said.output.decode(errors="replace").strip()
        if "\n" in home or not home.startswith("/"):
            raise Refusal("servers.ssh_talkative_shell", host=self._link.host, said=home[:_MOST_SHOWN])
        return home

    async def _copy_files(self, cache: str) -> str:
        """Copy our files, once for each version of them; return their remote folder."""
        files = sorted(path for path in _INSIDE.rglob("*") if path.is_file() and path.suffix != ".pyc")
        content = hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:12]
        folder = f"{cache}/inside-{content}"
        if (await self._link.call(["test", "-e", f"{folder}/whole"])).exit_code:
            with tempfile.TemporaryDirectory() as scratch:
                for entry in _copy_into(files, Path(scratch)):
                    await self._link.put(entry, folder)
            await self._link.call(["touch", f"{folder}/whole"])
        return folder

    async def _find_vllm(self, remote: RemoteChild) -> _RemoteInstall:
        executable = self._spec.executable
        try:
            return await remote.ask(_RemoteInstall, "find", *([executable] if executable else []))
        except ServerFailedError as error:
            place = Place(table="target", key="executable")
            raise Refusal("servers.no_vllm_there", place, problem=error.message) from error

    async def _dump_flags(self, found: _RemoteInstall, inside: str) -> bytes:
        target = f"{inside}/flags-{uuid.uuid4().hex[:8]}.json"
        words = [found.python, f"{inside}/dump_flags.py", target]
        said = await self._link.call(words, timeout_s=_FLAGS_S)
        if said.exit_code:
            raise Refusal("servers.flags_unreadable", Place(file=found.script), said=said.last_error)
        content = (await self._link.call(["cat", target])).output
        await self._link.call(["rm", "-f", target])
        return content

    @classmethod
    async def sweep(cls, host: str, on_log: OnLog) -> None:
        """End servers on that machine whose owner here died.

        Raises:
            Refusal, ServerFailedError: it can't be reached.
        """
        server = cls(TargetSpec(kind="ssh", host=host), {})
        server._on_log = on_log
        try:
            await server._find_program()
            inside = await server._copy_files(f"{await server._find_home()}/{_CACHE}")
            await server._sweep(inside_command(server._program, inside, "keeper"))
        finally:
            await server._link.close()
            await server._copies.aclose()

    async def _sweep(self, keeper: list[str]) -> None:
        """End servers that earlier runs left there."""
        for path, record in find_remote_orphans("ssh", self._link.host):
            self._note(message("servers.ending_left_over_there", host=record.place, command=record.command))
            left = RemoteChild(self._link, keeper, record.name, lambda _: None)
            living = await left.end(patience_s=_PATIENCE_S)
            if living:
                self._note(message("servers.still_living", processes=[str(one) for one in living]))
            else:
                path.unlink(missing_ok=True)


def _append(file: Path, data: bytes) -> None:
    with file.open("ab") as kept:
        kept.write(data)


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _copy_into(files: list[Path], folder: Path) -> list[Path]:
    """Copy the files alone, without Python's caches; return the entries of `folder`."""
    for path in files:
        copy = folder / path.relative_to(_INSIDE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return sorted(folder.iterdir())


def _key(found: _RemoteInstall) -> str:
    identity = f"{found.version} {found.site_packages} {found.changed}"
    return f"{found.version}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"
