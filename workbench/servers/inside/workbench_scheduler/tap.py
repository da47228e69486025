"""A tap on one scheduler: records its calls and changes its limits between them."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from .limits import ReservedBlocks, SchedulerLimits
from .step_lines import StepLines, header
from .writer import RecordWriter

_log = logging.getLogger("vllm.workbench")


class Tap:
    """The tap on one scheduler. Without a writer it records nothing."""

    def __init__(self, scheduler: Any, writer: RecordWriter | None) -> None:
        self.lock = threading.Lock()
        """Held during schedule(), whose limits mustn't change half-way."""
        self.limits = SchedulerLimits(scheduler)
        self.reserved = ReservedBlocks(scheduler)
        self.lines = StepLines(scheduler)
        self.engine_cpu_s = 0.0
        """CPU time of the engine's thread that was spent on recording."""
        self.closing: list[Callable[[], None]] = []
        """Callbacks of its end."""
        self._writer = writer
        if writer:
            writer.put(header(scheduler, self.lines.unseen()))

    def tell(self, line: Callable[..., dict[str, Any]], *arguments: Any) -> None:
        """Record a line; a failing recorder must not stop the engine."""
        writer = self._writer
        if writer is None:
            return
        begun = time.thread_time()
        try:
            writer.put(line(*arguments))
        except Exception:  # noqa: BLE001  # internals of another version may hold anything
            self._writer = None
            _log.warning("The step recorder has stopped", exc_info=True)
            writer.close()
        self.engine_cpu_s += time.thread_time() - begun

    def begin_call(self) -> None:
        """Begin a call, right before schedule()."""
        if len(self.reserved) != self.limits.reserve_target:
            self.reserved.move_towards(self.limits.reserve_target)
        self.lines.begin_call()

    def begin_update(self) -> None:
        """Begin an update, right before update_from_output()."""
        if self._writer:
            self.lines.begin_update()

    def close(self) -> None:
        """End with the engine."""
        for end in self.closing:
            end()
        if self._writer:
            self._writer.close()

    def carry_out(self, order: dict[str, Any]) -> dict[str, Any]:
        """Carry out one order; return the answer.

        Raises:
            ValueError: refused; nothing has changed.
        """
        if "set" in order:
            return {"changed": self._set(order["set"])}
        if "record" in order and self._writer:
            self._writer.paused = not order["record"]
        return {
            "limits": self.limits.current(),
            "ranges": self.limits.ranges,
            "impossible": self.limits.impossible,
            "reasons": self.limits.reasons,
            "parked": len(self.reserved),
            "recorder": self._cost(),
        }

    def _set(self, wanted: dict[str, Any]) -> dict[str, dict[str, int]]:
        with self.lock:
            for name, value in wanted.items():
                self.limits.check(name, value)
            before = self.limits.current()
            for name, value in wanted.items():
                self.limits.change(name, value)
                self.tell(self.lines.limit, name, before[name], value)
        return {name: {"old": before[name], "new": value} for name, value in wanted.items()}

    def _cost(self) -> dict[str, Any] | None:
        writer = self._writer
        if writer is None:
            return None
        return {
            "calls": self.lines.calls,
            "written": writer.written,
            "dropped": writer.dropped,
            "engine_cpu_s": self.engine_cpu_s,
            "writer_cpu_s": writer.cpu_s,
        }
