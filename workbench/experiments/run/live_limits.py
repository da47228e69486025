"""Changing limits of the running server, by the user or a switchback; each change is emitted and stored."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from workbench.base import InputError, Message, Refusal, WorkbenchError, message, now
from workbench.controls import LIVE_LIMITS
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.events import LimitsReported, LiveLimitChanged, as_data
from workbench.results import LimitChange
from workbench.servers import Server, ServerFailedError, refused_limit


class LiveLimits:
    """The only way in which limits of a running server are changed.

    Args:
        store: takes every change, refused ones too.
        emit: takes its event.
    """

    def __init__(self, store: Callable[[LimitChange], None], emit: Emit) -> None:
        self.user_changes: list[str] = []
        """Changes by the user since the run began, as texts."""
        self.all_changes: list[LimitChange] = []
        """Every change since the run began, including refused ones and those by the plan."""
        self._store = store
        self._emit = emit
        self._server: Server | None = None
        self._launched: dict[str, int] = {}
        self._current: dict[str, int] = {}
        self._run: str | None = None
        self._zero: float | None = None
        self._scale = 1.0
        self._one_at_a_time = asyncio.Lock()

    async def server_ready(self, server: Server) -> None:
        """Emit which limits can change now; the launched values are in force."""
        try:
            limits = await server.live_limits()
        except WorkbenchError as error:
            limits = [refused_limit(name, error) for name in LIVE_LIMITS]
        self._server = server
        self._launched = {one.name: one.value for one in limits if one.value is not None}
        self._current = dict(self._launched)
        self._emit(LimitsReported(limits=limits))

    def server_gone(self) -> None:
        """Refuse changes from now on."""
        self._server = None

    async def begin_run(
        self, run: str, time_scale: float, planned: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        """Set the plan's limits and restore the others; later changes belong to this run.

        Raises:
            WorkbenchError: a limit can't be set, so the server doesn't fit the run.
        """
        self._run, self._zero, self._scale = run, None, time_scale
        self.user_changes, self.all_changes = [], []
        for name, value in {**self._launched, **planned}.items():
            if self._current.get(name) != value:
                await self.change(name, value, by="plan" if name in planned else "restored")

    def schedule_begins(self, zero: float) -> None:
        """Take the start of the run's schedule, on the run's clock."""
        self._zero = zero

    def end_run(self) -> None:
        """Count later changes as between runs."""
        self._run = self._zero = None

    async def change_for_user(self, name: str, value: Any) -> None:
        """Change a limit for the user; a refusal is emitted like a change."""
        with contextlib.suppress(InputError, ServerFailedError):
            await self.change(name, value, by="user")

    async def change(self, name: str, value: Any, *, by: str) -> None:
        """Change a limit from the server's next step on.

        Raises:
            InputError: the change is refused.
            ServerFailedError: the engine accepts no commands.
        """
        async with self._one_at_a_time:
            old = self._current.get(name)
            try:
                old = await self._set(name, value)
            except WorkbenchError as error:
                self._record(name, value, old, old, by, as_data(error))
                raise
            self._current[name] = value
            self._record(name, value, old, value, by, None)

    async def _set(self, name: str, value: Any) -> int:
        if not name:
            raise Refusal("experiments.limit_unnamed", known=list(LIVE_LIMITS))
        if self._server is None:
            raise Refusal("experiments.limit_without_server", name=name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise Refusal("experiments.limit_not_whole", name=name, value=repr(value))
        return await self._server.set_limit(name, value)

    def _record(
        self, name: str, asked: Any, old: int | None, new: int | None, by: str, refusal: Message | str | None
    ) -> None:
        t = None if self._zero is None else round(now() - self._zero, 3)
        run_t = None if t is None else round(t * self._scale, 3)
        if by == "user" and self._run is not None and old != new:
            self.user_changes.append(str(_changed(name, old, new, run_t)))
        text = None if refusal is None else str(refusal)
        change = LimitChange(t=t, name=name, asked=asked, old=old, new=new, by=by, refusal=text)
        if self._run is not None:
            self.all_changes.append(change)
        self._store(change)
        self._emit(
            LiveLimitChanged(
                run=self._run,
                run_t=run_t,
                name=name,
                asked=asked,
                old=old,
                new=new,
                accepted=refusal is None,
                refusal=text,
                message=refusal if isinstance(refusal, Message) else None,
                by=by,
            )
        )


def _changed(name: str, old: int | None, new: int | None, run_t: float | None) -> Message:
    """Return `max_num_seqs 16 → 3 at 12.3 s`, for the reasons of an invalid run."""
    if run_t is None:
        return message("experiments.limit_changed_before", name=name, old=old, new=new)
    return message("experiments.limit_changed_at", name=name, old=old, new=new, seconds=run_t)
