"""From the experiment's choice of trace and load to the requests and their due times."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from workbench.base import Place, Record, Refusal
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.events import Notice
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import Arrivals, Burst, LoadShape, TraceChoice
from workbench.traces import (
    SCHEDULE_FORM,
    ImportReport,
    RateProfile,
    Schedule,
    Trace,
    closed_loop,
    fit_to_model,
    import_trace,
    local_tokenizer,
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


# The workload to replay, with real prompts where the user chose to replay them.
#
# The prompts live in this process and in the load workers' memory. They are in no file, log, figure or
# message.


@dataclass(frozen=True, kw_only=True)
class HeldWorkload:
    """A trace, and the prompts of those of its rows that have some."""

    trace: Trace
    title: str
    texts: Mapping[int, str] = field(default_factory=dict, repr=False)
    """By row."""
    notes: tuple[str, ...] = ()
    """What was dropped, cut, assumed or odd, for whoever reads the figures."""
    mild: frozenset[str] = frozenset()
    """Those notes about which nothing is to be done."""


def read_workload(choice: TraceChoice, load: LoadShape, *, base: Path | None = None) -> HeldWorkload:
    """The trace chosen; relative files are sought beside the experiment file, `base`.

    Raises:
        InputError: it can't be read, or holds no text that could be replayed.
    """
    if choice.file is None:
        trace, title = choose_trace(choice, load)
        return HeldWorkload(trace=trace, title=title)
    path = trace_file(choice.file, base)
    imported = import_trace(
        path,
        format=choice.format,
        time_unit=choice.time_unit,
        keep_text=choice.replay_text,
        count_tokens=(
            None if choice.tokenizer is None else local_tokenizer(trace_file(choice.tokenizer, base))
        ),
    )
    texts = {row: _sendable(text) for row, text in enumerate(imported.texts or ()) if text}
    if choice.replay_text and not texts:
        raise Refusal("experiments.no_texts", Place(file=str(path)))
    report = imported.report
    return HeldWorkload(
        trace=imported.trace,
        title=path.name,
        texts=texts,
        notes=tuple(_noted(report)),
        mild=frozenset(map(str, report.warnings)).difference(map(str, report.to_act_on)),
    )


def _noted(report: ImportReport) -> Iterator[str]:
    """What an import says that bears on a measurement; its notes on texts are `trace inspect`'s."""
    if report.rows_dropped:
        reasons = ", ".join(f"{count} {reason}" for reason, count in report.rows_dropped.items())
        yield f"{report.rows_kept} of {report.rows_read} rows kept; dropped: {reasons}"
    yield from map(str, report.warnings)


def fitted(workload: HeldWorkload, max_model_len: int | None, choice: TraceChoice) -> HeldWorkload:
    """The rows that the server's longest context allows, each still with its own text.

    Raises:
        InputError: a row is too long and the choice is to refuse.
    """
    trace = workload.trace
    suited = fit(trace, workload.title, max_model_len, choice)
    changed = suited.trace
    texts = workload.texts
    if texts and max_model_len is not None and len(changed) < len(trace):
        kept = (trace.input_length + trace.output_length <= max_model_len).nonzero()[0].tolist()
        texts = {new: texts[old] for new, old in enumerate(kept) if old in texts}
    return replace(workload, trace=changed, texts=texts, notes=(*workload.notes, *suited.notes))


def _sendable(text: str) -> str:
    """Text that UTF-8 can carry: a log may hold half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


# A bounded run sends the first rows of a trace file only: that, and how their mix differs from the whole.

PART = "trace_part"
"""Name under which it is stored with a run."""
_LENGTH_DIFFERS, _SHARE_DIFFERS = 0.1, 0.05
_MOST_CLASSES = 3


def part_used(trace: Trace, schedule: Schedule) -> str | None:
    """`uses the first 100 of 1,500 requests`, and what of them is unlike the whole; None: all are used."""
    if schedule.concurrency is not None and schedule.requests is None:
        return None  # How far a closed loop comes in its time nobody knows before.
    used = np.unique(schedule.rows)
    if not len(used) or len(used) >= len(trace):
        return None
    said = f"uses the first {len(used):,} of {len(trace):,} requests of the trace"
    unlike = list(_unlike(trace, used))
    return f"{said}: {', '.join(unlike)}" if unlike else f"{said}, of a like mix"


def _unlike(trace: Trace, used: np.ndarray) -> Iterator[str]:
    """Mean lengths that differ by a tenth, shares of classes by five of a hundred; the largest few."""
    for name, lengths in (("prompts", trace.input_length), ("answers", trace.output_length)):
        part, whole = float(lengths[used].mean()), float(lengths.mean())
        if abs(part - whole) > _LENGTH_DIFFERS * max(whole, 1.0):
            yield f"{name} of {part:,.0f} tokens on average, {whole:,.0f} in the whole"
    codes, names = trace.classes.codes, trace.classes.names
    shares = [
        (float((codes[used] == code).mean()), float((codes == code).mean()), name)
        for code, name in enumerate(names)
    ]
    shares.sort(key=lambda each: -abs(each[0] - each[1]))
    for part, whole, name in shares[:_MOST_CLASSES]:
        if abs(part - whole) > _SHARE_DIFFERS:
            yield f"{100 * part:.0f} % of class {name}, {100 * whole:.0f} % in the whole"


def say_part(
    experiment: Experiment, run: Run, trace: Trace, schedule: Schedule, emit: Emit
) -> dict[str, str]:
    """It as a fact of the run; told once a rate. A generated trace has as many rows as it needs."""
    part = part_used(trace, schedule) if experiment.trace.file is not None else None
    if part is None:
        return {}
    if run.configuration.control is None and run.repeat == 1:
        emit(Notice(level="info", text=f"{run.name} {part}"))
    return {PART: part}


def parts_of(plan: Plan, trace: Trace) -> list[str]:
    """The same of a plan that hasn't begun: a sentence for each rate at which a part is used."""
    first = plan.experiments[0]
    if first.trace.file is None:
        return []
    found = []
    for rate, concurrency in {(run.rate, run.concurrency): None for run in plan.runs}:
        schedule = make_schedule(trace, first.trace, first.load, rate, concurrency, first.burst)
        part = part_used(trace, schedule)
        pace = f"at {rate:g} req/s " if rate is not None else ""
        found += [] if part is None else [f"{pace}{part}"]
    return found
