"""What Python says when the window is killed from within, kept for the next start."""

import faulthandler
from contextlib import suppress
from pathlib import Path
from typing import TextIO


class CrashLog:
    """A file that stays empty while all is well."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "crash.log"
        self.last = folder / "crash-last.log"
        self._file: TextIO | None = None

    def of_last_time(self) -> str | None:
        """What the window's last life ended with, if it did not end well; it is moved aside."""
        try:
            text = self._path.read_text(encoding="utf-8", errors="replace")
            if not text.strip():
                return None
            self._path.replace(self.last)
        except OSError:
            return None
        return text

    def begin(self) -> None:
        """Write there from now on."""
        with suppress(OSError):
            self._file = self._path.open("w", encoding="utf-8")
            faulthandler.enable(self._file)

    def end(self) -> None:
        """All was well."""
        faulthandler.disable()
        if self._file is not None:
            self._file.close()
            with suppress(OSError):
                self._path.unlink()
