"""The conductor's process: it runs in its own session, a thread reads it, lines of JSON command it.

The window can end at any time: the conductor's standard error is a file, and it tolerates closed pipes, so
the plan goes on without the window.
"""

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from workbench.base import UNREADABLE, WorkFailure, own_module

if TYPE_CHECKING:
    from workbench.experiments import Event

WORKBENCH = tuple(own_module("workbench"))
"""The command line of this installation."""

_LAST_LINES = 20


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("conductor", text)


@dataclass(frozen=True)
class Ended:
    """The end of the conductor's process."""

    code: int
    """Exit code; negative for the signal that ended it."""
    errors: tuple[str, ...]
    """The last lines of its standard error."""

    def in_words(self) -> str:
        """Return how it ended, in the user's language."""
        if self.code < 0:
            return _t("was ended by signal {0}").format(-self.code)
        return _t("ended") if self.code == 0 else _t("ended with exit code {0}").format(self.code)


class ConductorClient:
    """One conductor's process: `start`, `drain` events, `send` commands, `end`. Not thread-safe."""

    def __init__(self, program: Sequence[str] = WORKBENCH) -> None:
        self._program = tuple(program)
        self._process: subprocess.Popen[bytes] | None = None
        self._events: deque[Event | Ended] = deque()
        self._error_file: Path | None = None

    @property
    def running(self) -> bool:
        """True while a conductor runs; False only after its `Ended` was drained."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """Process id of the conductor."""
        return self._process.pid if self._process else None

    def start(self, arguments: Sequence[str], *, error_file: Path) -> None:
        """Start `python -m workbench <arguments>` with its standard error in `error_file`.

        Raises:
            WorkFailure: the program can't be started.
        """
        assert self._process is None, "one conductor at a time"
        self._error_file = error_file
        try:
            with error_file.open("wb") as errors:
                self._process = subprocess.Popen(
                    [*self._program, *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env={**os.environ, "PYTHONUNBUFFERED": "1"},
                    **_own_session(),
                )
        except OSError as error:
            raise WorkFailure("ui.conductor_not_started", cause=error.strerror or str(error)) from error
        threading.Thread(
            target=self._read, args=(self._process,), name="conductor events", daemon=True
        ).start()

    def drain(self, most: int = 2000) -> "list[Event | Ended]":
        """Return the decoded events since the last call, oldest first; the last one ever is `Ended`."""
        taken: list[Event | Ended] = []
        while self._events and len(taken) < most:
            item = self._events.popleft()
            taken.append(item)
            if isinstance(item, Ended):
                self._process = None
        return taken

    def send(self, command: str, **fields: Any) -> bool:
        """Send a command (stop, stop_after_run, skip, limit); return False if no conductor reads it."""
        pipe = self._process.stdin if self._process else None
        if pipe is None:
            return False
        try:
            pipe.write(json.dumps({"command": command, **fields}).encode() + b"\n")
            pipe.flush()
        except (OSError, ValueError):
            return False
        return True

    def end(self) -> None:
        """Terminate a process that ignored `stop`."""
        if self._process:
            with suppress(OSError):
                self._process.terminate()

    def kill(self) -> None:
        """Kill the process."""
        if self._process:
            with suppress(OSError):
                self._process.kill()

    def leave_running(self) -> None:
        """Detach from the process, which finishes its plan alone."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin:
            with suppress(OSError):
                process.stdin.close()
        # Without a return code the finalizer of Popen warns.
        process.returncode = 0

    def _read(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        from workbench.experiments import decode_event  # noqa: PLC0415 - in this thread, not at the window's start

        with process.stdout:
            for line in process.stdout:
                # A newer conductor may send events unknown to this window.
                with suppress(*UNREADABLE):
                    self._events.append(decode_event(line))
        code = process.wait()
        if process.stdin:
            with suppress(OSError):
                process.stdin.close()
        self._events.append(Ended(code, tuple(self._last_errors())))

    def _last_errors(self) -> list[str]:
        if self._error_file is None:
            return []
        try:
            with self._error_file.open("rb") as file:
                file.seek(max(0, self._error_file.stat().st_size - 8192))
                text = file.read().decode(errors="replace")
        except OSError:
            return []
        return [line for line in text.splitlines() if line.strip()][-_LAST_LINES:]


def _own_session() -> Mapping[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
