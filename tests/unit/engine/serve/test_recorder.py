"""The embedded engine's step record: a disk that takes no more ends the record, and the engine goes on."""

import errno
import io
import os

import pytest

from workbench.engine.scheduler import SchedulerConfig
from workbench.engine.server.recorder import StepRecorder


class FullDisk(io.BytesIO):
    """Takes the first bytes, then no more; `on_flush`: what is written is refused on its way to the disk."""

    def __init__(self, room: int, *, on_flush: bool) -> None:
        super().__init__()
        self._room, self._on_flush = room, on_flush

    def write(self, data) -> int:  # type: ignore[no-untyped-def]  # whatever has bytes
        if not self._on_flush and self.tell() + len(data) > self._room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)

    def flush(self) -> None:
        if self._on_flush and not self.closed and self.tell() > self._room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("on_flush", [False, True])
def test_that_a_full_disk_ends_the_record_and_is_said_once(
    capsys: pytest.CaptureFixture[str], *, on_flush: bool
) -> None:
    file = FullDisk(1000, on_flush=on_flush)
    recorder = StepRecorder(file, SchedulerConfig(num_gpu_blocks=100, max_model_len=64), zero=0.0)
    for number in range(50):
        recorder.limit("max_num_seqs", number, number + 1)
    recorder.flush()
    recorder.limit("max_num_seqs", 1, 2)
    recorder.flush()
    assert file.closed
    assert capsys.readouterr().out.count("The step recorder has stopped: No space left on device") == 1
