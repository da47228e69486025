"""The interface of all servers: start, effective configuration, live limits, stop."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from workbench.base import Given, Message, Place, Record, Refusal, WorkbenchError, WorkFailure, message
from workbench.controls import LIVE_LIMITS
from workbench.vllm_dialect import ControlChange, changes_of

if TYPE_CHECKING:
    import asyncio

    from workbench.results import MachineSample
    from workbench.servers.run_command import CommandOutput
    from workbench.vllm_dialect import Failure

_RECORDER_WRITES_S = 1.2

OnLog = Callable[[str], None]
"""Takes one line that the server printed, secrets masked."""
OnState = Callable[[str, Message | str], None]
"""Takes the new state and its detail: the phase of a start, the cause of a failure; "" without one."""


class LiveLimit(Record, frozen=True, kw_only=True):
    """The state of one limit of a running server."""

    name: str
    value: int | None = None
    """Value in force; None: unknown."""
    minimum: int | None = None
    maximum: int | None = None
    """The launched value, which can't be exceeded."""
    reason: str | None = None
    """Why it can't be changed, in English; None: it can, from the next step on."""
    reason_message: Message | None = None
    """The reason as data."""


def fixed_limit(name: str, reason: Message) -> LiveLimit:
    """Return a limit that can't be changed."""
    return LiveLimit(name=name, reason=str(reason), reason_message=reason)


def refused_limit(name: str, error: WorkbenchError) -> LiveLimit:
    """Return a limit that can't be changed because of an error."""
    reason = explanation_of(error)
    return LiveLimit(
        name=name, reason=str(reason), reason_message=reason if isinstance(reason, Message) else None
    )


def fixed_limits(reason: Message) -> list[LiveLimit]:
    """Return every limit as one that can't be changed."""
    return [fixed_limit(name, reason) for name in LIVE_LIMITS]


class Replica(Record, frozen=True, kw_only=True):
    """One of several servers behind an address."""

    name: str
    """`HOST:PORT` of its own address; with its path if two would be alike."""
    url: str


class LifecycleState(StrEnum):
    """The state of a server between start and stop."""

    IDLE = "idle"
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"


class ServerFailedError(WorkFailure):
    """The server couldn't be started or died; the message is the cause with the fix."""

    def __init__(
        self, kind: str, place: Place | None = None, /, *, failure: "Failure | None" = None, **values: Given
    ) -> None:
        super().__init__(kind, place, **values)
        self.failure = failure
        """The explanation of its log; None where the log isn't the reason."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the failure on the way between processes."""
        return (*super().__reduce__(), {"failure": self.failure})


class CommandRefusedError(Refusal):
    """vLLM refused its command line."""

    def __init__(
        self, kind: str, place: Place | None = None, /, *, failure: "Failure | None" = None, **values: Given
    ) -> None:
        super().__init__(kind, place, **values)
        self.failure = failure

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the failure on the way between processes."""
        return (*super().__reduce__(), {"failure": self.failure})


def failure_of(error: WorkbenchError) -> "Failure | None":
    """Return the explanation of a failed server's log; None where the log isn't the reason."""
    return error.failure if isinstance(error, ServerFailedError | CommandRefusedError) else None


def explanation_of(error: BaseException) -> Message | str:
    """Return an error as a message, its place included; its text where it holds no message."""
    if not isinstance(error, Refusal | WorkFailure):
        return str(error)
    place = str(error.place)
    return message("servers.at", place=place, problem=error.message) if place else error.message


def control_changes(said: Message) -> tuple[ControlChange, ...]:
    """Return the changes that a message names, each control once, those with a value first."""
    found: dict[str, ControlChange] = {}
    for change in _all_changes(said):
        if change.control not in found or found[change.control].value is None:
            found[change.control] = change
    return tuple(sorted(found.values(), key=lambda change: change.value is None))


def _all_changes(said: Message) -> Iterator[ControlChange]:
    if said.kind == "servers.flag_is_control":
        yield ControlChange(str(said.values["control"]))
    yield from changes_of(said)
    for value in said.values.values():
        if isinstance(value, Message):
            yield from _all_changes(value)


class EffectiveConfig(Record, frozen=True, kw_only=True):
    """The effective configuration of a server, read back from it. None is unknown."""

    version: str | None = None
    model: str | None = None
    """The name to use in requests."""
    max_model_len: int | None = None
    """Tokens of prompt and output together."""
    num_gpu_blocks: int | None = None
    """Blocks of one engine if the server has several (data parallelism); the same for the tokens."""
    block_size: int | None = None
    kv_cache_tokens: int | None = None
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """Values by control name, as far as the server reports them."""
    vocab_size: int | None = None
    simulated: bool = False
    profile: str | None = None
    """Profile of a simulated server."""
    time_scale: float | None = None
    """Simulated seconds per second; None for a real server."""
    has_metrics: bool = True
    """True if it has a `/metrics` page."""
    system: dict[str, Any] = msgspec.field(default_factory=dict)
    """Facts about its machine: GPUs, driver, CUDA, torch."""
    notes: tuple[Message, ...] = ()
    """Values that could not be read back, and why."""


class MachineWatch(Protocol):
    """Samples the machine under a server; `zero` is the clock's value at t = 0."""

    zero: float

    async def run(self, on_sample: "Callable[[MachineSample], None]", stop: "asyncio.Event") -> None:
        """Sample about once a second until `stop` is set; unknown figures are None."""


class RemoteHost(Protocol):
    """The other machine on which a server runs and on which we may run commands."""

    host: str
    """The host as the target writes it."""
    url: str
    """URL of the server on that machine."""
    program: str | None
    """The executable of a copy of this program there; None without one."""

    async def call(self, words: Sequence[str]) -> "CommandOutput":
        """Run a command on that machine to its end.

        Raises:
            ServerFailedError: the connection dropped, or no answer came in time.
        """

    async def start(self, words: Sequence[str]) -> Any:
        """Start a command there; return an object like an asyncio process, which ends with our connection.

        Raises:
            ServerFailedError: the connection dropped.
        """


class ConnectedHost(RemoteHost, Protocol):
    """A connected machine, before a server of ours runs on it."""

    async def forward(self, port: int) -> int:
        """Forward a free port of 127.0.0.1 here to `port` there; return it.

        Raises:
            ServerFailedError: the connection dropped.
        """

    async def clock_ahead_s(self) -> float | None:
        """Return how far its monotonic clock is ahead of ours; None without an answer."""


class Server(ABC):
    """One server. Call `start`, `effective`, `stop` in this order; a stopped one can't be restarted."""

    def __init__(self) -> None:
        self.url: str | None = None
        self.model: str | None = None
        self.command: str | None = None
        """The command as shown and stored: quoted, secrets masked. None if we don't start it."""
        self.pid: int | None = None
        """Pid of its first process on this machine; None if it is elsewhere or not ours."""
        self.api_key: str | None = None
        self.remote_host: RemoteHost | None = None
        """Its machine, if that is another one and we may run commands on it."""
        self.replicas: tuple[Replica, ...] = ()
        """The servers behind `url`, if the target names them."""
        self.steps_folder: Path | None = None
        """Folder for its step record, if the target asks for one; None: the data folder."""
        self.steps_file: Path | None = None
        """The step record, `.steps.jsonl` or `.stats.jsonl` (figures only); it outlives the server."""
        self.out_of_memory = 0
        """Number of out-of-memory errors in its log; a server can survive them."""
        self._state = LifecycleState.IDLE
        self._on_log: OnLog = lambda _: None
        self._on_state: OnState = lambda _, __: None

    @property
    def state(self) -> LifecycleState:
        """The state between start and stop."""
        return self._state

    @property
    def drops(self) -> int:
        """Return how often our connection to it has dropped; each time the requests on it are lost."""
        return 0

    @abstractmethod
    async def start(self, on_log: OnLog, on_state: OnState) -> None:
        """Start it and return when it serves; stop it if cancelled.

        Raises:
            Refusal: the target can't be used: no such file, flag, profile or key, or no answer.
            ServerFailedError: it began and failed; the message is the cause and the fix.
        """

    @abstractmethod
    async def effective(self) -> EffectiveConfig:
        """Read back what it really uses."""

    async def replica_changes(self) -> list[Message]:
        """Return which replicas don't answer, restarted or differ since the start."""
        return []

    async def reset_prefix_cache(self) -> bool:
        """Empty the prefix cache, so that a run begins cold; return False if that failed."""
        return False

    async def live_limits(self) -> list[LiveLimit]:
        """Return all of `LIVE_LIMITS` with value and range, or the reason why it can't be changed.

        Raises:
            ServerFailedError: its engine doesn't answer.
        """
        return fixed_limits(message("servers.only_own_limits"))

    async def set_limit(self, name: str, value: int) -> int:
        """Change a limit from the server's next step on; return its former value.

        Raises:
            Refusal: the limit can't be changed, or not to this value.
            ServerFailedError: its engine doesn't answer.
        """
        known = {limit.name: limit.reason_message for limit in await self.live_limits()}
        reason = known.get(name) or message("servers.no_such_limit")
        raise Refusal("servers.limit_not_changed", name=name, value=value, reason=reason)

    async def steps_here(self) -> Path | None:
        """Return its step record on this machine, as far as it is written; None without one.

        Raises:
            ServerFailedError: it can't be fetched now.
        """
        return self.steps_file

    async def flush_steps(self) -> float:
        """Flush its step record; return the seconds after which it holds all that happened before."""
        return _RECORDER_WRITES_S

    async def clock_ahead_s(self) -> float | None:
        """Return how far its machine's monotonic clock is ahead of ours; None if unknown."""
        return None

    def machine(self) -> MachineWatch | None:
        """Return a watch on its machine; None if we can't see that machine."""
        return None

    @abstractmethod
    async def stop(self) -> None:
        """End it with all its processes; do nothing if it never began or has ended."""

    def _enter(self, state: LifecycleState, detail: Message | str = "") -> None:
        self._state = state
        self._on_state(state.value, detail)

    def _note(self, said: Message) -> None:
        """Add a line of ours to the server's log."""
        self._on_log(str(said))
