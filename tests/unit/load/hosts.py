"""Machines of a load that are this one: workers with a clock of their own, and ends that a test makes."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process

_OTHER_CLOCK = """
import runpy, sys, time
ahead = float(sys.argv.pop(1))
own = time.perf_counter
time.perf_counter = lambda: own() + ahead
from workbench.load import alarm
set_timer = alarm.Timerfd.set
# The kernel's timer knows the machine's clock only.
alarm.Timerfd.set = lambda self, when: set_timer(self, when - ahead)
runpy.run_module("workbench.load.worker", run_name="__main__", alter_sys=True)
"""


class Machine:
    """A machine whose clock is `ahead_s` ahead of ours."""

    def __init__(self, name: str, ahead_s: float = 0.0) -> None:
        self.name = name
        self.workers: list[Process] = []
        self._ahead_s = ahead_s

    async def start_worker(self) -> Process:
        """Start a worker of this machine."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _OTHER_CLOCK, str(self._ahead_s), stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        self.workers.append(process)
        return process
