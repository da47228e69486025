"""The load generator against a server of known times: prints truth, ours, and the error of each request.

`python tests/performance/bench_load.py [NAME…]`; needs g++ and the truth server's source. Figures hold on two
quiet cores: the server takes one, the worker the other. The error of a request is its TTFT from due minus the
truth server's own record of it, joined by X-Request-Id.

What a token costs a worker is its work and its share of a wake-up. What a wake-up costs is the machine's
doing, so it is measured first and printed, and each line has the workers' sleeps a token: at half the rate
each, two workers sleep more often for the same tokens.
"""

import argparse
import asyncio
import json
import os
import resource
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from workbench.load import LoadOptions, LoadOutcome, Target, run_load
from workbench.results import Conditions, LoadSnapshot, Outcome, RequestRecord, RunFrame, summarize_run
from workbench.traces import open_loop, synthetic_trace

SOURCE = Path(__file__).with_name("truthserver.cpp")
_TTFT_MS, _ITL_MS = 50, 10
_DEARER = 0.15


class Case(msgspec.Struct, frozen=True):
    """One line of the table, with the figures it must reach in milliseconds (None: no promise)."""

    name: str
    rate: float
    requests: int
    input_tokens: int = 64
    output_tokens: int = 128
    flags: tuple[str, ...] = ()
    endpoint: str = "completions"
    workers: int = 1
    ttft_p50: float | None = None
    ttft_p99: float | None = None
    itl_p50: float | None = None
    delay_p99: float | None = None
    cost_of: str | None = None
    """May take 15 % more processor time a token than this case."""
    too_much: bool = False
    """More than a worker holds: the run must say so itself."""


_AT_200 = {"rate": 200.0, "requests": 3000, "ttft_p50": 1.0, "ttft_p99": 5.0, "itl_p50": 0.05}
CASES = (
    Case("50/s", 50.0, 500, ttft_p50=2.0, itl_p50=0.2),
    Case("200/s", **_AT_200),
    Case("200/s, TTFT varies", flags=("--vary",), **_AT_200),
    Case("200/s, 4 tokens an event", flags=("--tokens-per-chunk", "4"), **_AT_200),
    Case("200/s, chat, role first", flags=("--role-first",), endpoint="chat", **_AT_200),
    Case("400/s", 400.0, 6000, ttft_p50=2.0, ttft_p99=15.0),
    Case("20/s, 12,000-token prompts", 20.0, 300, input_tokens=12_000, delay_p99=5.0),
    Case("400/s, two workers", 400.0, 6000, workers=2, cost_of="400/s"),
    Case("three times too much", 1500.0, 9000, too_much=True),
)


def build(folder: Path) -> Path | None:
    """The truth server's program in `folder`; None where it can't be built."""
    compiler = shutil.which("g++")
    if compiler is None or not SOURCE.exists():
        return None
    program = folder / "truthserver"
    subprocess.run([compiler, "-O2", "-std=c++17", "-o", str(program), str(SOURCE)], check=True)
    return program


@contextmanager
def serving(program: Path, flags: tuple[str, ...], log: Path) -> Iterator[int]:
    """The truth server on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(program), str(port), str(_TTFT_MS), str(_ITL_MS), "128", *flags, "--log", str(log)]
    process = subprocess.Popen(command)
    try:
        for _ in range(100):
            try:
                _get(port, "/health")
                break
            except OSError:
                time.sleep(0.02)
        yield port
    finally:
        process.kill()
        process.wait()


def _get(port: int, path: str) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        body: bytes = answer.read()
    return body


def wakeup_cost_us(times: int = 2000, every_s: float = 0.0005) -> float:
    """Processor time that this machine takes for a wake-up in which next to nothing is done."""
    reader, writer = os.pipe()
    code = (
        f"import os, time\nfor _ in range({times}):\n    time.sleep({every_s})\n    os.write({writer}, b'x')"
    )
    with select.epoll() as poll:
        poll.register(reader, select.EPOLLIN)
        begun = 0.0
        with subprocess.Popen([sys.executable, "-c", code], pass_fds=[writer]):
            os.close(writer)
            woken = 0
            while poll.poll() and os.read(reader, 64):
                woken += 1
                begun = begun or time.process_time()
    os.close(reader)
    return (time.process_time() - begun) / max(1, woken - 1) * 1e6


def replay(case: Case, port: int) -> tuple[list[RequestRecord], list[LoadSnapshot], LoadOutcome]:
    """Replay the case against the server."""
    trace = synthetic_trace(case.input_tokens, case.output_tokens, case.requests)
    schedule = open_loop(trace, rate=case.rate, arrivals="poisson", requests=case.requests)
    target = Target(url=f"http://127.0.0.1:{port}", model="truth", endpoint=case.endpoint)
    records: list[RequestRecord] = []
    snapshots: list[LoadSnapshot] = []
    options = LoadOptions(workers=case.workers, drain_s=20)
    outcome = asyncio.run(
        run_load(target, trace, schedule, options, on_records=records.extend, on_snapshot=snapshots.append)
    )
    return records, snapshots, outcome


class Figures(msgspec.Struct):
    """What one case gave; milliseconds."""

    completed: int
    truth_ttft: list[float]
    ttft: list[float]
    ttft_error: list[float]
    truth_gap: float
    itl: float
    delay: list[float]
    cpu_us_a_token: float
    sleeps_a_token: float
    client_bound: str | None
    """The run's own verdict on its generator."""
    missed: list[str]
    """Promised figures that were not reached."""


def judge(
    case: Case, log: Path, truth: bytes, played: tuple[list[RequestRecord], LoadOutcome], sleeps: int
) -> Figures:
    """Compare with the server's own record; `sleeps` is how often the workers waited for something."""
    records, outcome = played
    known = {
        words[0]: (float(words[2]) - float(words[1])) * 1e3
        for words in (line.split(",") for line in log.read_text().splitlines()[1:])
    }
    answered = [record for record in records if record.first_token is not None and record.request_id in known]
    ttft = np.array([(record.first_token - record.due) * 1e3 for record in answered])
    true = np.array([known[record.request_id] for record in answered])
    itl = np.concatenate(
        [np.repeat(r.gap_array() / np.maximum(r.token_array(), 1), r.token_array()) for r in records]
    )
    delay = np.array([(r.sent - r.released) * 1e3 for r in records if r.sent is not None])
    tokens = sum(record.tokens or 0 for record in records)
    step = (
        int(case.flags[case.flags.index("--tokens-per-chunk") + 1])
        if "--tokens-per-chunk" in case.flags
        else 1
    )
    figures = Figures(
        completed=sum(record.outcome == Outcome.COMPLETED for record in records),
        truth_ttft=_percentiles(true),
        ttft=_percentiles(ttft),
        ttft_error=_percentiles(np.abs(ttft - true)),
        truth_gap=json.loads(truth)["gap_ms"]["p50"] / step,
        itl=float(np.median(itl)),
        delay=_percentiles(delay),
        cpu_us_a_token=outcome.cpu_s / max(1, tokens) * 1e6,
        sleeps_a_token=sleeps / max(1, tokens),
        client_bound=_client_bound(case, records, outcome),
        missed=[],
    )
    limits = (
        ("TTFT error p50", figures.ttft_error[0], case.ttft_p50),
        ("TTFT error p99", figures.ttft_error[1], case.ttft_p99),
        ("ITL error p50", abs(figures.itl - figures.truth_gap), case.itl_p50),
        ("client delay p99", figures.delay[1], case.delay_p99),
    )
    figures.missed = [
        f"{what} {value:.2f} ms > {limit:g} ms" for what, value, limit in limits if limit and value > limit
    ]
    if case.too_much and figures.client_bound is None:
        figures.missed.append("valid, though its worker was too slow")
    return figures


def _dearer(case: Case, costs: dict[str, float]) -> list[str]:
    """Where it takes more than 15 % more processor time a token than the case it is held against."""
    if case.cost_of not in costs:
        return []
    more = costs[case.name] / costs[case.cost_of] - 1
    return [f"CPU a token {more:+.0%} against {case.cost_of} > +15 %"] if more > _DEARER else []


def _client_bound(case: Case, records: list[RequestRecord], outcome: LoadOutcome) -> str | None:
    frame, conditions = (
        RunFrame(length_s=case.requests / case.rate),
        Conditions(read_late_p99_ms=outcome.read_late_p99_ms),
    )
    summary = summarize_run(records, frame, conditions=conditions)
    return next((reason for reason in summary.reasons if reason.startswith("client-bound")), None)


def _percentiles(values: NDArray[np.float64]) -> list[float]:
    return [float(value) for value in np.percentile(values, [50, 99])] if len(values) else [0.0, 0.0]


_HEADINGS = (
    f"{'case':28}{'done':>6}  {'truth TTFT':>15}  {'our TTFT':>15}  {'error':>13}  {'truth gap':>9}  "
    f"{'our ITL':>8}  {'client delay':>14}  {'us/token':>8}  {'sleeps':>6}  load"
)


def show(case: Case, figures: Figures) -> None:
    """One line; pairs are p50 / p99 in milliseconds."""

    def pair(values: list[float], width: int) -> str:
        return f"{values[0]:.2f} / {values[1]:.2f}".rjust(width)

    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(
        f"{case.name:28}{figures.completed:6}  {pair(figures.truth_ttft, 15)}  {pair(figures.ttft, 15)}  "
        f"{pair(figures.ttft_error, 13)}  {figures.truth_gap:9.3f}  {figures.itl:8.3f}  "
        f"{pair(figures.delay, 14)}  {figures.cpu_us_a_token:8.1f}  {figures.sleeps_a_token:6.2f}  "
        f"{load:.1f}  "
        f"{'; '.join(figures.missed) or 'ok'}",
        flush=True,
    )


def main(arguments: Sequence[str] = ()) -> int:
    """Run the cases named, all without names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of case names")
    parser.add_argument("--quick", action="store_true", help="a third of the requests")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a figure is missed")
    options = parser.parse_args(arguments)
    wanted = [case for case in CASES if not options.names or any(name in case.name for name in options.names)]
    if options.quick:
        wanted = [msgspec.structs.replace(case, requests=case.requests // 3) for case in wanted]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        if program is None:
            print("skipped: needs g++ and the truth server's source")
            return 0
        print(f"a wake-up takes this machine {wakeup_cost_us():.1f} us of processor time")
        print(_HEADINGS)
        costs: dict[str, float] = {}
        for case in wanted:
            log = Path(folder) / "log.csv"
            with serving(program, case.flags, log) as port:
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
                records, _, outcome = replay(case, port)
                sleeps = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - before
                truth = _get(port, "/truth")
            figures = judge(case, log, truth, (records, outcome), sleeps)
            costs[case.name] = figures.cpu_us_a_token
            figures.missed += _dearer(case, costs)
            show(case, figures)
            others = Counter(str(record.error) for record in records if record.outcome != Outcome.COMPLETED)
            for error, count in others.most_common(3):
                print(f"    {count} x {error}")
            if figures.client_bound:
                print(f"    invalid: {figures.client_bound}")
            missed += bool(figures.missed)
    if missed:
        print(f"{missed} of {len(wanted)} cases missed their figures; was the machine quiet?")
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
