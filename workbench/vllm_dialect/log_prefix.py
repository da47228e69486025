"""Strip colors and the prefixes of log collectors from log lines.

Docker compose, kubectl, stern, CRI, syslog, journald, Loki, CI runners and torch put a name or a time before
each line, and `VLLM_LOGGING_COLOR` puts colors around the process.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from workbench.base import UNREADABLE


class StrippedLine(NamedTuple):
    """A line without collectors' prefixes."""

    text: str
    when: str | None
    """The time in a prefix, as written; None without one."""
    level: str | None = None
    """The level that a JSON formatter stores beside the text."""
    partial: bool = False
    """True if the collector cut the line here; the next line continues it."""


_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colors and cursor moves
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles and links
    r"|\x1b[@-Z\\^_]"
)
_LOST = r"(?:\^\[|\\u001b|\\x1b|\\033|\u241b)?\[\d{0,3}(?:;\d{1,3})*m"
"""A color whose escape character was lost or spelled out."""
_LOST_COLOR = re.compile(_LOST)
_HEAD = re.compile(
    rf"(?:{_LOST}|\([^()\s]+ pid=\d+\)|DEBUG|INFO|WARNING|ERROR|CRITICAL|\d\d-\d\d|\d\d:\d\d:\d\d"
    r"|\[[\w./-]+:\d+\]|\s)+"
)
"""Process, level, time and place of one of vLLM's own lines, colored or not."""
_ISO = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_LEADS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        # docker compose, docker service logs, nerdctl, podman: `vllm-1  | `
        r"[\w.@/-]+\s+\| ?",
        # kubectl logs --prefix: `[pod/vllm-0/vllm] `
        r"\[pod/[^\]\s]+\] ?",
        # a time, then the CRI's stream and flag, GitLab's stream, or syslog's host and unit
        (
            rf"\[?(?P<when>{_ISO})\]?(?:\s(?:stdout|stderr) (?P<flag>[FP]) ?|\s\d\d[OE](?:\s|\+)"
            r"|\s\S+ [\w.@/-]+\[\d+\]: ?|\s\S+ \S+ (?:\d+|-) \S+ (?:-|\[[^\]]*\]) |\s)"
        ),
        # gh run view --log: `job<TAB>step<TAB>2026-…`
        r"[^\t]{1,80}\t[^\t]{1,80}\t(?=\ufeff?\d{4}-)",
        # syslog and journald: `Oct  1 10:00:00 host vllm[123]: `
        r"(?P<syslog>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?) \S+ [^\s:\[]+(?:\[\d+\])?: ?",
        r"<\d{1,3}>(?:1 )?",
        # logcli and promtail: labels in braces
        r'\{(?:[\w.]+="[^"]*",? ?)+\}\s',
        # torch and mpirun: `[rank0]: `, `[1,0]<stdout>:`
        r"\[rank\d+\]: ?",
        r"\[\d+,\d+\]<std(?:out|err)>: ?",
        r"\ufeff",
    )
)
_MOST_LEADS = 5
_STARTS = re.compile(
    r"(?:\([^()\s]+(?: [^()\s]+)* pid=\d+(?:, ip=[\w.:]+)?\) ?)*"
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d "
)
"""Start of vLLM's own lines: processes, then level and time."""
_MOST_MARKS = 32
_MOST_JOINED = 64 * 1024 * 1024
_FURTHEST = 160
"""Longest prefix of an unknown collector, in characters."""

_TEXTS = ("log", "message", "msg", "line", "textPayload", "MESSAGE", "body", "text")
_TIMES = ("time", "timestamp", "@timestamp", "asctime", "ts", "t", "receiveTimestamp", "__REALTIME_TIMESTAMP")
_LEVELS = ("level", "levelname", "severity")
_WITHIN = ("jsonPayload", "_source", "fields", "attributes")


def without_colors(text: str) -> str:
    """Remove terminal sequences."""
    if "\x1b" in text or "\x9b" in text:
        text = _ANSI.sub("", text)
    return text


def strip_prefix(line: str) -> StrippedLine:
    """Strip collectors' prefixes from one line; never fails."""
    text = without_colors(line.rstrip("\r\n"))
    text, when, level, partial = (text.startswith("{") and _from_json(text)) or StrippedLine(text, None)
    for _ in range(_MOST_LEADS):
        text = _without_lost_colors(text)
        lead = next((match for pattern in _LEADS if (match := pattern.match(text))), None)
        if lead is None:
            break
        times = lead.groupdict()
        when = times.get("when") or times.get("syslog") or when
        partial |= times.get("flag") == "P"
        text = text[lead.end() :]
    return StrippedLine(text, when, level, partial)


def _without_lost_colors(text: str) -> str:
    """Remove such colors from the head of a line, not from its message."""
    head = _HEAD.match(text)
    if head is None or "m" not in head[0]:
        return text
    return _LOST_COLOR.sub("", head[0]) + text[head.end() :]


def unknown_prefix(text: str) -> str:
    """Return the prefix of an unknown collector, such as stern, before a line of vLLM's; empty without one.

    A prefix ends in a space. Anything else is a progress bar or an unfinished line, joined to this one.
    """
    found = _STARTS.search(text, 0, _FURTHEST)
    mark = text[: found.start()] if found else ""
    return mark if mark.endswith((" ", "\t")) else ""


class PrefixStripper:
    """Strips prefixes line by line; learns unknown prefixes from vLLM's own lines.

    A traceback has no time of its own: `pod-0 vllm Traceback …` is recognized because an earlier line began
    `pod-0 vllm INFO 10-01 10:00:00`.
    """

    def __init__(self) -> None:
        self._marks: dict[str, None] = {}

    def unwrap(self, line: str) -> StrippedLine:
        """Return the line without prefixes and colors."""
        found = strip_prefix(line)
        mark = unknown_prefix(found.text)
        if mark:
            if len(self._marks) < _MOST_MARKS:
                self._marks[mark] = None
            return found._replace(text=found.text[len(mark) :])
        known = next((each for each in self._marks if found.text.startswith(each)), "")
        return found._replace(text=found.text[len(known) :])


def join_lines(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, StrippedLine]]:
    """Strip numbered lines, and join those that a container runtime cut (every 16 KiB)."""
    unwrapper = PrefixStripper()
    held: tuple[int, StrippedLine] | None = None
    for number, line in lines:
        found = unwrapper.unwrap(line)
        first = number
        if held is not None:
            first, begun = held
            found = found._replace(text=begun.text + found.text, when=begun.when)
        held = (first, found) if found.partial and len(found.text) < _MOST_JOINED else None
        if held is None:
            yield first, found
    if held is not None:
        yield held


def _from_json(text: str) -> StrippedLine | None:
    """Return the line in a JSON object of Docker's json-file, a JSON formatter or a cloud's export."""
    try:
        record = msgspec.json.decode(text)
    except UNREADABLE:
        return None
    if not isinstance(record, dict):
        return None
    for inner in (record, *(record.get(name) for name in _WITHIN)):
        said = _member(inner, _TEXTS)
        if isinstance(said, str):
            when, level = (
                _as_text(_member(inner, names) or _member(record, names)) for names in (_TIMES, _LEVELS)
            )
            text = without_colors(said).rstrip("\r\n")
            return StrippedLine(text, when, level, _is_cut(record, said))
    return None


def _is_cut(record: dict[str, Any], said: str) -> bool:
    """Return whether Docker cut the line here: its entries keep the line's end."""
    return "log" in record and "stream" in record and not said.endswith("\n")


def _member(record: object, names: tuple[str, ...]) -> object:
    if not isinstance(record, dict):
        return None
    return next((record[name] for name in names if record.get(name) not in (None, "")), None)


def _as_text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value)
