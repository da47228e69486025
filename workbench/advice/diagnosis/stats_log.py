"""Samples from the statistics that vLLM logs every ten seconds, for runs known from their log alone."""

import re
from collections.abc import Iterable
from datetime import datetime

from workbench.results import Sample

_LINE = re.compile(
    r"Avg prompt throughput: (?P<prompt>[\d.]+) tokens/s,"
    r" Avg generation throughput: (?P<output>[\d.]+) tokens/s,"
    r" Running: (?P<running>\d+) reqs,(?: Swapped: \d+ reqs,)? (?:Waiting|Pending): (?P<waiting>\d+) reqs,"
    r"(?:.*?Preemptions: (?P<preempted>\d+),?)?.*?(?:GPU )?KV cache usage: (?P<kv>[\d.]+)%"
)
_TIME = re.compile(r"(?P<day>\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)")
_ENGINE = re.compile(r"Engine (\d+):")
_INTERVAL_S = 10.0
"""Default of VLLM_LOG_STATS_INTERVAL."""


def read_stats_lines(lines: Iterable[str]) -> list[Sample]:
    """Read one sample from each statistics line (wording of 0.4 to 0.32), skipping other lines.

    Rates become running totals, so that differences over any window are right. A line without a time counts
    as ten seconds after the previous one.
    """
    taken: list[Sample] = []
    latest: dict[str, Sample] = {}
    start: datetime | None = None
    for line in lines:
        found = _LINE.search(line)
        if found is None:
            continue
        engine = _engine(line)
        before = latest.get(engine)
        moment = _moment(line)
        start = start or moment
        t = before.t + _INTERVAL_S if before else 0.0
        if moment is not None and start is not None:
            t = (moment - start).total_seconds()
        sample = _sample(found, engine, t, before)
        latest[engine] = sample
        taken.append(sample)
    return taken


def _engine(line: str) -> str:
    found = _ENGINE.search(line)
    return str(int(found[1])) if found else "0"


def _moment(line: str) -> datetime | None:
    found = _TIME.search(line)
    # The line has no year; only differences are used, and a leap year holds all days.
    if found is None:
        return None
    return datetime.strptime(f"2024-{found['day']} {found['time']} +0000", "%Y-%m-%d %H:%M:%S %z")


def _sample(found: re.Match[str], engine: str, t: float, before: Sample | None) -> Sample:
    last = before or Sample(t=t, prompt_tokens=0.0, generation_tokens=0.0, preemptions=0.0)
    elapsed = t - last.t
    return Sample(
        t=t,
        engine=engine,
        running=float(found["running"]),
        waiting=float(found["waiting"]),
        kv_usage=float(found["kv"]) / 100,
        prompt_tokens=(last.prompt_tokens or 0.0) + float(found["prompt"]) * elapsed,
        generation_tokens=(last.generation_tokens or 0.0) + float(found["output"]) * elapsed,
        preemptions=(last.preemptions or 0.0) + float(found["preempted"] or 0),
    )
