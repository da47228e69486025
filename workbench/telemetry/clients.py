"""How busy the load generator's own processes are: one whose core is full is late."""

from contextlib import suppress

import psutil

from workbench.base import now


class BusiestChild:
    """CPU of this process's children whose command line has a word."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._children: list[psutil.Process] = []
        self._before: dict[int, tuple[float, float]] = {}
        """By pid: when looked, CPU seconds then."""

    def find(self) -> None:
        """Look for them anew; takes some milliseconds."""
        self._children = [child for child in psutil.Process().children() if self._is_one(child)]
        self.cores()

    def cores(self) -> float | None:
        """Cores that the busiest has used since the last look; None: nothing to compare with."""
        found = [used for child in self._children if (used := self._used(child)) is not None]
        return max(found, default=None)

    def _is_one(self, child: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return any(self._word in part for part in child.cmdline())
        return False

    def _used(self, child: psutil.Process) -> float | None:
        try:
            times = child.cpu_times()
        except psutil.Error:
            return None
        at, used = now(), times.user + times.system
        before = self._before.get(child.pid)
        self._before[child.pid] = (at, used)
        return (used - before[1]) / (at - before[0]) if before and at > before[0] else None
