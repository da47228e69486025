"""JSON rows decoded into typed ones; a row of another form is broken."""

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from workbench.base import UNREADABLE, Message, message
from workbench.traces.importers.importer import ImportJob
from workbench.traces.importers.json_documents import arrangement, not_json, values, without_comma
from workbench.traces.io.import_report import NOT_JSON, in_field
from workbench.traces.io.source_file import Source
from workbench.traces.trace_limits import MAX_ROWS

T = TypeVar("T")

_AT = re.compile(r" - at `\$\.?(.*)`$")
_OTHER_TYPE = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_MISSING = re.compile(r"Object missing required field `([^`]+)`")


def decoded_rows(job: ImportJob, kind: type[T]) -> Iterator[tuple[int, T]]:
    """Yield numbered rows of JSON lines, of one JSON list, or of values one after another.

    Broken rows go to the report.
    """
    if arrangement(job.source) == "lines":
        return _of_lines(job, kind)
    return _of_values(job, kind)


def _of_lines(job: ImportJob, kind: type[T]) -> Iterator[tuple[int, T]]:
    decode = msgspec.json.Decoder(kind).decode
    for rows, (number, line) in enumerate(job.source.open().lines(), 1):
        if rows > MAX_ROWS:
            job.source.refuse(message("traces.too_many_rows", maximum=MAX_ROWS))
        try:
            row = decode(without_comma(line))
        except msgspec.ValidationError as error:
            job.report.break_row(number, problem_in_json(error))
        except UNREADABLE as error:
            if line not in (b"[", b"]", b","):
                job.report.break_row(number, not_json(error), reason=NOT_JSON)
        else:
            yield number, row


def _of_values(job: ImportJob, kind: type[T]) -> Iterator[tuple[int, T]]:
    def broken(number: int, problem: Message) -> None:
        job.report.break_row(number, problem, reason=NOT_JSON)

    for number, value in values(job.source, broken=broken):
        try:
            row = msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            job.report.break_row(number, problem_in_json(error))
        else:
            yield number, row


def decode_line(source: Source, decode: Callable[[bytes], T], number: int, line: bytes) -> T:
    """Decode one line.

    Raises:
        Refusal: it isn't JSON or has another form.
    """
    try:
        return decode(line)
    except UNREADABLE as error:
        source.refuse(problem_in_json(error), line=number)


def problem_in_json(error: BaseException) -> Message:
    """Return a decoder's complaint as a message: not JSON, or a field of another type."""
    if not isinstance(error, msgspec.ValidationError):
        return not_json(error)
    text = str(error)
    where = _AT.search(text)
    problem = _problem_in_field(_AT.sub("", text))
    return in_field(where[1], problem) if where and where[1] else problem


def _problem_in_field(text: str) -> Message:
    other, missing = _OTHER_TYPE.fullmatch(text), _MISSING.fullmatch(text)
    if other is not None:
        return message("traces.other_type", expected=other[1], found=other[2])
    if missing is not None:
        return message("traces.missing_field", field=missing[1])
    return message("traces.bad_value", why=text.replace("`", ""))
