"""The server's own steps, from a log with iteration details or a step record."""

from pathlib import Path

from workbench.base import Place, Refusal
from workbench.engine import KVCacheSize, Row, SchedulerConfig, logged_rows, recorded_rows
from workbench.vllm_dialect import iteration_of, read_steps


class StepLog:
    """Reads the steps that a server wrote between two marks.

    Args:
        path: its log, or its step record; may still grow.
        config: the server's settings.
    """

    def __init__(self, path: Path, config: SchedulerConfig) -> None:
        self._path = path
        self._pool = KVCacheSize(config.num_gpu_blocks - 1, config.block_size, config.max_num_batched_tokens)
        self.whole = self._read()[:64].lstrip().startswith(b'{"ev"')
        """True if its steps include the time between two of them: a record's do, a log's don't."""

    def mark(self) -> int:
        """Return the present size."""
        try:
            return self._path.stat().st_size
        except OSError as error:
            raise self._unreadable(error) from error

    def rows(self, begin: int, end: int) -> list[Row]:
        """Return the steps between two marks; all up to `end` if nothing was written since `begin`.

        Raises:
            Refusal: it holds no steps.
        """
        data = self._read()[:end]
        data = data[: data.rfind(b"\n") + 1]
        if len(data) <= begin:
            begin = 0
        rows = self._recorded(data, begin) if self.whole else self._logged(data[begin:])
        if not rows and (self.whole or not _has_steps(data[begin:])):
            raise Refusal("experiments.log_without_steps", Place(file=str(self._path)))
        return rows

    def _recorded(self, data: bytes, begin: int) -> list[Row]:
        """Replay the record from its beginning: the cache's content depends on all earlier steps."""
        lines = list(read_steps(data.splitlines(), where=str(self._path)))
        return recorded_rows(lines, where=str(self._path), since=data[:begin].count(b"\n"))

    def _logged(self, data: bytes) -> list[Row]:
        return logged_rows(data.decode("utf-8", "replace").splitlines(), self._pool)

    def _read(self) -> bytes:
        try:
            return self._path.read_bytes()
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> Refusal:
        return Refusal("base.unreadable_file", Place(file=str(self._path)), cause=error.strerror)


def _has_steps(data: bytes) -> bool:
    return any(iteration_of(line) for line in data.decode("utf-8", "replace").splitlines())
