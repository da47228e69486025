"""The user's own words on vLLM's command line, checked as its parser would read them.

What that parser takes passes; where it can't be told from the flags alone, it passes too, and vLLM decides.
"""

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from workbench.base import MASK, InputError, is_secret_name, mask_text
from workbench.servers.flags import Flag, FlagList

_LEVEL = "-O"
"""Its value may stand with it, as in -O3."""
_MOST_CHOICES = 16
_SUFFIXES = "kKmMgGtT"
_COUNT = re.compile(rf"\b\d+(?:\.\d+)?[{_SUFFIXES}]\b")
"""vLLM takes these within JSON too."""
_MOST_SHOWN = 60


def check_words(words: Sequence[str], flags: FlagList, *, version: str, where: str) -> None:
    """Whether every flag among `words` is known and its values are such as it takes.

    Raises:
        InputError: one isn't; says what would be right.
    """
    for name, values in _given(words):
        if not name and values:
            raise InputError(f"{where}: {_shown(values[0])} belongs to no flag")
        if not name or name.startswith(_LEVEL):
            continue
        # vLLM sets single keys of JSON options as --flag.key VALUE.
        plain, dot, _ = name.partition(".")
        flag = flags.require(plain, version=version, where=where)
        problem = _problem_of_key(flag, values) if dot else _problem(flag, values)
        if problem:
            raise InputError(f"{where}: {name} {problem}")


def _given(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each flag as it is written, with the values behind it; first a nameless one for values of nobody's."""
    name, values = "", list[str]()
    for word in words:
        is_for_key = "." in name and not values  # of a dotted key: whatever comes
        if is_for_key or _is_value(word):
            values.append(word)
            continue
        yield name, values
        name, equals, value = word.partition("=")
        values = [value] if equals else []
    yield name, values


def _is_value(word: str) -> bool:
    """As argparse tells values from flags."""
    return not word.startswith("-") or word == "-" or (" " in word and "=" not in word) or _is(float, word)


def _problem_of_key(flag: Flag, values: Sequence[str]) -> str:
    takes_keys = flag.values != "none" and flag.choices is None
    if not takes_keys or (flag.accepts is not None and "{}" not in flag.accepts):
        return "is nothing: only a flag that takes JSON has keys"
    return "" if len(values) == 1 else "takes one value"


def _problem(flag: Flag, values: Sequence[str]) -> str:
    """What is wrong, to be read behind the flag; empty: nothing."""
    shown = [MASK if is_secret_name(flag.dest) else _shown(value) for value in values]
    if flag.values == "none":
        return f"takes no value, and {shown[0]} is one" if values else ""
    if not values:
        return "needs a value" if flag.values != "optional" else ""
    if len(values) > 1 and flag.values != "many":
        return f"takes one value, and {shown[1]} is another"
    for value, masked in zip(values, shown, strict=True):
        problem = _problem_of_value(flag, value)
        if problem:
            return f"{problem}, not {masked}"
    return ""


def _shown(value: str) -> str:
    masked = mask_text(value)
    return repr(masked if len(masked) <= _MOST_SHOWN else masked[:_MOST_SHOWN] + "…")


def _problem_of_value(flag: Flag, value: str) -> str:
    accepts = flag.accepts
    bare = value.strip()
    if accepts is None or bare.lower() in {one.lower() for one in accepts} or "word" in accepts:
        return "" if _is_choice(flag, value) else f"takes {_choices(flag, value)}"
    if "{}" in accepts:
        return "" if _is(json.loads, _COUNT.sub("1", value)) else "takes JSON"
    if "1" not in accepts:
        return ""  # a converter of its own
    if "1k" in accepts and bare[-1:] in tuple(_SUFFIXES):
        whole = int if bare[-1:].isupper() else float
        return "" if _is(whole, bare[:-1]) else "takes a whole number, also as 4k, 2.5k or 4K"
    if not _is(float if "1.5" in accepts else int, value):
        kind = "a number" if "1.5" in accepts else "a whole number"
        more = [", also as 4k, 2.5k or 4K"] if "1k" in accepts else []
        more += [f" or {word}" for word in ("auto", "None") if word in accepts]
        return f"takes {kind}{''.join(more)}"
    return "" if _is_choice(flag, value) else f"takes {_choices(flag, value)}"


def _is_choice(flag: Flag, value: str) -> bool:
    if flag.choices is None:
        return True
    allowed = {_folded(flag, str(one)) for one in flag.choices}
    if None in flag.choices:
        allowed.add("")
    with suppress(ValueError):
        if int(value) in flag.choices:
            return True
    return _folded(flag, value) in allowed


def _folded(flag: Flag, value: str) -> str:
    return value.lower().replace("-", "_") if flag.folds else value


def _choices(flag: Flag, value: str) -> str:
    """All where they are few, else the nearest."""
    names = [str(one) for one in flag.choices or ()]
    if len(names) > _MOST_CHOICES:
        near = difflib.get_close_matches(value, names, n=5, cutoff=0.4) or names[:5]
        return f"{', '.join(near)} and {len(names) - len(near)} others"
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def _is(kind: object, text: str) -> bool:
    try:
        kind(text)  # type: ignore[operator]  # int, float, json.loads
    except (ValueError, RecursionError):
        return False
    return True
