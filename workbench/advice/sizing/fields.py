"""Reading single fields of a model's config.json, with one clear line for what can't be used."""

from collections.abc import Mapping
from typing import Any

from workbench.base import InputError

LARGEST = 1 << 40
"""No count of a model's comes near it; more would only overflow what is computed from it."""


class Fields:
    """A mapping whose values are asked for by the names that different model families use."""

    def __init__(self, content: Mapping[str, Any], where: str) -> None:
        """`where` begins every message, such as `model/config.json`."""
        self.content = content
        self.where = where

    def has(self, *names: str) -> bool:
        """Whether one of these is given and isn't null."""
        return self._found(names) is not None

    def whole(self, *names: str, default: int | None = None, minimum: int = 1, maximum: int = LARGEST) -> int:
        """The first of `names` that is given, as a whole number.

        Raises:
            InputError: none is given and there is no default, or no whole number between the bounds.
        """
        found = self._found(names)
        if found is None:
            if default is None:
                raise InputError(f"{self.where}: {names[0]} is missing; without it nothing can be sized")
            return default
        name, value = found
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise InputError(
                f"{self.where}: {name} must be a whole number of at least {minimum}, not {value!r}"
            )
        if value > maximum:
            raise InputError(f"{self.where}: {name} must be at most {maximum:,}")
        return value

    def maybe(self, *names: str, minimum: int = 1) -> int | None:
        """As `whole`; None where it isn't given."""
        return self.whole(*names, minimum=minimum) if self.has(*names) else None

    def switch(self, name: str, *, default: bool) -> bool:
        """A boolean; the default where it is missing or null."""
        value = self.content.get(name)
        return default if value is None else bool(value)

    def text(self, *names: str, default: str = "") -> str:
        """The first of `names` that is given, as text."""
        found = self._found(names)
        return default if found is None else str(found[1])

    def numbers(self, name: str) -> list[Any] | None:
        """A list; None where it is missing or something else."""
        value = self.content.get(name)
        return value if isinstance(value, list) else None

    def largest(self, name: str) -> int | None:
        """The largest of a list of one number a layer; None where it isn't a list.

        Raises:
            InputError: a list without a whole number above 0.
        """
        listed = self.numbers(name)
        if listed is None:
            return None
        whole = [value for value in listed if isinstance(value, int) and not isinstance(value, bool)]
        if not whole or not 1 <= max(whole) <= LARGEST:
            raise InputError(f"{self.where}: {name} must list whole numbers above 0, not {listed!r}")
        return max(whole)

    def mapping(self, *names: str) -> dict[str, Any] | None:
        """The first of `names` that holds an object."""
        for name in names:
            value = self.content.get(name)
            if isinstance(value, dict):
                return value
        return None

    def _found(self, names: tuple[str, ...]) -> tuple[str, Any] | None:
        for name in names:
            if self.content.get(name) is not None:
                return name, self.content[name]
        return None
