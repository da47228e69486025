"""Why a server failed, from its log: the cause in words with the fix, or the root exception."""

import re

import msgspec

from workbench.dialect.failure_rules import CONSEQUENCES, RULES
from workbench.dialect.log import LogLine, split_plain
from workbench.dialect.log_prefix import Unwrapper


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """One cause."""

    kind: str
    """A name for programs: `port_in_use`, `context_over_kv`, …; `unknown`: no rule knows it."""
    cause: str
    fix: str
    """What to do; empty where nobody can say."""
    line: str
    """The log's own words."""

    def sentence(self) -> str:
        """Cause and fix in one line."""
        return f"{self.cause}: {self.fix}" if self.fix else self.cause


_GLUED = re.compile(r"(?=\((?:APIServer|EngineCore|Worker|VllmWorker)\w*(?:-\d+)? pid=\d+\) )")
_TRACEBACK = "Traceback (most recent call last):"
_EXCEPTION = re.compile(r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failure|Timeout)\b.*")
_DETAIL = re.compile(r"^\s+Value error, (.*)")
_WRAPPERS = (
    "Engine core initialization failed",
    "WorkerProc initialization failed",
    "EngineCore encountered an issue",
    "Engine process failed to start",
    "EngineDeadError",
    "KeyboardInterrupt",
    "SystemExit",
    "Error retrieving safetensors",
)
_OUT_OF_MEMORY = re.compile(r"CUDA out of memory\. Tried to allocate|torch\.(?:cuda\.)?OutOfMemoryError")
_LAST_LINES = 3
_ALL_RULES = (*RULES, *CONSEQUENCES)
_RANK = {"Worker": 0, "EngineCore": 1, None: 2, "APIServer": 3}


class FailureReader:
    """Reads a server's log line by line and says, when it ended, why."""

    def __init__(self) -> None:
        self.out_of_memory = 0
        """Lines that told of exhausted GPU memory; a server can survive them."""
        self._matched: dict[int, tuple[str, ...]] = {}
        self._lines: dict[int, str] = {}
        self._in_traceback: set[tuple[str | None, int | None]] = set()
        self._exceptions: list[tuple[int, str]] = []
        self._last: list[str] = []
        self._unwrapper = Unwrapper()

    def feed(self, line: str) -> None:
        """Take in one line of the merged output, perhaps with colors and a collector's mark before it."""
        found = self._unwrapper.unwrap(line)
        for part in _GLUED.split(found.text):
            if part.strip():
                self._feed_one(split_plain(part, level=found.level))

    def _feed_one(self, line: LogLine) -> None:
        self._remember(line.text)
        self.out_of_memory += bool(_OUT_OF_MEMORY.search(line.text))
        for place, rule in enumerate(_ALL_RULES):
            found = None if place in self._matched else rule.pattern.search(line.text)
            if found:
                self._matched[place] = tuple(group or "" for group in found.groups())
                self._lines[place] = line.text.strip()
        self._follow_traceback(line)

    def _remember(self, text: str) -> None:
        if text.strip():
            self._last = [*self._last[1 - _LAST_LINES :], text.strip()]

    def _follow_traceback(self, line: LogLine) -> None:
        key = (line.process, line.pid)
        detail = _DETAIL.match(line.text)
        if detail and self._exceptions:
            rank, wrapper = self._exceptions[-1]
            self._exceptions[-1] = (rank, f"{wrapper.rstrip(':')}: {detail[1]}")
        if line.text.startswith(_TRACEBACK):
            self._in_traceback.add(key)
        elif key in self._in_traceback and line.text[:1] not in ("", " ", "\t"):
            self._in_traceback.discard(key)
            if _EXCEPTION.match(line.text) and not any(word in line.text for word in _WRAPPERS):
                self._exceptions.append((_rank(line.process), line.text.strip()))

    def failure(self, exit_code: int | None = None) -> Failure:
        """The best explanation of what was read; `exit_code` is the process's (negative: a signal's)."""
        explained = min(self._matched, default=len(_ALL_RULES))
        if explained < len(RULES):
            return self._by_rule(explained)
        if self._exceptions:
            # The first of the process nearest to the GPU: what follows was caused by it.
            _, text = min(self._exceptions, key=lambda entry: entry[0])
            return Failure(kind="unknown", cause=text, fix="", line=text)
        if explained < len(_ALL_RULES):
            return self._by_rule(explained)
        return self._by_exit(exit_code)

    def _by_rule(self, place: int) -> Failure:
        rule, groups = _ALL_RULES[place], self._matched[place]
        cause, fix = rule.cause.format(*groups), rule.fix.format(*groups)
        return Failure(kind=rule.kind, cause=cause, fix=fix, line=self._lines[place])

    def _by_exit(self, exit_code: int | None) -> Failure:
        words = " | ".join(self._last)
        if exit_code in (-9, 137):
            cause = "the server was killed (SIGKILL)"
            return Failure(kind="killed", cause=cause, fix="see whether memory ran out (dmesg)", line=words)
        said = f"; its last words: {words}" if words else " without a word"
        code = "unexpectedly" if exit_code is None else f"with exit code {exit_code}"
        return Failure(kind="unknown", cause=f"the server ended {code}{said}", fix="", line=words)


def _rank(process: str | None) -> int:
    name = next(
        (known for known in ("Worker", "EngineCore", "APIServer") if process and known in process), None
    )
    return _RANK[name]
