"""A server that we start as our own process: watched from its first line on and ended completely."""

import asyncio
import os
import shlex
import subprocess
import sys
import uuid
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from workbench.base import (
    MASK,
    InputError,
    Message,
    WorkbenchError,
    mask_arguments,
    mask_environment,
    mask_text,
    message,
    now,
    secrets_of,
)
from workbench.servers import cleanup
from workbench.servers.child import Child, ServerProcess
from workbench.servers.cleanup import LeftFilesWatch
from workbench.servers.engine_access import EngineAccess
from workbench.servers.extra_args import engines_of
from workbench.servers.processes import ProcessIdentity
from workbench.servers.read_back import read_back
from workbench.servers.server import (
    CommandRefusedError,
    EffectiveConfig,
    LifecycleState,
    LiveLimit,
    MachineWatch,
    OnLog,
    OnState,
    Server,
    ServerFailedError,
    explanation_of,
)
from workbench.servers.server_api import ServerApi
from workbench.servers.target_spec import TargetSpec
from workbench.telemetry import MachineSampler
from workbench.vllm_dialect import PHASES, Failure, FailureReader, Phase, phase_of, weights_percent

_POLL_S = 0.1
_BAD_USAGE = 2
"""Exit code of argparse: the command line was refused."""
_INHERITED_SECRET = 12
"""Shortest secret in characters; shorter values of such variables are often parts of paths or switches."""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """Command, environment and limits of a server's start."""

    command: list[str]
    environment: dict[str, str]
    """Variables added to our environment."""
    url: str | None
    """None if the server logs its URL."""
    with_stdin: bool
    """True to keep a pipe to its standard input open while it may live."""
    start_timeout_s: float
    patience_s: float
    """Time that it has to end when asked."""
    first_phase: Message
    private: str | None = None
    """A folder that is removed with the server; the shown command makes another one."""


def shown_command(command: Sequence[str], environment: Mapping[str, str], private: str | None = None) -> str:
    """Return the command line for copying, secrets masked; it makes a new folder in place of `private`."""
    words = mask_arguments(command)
    if sys.platform == "win32":
        return subprocess.list2cmdline(words)
    settings = [
        f"{name}={value if value == MASK else _shown_word(value, private)}"
        for name, value in mask_environment(environment).items()
    ]
    return " ".join([*settings, *(_shown_word(word, private) for word in words)])


def _shown_word(word: str, private: str | None) -> str:
    if private is None or private not in word:
        return shlex.quote(word)
    before, _, after = word.partition(private)
    return f'{before and shlex.quote(before)}"$(mktemp -d)"{after and shlex.quote(after)}'


class OwnedServer(Server):
    """Base of all servers that we start; `_prepare` says how each is started."""

    def __init__(self, spec: TargetSpec) -> None:
        super().__init__()
        self._spec = spec
        self._access = EngineAccess(spec)
        self._left_files = LeftFilesWatch()
        self._record_file: Path | None = None
        """The record of its processes and files on this machine."""
        self._child: ServerProcess | None = None
        self._reader = FailureReader()
        self._phase = -1
        self._api: ServerApi | None = None
        self._watching: asyncio.Task[None] | None = None
        self._ending = asyncio.Lock()
        self._left: Message | None = None
        """The processes that live though they were ended, and the fix."""
        self._patience_s = 0.0
        self._secrets: list[str] = []

    @abstractmethod
    async def _prepare(self) -> Launch:
        """Prepare the start.

        Raises:
            Refusal: the target can't be started.
        """

    async def start(self, on_log: OnLog, on_state: OnState) -> None:
        """Start it and wait until it serves."""
        self._on_log, self._on_state = on_log, on_state
        try:
            await self._sweep_here()
            self._access.open(self.steps_folder)
            self.steps_file = self._access.steps_file
            self._left_files.begin(self._access.folder)
            if self._access.folder is not None:
                self._write_record()
            launch = await self._prepare()
            self.url, self._patience_s = launch.url, launch.patience_s
            self.command = self._shown(launch)
            self._secrets = self._known_secrets(launch)
            child = await self._spawn(launch)
            self.pid = self._pid_of(child)
            self._enter(LifecycleState.STARTING, launch.first_phase)
            await self._until_ready(child, launch)
            await self._reach_all_engines()
            await self._ask_for_stats()
        except BaseException as error:
            await self._abort_start(error)
            raise
        self._enter(LifecycleState.READY)
        self._watching = asyncio.create_task(self._watch(child))

    async def _sweep_here(self) -> None:
        """End servers that earlier runs left on this machine."""
        for orphan in await asyncio.to_thread(cleanup.find_orphans):
            self._note(message("servers.ending_left_over", left=", ".join(orphan.contents())))
            stubborn = await cleanup.end_orphan(orphan)
            if stubborn:
                self._note(message("servers.still_living", processes=[str(one) for one in stubborn]))

    def _write_record(self, identities: Sequence[ProcessIdentity] = ()) -> None:
        """Record the server, so that the next start can end it if we are killed."""
        if self._record_file is None:
            self._record_file = cleanup.server_records_folder() / f"{uuid.uuid4().hex[:12]}.json"
        try:
            cleanup.write_server_record(
                self._record_file, self.command or "", identities, self._left_files.known
            )
        except (OSError, InputError) as error:
            self._note(message("servers.not_noted", cause=explanation_of(error)))

    def _known_secrets(self, launch: Launch) -> list[str]:
        """Return the secrets to mask in its output: those it is started with and those it inherits."""
        inherited = {name: value for name, value in os.environ.items() if len(value) >= _INHERITED_SECRET}
        words = [*launch.command, *self._spec.args]
        known = secrets_of(words, {**inherited, **launch.environment, **self._spec.env})
        return [*([self.api_key] if self.api_key else []), *known]

    async def _reach_all_engines(self) -> None:
        """Open access to every engine of the server, not only the first."""

    async def _ask_for_stats(self) -> None:
        """Log a note if vLLM didn't load our stat logger, as versions without such plug-ins do."""
        if self.steps_file is None or self._access.record_kind != "stats":
            return
        try:
            file = await self.steps_here()
            if file is not None and file.stat().st_size:
                return
        except (OSError, WorkbenchError):
            # From another machine it may be fetched later; here it never began.
            if self.remote_host is not None:
                return
        self._note(message("servers.no_stat_logger"))

    def _pid_of(self, child: ServerProcess) -> int | None:
        return child.pid

    def _shown(self, launch: Launch) -> str:
        return shown_command(launch.command, launch.environment, launch.private)

    async def _spawn(self, launch: Launch) -> ServerProcess:
        """Start the process; set `_child` as soon as it may live."""
        self._child = Child.spawn(
            launch.command, launch.environment, self._handle_line, with_stdin=launch.with_stdin
        )
        return self._child

    async def _abort_start(self, error: BaseException) -> None:
        by_user = isinstance(error, asyncio.CancelledError)
        # A stop during the start has set the state already.
        if self._state not in (LifecycleState.STOPPING, LifecycleState.STOPPED):
            self._enter(LifecycleState.STOPPING if by_user else LifecycleState.FAILED, explanation_of(error))
        left = await self._end()
        if by_user and self._state is LifecycleState.STOPPING:
            self._enter(LifecycleState.STOPPED, left or "")

    async def effective(self) -> EffectiveConfig:
        """Return its effective configuration."""
        assert self._api is not None
        return await read_back(self._api, self.model, engines_of(self._spec.args))

    async def reset_prefix_cache(self) -> bool:
        """Have all cached prefixes forgotten."""
        return self._api is not None and await self._api.reset_prefix_cache()

    async def live_limits(self) -> list[LiveLimit]:
        """Return its live limits."""
        return await self._access.live_limits()

    async def set_limit(self, name: str, value: int) -> int:
        """Change a limit."""
        return await self._access.set_limit(name, value)

    async def clock_ahead_s(self) -> float | None:
        """Return 0: it runs on this machine."""
        return 0.0

    def machine(self) -> MachineWatch | None:
        """Return a watch on this machine and its processes."""
        return MachineSampler([self.pid]) if self.pid is not None else None

    async def stop(self) -> None:
        """End it and all it started."""
        watching, self._watching = self._watching, None
        if watching is not None:
            # A watcher that noticed the server's end is cleaning up.
            if self._state is LifecycleState.READY:
                watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
        if self._state in (LifecycleState.STARTING, LifecycleState.READY):
            self._enter(LifecycleState.STOPPING)
        left = await self._end()
        if self._state is LifecycleState.STOPPING:
            self._enter(LifecycleState.STOPPED, left or "")

    async def _until_ready(self, child: ServerProcess, launch: Launch) -> None:
        deadline = now() + launch.start_timeout_s
        while True:
            if child.exit_code is not None:
                raise self._explain(await child.ended())
            if self.url is not None and await self._serves(child, self.url):
                # From now on we must know all children, in case their parent dies.
                await self._track(child)
                self.pid = self._pid_of(child)
                return
            if now() > deadline:
                raise ServerFailedError("servers.not_ready", seconds=launch.start_timeout_s)
            await asyncio.sleep(_POLL_S)

    async def _track(self, child: ServerProcess) -> None:
        """Remember its processes."""
        await child.track_descendants()

    async def _serves(self, child: ServerProcess, url: str) -> bool:
        """Return whether it answers, and not another process on the same port."""
        if self._api is None:
            self._api = ServerApi(url, api_key=self.api_key)
        if not await self._api.healthy():
            return False
        if not await child.listens(url):
            return False
        self.model = (await self._api.models())[0].id
        return True

    async def _watch(self, child: ServerProcess) -> None:
        """Wait for its end while serving, which is a failure even with exit code 0."""
        code = await child.ended()
        self._enter(LifecycleState.FAILED, self._explanation(self._reader.failure(code)))
        await self._end()

    async def _end(self) -> Message | None:
        """End the process tree, once; returns a message about processes that still live."""
        async with self._ending:
            child, self._child = self._child, None
            answers, self._api = self._api, None
            if answers is not None:
                await answers.close()
            left = await self._end_child(child) if child else []
            self._access.close()
            if left:
                names = [str(one) for one in left]
                self._left = message("servers.still_living_fix", processes=names, fix=self._manual_fix(left))
                self._note(self._left)
            elif self._left is None:
                await self._remove_left_files()
            return self._left

    async def _end_child(self, child: ServerProcess) -> list[ProcessIdentity]:
        """End it; return the processes that still live."""
        return await child.end(patience_s=self._patience_s)

    async def _remove_left_files(self) -> None:
        """Remove its files on this machine, once no process lives."""
        stuck = await asyncio.to_thread(self._left_files.known.remove)
        if stuck:
            self._note(message("servers.not_removed", files=stuck))
        elif self._record_file is not None:
            self._record_file.unlink(missing_ok=True)

    def _manual_fix(self, left: Sequence[ProcessIdentity]) -> Message:
        """Return what the user can do about processes that we couldn't end."""
        return message("servers.end_by_hand", pids=" ".join(str(one.pid) for one in left))

    def _explain(self, exit_code: int) -> WorkbenchError:
        error = CommandRefusedError if exit_code == _BAD_USAGE else ServerFailedError
        failure = self._reader.failure(exit_code)
        said = self._explanation(failure)
        return error(said.kind, failure=failure, **said.values)

    def _explanation(self, failure: Failure) -> Message:
        """Return cause and fix."""
        return failure.message

    def _handle_line(self, line: str) -> None:
        """Handle one line of its output, with secrets masked first."""
        line = mask_text(line, self._secrets)
        self._reader.feed(line)
        self.out_of_memory = self._reader.out_of_memory
        self._on_log(line)
        if self._state is LifecycleState.STARTING:
            self._follow(line)

    def _follow(self, line: str) -> None:
        phase = phase_of(line)
        if phase is not None and PHASES.index(phase) >= self._phase:
            percent = weights_percent(line)
            news = PHASES.index(phase) > self._phase
            self._phase = PHASES.index(phase)
            if phase is Phase.LOADING_WEIGHTS and percent is not None:
                said = message("dialect.phase_percent", phase=phase.message, percent=percent)
                self._enter(LifecycleState.STARTING, said)
            elif news:
                self._enter(LifecycleState.STARTING, phase.message)
