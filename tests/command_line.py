"""The command line in this process, without the second that the start of another one takes."""

import io
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from workbench.cli import main


def workbench(*words: str) -> subprocess.CompletedProcess[str]:
    """Carry out one command; the exit code and all that it printed."""
    with _captured(redirect_stdout) as out, _captured(redirect_stderr) as err:
        try:
            code = main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return subprocess.CompletedProcess(words, code, _text(out), _text(err))


@contextmanager
def _captured(redirect: type[redirect_stdout[io.TextIOWrapper]]) -> Iterator[io.TextIOWrapper]:
    """A stream with a buffer below it, as a real one has."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect(stream):
        yield stream


def _text(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of a refusal."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]
