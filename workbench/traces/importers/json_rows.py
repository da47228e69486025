"""JSON rows decoded into typed ones; a row of another form is broken, and only that one."""

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from workbench.base import UNREADABLE
from workbench.traces.importers.formats import Job
from workbench.traces.importers.json_documents import arrangement, values, without_comma
from workbench.traces.importers.log_rows import NOT_JSON
from workbench.traces.io.import_report import Said
from workbench.traces.io.source_file import Source
from workbench.traces.limits import MAX_ROWS

T = TypeVar("T")

_AT = re.compile(r" - at `\$\.?(.*)`$")


def decoded_rows(job: Job, kind: type[T]) -> Iterator[tuple[int, T]]:
    """Numbered rows of a file of JSON lines, of one JSON list, or of values one after another.

    Broken rows go to the report.
    """
    if arrangement(job.source) == "lines":
        return _of_lines(job, kind)
    return _of_values(job, kind)


def _of_lines(job: Job, kind: type[T]) -> Iterator[tuple[int, T]]:
    decode = msgspec.json.Decoder(kind).decode
    for rows, (number, line) in enumerate(job.source.open().lines(), 1):
        if rows > MAX_ROWS:
            job.source.fail(f"more than {MAX_ROWS:,} rows")
        try:
            row = decode(without_comma(line))
        except msgspec.ValidationError as error:
            job.report.break_row(number, in_words(error))
        except UNREADABLE as error:
            if line not in (b"[", b"]", b","):
                job.report.break_row(number, f"not JSON: {error}", reason=NOT_JSON)
        else:
            yield number, row


def _of_values(job: Job, kind: type[T]) -> Iterator[tuple[int, T]]:
    def broken(number: int, problem: Said) -> None:
        job.report.break_row(number, problem, reason=NOT_JSON)

    for number, value in values(job.source, broken=broken):
        try:
            row = msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            job.report.break_row(number, in_words(error))
        else:
            yield number, row


def decode_line(source: Source, decode: Callable[[bytes], T], number: int, line: bytes) -> T:
    """One line, decoded.

    Raises:
        InputError: it isn't JSON or isn't of that form.
    """
    try:
        return decode(line)
    except msgspec.ValidationError as error:
        source.fail(in_words(error), line=number)
    except UNREADABLE as error:
        source.fail(f"not JSON: {error}", line=number)


def in_words(error: msgspec.ValidationError) -> str:
    """A complaint of msgspec with the field first: `field input_length: Expected int, got str`."""
    text = str(error)
    where = _AT.search(text)
    words = _AT.sub("", text).replace("`", "")
    return f"field {where.group(1)}: {words}" if where and where.group(1) else words
