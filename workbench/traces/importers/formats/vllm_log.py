"""vLLM's request log: lines `Received request ...`, which only request logging writes.

Up to 0.11.1 the line has prompt and parameters. Since 0.11.2 it has the parameters, and a DEBUG line `Request
... details:` has the prompt; the request's id joins both. Times have no year and whole seconds, unless a log
collector wrote finer ones. Prompt lengths are those of logged token ids, else estimates from the prompt's
text. Output lengths are the requested `max_tokens`, an upper bound.
"""

import ast
import re
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from workbench.base import message
from workbench.traces.importers.importer import TEXT_LOG, Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.instants import to_ns
from workbench.traces.importers.log_rows import NO_START, NO_TOKENS, LogRows, log_lines, token_count
from workbench.traces.prompt_texts import PromptBlocks
from workbench.vllm_dialect.log_prefix import StrippedLine

NOT_A_REQUEST = message("traces.not_a_request_line")

_HEAD = (
    r"(?:\([^()\s]+ pid=\d+(?:, ip=[\w.:]+)?\)\s*)*(?:[A-Z]+ (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\s.{0,80}?)?"
)
_RECEIVED = re.compile(_HEAD + r"Received request (?P<id>\S+?): ")
_DETAILS = re.compile(_HEAD + r"Request (?P<id>\S+) details: ")
_ANY_LINE = re.compile(r"(?:\([^()\s]+ pid=\d+\)\s*)*(?:DEBUG|INFO|WARNING|ERROR) \d\d-\d\d \d\d:\d\d:\d\d\s")
_PROMPT = re.compile(r"prompt: (?P<text>(['\"]).*\2|None), (?:params|prompt_token_ids): ", re.DOTALL)
_IDS = re.compile(r"prompt_token_ids: (?:\[(?P<ids>[\d, ]*)\]|None)")
_MAX_TOKENS = re.compile(r"[(, ]max_tokens=(\d+)")

_YEAR = 2000
"""Any leap year: only gaps matter."""
_ROLLOVER = timedelta(days=180)
_SPREAD_NS = 2_000_000_000
"""Greatest difference between a collector's time and vLLM's own."""


class LoggedPrompt(NamedTuple):
    """A prompt as a log line has it."""

    tokens: int | None
    kept: PromptBlocks
    characters: int | None
    ids: int | None
    """Number of logged token ids; None if they aren't logged."""


class LoggedArrival(NamedTuple):
    """A received request without its prompt."""

    line: int
    second: datetime | None
    """Time of vLLM's own clock."""
    when: int | None
    """Time of the collector, ns since 1970."""
    max_tokens: int | None


def matches(head: FileHead) -> bool:
    """Check for a log line of vLLM, of a request or not."""
    return any(_ANY_LINE.match(line) or _RECEIVED.match(line) for line in head.lines)


def load(job: ImportJob) -> Draft:
    """Read every received request whose prompt length is known."""
    log = _RequestLog(job)
    for number, line in log_lines(job):
        log.read(number, line)
    return log.draft()


@dataclass
class _RequestLog:
    """Requests so far; a request with one half read waits for the other."""

    job: ImportJob
    received: int = 0
    waiting: dict[str, deque[LoggedArrival]] = field(default_factory=dict)
    prompts: dict[str, deque[LoggedPrompt]] = field(default_factory=dict)
    whole: list[tuple[LoggedArrival, LoggedPrompt]] = field(default_factory=list)
    others: int = 0
    """Lines without a request."""
    details: int = 0
    emptied: int = 0
    """Prompts logged as empty, as with `--max-log-len 0`."""
    previous: datetime | None = None

    def read(self, number: int, line: StrippedLine) -> None:
        """Read one line."""
        details = _DETAILS.match(line.text)
        if details is not None:
            self.details += 1
            prompt = self._prompt(line.text[details.end() :])
            waiting = self.waiting.get(details["id"])
            if waiting:
                self.whole.append((waiting.popleft(), prompt))
            else:
                self.prompts.setdefault(details["id"], deque()).append(prompt)
            return
        received = _RECEIVED.match(line.text)
        if received is None:
            self.others += 1
            return
        self.received += 1
        self._receive(received, self._arrival(number, received, line), line.text[received.end() :])

    def _receive(self, received: re.Match[str], arrival: LoggedArrival, rest: str) -> None:
        prompt = self._prompt(rest)
        if prompt.tokens is not None:
            self.whole.append((arrival, prompt))
            return
        known = self.prompts.get(received["id"])
        if known:
            self.whole.append((arrival, known.popleft()))
        else:
            self.waiting.setdefault(received["id"], deque()).append(arrival)

    def _arrival(self, number: int, received: re.Match[str], line: StrippedLine) -> LoggedArrival:
        second = None
        if received[1] is not None:
            second = self.previous = _moment(received, self.previous)
        # A prompt may contain "params: " itself: the parameters follow the last one.
        asked = _MAX_TOKENS.search(line.text, max(0, line.text.rfind("params: ")))
        return LoggedArrival(
            line=number,
            second=second,
            when=None if line.when is None else _collector_ns(line.when),
            max_tokens=token_count(asked[1]) if asked else None,
        )

    def _prompt(self, text: str) -> LoggedPrompt:
        texts = self.job.texts
        # A prompt may quote such a line: the ids follow the last mark.
        found = _IDS.search(text, max(0, text.rfind("prompt_token_ids: ")))
        logged = found["ids"] if found is not None else None
        ids = [int(token) % 2**32 for token in logged.split(",") if token.strip()] if logged else None
        said = _PROMPT.search(text)
        prompt = _unquoted(said["text"]) if said is not None else None
        if ids:
            return LoggedPrompt(
                tokens=len(ids),
                kept=PromptBlocks(texts.token_blocks(ids), texts.kept(prompt or "")),
                characters=None if prompt is None else len(prompt),
                ids=len(ids),
            )
        if not prompt:
            self.emptied += said is not None and said["text"] != "None"
            return LoggedPrompt(None, PromptBlocks(()), None, None)
        return LoggedPrompt(
            tokens=texts.tokens(prompt),
            kept=PromptBlocks(texts.blocks(prompt), texts.kept(prompt)),
            characters=len(prompt),
            ids=None,
        )

    def draft(self) -> Draft:
        """Return all requests with both halves; the others are dropped with a reason."""
        self._refuse_empty()
        rows = LogRows(self.job, "vLLM request log")
        rows.drop(NOT_A_REQUEST, self.others)
        rows.drop(NO_TOKENS, self.received - len(self.whole))
        self.whole.sort(key=lambda each: each[0].line)
        by_collector = _one_clock([arrival for arrival, _ in self.whole])
        for arrival, prompt in self.whole:
            start = arrival.when if by_collector else _own_ns(arrival)
            if start is None:
                rows.drop(NO_START)
                continue
            rows.add(
                line=arrival.line,
                start=start,
                input_tokens=prompt.tokens,
                output_tokens=arrival.max_tokens,
                prompt=prompt.kept,
            )
        self._note(by_collector=by_collector)
        return rows.draft()

    def _refuse_empty(self) -> None:
        """Refuse a log without requests to replay.

        Raises:
            Refusal: no request, or none with a prompt.
        """
        if not self.received:
            self.job.source.refuse(message("traces.vllm_log_without_requests"))
        if not any(prompt.tokens for _, prompt in self.whole) and self.emptied:
            self.job.source.refuse(message("traces.vllm_log_empty_prompts", count=self.received))
        if not self.whole and not self.details:
            self.job.source.refuse(message("traces.vllm_log_without_prompts", count=self.received))

    def _note(self, *, by_collector: bool) -> None:
        report = self.job.report
        if by_collector:
            report.note(message("traces.collector_time"))
        else:
            report.note(message("traces.no_year"))
            report.warn(message("traces.whole_seconds"), act=False)
        report.warn(message("traces.output_is_max_tokens"))
        if self.job.texts.estimated:
            report.warn(message("traces.estimated_prompts"))
        cut = cut_prompts([prompt for _, prompt in self.whole])
        if cut is not None:
            report.warn(message("traces.prompts_cut", count=cut[0], rows=len(self.whole), length=cut[1]))


def cut_prompts(prompts: list[LoggedPrompt]) -> tuple[int, int] | None:
    """Return the number of prompts that `--max-log-len` cut and their length; None if none looks cut.

    vLLM cuts text and ids to the same number of characters and of ids. So:

    - A text longer than the longest ids shows that the ids are whole.
    - As many ids as characters show that both were cut.
    - Without such a pair, a round length at which most prompts end is a cut.
    """
    lengths = [each for prompt in prompts for each in (prompt.characters, prompt.ids) if each is not None]
    longest = max(lengths, default=0)
    cut = [each for each in prompts if (each.characters if each.ids is None else each.ids) == longest]
    if len(cut) < 2:
        return None
    both = any(prompt.characters == prompt.ids for prompt in cut)
    round_length = longest % 10 == 0 or longest & (longest - 1) == 0
    if both or (round_length and 2 * len(cut) >= len(prompts)):
        return len(cut), longest
    return None


def _moment(match: re.Match[str], previous: datetime | None) -> datetime | None:
    """Return the time of a line; a time half a year before the previous line is in the next year."""
    year = _YEAR if previous is None else previous.year
    month, day, hour, minute, second = (int(figure) for figure in match.groups()[:5])
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        if previous is not None and previous - moment > _ROLLOVER:
            moment = moment.replace(year=year + 1)
    except ValueError:
        return None
    return moment


def _own_ns(arrival: LoggedArrival) -> int | None:
    """Return vLLM's own time, or the collector's if a JSON formatter wrote no other."""
    return arrival.when if arrival.second is None else to_ns(arrival.second.isoformat())


def _collector_ns(when: str) -> int | None:
    """Return a collector's time; None for syslog's, which has no year."""
    return to_ns(when)


def _one_clock(arrivals: list[LoggedArrival]) -> bool:
    """Check whether the collector's times are vLLM's own, but finer.

    A collector that wrote many lines late and at once would move the arrivals.
    """
    offsets = [
        arrival.when - own
        for arrival in arrivals
        if arrival.when is not None and (own := _own_ns(arrival)) is not None
    ]
    fine = any(arrival.when is not None and arrival.when % 1_000_000_000 for arrival in arrivals)
    return fine and len(offsets) == len(arrivals) and max(offsets) - min(offsets) < _SPREAD_NS


def _unquoted(text: str) -> str:
    """Return a prompt from its Python literal."""
    if text == "None":
        return ""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text[1:-1]
    return value if isinstance(value, str) else ""


IMPORTERS = (Importer(name="vllm-log", matches=matches, load=load, is_log=True, rank=TEXT_LOG),)
