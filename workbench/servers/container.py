"""A vLLM in a container of docker or podman on this machine, on the host's own network."""

import re
import shutil
import sys
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from workbench.base import InputError, Message, Place, Refusal, message
from workbench.controls import Value, check_interplay
from workbench.servers.child import Child, ServerProcess
from workbench.servers.cleanup import find_remote_orphans, write_remote_record
from workbench.servers.command import HOST, free_port, inside_settings, serve_command, serve_environment
from workbench.servers.flags import load_flags
from workbench.servers.model_path import expand_home
from workbench.servers.owned import Launch, OwnedServer
from workbench.servers.processes import ProcessIdentity
from workbench.servers.run_command import MOST_OUTPUT, TIMED_OUT, CommandOutput, run_program
from workbench.servers.server import OnLog
from workbench.servers.target_spec import TargetSpec
from workbench.vllm_dialect import Failure, Phase

# SELinux: if it is enforced, a container may read only files labeled for containers.

_ENFORCE = Path("/sys/fs/selinux/enforce")
_DENIED = ("not_readable", "model_not_found", "weights_missing")
"""Failures that SELinux may cause: a folder that may not be entered looks missing."""


def enforcing() -> bool:
    """Return whether this machine enforces SELinux."""
    try:
        return _ENFORCE.read_text().strip() == "1"
    except OSError:
        return False


def about_mounts(kind: str) -> Message | None:
    """Return the fix of a failure that SELinux may have caused; None if it can't be the cause."""
    if kind not in _DENIED or not enforcing():
        return None
    return message("servers.selinux_fix")


_INSIDE = Path(__file__).parent / "inside"
_KIND, _IMAGE = Place(table="target", key="kind"), Place(table="target", key="image")
_ENGINES = ("docker", "podman")
_THERE = "/vllm-workbench"
_VERSION = "import importlib.metadata as m; print(m.version('vllm'))"
_WORD = re.compile(r"[A-Za-z0-9][\w:.+-]{0,199}", re.ASCII)
_ASK_S = 120.0
_LOOK_S = 30.0
"""Timeout of questions that the engine answers from memory."""
_ALIVE_S = 5.0
"""Timeout of the question for a container's pid, so that a hanging engine delays nothing."""
_END_S = 10.0
"""Time for the engine to stop and remove a container, beyond the server's own time to end."""
_FLAGS_S = 300.0
_PULL_S = 7200.0
"""Images of vLLM are 10 GB and more."""
_START_TIMEOUT_S = 3600.0
_PATIENCE_S = 30.0


class ContainerServer(OwnedServer):
    """`docker run` of an image that has vLLM.

    It uses the host's network: it listens on 127.0.0.1 only, and no address translation lies between the
    load and the server.
    """

    def __init__(self, spec: TargetSpec, controls: Mapping[str, Value]) -> None:
        super().__init__(msgspec.structs.replace(spec, model=expand_home(spec.model or "", Path.home())))
        check_interplay(controls)
        assert spec.image is not None
        if not sys.platform.startswith("linux"):
            raise Refusal("servers.container_needs_linux", _KIND)
        self._image = spec.image
        self._controls = dict(controls)
        self._name = f"vllm-workbench-{uuid.uuid4().hex[:12]}"
        self._engine = ContainerEngine.find(spec.executable)
        self._remote_record: Path | None = None
        self.api_key = spec.api_key()

    async def _prepare(self) -> Launch:
        await self._sweep()
        identity = await self._image_identity()
        version = await self._version()
        self._note(message("servers.using_vllm", version=version, found=self._image))
        key = f"{version}-{identity.rpartition(':')[2][:12]}"
        flags = await load_flags(key, self._dump_flags, place=_IMAGE)
        port = free_port()
        environment = serve_environment(self._spec, self.api_key)
        mounts, settings = await self._inside()
        served = serve_command("vllm", self._spec, self._controls, flags, version, port)
        return Launch(
            command=[*self._run_words(environment, mounts, settings), *served[1:]],
            environment=environment,
            url=f"http://{HOST}:{port}",
            with_stdin=False,
            start_timeout_s=_START_TIMEOUT_S,
            patience_s=_PATIENCE_S,
            first_phase=Phase.IMPORTING.message,
            private=self._access.private,
        )

    async def _inside(self) -> tuple[list[str], dict[str, str]]:
        """Return mounts and settings for our code inside the engine.

        Our files are mounted read-only; record and socket lie in our folders and get their owner.
        """
        folders, places = [], {}
        file, socket = self._access.steps_file, self._access.socket
        if file is not None:
            folders.append(f"{file.parent.absolute()}:{_THERE}/record")
            places[str(self._access.record_kind)] = f"{_THERE}/record/{file.name}"
        if socket is not None:
            folders.append(f"{socket.parent}:{_THERE}/limits")
            places["limits"] = f"{_THERE}/limits/{socket.name}"
        if not places:
            return [], {}
        known = {**await self._image_environment(), **self._spec.env}
        settings = inside_settings(places, f"{_THERE}/inside", known)
        return [f"{_INSIDE}:{_THERE}/inside:ro", *folders], settings

    def _run_words(
        self, environment: Mapping[str, str], inside: Sequence[str], settings: Mapping[str, str]
    ) -> list[str]:
        """Return the words of `docker run` up to the image.

        Values come from docker's own environment, not its command line. Our settings are the exception: they
        are no secrets and mean nothing outside.
        """
        spec = self._spec
        model = Path(spec.model or "")
        folder = [f"{model}:{model}:ro"] if model.is_absolute() and model.is_dir() else []
        mounts = [*folder, *spec.mounts, *inside]
        return [
            *(self._engine.command, "run", "--rm", "--name", self._name, "--network", "host"),
            *(("--gpus", spec.gpus) if spec.gpus else ()),
            *(("--shm-size", spec.shm_size) if spec.shm_size else ()),
            *self._security(),
            *(word for mount in mounts for word in ("-v", mount)),
            *(word for name in environment if name not in settings for word in ("-e", name)),
            *(word for name, value in settings.items() for word in ("-e", f"{name}={value}")),
            *("--entrypoint", "vllm", self._image),
        ]

    def _security(self) -> list[str]:
        return [word for option in self._spec.security_opt for word in ("--security-opt", option)]

    def _explanation(self, failure: Failure) -> Message:
        hidden = about_mounts(failure.kind)
        if hidden is None:
            return failure.message
        return message("base.both", first=failure.message, second=hidden)

    async def _spawn(self, launch: Launch) -> ServerProcess:
        self._remote_record = write_remote_record(
            "container", self._engine.command, self._name, self.command or ""
        )
        child = await super()._spawn(launch)
        assert isinstance(child, Child)
        self._child = ContainerProcess(child, self._engine, self._name)
        return self._child

    async def _end(self) -> Message | None:
        left = await super()._end()
        if self._remote_record is not None and left is None:
            self._remote_record.unlink(missing_ok=True)
        return left

    def _manual_fix(self, left: Sequence[ProcessIdentity]) -> Message:  # noqa: ARG002  # a container goes as a whole
        return message("servers.end_container", engine=self._engine.name, container=self._name)

    async def _sweep(self) -> None:
        """End containers of ours whose owner died."""
        await end_orphan_containers(self._engine.command, self._on_log)

    async def _image_identity(self) -> str:
        """Return the image's digest; pull the image if it is missing."""
        words = ("image", "inspect", "--format", "{{.Id}}", self._image)
        said = await self._engine.ask(*words, timeout_s=_LOOK_S)
        if said.exit_code:
            self._note(message("servers.pulling_image", image=self._image, said=said.last_error))
            pulled = await self._engine.ask("pull", self._image, timeout_s=_PULL_S)
            if pulled.exit_code:
                raise Refusal("servers.image_unavailable", _IMAGE, image=self._image, said=pulled.last_error)
            said = await self._engine.ask(*words)
        return self._word(said, "image inspect", message("servers.image_identity"))

    def _word(self, said: CommandOutput, asked: str, what: Message) -> str:
        """Return the one word that the engine was asked for; it becomes part of a file's name.

        Raises:
            Refusal: it printed something else.
        """
        word = said.output.decode(errors="replace").strip()
        if not _WORD.fullmatch(word):
            raise Refusal(
                "servers.image_printed_nothing",
                _IMAGE,
                image=self._image,
                command=f"{self._engine.name} {asked}",
                what=what,
                said=said.last_error or message("servers.nothing"),
            )
        return word

    async def _image_environment(self) -> dict[str, str]:
        """Return the image's environment, which our settings must keep."""
        form = "{{range .Config.Env}}{{println .}}{{end}}"
        said = await self._engine.ask("image", "inspect", "--format", form, self._image)
        pairs = (line.partition("=") for line in said.output.decode(errors="replace").splitlines())
        return {name: value for name, _, value in pairs if name}

    async def _version(self) -> str:
        said = await self._engine.run_once(self._image, ["-c", _VERSION])
        if said.exit_code:
            raise Refusal("servers.image_without_vllm", _IMAGE, image=self._image, said=said.last_error)
        return self._word(said, f"run {self._image}", message("servers.vllm_version"))

    async def _dump_flags(self) -> bytes:
        with tempfile.TemporaryDirectory() as scratch:
            mounts = [f"{_INSIDE}:{_THERE}/inside:ro", f"{scratch}:{_THERE}/out"]
            words = [f"{_THERE}/inside/dump_flags.py", f"{_THERE}/out/flags.json"]
            said = await self._engine.run_once(
                self._image, words, mounts, self._security(), timeout_s=_FLAGS_S
            )
            if said.exit_code:
                raise self._unreadable_flags(said.last_error)
            content = _read(Path(scratch) / "flags.json")
        if not content:
            command = f"{self._engine.name} run {self._image}"
            raise Refusal("servers.image_wrote_no_flags", _IMAGE, image=self._image, command=command)
        return content

    def _unreadable_flags(self, said: str) -> Refusal:
        denied = "ermission denied" in said
        hidden = about_mounts("not_readable") if denied else None
        place = Place(file=self._image)
        if hidden is None:
            return Refusal("servers.flags_unreadable", place, said=said)
        return Refusal("servers.flags_hidden", place, said=said, fix=hidden)


async def end_orphan_containers(command: str, on_log: OnLog) -> None:
    """End containers under this engine's command whose owner here died.

    Raises:
        Refusal: the command can't be run.
    """
    engine = ContainerEngine(command)
    for path, record in find_remote_orphans("container", command):
        left = f"{record.name}: {record.command}"
        on_log(str(message("servers.ending_left_over", left=left)))
        await engine.ask("rm", "-f", record.name)
        if await engine.pid_of(record.name) is None:
            path.unlink(missing_ok=True)


class ContainerEngine:
    """The command line of docker or podman."""

    def __init__(self, command: str) -> None:
        self.command = command

    @property
    def name(self) -> str:
        """`docker` or `podman`."""
        return Path(self.command).name

    @classmethod
    def find(cls, wanted: str | None) -> "ContainerEngine":
        """Return the wanted engine; None: the first that is installed.

        Raises:
            Refusal: there is none.
        """
        for command in (wanted,) if wanted else _ENGINES:
            if found := shutil.which(command):
                return cls(found)
        names = (wanted,) if wanted else _ENGINES
        raise Refusal("servers.no_container_engine", _KIND, engines=names)

    async def ask(self, *words: str, timeout_s: float = _ASK_S) -> CommandOutput:
        """Run one engine command to its end.

        Raises:
            Refusal: it can't be executed, or doesn't answer in time; says what to look at.
        """
        try:
            return await run_program([self.command, *words], timeout_s=timeout_s)
        except Refusal as error:
            if error.kind != TIMED_OUT:
                raise
            place = Place(file=self.command)
            raise Refusal(
                "servers.container_engine_hangs", place, seconds=timeout_s, engine=self.name
            ) from error

    async def run_once(
        self,
        image: str,
        words: Sequence[str],
        mounts: Sequence[str] = (),
        more: Sequence[str] = (),
        *,
        timeout_s: float = _ASK_S,
    ) -> CommandOutput:
        """Run Python in a container of its own, which is removed at its end or after a timeout."""
        volumes = [word for mount in mounts for word in ("-v", mount)]
        name = f"vllm-workbench-{uuid.uuid4().hex[:12]}"
        settings = ("--rm", "--name", name, "--network", "none", *volumes, *more, "--entrypoint", "python3")
        try:
            return await self.ask("run", *settings, image, *words, timeout_s=timeout_s)
        except BaseException:
            # The container is the engine's child, not its command's.
            with suppress(InputError):
                await self.ask("rm", "-f", name, timeout_s=_END_S)
            raise

    async def pid_of(self, name: str, *, timeout_s: float = _ASK_S) -> int | None:
        """Return the pid of the container's first process on this machine; None if it doesn't run."""
        said = await self.ask("inspect", "--format", "{{.State.Pid}}", name, timeout_s=timeout_s)
        text = said.output.decode(errors="replace").strip()
        return int(text) if said.exit_code == 0 and text.isdigit() and text != "0" else None


class ContainerProcess:
    """A container, with the engine's process that shows its log; that process may die alone."""

    def __init__(self, child: Child, engine: ContainerEngine, name: str) -> None:
        self.pid = child.pid
        self._child = child
        self._engine = engine
        self._name = name

    @property
    def exit_code(self) -> int | None:
        """The exit code of the engine's process; None while it lives."""
        return self._child.exit_code

    async def ended(self) -> int:
        """Wait for the end and the rest of the output."""
        return await self._child.ended()

    async def track_descendants(self) -> None:
        """Do nothing: the engine tracks the container's processes."""

    async def listens(self, url: str) -> bool:  # noqa: ARG002  # its port was free, and is not ours to look into
        """Return whether the container runs; take its first process as the server's pid."""
        pid = await self._engine.pid_of(self._name)
        if pid is not None:
            self.pid = pid
        return pid is not None

    async def end(self, *, patience_s: float) -> list[ProcessIdentity]:
        """Have the engine stop and remove it; return it if it may still live.

        After one timeout the engine gets no more commands, so that this ends soon.
        """
        left = [ProcessIdentity(pid=self.pid, started=0.0, name=f"container {self._name}")]
        try:
            if await self._engine.pid_of(self._name, timeout_s=_ALIVE_S) is not None:
                words = ("stop", "-t", f"{patience_s:.0f}", self._name)
                await self._engine.ask(*words, timeout_s=patience_s + _END_S)
            await self._child.end(patience_s=_END_S)
            await self._engine.ask("rm", "-f", self._name, timeout_s=_END_S)
            return left if await self._engine.pid_of(self._name, timeout_s=_ALIVE_S) is not None else []
        except InputError:
            return left
        finally:
            await self._child.end(patience_s=1.0)


def _read(path: Path) -> bytes:
    """Return the file's content; empty if it doesn't exist."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_OUTPUT)
    except OSError:
        return b""
