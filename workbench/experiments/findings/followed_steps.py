"""The step record of a run that is measured now, read as it grows."""

from pathlib import Path

from workbench.advice.blame import StepIndex, StepIndexBuilder
from workbench.base import Place, Refusal

_MOST_BYTES = 16 << 20
"""Bytes of one read."""


class FollowedSteps:
    """One engine's record from a byte on; read it again and again.

    Args:
        file: the record that the engine writes.
        begin: the run's first byte in it.
        zero: the schedule's start on the engine's clock, in wall seconds.
    """

    def __init__(self, file: Path, begin: int, zero: float) -> None:
        self._file, self._begin, self._zero = file, begin, zero
        self._builder: StepIndexBuilder | None = None
        self._position = 0
        self._rest = b""

    def read(self) -> bool:
        """Read the whole lines written since the last read; return whether there were any.

        Raises:
            Refusal: the file can't be read, or a line isn't one of a step record.
        """
        grown = False
        try:
            with self._file.open("rb") as record:
                if self._builder is None and not self._open(record.readline()):
                    return False
                record.seek(self._position)
                while data := record.read(_MOST_BYTES):
                    grown |= self._feed(data)
        except OSError as error:
            raise Refusal(
                "base.unreadable_file", Place(file=str(self._file)), cause=error.strerror
            ) from error
        return grown

    def _open(self, header: bytes) -> bool:
        if not header.endswith(b"\n"):
            return False
        self._builder = StepIndexBuilder(header, where=str(self._file))
        self._position = max(self._begin, len(header))
        return True

    def _feed(self, data: bytes) -> bool:
        assert self._builder is not None
        self._position += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._builder.feed(line)
        return bool(lines)

    def index(self) -> StepIndex | None:
        """Return the steps so far; None until the header is written."""
        return None if self._builder is None else self._builder.index(self._zero)
