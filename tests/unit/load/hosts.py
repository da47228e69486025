"""Machines of a load that are this one: workers with a clock of their own, and ends that a test makes."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process

_OTHER_CLOCK = """
import asyncio, runpy, sys, time
ahead, way = float(sys.argv.pop(1)), float(sys.argv.pop(1))
own = time.perf_counter
time.perf_counter = lambda: own() + ahead
from workbench.load import alarm
set_timer = alarm.Timerfd.set
# The kernel's timer knows the machine's clock only.
alarm.Timerfd.set = lambda self, when: set_timer(self, when - ahead)
if way:
    import queue, uvloop
    from workbench.load import messages
    read = messages.read_to_worker

    def read_late(stream):
        order = read(stream)
        # A ping says when it left, so one ping doesn't hold up the next.
        left = order.sent if isinstance(order, messages.ClockPing) else own()
        time.sleep(max(0.0, left + way - own()))
        return order

    class LateQueue(queue.SimpleQueue):
        def put(self, said):
            super().put((own() + way, said))

        def get(self):
            comes, said = super().get()
            time.sleep(max(0.0, comes - own()))
            return said

    class LateLoop(uvloop.Loop):
        async def sock_connect(self, *args):
            await super().sock_connect(*args)
            await asyncio.sleep(2 * way)

    messages.read_to_worker = read_late
    queue.SimpleQueue = LateQueue
    uvloop.new_event_loop = LateLoop
runpy.run_module("workbench.load.worker", run_name="__main__", alter_sys=True)
"""


class Machine:
    """A machine whose clock is `ahead_s` ahead of ours.

    With `round_trip_s`, its orders and reports come late by half of it, and connecting takes it.
    """

    def __init__(self, name: str, ahead_s: float = 0.0, round_trip_s: float = 0.0) -> None:
        self.name = name
        self.workers: list[Process] = []
        self._arguments = (str(ahead_s), str(round_trip_s / 2))

    async def start_worker(self) -> Process:
        """Start a worker of this machine."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _OTHER_CLOCK, *self._arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        self.workers.append(process)
        return process
