"""One rule that explains a line of a failed server's log."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from workbench.base import Message, Value


@dataclass(frozen=True, slots=True)
class ControlChange:
    """A control that the fix of a failure changes."""

    control: str
    value: int | None = None
    """The new value; None if the log doesn't state one."""


class RuleChange(msgspec.Struct, frozen=True):
    """A control that a rule's fix changes."""

    control: str
    group: str | None = None
    """The pattern's group that holds the new value; None: no group does."""

    def of(self, values: Mapping[str, Value]) -> ControlChange:
        """Return the change with the value that the log states."""
        text = values.get(self.group or "")
        return ControlChange(self.control, int(text) if isinstance(text, str) and text.isdigit() else None)


class FailureRule(msgspec.Struct, frozen=True):
    """A line's pattern, and the cause and fix that it stands for.

    The texts are templates in `resources/messages`: the cause is `dialect.TEMPLATE`, the fix is
    `dialect.TEMPLATE_fix`. The pattern's named groups are their values.
    """

    kind: str
    """A stable name for programs. Several rules may share it."""
    pattern: re.Pattern[str]
    template: str
    has_fix: bool = True
    changes: tuple[RuleChange, ...] = ()
    """The controls that the fix names, the best one first."""

    def explain(self, found: re.Match[str]) -> tuple[Message, Message | None]:
        """Return the cause and the fix of a matched line."""
        values: dict[str, Value] = {name: (value or "").strip() for name, value in found.groupdict().items()}
        cause, fix = cause_and_fix(self.template, **values)
        return cause, fix if self.has_fix else None


def cause_and_fix(template: str, **values: Value) -> tuple[Message, Message]:
    """Return the messages of a cause and its fix."""
    return (
        Message(kind=f"dialect.{template}", values=values),
        Message(kind=f"dialect.{template}_fix", values=values),
    )


def rule(
    kind: str,
    pattern: str,
    template: str | None = None,
    *,
    has_fix: bool = True,
    changes: tuple[RuleChange, ...] = (),
) -> FailureRule:
    """Make a rule whose texts are the templates of its kind, or of `template`."""
    return FailureRule(kind, re.compile(pattern), template or kind, has_fix=has_fix, changes=changes)


def change(control: str, *, to: str | None = None) -> RuleChange:
    """Name a control that a rule's fix changes, and the pattern's group with its new value."""
    return RuleChange(control, to)
