"""Flags and values of a server's command line, in any spelling."""

import re
from collections.abc import Sequence

from workbench.base import Place, Refusal, shown
from workbench.vllm_dialect import human_readable_int

_SHORT = {"-tp": "--tensor-parallel-size", "-pp": "--pipeline-parallel-size", "-dp": "--data-parallel-size"}
_SHORT |= {"-q": "--quantization"}

_FLAG = re.compile(r"-[^\d.]")
"""A negative number is no flag."""


def flag_values(words: Sequence[str]) -> dict[str, str]:
    """Return the last value of each flag by its long name with dashes; "" for a switch."""
    found = {}
    for place, word in enumerate(words):
        if not _FLAG.match(word):
            continue
        name, equals, value = word.partition("=")
        following = words[place + 1] if place + 1 < len(words) else ""
        flag = _SHORT.get(name, name.replace("_", "-"))
        found[flag] = value if equals else "" if _FLAG.match(following) else following
    return found


def whole_number(text: str, flag: str) -> int:
    """Return a value such as 8192 or 8k as a number.

    Raises:
        Refusal: it is no whole number; names the flag.
    """
    try:
        return human_readable_int(text)
    except (ValueError, OverflowError) as error:
        raise Refusal("experiments.not_whole", Place(key=flag), text=shown(text, 40)) from error
