"""The controls that the fix of a failed start changes, read from the failure's message."""

from collections.abc import Iterator

from workbench.base import Message
from workbench.vllm_dialect import ControlChange, changes_of


def control_changes(said: Message) -> tuple[ControlChange, ...]:
    """Return the changes that a message names, each control once, those with a value first."""
    found: dict[str, ControlChange] = {}
    for change in _all_changes(said):
        if change.control not in found or found[change.control].value is None:
            found[change.control] = change
    return tuple(sorted(found.values(), key=lambda change: change.value is None))


def _all_changes(said: Message) -> Iterator[ControlChange]:
    if said.kind == "servers.flag_is_control":
        yield ControlChange(str(said.values["control"]))
    yield from changes_of(said)
    for value in said.values.values():
        if isinstance(value, Message):
            yield from _all_changes(value)
