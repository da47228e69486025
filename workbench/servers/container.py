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

from workbench.base import InputError
from workbench.controls import Value, check_interplay
from workbench.servers.child import Child, Running
from workbench.servers.cleanup import left_overs_elsewhere, write_roll_elsewhere
from workbench.servers.command import HOST, free_port, remote_inside, serve_command, serve_environment
from workbench.servers.flags import flags_from
from workbench.servers.model_path import with_home
from workbench.servers.owned import Launch, OwnedServer
from workbench.servers.processes import ProcessMark
from workbench.servers.run_command import MOST_OUTPUT, Said, ask
from workbench.servers.server import OnLog
from workbench.servers.target_spec import TargetSpec
from workbench.vllm_dialect import Failure, Phase

# SELinux: where it is enforced, a container may read only what is labelled for containers.

_ENFORCE = Path("/sys/fs/selinux/enforce")
_DENIED = ("not_readable", "model_not_found", "weights_missing")
"""Failures that look like it: a folder that may not be entered is none for whoever looks."""


def enforcing() -> bool:
    """Whether this machine enforces it."""
    try:
        return _ENFORCE.read_text().strip() == "1"
    except OSError:
        return False


def about_mounts(kind: str) -> str:
    """What to do where a container failed in this way and that may be why; empty: it isn't."""
    if kind not in _DENIED or not enforcing():
        return ""
    return (
        "; SELinux is enforcing on this machine and hides what is mounted: set"
        ' security_opt = ["label=disable"] in [target], or label the folder for containers'
        " (`:z` at the end of its mount does, for good)"
    )


_INSIDE = Path(__file__).parent / "inside"
_ENGINES = ("docker", "podman")
_THERE = "/vllm-workbench"
_VERSION = "import importlib.metadata as m; print(m.version('vllm'))"
_WORD = re.compile(r"[A-Za-z0-9][\w:.+-]{0,199}", re.ASCII)
_ASK_S = 120.0
_LOOK_S = 30.0
"""For what the engine has at hand."""
_ALIVE_S = 5.0
"""An engine that answers at all tells a container's pid within it; one that hangs holds nobody up."""
_END_S = 10.0
"""For the engine to stop and remove, beyond what the server has to end."""
_FLAGS_S = 300.0
_PULL_S = 7200.0
"""Images of vLLM are 10 GB and more."""
_START_TIMEOUT_S = 3600.0
_PATIENCE_S = 30.0


class ContainerServer(OwnedServer):
    """`docker run` of an image that has vLLM.

    On the host's network: it listens on 127.0.0.1 only, and no translation of addresses stands between the
    load and the server.
    """

    def __init__(self, spec: TargetSpec, controls: Mapping[str, Value]) -> None:
        super().__init__(msgspec.structs.replace(spec, model=with_home(spec.model or "", Path.home())))
        check_interplay(controls)
        assert spec.image is not None
        if not sys.platform.startswith("linux"):
            raise InputError("[target] kind 'container' needs Linux; start it yourself and attach to it")
        self._image = spec.image
        self._controls = dict(controls)
        self._name = f"vllm-workbench-{uuid.uuid4().hex[:12]}"
        self._engine = Engine.find(spec.executable)
        self._roll: Path | None = None
        self.api_key = spec.api_key()

    async def _prepare(self) -> Launch:
        await self._sweep()
        identity = await self._image_identity()
        version = await self._version()
        self._on_log(f"vLLM {version}: {self._image}")
        key = f"{version}-{identity.rpartition(':')[2][:12]}"
        flags = await flags_from(key, self._dump_flags, where=f"[target] image {self._image}")
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
            first_phase=Phase.IMPORTING,
            private=self._ways.private,
        )

    async def _inside(self) -> tuple[list[str], dict[str, str]]:
        """What the target asks for within the engine, as mounts and settings.

        Our files are only read there; record and socket lie in folders of ours and are given to their owner.
        """
        folders, places = [], {}
        file, socket = self._ways.steps_file, self._ways.socket
        if file is not None:
            folders.append(f"{file.parent.absolute()}:{_THERE}/record")
            places[str(self._ways.record_kind)] = f"{_THERE}/record/{file.name}"
        if socket is not None:
            folders.append(f"{socket.parent}:{_THERE}/limits")
            places["limits"] = f"{_THERE}/limits/{socket.name}"
        if not places:
            return [], {}
        known = {**await self._image_environment(), **self._spec.env}
        settings = remote_inside(places, f"{_THERE}/inside", known)
        return [f"{_INSIDE}:{_THERE}/inside:ro", *folders], settings

    def _run_words(
        self, environment: Mapping[str, str], inside: Sequence[str], settings: Mapping[str, str]
    ) -> list[str]:
        """Up to the image.

        Values of the environment are taken from docker's own, not from its words, but for our settings, which
        are no secret and mean nothing outside.
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

    def _sentence(self, failure: Failure) -> str:
        return super()._sentence(failure) + about_mounts(failure.kind)

    async def _spawn(self, launch: Launch) -> Running:
        self._roll = write_roll_elsewhere("container", self._engine.command, self._name, self.command or "")
        child = await super()._spawn(launch)
        assert isinstance(child, Child)
        self._child = ContainerRun(child, self._engine, self._name)
        return self._child

    async def _end(self) -> str:
        left = await super()._end()
        if self._roll is not None and not left:
            self._roll.unlink(missing_ok=True)
        return left

    def _by_hand(self, left: Sequence[ProcessMark]) -> str:  # noqa: ARG002  # a container goes as a whole
        engine = Path(self._engine.command).name
        return (
            f"{engine} doesn't answer or doesn't end it; `{engine} rm -f {self._name}` does once it can, and "
            "so do the next start of a container and `doctor --clean`"
        )

    async def _sweep(self) -> None:
        """End containers of ours whose owner has died."""
        await sweep_containers(self._engine.command, self._on_log)

    async def _image_identity(self) -> str:
        """The image's digest; it is pulled where it is missing."""
        words = ("image", "inspect", "--format", "{{.Id}}", self._image)
        said = await self._engine.ask(*words, timeout_s=_LOOK_S)
        if said.exit_code:
            self._on_log(f"{self._image} isn't here ({said.last_error}); pulling it, which takes a while")
            pulled = await self._engine.ask("pull", self._image, timeout_s=_PULL_S)
            if pulled.exit_code:
                raise InputError(f"[target] image {self._image}: {pulled.last_error}")
            said = await self._engine.ask(*words)
        return self._word(said, "image inspect", "identity")

    def _word(self, said: Said, asked: str, what: str) -> str:
        """The one word that the engine was asked for, which becomes part of a file's name.

        Raises:
            InputError: it told something else.
        """
        word = said.output.decode(errors="replace").strip()
        if not _WORD.fullmatch(word):
            engine = Path(self._engine.command).name
            why = f" (it said: {said.last_error})" if said.last_error else ""
            raise InputError(f"[target] image {self._image}: {engine} {asked} told no {what}{why}")
        return word

    async def _image_environment(self) -> dict[str, str]:
        """What the image sets, which our settings mustn't take away."""
        form = "{{range .Config.Env}}{{println .}}{{end}}"
        said = await self._engine.ask("image", "inspect", "--format", form, self._image)
        pairs = (line.partition("=") for line in said.output.decode(errors="replace").splitlines())
        return {name: value for name, _, value in pairs if name}

    async def _version(self) -> str:
        said = await self._engine.run_once(self._image, ["-c", _VERSION])
        if said.exit_code:
            raise InputError(f"[target] image {self._image}: no vLLM in it: {said.last_error}")
        return self._word(said, f"run of {self._image}", "version of vLLM")

    async def _dump_flags(self) -> bytes:
        with tempfile.TemporaryDirectory() as scratch:
            mounts = [f"{_INSIDE}:{_THERE}/inside:ro", f"{scratch}:{_THERE}/out"]
            words = [f"{_THERE}/inside/dump_flags.py", f"{_THERE}/out/flags.json"]
            said = await self._engine.run_once(
                self._image, words, mounts, self._security(), timeout_s=_FLAGS_S
            )
            if said.exit_code:
                hidden = about_mounts("not_readable") if "ermission denied" in said.last_error else ""
                raise InputError(
                    f"{self._image}: its flags can't be read; it said: {said.last_error}{hidden}"
                )
            content = _read(Path(scratch) / "flags.json")
        if not content:
            engine = Path(self._engine.command).name
            raise InputError(f"[target] image {self._image}: {engine} run of {self._image} wrote no flags")
        return content


async def sweep_containers(command: str, on_log: OnLog) -> None:
    """End containers of ours under this engine's command whose owner here has died.

    Raises:
        InputError: the command can't be run.
    """
    engine = Engine(command)
    for path, roll in left_overs_elsewhere("container", command):
        on_log(f"ending what an earlier run left behind: {roll.name}: {roll.command}")
        await engine.ask("rm", "-f", roll.name)
        if await engine.pid_of(roll.name) is None:
            path.unlink(missing_ok=True)


class Engine:
    """The command line of docker or podman."""

    def __init__(self, command: str) -> None:
        self.command = command

    @classmethod
    def find(cls, wanted: str | None) -> "Engine":
        """The engine that is wanted; None: the first that is there.

        Raises:
            InputError: there is none.
        """
        for command in (wanted,) if wanted else _ENGINES:
            if found := shutil.which(command):
                return cls(found)
        names = wanted or " nor ".join(_ENGINES)
        raise InputError(f"[target] kind 'container': no {names} here; install one or name it: executable")

    async def ask(self, *words: str, timeout_s: float = _ASK_S) -> Said:
        """One call to its end.

        Raises:
            InputError: it can't be executed, or doesn't answer in time; says what to look at.
        """
        try:
            return await ask([self.command, *words], timeout_s=timeout_s)
        except InputError as error:
            if not isinstance(error.__cause__, TimeoutError):
                raise
            name = Path(self.command).name
            hint = f"see whether `{name} ps` answers; if not, restart its service"
            raise InputError(f"{error}: {hint}") from error

    async def run_once(
        self,
        image: str,
        words: Sequence[str],
        mounts: Sequence[str] = (),
        more: Sequence[str] = (),
        *,
        timeout_s: float = _ASK_S,
    ) -> Said:
        """Python in a container of its own that goes with its end, or is removed where it is given up."""
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
        """The container's first process as this machine sees it; None: it doesn't run."""
        said = await self.ask("inspect", "--format", "{{.State.Pid}}", name, timeout_s=timeout_s)
        text = said.output.decode(errors="replace").strip()
        return int(text) if said.exit_code == 0 and text.isdigit() and text != "0" else None


class ContainerRun:
    """A container with the engine's process that shows its log; that process may die without it."""

    def __init__(self, child: Child, engine: Engine, name: str) -> None:
        self.pid = child.pid
        self._child = child
        self._engine = engine
        self._name = name

    @property
    def exit_code(self) -> int | None:
        """Of the engine's process, which is the container's while that process lives as long."""
        return self._child.exit_code

    async def ended(self) -> int:
        """Wait for the end and the last words."""
        return await self._child.ended()

    async def look_around(self) -> None:
        """Its processes are the engine's business."""

    async def listens(self, url: str) -> bool:  # noqa: ARG002  # its port was free, and is not ours to look into
        """Whether the container runs; its first process becomes the server's pid."""
        pid = await self._engine.pid_of(self._name)
        if pid is not None:
            self.pid = pid
        return pid is not None

    async def end(self, *, patience_s: float) -> list[ProcessMark]:
        """Have the engine stop and remove it; returns it if it may live even so.

        From an engine that doesn't answer nothing more is asked, so that this ends soon.
        """
        left = [ProcessMark(pid=self.pid, started=0.0, name=f"container {self._name}")]
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
    """Empty: it isn't there."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_OUTPUT)
    except OSError:
        return b""
