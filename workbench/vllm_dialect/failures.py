"""Explain a failed server from its log: the cause with the fix, or the root exception."""

import re
from collections.abc import Sequence

import msgspec

from workbench.base import Message, message
from workbench.vllm_dialect.failure_rule import ControlChange, FailureRule, cause_and_fix
from workbench.vllm_dialect.failure_rules import CONSEQUENCES, RULES
from workbench.vllm_dialect.failure_rules_device import by_signal
from workbench.vllm_dialect.failure_rules_software import EXCEPTIONS
from workbench.vllm_dialect.log import VllmLogLine, split_plain
from workbench.vllm_dialect.log_prefix import PrefixStripper


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """The cause of a server's end."""

    kind: str
    """A stable name: `port_in_use`, `context_over_kv`, …; `unknown` if no rule matches."""
    cause: Message
    fix: Message | None
    """None if no fix is known."""
    line: str
    """The log's line, or its last lines."""

    @property
    def message(self) -> Message:
        """Cause and fix in one message."""
        if self.fix is None:
            return self.cause
        return message("dialect.failure", cause=self.cause, fix=self.fix)


_GLUED = re.compile(r"(?=\((?:APIServer|EngineCore|Worker|VllmWorker)\w*(?:-\d+)? pid=\d+\) )")
_TRACEBACK = "Traceback (most recent call last):"
_EXCEPTION = re.compile(r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failure|Timeout)\b.*")
_DETAIL = re.compile(r"^\s+(?:Value error, )?((?<=Value error, ).*|Input should .*?)(?: \[type=.*)?$")
_WRAPPERS = (
    "Engine core initialization failed",
    "WorkerProc initialization failed",
    "EngineCore encountered an issue",
    "Engine process failed to start",
    "EngineDeadError",
    "KeyboardInterrupt",
    "SystemExit",
    "Error retrieving safetensors",
    "failed to be inspected",
)
"""Exceptions of a process because another one failed."""
_AFTERMATH = re.compile(
    r"^(?:\w+\.)*(?:EOFError|BrokenPipeError|ConnectionResetError|ConnectionAbortedError|CancelledError)\b"
    r"|^RuntimeError: cancelled|^TimeoutError: RPC call|Connection closed by peer|remote process exited"
)
"""Exceptions of a process because another one is gone."""
_OUT_OF_MEMORY = re.compile(r"CUDA out of memory\. Tried to allocate|torch\.(?:cuda\.)?OutOfMemoryError")
_NOISE = re.compile(
    r"^(?:Traceback \(most recent|During handling of the above|The above exception was|nanobind: | - leaked |"
    r"\[rank\d+\]:|warnings\.warn\()|resource_tracker|^[\s^~]*$"
)
"""Lines of a server's end that don't explain it."""
_FRAME = re.compile(r"^\s+(?:File \"|\S)")
_FIELD = re.compile(r"^[a-z_]\w*(?:\.\w+)*$")
_LAST_LINES = 3
_LONGEST = 8192
"""Characters of a line that are searched: a configuration can have 100,000, and causes stand at the front."""
_SHELL_SIGNAL = 128
"""Offset that a shell and a container engine add to the signal's number."""
_ALL_RULES: tuple[FailureRule, ...] = (*RULES, *CONSEQUENCES)
_RANK = {"Worker": 0, "EngineCore": 1, None: 2, "APIServer": 3}


class FailureReader:
    """Reads a server's log line by line and explains its end."""

    def __init__(self) -> None:
        self.out_of_memory = 0
        """Number of out-of-memory lines; a server can survive them."""
        self._matched: dict[int, tuple[re.Match[str], str]] = {}
        """Match and line by the rule's index."""
        self._in_traceback: set[tuple[str | None, int | None]] = set()
        self._exceptions: list[tuple[int, str]] = []
        self._after: list[tuple[int, str]] = []
        """Exceptions caused by another process's end."""
        self._wrappers: list[tuple[int, str]] = []
        """Exceptions that only report another process's failure."""
        self._field: str | None = None
        """The setting named in pydantic's previous line."""
        self._last: list[str] = []
        self._unwrapper = PrefixStripper()

    def feed(self, line: str) -> None:
        """Read one line of the merged output, perhaps with colors and a collector's prefix."""
        found = self._unwrapper.unwrap(line)
        for part in _GLUED.split(found.text):
            if part.strip():
                self._feed_one(split_plain(part, level=found.level))

    def _feed_one(self, line: VllmLogLine) -> None:
        searched = line.text[:_LONGEST]
        self.out_of_memory += bool(_OUT_OF_MEMORY.search(searched))
        for place, rule in enumerate(_ALL_RULES):
            found = None if place in self._matched else rule.pattern.search(searched)
            if found:
                self._matched[place] = (found, line.text.strip())
        self._follow_traceback(line)
        self._remember(line)

    def _remember(self, line: VllmLogLine) -> None:
        """Keep the last meaningful lines: no frames of a traceback, no leak reports."""
        framed = (line.process, line.pid) in self._in_traceback and _FRAME.match(line.text)
        if not framed and not _NOISE.search(line.text):
            self._last = [*self._last[1 - _LAST_LINES :], line.text.strip()]

    def _follow_traceback(self, line: VllmLogLine) -> None:
        key = (line.process, line.pid)
        self._join_detail(line.text)
        if line.text.startswith(_TRACEBACK):
            self._in_traceback.add(key)
        elif key in self._in_traceback and line.text[:1] not in ("", " ", "\t"):
            self._in_traceback.discard(key)
            if _EXCEPTION.match(line.text):
                self._place_of(line.text).append((_rank(line.process), line.text.strip()))

    def _place_of(self, exception: str) -> list[tuple[int, str]]:
        if any(word in exception for word in _WRAPPERS):
            return self._wrappers
        return self._after if _AFTERMATH.search(exception) else self._exceptions

    def _join_detail(self, text: str) -> None:
        """Add pydantic's details from the lines after its exception."""
        detail = _DETAIL.match(text)
        if detail and self._exceptions:
            rank, wrapper = self._exceptions[-1]
            said = detail[1] if self._field is None else f"{self._field}: {detail[1]}"
            self._exceptions[-1] = (rank, f"{wrapper.rstrip(':')}: {said}")
        field = _FIELD.match(text)
        self._field = text if field else None

    def failure(self, exit_code: int | None = None) -> Failure:
        """Return the best explanation of the log; `exit_code` is the process's (negative: a signal)."""
        explained = min(self._matched, default=len(_ALL_RULES))
        if explained < len(RULES):
            return self._by_rule(explained)
        if self._exceptions:
            return _by_exception(self._exceptions)
        if explained < len(_ALL_RULES) and not self._by_own_signal(exit_code):
            return self._by_rule(explained)
        return self._by_exit(exit_code)

    def _by_rule(self, place: int) -> Failure:
        found, line = self._matched[place]
        return _by_match(_ALL_RULES[place], found, line)

    def _by_own_signal(self, exit_code: int | None) -> tuple[str, str] | None:
        """Return kind and template if a signal ended the process itself."""
        if exit_code is None:
            return None
        number = -exit_code if exit_code < 0 else exit_code - _SHELL_SIGNAL
        # A process that was asked to end exits with 0 or by SIGTERM; its last lines explain more.
        return by_signal(number)

    def _by_exit(self, exit_code: int | None) -> Failure:
        words = " | ".join(self._last)
        ended = self._by_own_signal(exit_code)
        if ended is not None:
            kind, template = ended
            cause, fix = cause_and_fix(template, process=message("dialect.server"))
            return Failure(kind=kind, cause=cause, fix=fix, line=words)
        for exceptions in (self._after, self._wrappers):
            if exceptions:
                return _by_exception(exceptions)
        return Failure(kind="unknown", cause=_unexplained(exit_code, words), fix=None, line=words)


_CHANGES = {f"dialect.{rule.template}": rule.changes for rule in (*_ALL_RULES, *EXCEPTIONS) if rule.changes}
"""Controls that the fix changes, by the kind of the cause."""


def changes_of(cause: Message) -> tuple[ControlChange, ...]:
    """Return the controls that the fix of a failure's cause changes, with the values that the log states."""
    return tuple(change.of(cause.values) for change in _CHANGES.get(cause.kind, ()))


def _by_exception(exceptions: Sequence[tuple[int, str]]) -> Failure:
    """Explain by the first exception of the process nearest to the GPU, which caused the others."""
    _, text = min(exceptions, key=lambda entry: entry[0])
    for rule in EXCEPTIONS:
        found = rule.pattern.search(text)
        if found:
            return _by_match(rule, found, text)
    return Failure(kind="unknown", cause=message("dialect.exception", text=text), fix=None, line=text)


def _by_match(rule: FailureRule, found: re.Match[str], line: str) -> Failure:
    cause, fix = rule.explain(found)
    return Failure(kind=rule.kind, cause=cause, fix=fix, line=line)


def _unexplained(exit_code: int | None, words: str) -> Message:
    if exit_code is None:
        return message("dialect.ended", words=words) if words else message("dialect.ended_silently")
    if words:
        return message("dialect.ended_with_code", code=exit_code, words=words)
    return message("dialect.ended_silently_with_code", code=exit_code)


def _rank(process: str | None) -> int:
    name = next(
        (known for known in ("Worker", "EngineCore", "APIServer") if process and known in process), None
    )
    return _RANK[name]
