"""Sends a plan to the conductor and its events to the panels. Measures nothing."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ui.conductor.conductor_client import ConductorClient, Ended
from ui.conductor.follower_client import FollowerClient
from ui.conductor.frame_clock import FrameClock
from ui.live import Changed, LiveState, RunView, bursts_of
from workbench.base import InputError, require_writable_folder, write_atomic

SNAPSHOT_TICKS = 30
"""Frames (1 s) between two moments whose figures all panels show: faster ones can't be read."""
if TYPE_CHECKING:
    from workbench.experiments import RunningPlan

STALE_AFTER_TICKS = 150
"""Frames (5 s) without any event during a measurement, after which the data counts as old."""


class RunController(QObject):
    """One plan at a time; `changed` gives the changed parts of `state`."""

    changed = Signal(Changed)
    state_replaced = Signal()
    """`state` is another object: a new plan, or a bench file."""
    ended = Signal(object)
    """The conductor's `Ended`, after its last event."""
    stale_changed = Signal(bool)

    def __init__(self, results: Path, clock: FrameClock, client: ConductorClient | None = None) -> None:
        super().__init__(clock)
        self.results = results
        """Folder with one subfolder for each plan."""
        self._clock = clock
        self._own = client or ConductorClient()
        self.client: ConductorClient = self._own
        """The conductor of this window, or the plan of another process that it follows."""
        self.state = LiveState()
        self.stale = False
        self._silent_ticks = self._ticks = 0
        self._before: LiveState | None = None
        """The state before its plan was resumed."""
        self._copies: list[tuple[Path, str]] = []
        """Files for the conductor that hold secrets, with their masked text for later."""
        clock.tick.connect(self._tick)

    @property
    def running(self) -> bool:
        """True while a conductor works for this window."""
        return self.client.running

    def start(self, name: str, files: Sequence[tuple[str, str]]) -> None:
        """Start the conductor on experiments (file name, TOML text) in a new folder.

        Raises:
            WorkbenchError: the folder or the process can't be made.
        """
        folder = self._new_folder(name)
        paths = []
        for file_name, text in files:
            path = folder / file_name
            self._write_copy(path, text)
            paths.append(str(path))
        bench = folder / f"{folder.name}.bench"
        arguments = ["run", *paths, "--bench", str(bench), "--events"]
        self.client = self._own
        self.client.start(arguments, error_file=folder / "conductor.log")
        texts = [text for _, text in files]
        self._before = None
        state = LiveState(phase="starting", name=name, bench=str(bench), bursts=bursts_of(texts))
        state.experiments = texts
        self._show(state)
        self._clock.start()

    def watch(self, name: str, words: Sequence[str]) -> None:
        """Watch a server that is running; `words` are its address and its options for `watch`.

        Raises:
            WorkbenchError: the folder or the process can't be made.
        """
        folder = self._new_folder(name)
        bench = folder / f"{folder.name}.bench"
        self.client = self._own
        arguments = ["watch", *words, "--bench", str(bench), "--events"]
        self.client.start(arguments, error_file=folder / "conductor.log")
        self._before = None
        state = LiveState(phase="starting", name=name, bench=str(bench), watch=True, attached=True)
        self._show(state)
        self._clock.start()

    def follow(self, plan: "RunningPlan", before: Mapping[str, RunView]) -> None:
        """Follow a plan of another process; `before` are its runs so far, from its bench file.

        Raises:
            WorkFailure: it has just ended.
        """
        follower = FollowerClient(plan)
        follower.connect()
        self.client, self._before = follower, None
        state = LiveState(phase="starting", name=Path(plan.bench).stem, bench=plan.bench, followed=True)
        state.before = dict(before)
        self._show(state)
        self._clock.start()

    def go_on(self, *, invalid: bool) -> None:
        """Resume the shown plan; with `invalid` repeat its invalid runs too.

        Raises:
            WorkFailure: the process can't be started.
        """
        before, bench = self.state, Path(self.state.bench)
        arguments = ["run", "--bench", str(bench), "--resume", *(["--again"] if invalid else []), "--events"]
        self.client = self._own
        self.client.start(arguments, error_file=bench.with_name("conductor.log"))
        state = LiveState(phase="starting", name=before.name, bench=str(bench), bursts=before.bursts)
        state.before, state.experiments = before.runs, before.experiments
        self._before = before
        self._show(state)
        self._clock.start()

    def show_bench(self, state: LiveState) -> None:
        """Show a bench file's content while nothing runs."""
        self._show(state)

    def stop(self) -> None:
        """Stop now; finished runs are kept."""
        if self._command("stop"):
            self.state.phase = "stopping"
            self.changed.emit(Changed.RUN)

    def stop_after_run(self) -> None:
        """Finish the present run, then stop."""
        self._command("stop_after_run")

    def skip(self) -> None:
        """Leave the present run and go on with the next."""
        self._command("skip")

    def set_limit(self, name: str, value: int) -> None:
        """Change a limit of the running server; the answer is an event."""
        self._command("limit", name=name, value=value)

    def _command(self, command: str, **fields: object) -> bool:
        return self.state.live and self.client.send(command, **fields)

    def _show(self, state: LiveState) -> None:
        self.state = state
        self._set_stale(stale=False)
        self._silent_ticks = 0
        self.state_replaced.emit()

    def _tick(self) -> None:
        items = self.client.drain()
        changed = Changed.NOTHING
        for item in items:
            if isinstance(item, Ended) or item.__struct_config__.tag == "experiment_started":
                self._mask_copies()
            if isinstance(item, Ended):
                changed |= self._on_conductor_end(item)
            else:
                changed |= self.state.apply(item)
        self._watch_silence(heard=bool(items))
        self._ticks += 1
        moving = self.state.live or self.state.phase == "demo"
        if moving and (changed & Changed.RUN or self._ticks % SNAPSHOT_TICKS == 0):
            self.state.take_snapshot()
            changed |= Changed.SNAPSHOT
        if changed:
            self.changed.emit(changed)

    def _on_conductor_end(self, ended: Ended) -> Changed:
        changed = self.state.conductor_ended()
        self.ended.emit(ended)
        before, self._before = self._before, None
        if before is not None and self.state.phase == "failed" and not self.state.runs:
            # Refused before anything ran: the results are unchanged.
            self._show(before)
            return Changed.NOTHING
        return changed

    def _watch_silence(self, *, heard: bool) -> None:
        self._silent_ticks = 0 if heard else self._silent_ticks + 1
        silent = self._silent_ticks > STALE_AFTER_TICKS and self.state.phase == "running"
        lost = self.state.live and self.state.server in {"degraded", "failed"}
        self._set_stale(stale=silent or lost)

    def _set_stale(self, *, stale: bool) -> None:
        if stale != self.stale:
            self.stale = stale
            self.stale_changed.emit(stale)

    def _write_copy(self, path: Path, text: str) -> None:
        """Write a file for the conductor; one with a secret is private until it is masked."""
        from workbench.results import mask_toml  # noqa: PLC0415 - the core room loads when first needed

        masked = mask_toml(text)
        if masked != text:
            path.touch(mode=0o600)
            self._copies.append((path, masked))
        write_atomic(path, text)

    def _mask_copies(self) -> None:
        """Mask the secrets in the copies, once the conductor has read them or has ended."""
        copies, self._copies = self._copies, []
        for path, masked in copies:
            with suppress(InputError):
                write_atomic(path, masked)

    def _new_folder(self, name: str) -> Path:
        stem = re.sub(r"[^\w.-]+", "-", name).strip("-.").lower()[:60] or "experiment"
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        folder = self.results / f"{stem}-{stamp}"
        number = 1
        while folder.exists():
            number += 1
            folder = self.results / f"{stem}-{stamp}-{number}"
        require_writable_folder(folder)
        return folder
