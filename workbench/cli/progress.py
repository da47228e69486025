"""The conductor's events as progress for people: a line that renews itself on a terminal, few elsewhere."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

from workbench.base import shown, shown_lines
from workbench.cli.diagnosis_text import diagnosis_lines
from workbench.experiments import (
    Event,
    ExperimentFinished,
    ExperimentStarted,
    LiveLimitChanged,
    MemoryReported,
    Notice,
    Progress,
    RunDiagnosed,
    RunFinished,
    RunStarted,
    SampleTaken,
    ServerLog,
    ServerState,
)

_SILENT_S = 10.0
"""Between two progress lines where there is no terminal."""


class ConsoleProgress:
    """Writes progress to standard error, so that standard output holds results alone."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._terminal = self._stream.isatty()
        self._said = 0.0
        self._where = ""
        self._open_line = False
        self._failure: str | None = None
        """Why the server failed, until it is said: the run's own error mostly says it."""

    def __call__(self, event: Event) -> None:
        """Print one event."""
        if isinstance(event, ServerLog):
            return
        failure, self._failure = self._failure, None
        if failure is not None and not _repeats_failure(event):
            self._line(f"  server failed: {failure}")
        self._show(event)

    def _show(self, event: Event) -> None:
        match event:
            case ExperimentStarted():
                kind = "simulated, " if event.simulated else ""
                self._line(
                    f"{event.name}: {len(event.plan)} runs on {event.target} ({kind}trace {event.trace})"
                )
            case ServerState(state="ready" | "failed"):
                self._server(event)
            case MemoryReported():
                self._all(event.differences)
            case RunStarted():
                length = f" over {event.duration_s:g} s" if event.duration_s else ""
                self._where = f"run {event.index}/{event.of} {event.run}"
                self._line(f"{self._where}: {event.requests} requests{length}")
            case LiveLimitChanged(accepted=True):
                self._line(f"  {event.name} {event.old} → {event.new} (by {event.by})")
            case LiveLimitChanged():
                self._line(f"  not changed: {event.refusal}")
            case SampleTaken():
                self._sample(event)
            case Progress() if event.phase == "draining":
                self._renew(f"  {event.phase}, {event.run_elapsed_s:.0f} s")
            case RunFinished():
                figures = "" if event.status == "failed" else f": {row_words(event.row)}"
                self._line(f"  {event.status}{figures}")
            case RunDiagnosed():
                self._all(diagnosis_lines(event))
            case Notice():
                self._line(f"  {event.level}: {event.text}")
            case ExperimentFinished():
                self._line(f"{event.status}")
            case _:
                pass

    def _server(self, event: ServerState) -> None:
        if event.state == "failed":
            self._failure = event.detail or "it ended"
        else:
            state = "connected" if event.attached else event.state
            self._line(f"  server {state}{': ' + event.detail if event.detail else ''}")

    def _all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._line(f"  {line}")

    def _sample(self, event: SampleTaken) -> None:
        figures = (
            f"  {event.run_t:6.1f} s  running {_number(event.running)}  waiting {_number(event.waiting)}"
            f"  KV {_number(None if event.kv_usage is None else 100 * event.kv_usage)} %"
            f"  TTFT p95 {_number(event.ttft_p95_ms)} ms  out {_number(event.output_tok_s)} tok/s"
        )
        self._renew(figures, event.t)

    def _renew(self, text: str, t: float | None = None) -> None:
        if self._terminal:
            self._stream.write(f"\r\x1b[K{shown(text, None)}")
            self._stream.flush()
            self._open_line = True
        elif t is not None and t - self._said >= _SILENT_S:
            self._said = t
            self._line(text)

    def _line(self, text: str) -> None:
        if self._open_line:
            self._stream.write("\r\x1b[K")
            self._open_line = False
        self._stream.write(shown_lines(text) + "\n")
        self._stream.flush()


def _repeats_failure(event: Event) -> bool:
    """Return whether the event is a run's failure, which says why its server failed."""
    data = event.message if isinstance(event, Notice) else None
    return data is not None and data.kind == "experiments.run_failed"


def row_words(row: dict[str, object]) -> str:
    """Return one scorecard row as a line."""
    words = [
        f"{label} {_number(row.get(key))}{unit}"
        for key, label, unit in (
            ("offered_rps", "offered", ""),
            ("completed_rps", "completed", " req/s"),
            ("ttft_p95_ms", "TTFT p95", " ms"),
            ("e2e_p95_ms", "E2E p95", " ms"),
            ("preemptions", "preemptions", ""),
        )
    ]
    if row.get("diverging"):
        words.append("diverging")
    if row.get("valid") is False:
        words.append(f"invalid ({row.get('reasons')})")
    return ", ".join(words)


def _number(value: object) -> str:
    if not isinstance(value, (int, float)):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


@contextmanager
def reading_steps() -> Iterator[Callable[[float], None] | None]:
    """Show how much of a step record is read, on a terminal; the record is read only once."""
    if not sys.stderr.isatty():
        yield None
        return
    shown_any = False

    def show(done: float) -> None:
        nonlocal shown_any
        shown_any = True
        sys.stderr.write(f"\rreading the step record: {100 * done:3.0f} %")
        sys.stderr.flush()

    yield show
    if shown_any:
        sys.stderr.write("\r" + " " * 40 + "\r")
