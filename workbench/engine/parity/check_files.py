"""Opening what `engine check` is given: a golden case or a recording, gzipped or not."""

import gzip
import zlib
from pathlib import Path

from workbench.base import InputError
from workbench.engine.parity.golden_case import Case, decode_case
from workbench.engine.parity.play_golden import check_case
from workbench.engine.parity.play_recording import check_recording
from workbench.engine.parity.verdict import Verdict
from workbench.vllm_dialect import read_steps

_GZIP = b"\x1f\x8b"


def check_file(path: Path) -> Verdict:
    """Compare one file's steps with what our scheduler decides.

    Raises:
        InputError: the file can't be read, is cut off or has an unknown field.
    """
    data = _content(path)
    if data.lstrip()[:5] == b'{"ev"':
        lines = list(read_steps(data.splitlines(), where=str(path)))
        return check_recording(lines, where=str(path), name=path.name.partition(".")[0])
    case = read_case(path)
    try:
        case.config.scheduler(case.vllm_version).validate()
        return check_case(case)
    except InputError as error:
        raise InputError(f"{path}: no case that vLLM could have made: {error}") from error


def read_case(path: Path) -> Case:
    """Read a golden case.

    Raises:
        InputError: the file can't be read or is none.
    """
    return decode_case(_content(path), where=str(path))


def _content(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"{path}: a damaged or cut-off gzip file: {error}") from error
