"""A running plan of another process: its events over its private socket, and the user's commands back."""

import socket
import threading
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ui.conductor.conductor_client import ConductorClient, Ended
from workbench.base import UNREADABLE, WorkFailure, encode_line

if TYPE_CHECKING:
    from workbench.experiments import Event, RunningPlan

_PIECE = 1 << 16


class FollowerClient(ConductorClient):
    """Follows one plan; leaving it changes nothing. Not thread-safe."""

    def __init__(self, plan: "RunningPlan") -> None:
        super().__init__()
        self._plan = plan
        self._link: socket.socket | None = None
        self._arrived: deque[Event | Ended] = deque()

    @property
    def running(self) -> bool:
        """True while connected; False only after its `Ended` was drained."""
        return self._link is not None

    def connect(self) -> None:
        """Connect to the plan; its present state comes first.

        Raises:
            WorkFailure: the plan has just ended.
        """
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(self._plan.socket)
        except OSError as error:
            link.close()
            raise WorkFailure("ui.plan_just_ended", cause=error.strerror or str(error)) from error
        self._link = link
        threading.Thread(target=self._read_link, args=(link,), name="plan's events", daemon=True).start()

    def drain(self, most: int = 2000) -> "list[Event | Ended]":
        """Return the decoded events since the last call, oldest first; the last one ever is `Ended`."""
        taken: list[Event | Ended] = []
        while self._arrived and len(taken) < most:
            item = self._arrived.popleft()
            taken.append(item)
            if isinstance(item, Ended):
                self.leave_running()
        return taken

    def send(self, command: str, **fields: Any) -> bool:
        """Send a command to the plan; return False if it has ended."""
        from workbench.experiments import Command  # noqa: PLC0415 - loaded by now, with the plan

        if self._link is None:
            return False
        try:
            self._link.sendall(encode_line(Command(command=command, **fields)))
        except OSError:
            return False
        return True

    def end(self) -> None:
        """Leave the plan, which ends by itself."""
        self.leave_running()

    def kill(self) -> None:
        """Leave the plan."""
        self.leave_running()

    def leave_running(self) -> None:
        """Leave the plan, which goes on."""
        link, self._link = self._link, None
        if link is not None:
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()

    def _read_link(self, link: socket.socket) -> None:
        from workbench.experiments import decode_event  # noqa: PLC0415 - in this thread

        rest = b""
        with suppress(OSError):
            while piece := link.recv(_PIECE):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    with suppress(*UNREADABLE):
                        self._arrived.append(decode_event(line))
        self._arrived.append(Ended(0, ()))
