"""From the experiment's choice of trace and load to the requests and their due times."""

from pathlib import Path

from workbench.base import Record
from workbench.experiments.shapes import Arrivals, Burst, LoadShape, TraceChoice
from workbench.traces import (
    SCHEDULE_FORM,
    RateProfile,
    Schedule,
    Trace,
    closed_loop,
    fit_to_model,
    make_mix,
    open_loop,
    parse_profile,
    parse_synthetic,
    read_trace,
    steps,
    synthetic_trace,
)

SYNTHETIC_ROWS = 1000
"""Rows made where neither requests nor rate and duration bound the number; a shorter trace repeats."""


class Workload(Record, frozen=True, kw_only=True):
    """A trace that fits the server, and what was done so that it fits."""

    trace: Trace
    title: str
    notes: list[str]


def choose_trace(choice: TraceChoice, load: LoadShape, *, base: Path | None = None) -> tuple[Trace, str]:
    """The trace and its short title; relative files are sought beside the experiment file, `base`.

    Raises:
        InputError: the trace can't be read; names file, line and field.
    """
    if choice.file is not None:
        path = trace_file(choice.file, base)
        return read_trace(path, format=choice.format, time_unit=choice.time_unit), path.name
    rows = rows_needed(load)
    if choice.synthetic is not None:
        inp, out = parse_synthetic(choice.synthetic)
        return synthetic_trace(inp, out, n=rows, seed=choice.seed), f"{inp} in, {out} out"
    assert choice.mix is not None
    rates = load.rungs()
    rate = max(rates) if rates else 1.0
    return make_mix(choice.mix, requests=rows, rate=rate, seed=choice.seed), f"{choice.mix} mix"


def trace_file(name: str, base: Path | None) -> Path:
    """The file that an experiment beside `base` names."""
    path = Path(name).expanduser()
    return path if base is None or path.is_absolute() else base / path


def rows_needed(load: LoadShape) -> int:
    """How many rows a generated trace needs so that the longest run of the ladder repeats none."""
    if load.requests is not None:
        return load.requests
    rates = load.rungs()
    if rates is None and load.profile is not None:
        rates = [parse_profile(load.profile).mean_rate]
    if load.duration_s is not None and rates:
        return max(1, round(load.duration_s * max(rates) * 1.2) + 20)
    return SYNTHETIC_ROWS


def fit(trace: Trace, title: str, max_model_len: int | None, choice: TraceChoice) -> Workload:
    """The trace as far as the server's longest context allows.

    Raises:
        InputError: a row is too long and the choice is to refuse.
    """
    if max_model_len is None:
        return Workload(trace=trace, title=title, notes=[])
    fitted, report = fit_to_model(trace, max_model_len, how=choice.max_len)
    return Workload(trace=fitted, title=title, notes=[str(report)] if report.over_long else [])


def make_schedule(
    trace: Trace,
    choice: TraceChoice,
    load: LoadShape,
    rate: float | None,
    concurrency: int | None,
    burst: Burst | None = None,
) -> Schedule:
    """When each request is due, for one step of the ladder; `burst` raises its rate for a while."""
    if concurrency is not None:
        return closed_loop(trace, concurrency=concurrency, requests=load.requests, duration_s=load.duration_s)
    return open_loop(
        trace,
        rate=_offered(load, rate, burst),
        arrivals=arrivals_of(choice, load, burst),
        burstiness=load.burstiness,
        seed=choice.seed,
        requests=load.requests,
        duration_s=load.duration_s,
        speedup=choice.speedup,
        form=load.schedule_form or SCHEDULE_FORM,
    )


def _offered(load: LoadShape, rate: float | None, burst: Burst | None) -> float | RateProfile | None:
    """The rate of one step of the ladder: even, of a changing shape, or with a burst in it."""
    if load.profile is not None:
        profile = parse_profile(load.profile)
        return profile if rate is None else profile.scaled_to(rate)
    return rate if rate is None or burst is None else with_burst(rate, burst, load.duration_s or 0.0)


def arrivals_of(choice: TraceChoice, load: LoadShape, burst: Burst | None = None) -> Arrivals:
    """How requests are spread in time where the file doesn't say it.

    A burst, or another rate that changes, is made of Poisson arrivals.
    """
    if load.arrivals is not None:
        return load.arrivals
    changing = burst is not None or load.profile is not None
    return "poisson" if choice.synthetic is not None or changing else "trace"


def with_burst(rate: float, burst: Burst, length_s: float) -> RateProfile:
    """The normal rate, the burst's, and the normal rate to the end."""
    rest = length_s - burst.at - burst.seconds
    return steps([(rate, burst.at), (rate * burst.factor, burst.seconds), (rate, rest)])
