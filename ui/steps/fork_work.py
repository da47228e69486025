"""The work of a fork, in the background's thread. No Qt."""

import threading
from collections.abc import Mapping
from pathlib import Path

from workbench.engine import ForkOrder, ForkResult, play_fork
from workbench.experiments import bench_recording


class ForkCancelledError(Exception):
    """The user doesn't want the result any more."""


class ForkWork:
    """Plays both futures of a run; may be cancelled from another thread.

    Args:
        bench: the bench file.
        run: one of its runs, with a step record.
        step: number of the scheduler's call.
        changes: settings from that call on.
    """

    def __init__(self, bench: Path, run: str, step: int, changes: Mapping[str, int | bool | str]) -> None:
        self._bench, self._run = bench, run
        self._order = ForkOrder(step=step, changes=changes)
        self._cancelled = threading.Event()
        self.share = 0.0
        """Share of the work that is done."""

    def cancel(self) -> None:
        """End the work at its next progress."""
        self._cancelled.set()

    def play(self) -> ForkResult | None:
        """Return both futures; None if cancelled.

        Raises:
            Refusal: the record can't be forked there.
        """
        try:
            return play_fork(bench_recording(self._bench, self._run), self._order, self._progress)
        except ForkCancelledError:
            return None

    def _progress(self, share: float) -> None:
        self.share = share
        if self._cancelled.is_set():
            raise ForkCancelledError
