"""Typed reading of single fields of a model's config.json."""

from collections.abc import Mapping
from typing import Any

from workbench.base import Place, Refusal, shown

LARGEST = 1 << 40
"""Far above any count of a model; larger numbers would overflow."""
NESTED = ("attn_config", "attn_cfg", "ffn_config", "linear_attn_config")
"""Objects whose fields belong to the decoder, named as `attn_config.kv_n_heads`."""


class Fields:
    """Fields of a configuration, by the names of all model families; it remembers the names read."""

    def __init__(self, content: Mapping[str, Any], where: str) -> None:
        """`where` is the file named in refusals, such as `model/config.json`."""
        self.content = _flat(content)
        self.where = where
        self._asked: set[str] = set()

    def given(self) -> dict[str, Any]:
        """Return the fields that are set and weren't read yet."""
        return {
            name: value
            for name, value in self.content.items()
            if name not in self._asked and not _is_off(value)
        }

    def understood(self, *names: str) -> None:
        """Count these names as read; their values don't matter."""
        self._asked.update(names)

    def has(self, *names: str) -> bool:
        """Return True if one of these is given and not null."""
        return self._found(names) is not None

    def is_on(self, name: str) -> bool:
        """Return True if the field is given and not null, false, zero or empty."""
        self._asked.add(name)
        return not _is_off(self.content.get(name))

    def whole(self, *names: str, default: int | None = None, minimum: int = 1, maximum: int = LARGEST) -> int:
        """Return the first given of `names` as a whole number.

        Raises:
            Refusal: none is given and there is no default, or the value is not a whole number in the range.
        """
        found = self._found(names)
        if found is None:
            if default is None:
                raise Refusal("sizing.field_missing", Place(file=self.where), field=names[0])
            return default
        name, value = found
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            given = shown(repr(value), 60)
            raise Refusal(
                "sizing.field_not_whole", Place(file=self.where), field=name, value=given, minimum=minimum
            )
        if value > maximum:
            raise Refusal("sizing.field_too_large", Place(file=self.where), field=name, maximum=maximum)
        return value

    def maybe(self, *names: str, minimum: int = 1) -> int | None:
        """Return it as `whole` does; None if it isn't given."""
        return self.whole(*names, minimum=minimum) if self.has(*names) else None

    def switch(self, name: str, *, default: bool) -> bool:
        """Return a boolean; the default if it is missing or null."""
        self._asked.add(name)
        value = self.content.get(name)
        return default if value is None else bool(value)

    def text(self, *names: str, default: str = "") -> str:
        """Return the first given of `names` as text."""
        found = self._found(names)
        return default if found is None else str(found[1])

    def numbers(self, name: str) -> list[Any] | None:
        """Return a list; None if it is missing or another type."""
        self._asked.add(name)
        value = self.content.get(name)
        return value if isinstance(value, list) else None

    def value(self, name: str) -> Any:
        """Return the field unchanged; None if it is missing."""
        self._asked.add(name)
        return self.content.get(name)

    def by_layer(self, name: str, *, minimum: int = 1) -> list[int] | None:
        """Return a list of one whole number per layer; None if it isn't a list.

        Raises:
            Refusal: it holds other values.
        """
        listed = self.numbers(name)
        if listed is None:
            return None
        whole = [one for one in listed if isinstance(one, int) and not isinstance(one, bool)]
        if not whole or len(whole) < len(listed) or not minimum <= min(whole) <= max(whole) <= LARGEST:
            given = shown(repr(listed), 60)
            raise Refusal("sizing.field_no_list", Place(file=self.where), field=name, value=given)
        return whole

    def mapping(self, *names: str) -> dict[str, Any] | None:
        """Return the first of `names` that holds an object."""
        self._asked.update(names)
        for name in names:
            value = self.content.get(name)
            if isinstance(value, dict):
                return value
        return None

    def _found(self, names: tuple[str, ...]) -> tuple[str, Any] | None:
        self._asked.update(names)
        for name in names:
            if self.content.get(name) is not None:
                return name, self.content[name]
        return None


def _flat(content: Mapping[str, Any]) -> dict[str, Any]:
    flat = dict(content)
    for name in NESTED:
        inner = flat.get(name)
        if isinstance(inner, Mapping):
            del flat[name]
            flat = {**{f"{name}.{key}": value for key, value in inner.items()}, **flat}
    return flat


def _is_off(value: Any) -> bool:
    """Return True for a value that means none; some files write -1 for no window."""
    return value is None or value is False or value in (0, -1, "", [], {})
