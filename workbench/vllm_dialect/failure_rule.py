"""One rule that explains a line of a failed server's log."""

import re

import msgspec

from workbench.base import Message, Value


class Rule(msgspec.Struct, frozen=True):
    """What a line means.

    A rule's texts are templates in `resources/messages`: the cause is `dialect.TEMPLATE`, the fix is
    `dialect.TEMPLATE_fix`, and the pattern's named groups are their values. The older rules hold their texts
    themselves (`cause`, `fix`), with `{0}`, `{1}` … for the groups.
    """

    kind: str
    """A name for programs; stable."""
    pattern: re.Pattern[str]
    cause: str = ""
    fix: str = ""
    template: str = ""

    def explain(self, found: re.Match[str]) -> "tuple[Message | str, Message | str]":
        """Return the cause and the fix of a matched line."""
        if not self.template:
            groups = [group or "" for group in found.groups()]
            return self.cause.format(*groups), self.fix.format(*groups)
        values: dict[str, Value] = {name: (value or "").strip() for name, value in found.groupdict().items()}
        return about(self.template, **values)


def about(template: str, **values: Value) -> tuple[Message, Message]:
    """Return the messages of a cause and its fix."""
    return (
        Message(kind=f"dialect.{template}", values=values),
        Message(kind=f"dialect.{template}_fix", values=values),
    )


def told(kind: str, pattern: str, cause: str, fix: str) -> Rule:
    """Make a rule that holds its texts."""
    return Rule(kind, re.compile(pattern), cause=cause, fix=fix)


def rule(kind: str, pattern: str, template: str | None = None) -> Rule:
    """Make a rule whose texts are the templates of its kind, or of `template`."""
    return Rule(kind, re.compile(pattern), template=template or kind)
