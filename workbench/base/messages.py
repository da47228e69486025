"""Messages as data: a kind with its figures; the text is made at the edge.

A kind is `room.name`, such as `traces.unknown_format`. `resources/messages/LANGUAGE/ROOM.toml` holds its
templates, one line a kind, with Python's format fields (`{value:g}`) and some of our own:

- `{names:list}` joins texts or messages with commas, `{names:join|; }` with the text after the bar,
- `{count:plural|request|requests}` picks the noun,
- `{delay:figure}` rounds to two or three digits that matter, `{delay:short}` to three,
- `{share:percent}` shows a share (0 to 1) in percent, `{share:share}` without decimals,
- `{time:seconds}` and `{time:millis}` show a time with its unit,
- `{value:setting}` shows a control's value as vLLM takes it.

A number without a format loses needless digits: 8.0 is "8".
A field without a value (None) renders as nothing. Code reads kinds and values, never the text.
"""

import string
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import msgspec

from workbench.base import number_text
from workbench.base.errors import MissingResourceError
from workbench.base.paths import resource
from workbench.base.records import Record

Value: TypeAlias = "str | int | float | bool | list[str | Message] | Message | None"
"""The value of a template's field; a message within a message is rendered in the same language."""

ENGLISH = "en"


class Message(Record, frozen=True, omit_defaults=True):
    """One message, such as a reason, a remedy or a finding."""

    kind: str
    values: Mapping[str, Value] = {}

    def __str__(self) -> str:
        """Return the English text."""
        return render(self)


Given: TypeAlias = "Value | Sequence[str] | Sequence[Message]"
"""The argument of a caller for a field; sequences are stored as lists."""


def message(kind: str, **values: Given) -> Message:
    """Make a message; `kind` is a literal at every call, so that a test can walk all kinds."""
    return Message(kind=kind, values=stored(values))


def stored(values: Mapping[str, Given]) -> dict[str, Value]:
    """Return the values in the form that a message stores."""
    return {
        name: value if value is None or isinstance(value, str | int | float | Message) else list(value)
        for name, value in values.items()
    }


def render(said: Message, language: str = ENGLISH) -> str:
    """Return the text of a message in `language`; in English if that language has no template for it."""
    room, _, name = said.kind.partition(".")
    template = templates(language, room).get(name) or templates(ENGLISH, room).get(name)
    if template is None:
        figures = ", ".join(f"{key} {value}" for key, value in said.values.items())
        return f"{said.kind} ({figures})" if figures else said.kind
    return _Formatter(language).vformat(template, (), said.values)


@cache
def templates(language: str, room: str) -> Mapping[str, str]:
    """Return a room's templates by the kind's name; empty if the language has none for the room."""
    try:
        path = resource("messages", language, f"{room}.toml")
    except MissingResourceError:
        return {}
    return msgspec.convert(tomllib.loads(path.read_text("utf-8")), dict[str, str])


_NUMBER_FORMATS: Mapping[str, Callable[[float], str]] = {
    "figure": lambda value: f"{value:.0f}" if abs(value) >= 10 else f"{value:.2g}",
    "short": number_text.short_number,
    "percent": number_text.percent,
    "share": number_text.share_percent,
    "setting": number_text.setting,
    "seconds": number_text.seconds,
    "millis": number_text.millis,
}


class _Formatter(string.Formatter):
    """Python's format fields, with lists, plurals and messages within messages."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format one value."""
        if value is None or isinstance(value, Message):
            return "" if value is None else render(value, self._language)
        if format_spec == "list":
            return ", ".join(self.format_field(each, "") for each in value)
        if format_spec.startswith("join|"):
            return format_spec[5:].join(self.format_field(each, "") for each in value)
        if format_spec in _NUMBER_FORMATS:
            return _NUMBER_FORMATS[format_spec](value)
        if format_spec.startswith("plural|"):
            one, many = format_spec.split("|")[1:]
            return f"{value:,} {one if value == 1 else many}"
        if isinstance(value, float) and not format_spec:
            return f"{value:.12g}"
        return format(value, format_spec)
