"""The text of prompts and answers in logs: plain, as chat messages, or as JSON in a string."""

import json
from typing import Any

_TEXT_KEYS = (
    "content",
    "text",
    "parts",
    "prompt",
    "messages",
    "input",
    "arguments",
    "tool_calls",
    "function",
)


def message_text(value: Any, *, depth: int = 0) -> str:
    """Return all text of a prompt in order, with the roles; "" if it has none."""
    if isinstance(value, str):
        return _from_string(value, depth)
    if depth > 8:
        return ""
    if isinstance(value, list):
        return "\n".join(filter(None, (message_text(item, depth=depth + 1) for item in value)))
    if isinstance(value, dict):
        role = value.get("role")
        parts = [role] if isinstance(role, str) else []
        parts += [message_text(value[key], depth=depth + 1) for key in _TEXT_KEYS if key in value]
        return "\n".join(filter(None, parts))
    return ""


def _from_string(text: str, depth: int) -> str:
    if depth == 0 and text.lstrip().startswith(("[", "{")):
        try:
            return message_text(json.loads(text), depth=1) or text
        except (ValueError, RecursionError):
            return text
    return text
