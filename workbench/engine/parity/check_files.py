"""Check of a file: a golden case or a recording, gzipped or not."""

import gzip
import zlib
from pathlib import Path

from workbench.base import Place, Refusal
from workbench.engine.parity.golden_case import Case, decode_case
from workbench.engine.parity.play_golden import check_case
from workbench.engine.parity.play_recording import check_recording
from workbench.engine.parity.verdict import ParityVerdict
from workbench.vllm_dialect import read_steps

_GZIP = b"\x1f\x8b"


def check_file(path: Path) -> ParityVerdict:
    """Compare a file's steps with the decisions of our scheduler.

    Raises:
        Refusal: the file can't be read, is cut off or has an unknown field.
    """
    data = file_content(path)
    if data.lstrip()[:5] == b'{"ev"':
        lines = list(read_steps(data.splitlines(), where=str(path)))
        return check_recording(lines, where=str(path), name=path.name.partition(".")[0])
    case = read_case(path)
    try:
        case.config.scheduler(case.vllm_version).validate()
        return check_case(case)
    except Refusal as error:
        place = Place(file=str(path), key=error.place.key)
        raise Refusal("engine.impossible_case", place, why=error.message) from error


def read_case(path: Path) -> Case:
    """Read a golden case.

    Raises:
        Refusal: the file can't be read or is not a golden case.
    """
    return decode_case(file_content(path), where=str(path))


def file_content(path: Path) -> bytes:
    """Return a file's content, unpacked.

    Raises:
        Refusal: it can't be read or unpacked.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(path)), cause=error.strerror) from error
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise Refusal("engine.damaged_gzip", Place(file=str(path)), cause=str(error)) from error
