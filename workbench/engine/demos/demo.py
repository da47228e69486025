"""A demo as it is written down in `resources/demos`."""

from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import InputError, Record, resource


class Expectation(Record, frozen=True):
    """One number: a figure by its name (`FIGURES`), of one class or of all, over a span where it has one."""

    figure: str
    value: float
    cls: str | None = msgspec.field(default=None, name="class")
    from_s: float = 0.0
    to_s: float | None = None


class Variant(Record, frozen=True):
    """One configuration of the demo: what differs from its settings, what to say, what must come out."""

    name: str
    say: str
    settings: dict[str, Any]
    expect: list[Expectation]


class _File(Record, frozen=True):
    title: str
    question: str
    narration: list[str]
    trace: str
    profile: str
    settings: dict[str, Any]
    variant: list[Variant]


class Demo:
    """A demo: `title`, `question`, `narration`, the trace's path, the profile's name, variants.

    `shared_settings` and what a variant changes are controls by vLLM's names, as in `workbench.engine.flags`.
    """

    def __init__(self, name: str, content: _File) -> None:
        self.name = name
        self.title = content.title
        self.question = content.question
        self.narration = tuple(content.narration)
        self.profile = content.profile
        self.variants = tuple(content.variant)
        self.shared_settings = content.settings
        self._trace = content.trace

    @cached_property
    def trace(self) -> Path:
        """The canonical trace that all variants get."""
        return resource("demos", "traces", self._trace)

    def settings(self, variant: Variant) -> dict[str, Any]:
        """The settings of one variant, complete."""
        return self.shared_settings | variant.settings


def list_demos() -> list[Demo]:
    """All demos, by their files' names."""
    return [load_demo(path.stem) for path in sorted(resource("demos").glob("*.toml"))]


def load_demo(name: str) -> Demo:
    """The demo of that name.

    Raises:
        InputError: there is none, or its file is not of this form.
    """
    folder = resource("demos")
    path = folder / f"{name}.toml"
    if not path.exists():
        known = ", ".join(sorted(each.stem for each in folder.glob("*.toml")))
        raise InputError(f"demo {name!r}: no such demo; there are {known}")
    try:
        return Demo(name, msgspec.toml.decode(path.read_bytes(), type=_File))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
