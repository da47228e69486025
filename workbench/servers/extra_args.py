"""The user's own arguments of vLLM's command line, checked as its parser would read them.

Arguments that the parser may take pass; if the flags alone don't decide it, vLLM does.
"""

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from workbench.base import MASK, Message, Place, Refusal, is_secret_name, mask_text, message
from workbench.servers.flags import Flag, FlagList

_LEVEL = "-O"
"""A flag whose value may follow directly, as in -O3."""
_MOST_CHOICES = 16
_SUFFIXES = "kKmMgGtT"
_COUNT = re.compile(rf"\b\d+(?:\.\d+)?[{_SUFFIXES}]\b")
"""Numbers with a suffix, which vLLM takes within JSON too."""
_MOST_SHOWN = 60


def check_args(words: Sequence[str], flags: FlagList, *, version: str, place: Place) -> None:
    """Check that every flag among `words` is known and takes its values.

    Raises:
        Refusal: a flag is unknown or doesn't take its value.
    """
    for name, values in _flags_with_values(words):
        if not name and values:
            raise Refusal("servers.word_without_flag", place, word=_shown(values[0]))
        if not name or name.startswith(_LEVEL):
            continue
        # vLLM sets single keys of JSON options as --flag.key VALUE.
        plain, dot, _ = name.partition(".")
        flag = flags.require(plain, version=version, place=place)
        problem = _problem_of_key(flag, values) if dot else _problem(flag, values)
        if problem is not None:
            raise Refusal("servers.flag_problem", place, flag=name, problem=problem)


def engines_of(words: Sequence[str]) -> int:
    """Return the engines that a server with these arguments has, on all its machines (data parallelism)."""
    given = {name.replace("_", "-"): values for name, values in _flags_with_values(words)}
    if "--data-parallel-rank" in given or "-dpn" in given:
        return 1
    size = given.get("--data-parallel-size") or given.get("-dp") or ["1"]
    if "--data-parallel-hybrid-lb" in given or "-dph" in given:
        size = given.get("--data-parallel-size-local") or given.get("-dpl") or size
    return max(1, int(size[-1])) if size[-1].isdecimal() else 1


def _flags_with_values(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each flag as written with its values; first an empty name with the values before any flag."""
    name, values = "", list[str]()
    for word in words:
        is_for_key = "." in name and not values  # a dotted key takes any word
        if is_for_key or _is_value(word):
            values.append(word)
            continue
        yield name, values
        name, equals, value = word.partition("=")
        values = [value] if equals else []
    yield name, values


def _is_value(word: str) -> bool:
    """Return whether argparse takes a word as a value."""
    return (
        not word.startswith("-") or word == "-" or (" " in word and "=" not in word) or _parses(float, word)
    )


def _problem_of_key(flag: Flag, values: Sequence[str]) -> Message | None:
    takes_keys = flag.values != "none" and flag.choices is None
    if not takes_keys or (flag.accepts is not None and "{}" not in flag.accepts):
        return message("servers.flag_without_keys")
    return None if len(values) == 1 else message("servers.one_value_of_key")


def _problem(flag: Flag, values: Sequence[str]) -> Message | None:
    """Return the problem of a flag's values, to be read behind the flag."""
    shown = [MASK if is_secret_name(flag.dest) else _shown(value) for value in values]
    if flag.values == "none":
        return message("servers.flag_takes_none", value=shown[0]) if values else None
    if not values:
        return message("servers.flag_needs_value") if flag.values != "optional" else None
    if len(values) > 1 and flag.values != "many":
        return message("servers.flag_takes_one", value=shown[1])
    for value, masked in zip(values, shown, strict=True):
        wanted = _wanted(flag, value)
        if wanted is not None:
            return message("servers.flag_takes", wanted=wanted, value=masked)
    return None


def _shown(value: str) -> str:
    masked = mask_text(value)
    return repr(masked if len(masked) <= _MOST_SHOWN else masked[:_MOST_SHOWN] + "…")


def _wanted(flag: Flag, value: str) -> Message | None:
    """Return what the flag takes instead of `value`; None: it takes it."""
    accepts = flag.accepts
    bare = value.strip()
    if accepts is None or bare.lower() in {one.lower() for one in accepts} or "word" in accepts:
        return None if _is_choice(flag, value) else _choices(flag, value)
    if "{}" in accepts:
        return None if _parses(json.loads, _COUNT.sub("1", value)) else message("servers.a_json")
    if "1" not in accepts:
        return None  # a converter of its own
    if "1k" in accepts and bare[-1:] in tuple(_SUFFIXES):
        whole = int if bare[-1:].isupper() else float
        return None if _parses(whole, bare[:-1]) else message("servers.a_suffixed_number")
    if not _parses(float if "1.5" in accepts else int, value):
        return _number(accepts)
    return None if _is_choice(flag, value) else _choices(flag, value)


def _number(accepts: Sequence[str]) -> Message:
    if "1k" in accepts:
        number = message("servers.a_suffixed_number")
    else:
        number = message("servers.a_number" if "1.5" in accepts else "servers.a_whole_number")
    words = [word for word in ("auto", "None") if word in accepts]
    return message("servers.number_or_words", number=number, words=words) if words else number


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


def _choices(flag: Flag, value: str) -> Message:
    """Name all choices if they are few, else the nearest."""
    names = [str(one) for one in flag.choices or ()]
    if len(names) > _MOST_CHOICES:
        near = difflib.get_close_matches(value, names, n=5, cutoff=0.4) or names[:5]
        return message("servers.some_of_choices", near=near, others=len(names) - len(near))
    return message("servers.one_of_choices", choices=names)


def _parses(kind: object, text: str) -> bool:
    try:
        kind(text)  # type: ignore[operator]  # int, float, json.loads
    except (ValueError, RecursionError):
        return False
    return True
