"""A server's life behind one interface, whatever it is and wherever it runs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from workbench.base import Given, Message, Place, Record, Refusal, WorkbenchError, WorkFailure, message
from workbench.controls import LIVE_LIMITS

if TYPE_CHECKING:
    import asyncio

    from workbench.results import MachineSample
    from workbench.servers.run_command import CommandOutput
    from workbench.vllm_dialect import Failure

OnLog = Callable[[str], None]
"""Takes one line that the server printed, secrets masked."""
OnState = Callable[[str, Message | str], None]
"""Takes the new state and its detail: the phase of a start, the cause of a failure; "" without one."""


class LiveLimit(Record, frozen=True, kw_only=True):
    """What can be done to one limit while a server runs."""

    name: str
    value: int | None = None
    """What holds now; None: not known."""
    minimum: int | None = None
    maximum: int | None = None
    """As launched: nothing goes above that."""
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


class LifecycleState(StrEnum):
    """Where a server is in its life."""

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


class EffectiveConfig(Record, frozen=True, kw_only=True):
    """What a server really uses, read back from itself. None is unknown."""

    version: str | None = None
    model: str | None = None
    """As requests must name it."""
    max_model_len: int | None = None
    """Tokens of prompt and output together."""
    num_gpu_blocks: int | None = None
    """Of one engine, as are the tokens, where the server has several (data parallelism)."""
    block_size: int | None = None
    kv_cache_tokens: int | None = None
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """By control name, as far as the server tells them."""
    vocab_size: int | None = None
    simulated: bool = False
    profile: str | None = None
    """Of a simulated server."""
    time_scale: float | None = None
    """Of a simulated server: simulated seconds in one."""
    has_metrics: bool = True
    """Whether it has a `/metrics` page."""
    system: dict[str, Any] = msgspec.field(default_factory=dict)
    """What it says of its machine: GPUs, driver, CUDA, torch."""
    notes: tuple[Message, ...] = ()
    """What could not be read back, and why."""


class MachineWatch(Protocol):
    """Samples the machine under a server; `zero` is the clock's value at t = 0."""

    zero: float

    async def run(self, on_sample: "Callable[[MachineSample], None]", stop: "asyncio.Event") -> None:
        """Sample about once a second until `stop` is set; what isn't told is None."""


class RemoteHost(Protocol):
    """The machine of a server that isn't this one, as far as we may run commands on it."""

    host: str
    """As it stands in the target."""
    url: str
    """Of the server, there."""

    async def call(self, words: Sequence[str]) -> "CommandOutput":
        """Run a command there to its end.

        Raises:
            ServerFailedError: the connection dropped, or no answer came in time.
        """

    async def start(self, words: Sequence[str]) -> Any:
        """Start a command there: like an asyncio process, bytes on its streams; it ends with our connection.

        Raises:
            ServerFailedError: the connection dropped.
        """


class ConnectedHost(RemoteHost, Protocol):
    """Another machine over a connection of ours, before a server of ours is there."""

    async def forward(self, port: int) -> int:
        """Lead a free port of 127.0.0.1 here to `port` there, as a server's is led; returns it.

        Raises:
            ServerFailedError: the connection dropped.
        """

    async def clock_ahead_s(self) -> float | None:
        """How far its monotonic clock is ahead of ours; None: no answer."""


class Server(ABC):
    """One server. `start`, `effective`, `stop` in that order; a stopped one isn't started again."""

    def __init__(self) -> None:
        self.url: str | None = None
        self.model: str | None = None
        self.command: str | None = None
        """As shown and stored: quoted, secrets masked. None: not started by us."""
        self.pid: int | None = None
        """Of its first process on this machine; None: it isn't here, or not ours."""
        self.api_key: str | None = None
        self.remote_host: RemoteHost | None = None
        """Its machine, where that is another one and we may run commands on it."""
        self.steps_folder: Path | None = None
        """Where the record of its steps is to be put, if the target asks for one; None: the data folder."""
        self.steps_file: Path | None = None
        """That record, `.steps.jsonl` or (figures) `.stats.jsonl`; it stays when the server has ended."""
        self.out_of_memory = 0
        """Times that it told of exhausted GPU memory; it can survive that."""
        self._state = LifecycleState.IDLE
        self._on_log: OnLog = lambda _: None
        self._on_state: OnState = lambda _, __: None

    @property
    def state(self) -> LifecycleState:
        """Where it is in its life."""
        return self._state

    @property
    def drops(self) -> int:
        """How often a connection of ours that leads to it dropped so far; requests on it are lost then."""
        return 0

    @abstractmethod
    async def start(self, on_log: OnLog, on_state: OnState) -> None:
        """Bring it to life and return when it serves; cancelled, it is stopped again.

        Raises:
            Refusal: what was asked can't be had: no such file, flag, profile, key, nobody listens.
            ServerFailedError: it began and failed; the message says why and what to do.
        """

    @abstractmethod
    async def effective(self) -> EffectiveConfig:
        """Read back what it really uses."""

    async def reset_prefix_cache(self) -> bool:
        """Have all cached prefixes forgotten, so that a run begins cold; False: it wasn't done."""
        return False

    async def live_limits(self) -> list[LiveLimit]:
        """All of `LIVE_LIMITS`, each with what holds and what it may become, or why it can't be changed.

        Raises:
            ServerFailedError: its engine takes no orders.
        """
        return fixed_limits(message("servers.only_own_limits"))

    async def set_limit(self, name: str, value: int) -> int:
        """Change a limit while it serves, from its next step on; returns what it was.

        Raises:
            Refusal: it can't be changed, or not to this value; says why and what would be right.
            ServerFailedError: its engine takes no orders.
        """
        known = {limit.name: limit.reason_message for limit in await self.live_limits()}
        reason = known.get(name) or message("servers.no_such_limit")
        raise Refusal("servers.limit_not_changed", name=name, value=value, reason=reason)

    async def steps_here(self) -> Path | None:
        """The record of its steps on this machine, as far as it is written; None: there is none.

        Raises:
            ServerFailedError: it can't be fetched now.
        """
        return self.steps_file

    async def clock_ahead_s(self) -> float | None:
        """How far its machine's monotonic clock is ahead of ours; None: nobody knows."""
        return None

    def machine(self) -> MachineWatch | None:
        """A watch on the machine that it runs on; None: that machine isn't ours to look at."""
        return None

    @abstractmethod
    async def stop(self) -> None:
        """End it and everything it started; harmless when it never began or has ended."""

    def _enter(self, state: LifecycleState, detail: Message | str = "") -> None:
        self._state = state
        self._on_state(state.value, detail)

    def _note(self, said: Message) -> None:
        """Add a line of ours to the server's log."""
        self._on_log(str(said))
