"""The abilities of a server's vLLM in this setting, as lines of text."""

from typing import Any

import msgspec

from ui.remarks import remark
from workbench.base import UNREADABLE, Message
from workbench.servers import Ability

_SYMBOLS = {"yes": "✓", "partly": "○", "no": "✗"}


def ability_lines(told: dict[str, Any]) -> str:
    """Return one line for each ability in a trial's output, then what could not be read back."""
    try:
        able = msgspec.convert(told.get("abilities") or [], list[Ability])
        notes = msgspec.convert((told.get("effective") or {}).get("notes") or [], list[Message])
    except UNREADABLE:
        return ""
    lines = [f"{_SYMBOLS[each.standing]} {remark(each.what)}" for each in able]
    return "\n".join([*lines, *(f"○ {remark(note)}" for note in notes)])
