"""The conductor as a process: started in its own session, read by a thread, told to stop by lines.

The window can vanish at any time: the conductor has a session of its own, its standard error is a file, and
it tolerates closed pipes, so that the plan goes on without the window.
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

from workbench.base import UNREADABLE, WorkFailure

if TYPE_CHECKING:
    from workbench.experiments import Event

WORKBENCH = (sys.executable, "-m", "workbench")
"""How the command line is started from here."""

_LAST_LINES = 20


def _t(text: str) -> str:
    """A string of the conductor in the user's language."""
    return QCoreApplication.translate("conductor", text)


@dataclass(frozen=True)
class Ended:
    """The conductor's process is gone."""

    code: int
    """Its exit code; negative: the signal that ended it."""
    errors: tuple[str, ...]
    """The last lines of its standard error."""

    def in_words(self) -> str:
        """What happened, for people."""
        if self.code < 0:
            return _t("was ended by signal {0}").format(-self.code)
        return _t("ended") if self.code == 0 else _t("ended with exit code {0}").format(self.code)


class ConductorClient:
    """One conductor's process: `start`, `drain` its events, `send` commands, `end` it. Not thread-safe."""

    def __init__(self, program: Sequence[str] = WORKBENCH) -> None:
        self._program = tuple(program)
        self._process: subprocess.Popen[bytes] | None = None
        self._events: deque[Event | Ended] = deque()
        self._error_file: Path | None = None

    @property
    def running(self) -> bool:
        """Whether a conductor is at work; False only after its `Ended` was drained."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """Its process id."""
        return self._process.pid if self._process else None

    def start(self, arguments: Sequence[str], *, error_file: Path) -> None:
        """Start `python -m workbench <arguments>`; what it complains about goes to `error_file`.

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
        """Events since the last call, oldest first, decoded; the last one ever is `Ended`."""
        taken: list[Event | Ended] = []
        while self._events and len(taken) < most:
            item = self._events.popleft()
            taken.append(item)
            if isinstance(item, Ended):
                self._process = None
        return taken

    def send(self, command: str, **fields: Any) -> bool:
        """Give a command (stop, stop_after_run, skip, limit); False when nobody is there to take it."""
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
        """Terminate the process, for one that did not heed `stop`."""
        if self._process:
            with suppress(OSError):
                self._process.terminate()

    def kill(self) -> None:
        """End it at once."""
        if self._process:
            with suppress(OSError):
                self._process.kill()

    def leave_running(self) -> None:
        """Let go of it: it finishes its plan alone."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin:
            with suppress(OSError):
                process.stdin.close()
        # We stop being its parent in every way that matters; without this its finaliser warns.
        process.returncode = 0

    def _read(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        from workbench.experiments import decode_event  # noqa: PLC0415 - in this thread, not at the window's start

        with process.stdout:
            for line in process.stdout:
                # A newer conductor may say more than this window understands.
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
