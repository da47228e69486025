"""Python's output when the window crashes, kept for the next start."""

import faulthandler
from contextlib import suppress
from pathlib import Path
from typing import TextIO


class CrashLog:
    """A file that stays empty unless the window crashes."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "crash.log"
        self.last = folder / "crash-last.log"
        self._file: TextIO | None = None

    def of_last_time(self) -> str | None:
        """Return the output of the last crash, or None; the file is moved aside."""
        try:
            text = self._path.read_text(encoding="utf-8", errors="replace")
            if not text.strip():
                return None
            self._path.replace(self.last)
        except OSError:
            return None
        return text

    def begin(self) -> None:
        """Write crashes to the file from now on."""
        with suppress(OSError):
            self._file = self._path.open("w", encoding="utf-8")
            faulthandler.enable(self._file)

    def end(self) -> None:
        """Delete the file after an orderly end."""
        faulthandler.disable()
        if self._file is not None:
            self._file.close()
            with suppress(OSError):
                self._path.unlink()
