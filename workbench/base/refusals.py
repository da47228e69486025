"""Refusals as data: what is wrong, where, and the figures; the text is made at the edge."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import msgspec

from workbench.base.errors import InputError, WorkbenchError
from workbench.base.messages import ENGLISH, Given, Message, Value, render, stored
from workbench.base.records import Record


class Place(Record, frozen=True, omit_defaults=True):
    """The place of refused input; only known parts are set."""

    file: str | None = None
    line: int | None = None
    table: str | None = None
    """The TOML table, such as `load`."""
    key: str | None = None
    """The setting, by its key in the experiment file; front ends turn it into a flag or a field."""

    def __str__(self) -> str:
        """Return `FILE:LINE: [TABLE] KEY`, as far as known."""
        file = self.file if self.line is None else f"{self.file or 'line'}:{self.line}"
        setting = " ".join(part for part in (self.table and f"[{self.table}]", self.key) if part)
        return ": ".join(part for part in (file, setting) if part)


class _DataError(WorkbenchError):
    """An error whose text is made from its kind and figures.

    Args:
        kind: `room.name`, a template's name in `resources/messages`.
        place: the place of the error.
        values: the figures of the template's fields.
    """

    def __init__(self, kind: str, place: Place | None = None, /, **values: Given) -> None:
        super().__init__(kind)
        self.kind = kind
        self.place = place or Place()
        self.values: Mapping[str, Value] = stored(values)

    @property
    def message(self) -> Message:
        """The message of the error, without its place."""
        return Message(kind=self.kind, values=self.values)

    def at(self, place: Place) -> Self:
        """Return the same error at another place."""
        return type(self)(self.kind, place, **self.values)

    def text(self, language: str = ENGLISH, *, place: str | None = None) -> str:
        """Return one line: the place (or the front end's own name for it), then what is wrong."""
        where = str(self.place) if place is None else place
        said = render(self.message, language)
        return f"{where}: {said}" if where else said

    def __str__(self) -> str:
        """Return the English line."""
        return self.text()

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling, for the way between processes."""
        return _rebuilt, (type(self), self.kind, self.place, dict(self.values))


class Refusal(_DataError, InputError):  # noqa: N818 - the word of the whole house for it
    """Input that can't be used; the command exits with 2."""


@contextmanager
def placed(place: Place) -> Iterator[None]:
    """Set the known parts of `place` in refusals raised inside."""
    try:
        yield
    except Refusal as error:
        known = {part: value for part, value in msgspec.structs.asdict(place).items() if value is not None}
        raise error.at(msgspec.structs.replace(error.place, **known)) from error
    except InputError as error:
        raise InputError(f"{place}: {error}" if str(place) else str(error)) from error


class WorkFailure(_DataError):  # noqa: N818 - the counterpart of `Refusal`
    """A failure while working, such as a full disk; the command exits with 1."""


def _rebuilt(cls: type[_DataError], kind: str, place: Place, values: dict[str, Value]) -> _DataError:
    return cls(kind, place, **values)
