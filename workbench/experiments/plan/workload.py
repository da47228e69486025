"""Requests and their due times, from the experiment's trace and load."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from workbench.base import Message, Place, Refusal, message
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.events import notice
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
"""Rows of a generated trace if neither requests nor rate and duration set their number."""


def load_trace(choice: TraceChoice, load: LoadShape, *, base: Path | None = None) -> tuple[Trace, str]:
    """Read or generate the trace, and return it with a short title.

    Args:
        choice: the table [trace].
        load: the table [load], which sets the rows of a generated trace.
        base: folder of the experiment file, where relative paths start.

    Raises:
        Refusal: the trace can't be read; names file, line and field.
    """
    if choice.file is not None:
        path = trace_file(choice.file, base)
        return read_trace(path, format=choice.format, time_unit=choice.time_unit), path.name
    rows = rows_needed(load)
    if choice.synthetic is not None:
        inp, out = parse_synthetic(choice.synthetic)
        return synthetic_trace(inp, out, n=rows, seed=choice.seed), f"{inp} in, {out} out"
    assert choice.mix is not None
    rates = load.offered_rates()
    rate = max(rates) if rates else 1.0
    return make_mix(choice.mix, requests=rows, rate=rate, seed=choice.seed), f"{choice.mix} mix"


def trace_file(name: str, base: Path | None) -> Path:
    """Return the path of a file that an experiment in the folder `base` names."""
    path = Path(name).expanduser()
    return path if base is None or path.is_absolute() else base / path


def rows_needed(load: LoadShape) -> int:
    """Return the rows that a generated trace needs so that the ladder's longest run repeats none."""
    if load.requests is not None:
        return load.requests
    rates = load.offered_rates()
    if rates is None and load.profile is not None:
        rates = [parse_profile(load.profile).mean_rate]
    if load.duration_s is not None and rates:
        return max(1, round(load.duration_s * max(rates) * 1.2) + 20)
    return SYNTHETIC_ROWS


def make_schedule(
    trace: Trace,
    choice: TraceChoice,
    load: LoadShape,
    rate: float | None,
    concurrency: int | None,
    burst: Burst | None = None,
) -> Schedule:
    """Return the due times of one step of the ladder; `burst` raises the rate for a while."""
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
    """Return the rate of one step of the ladder: constant, of a changing shape, or with a burst."""
    if load.profile is not None:
        profile = parse_profile(load.profile)
        return profile if rate is None else profile.scaled_to(rate)
    return rate if rate is None or burst is None else with_burst(rate, burst, load.duration_s or 0.0)


def arrivals_of(choice: TraceChoice, load: LoadShape, burst: Burst | None = None) -> Arrivals:
    """Return the arrival process; without one in the file, a changing rate has Poisson arrivals."""
    if load.arrivals is not None:
        return load.arrivals
    changing = burst is not None or load.profile is not None
    return "poisson" if choice.synthetic is not None or changing else "trace"


def with_burst(rate: float, burst: Burst, length_s: float) -> RateProfile:
    """Return the normal rate, the burst, and the normal rate to the end."""
    rest = length_s - burst.at - burst.seconds
    return steps([(rate, burst.at), (rate * burst.factor, burst.seconds), (rate, rest)])


# The workload with recorded prompts, if the user chose to replay them. The prompts stay in the memory of this
# process and of the load workers: no file, log, figure or message holds them.


@dataclass(frozen=True, kw_only=True)
class PromptedWorkload:
    """A trace, with the recorded prompts of its rows."""

    trace: Trace
    title: str
    texts: Mapping[int, str] = field(default_factory=dict, repr=False)
    """Recorded prompts by row."""
    notes: tuple[Message, ...] = ()
    """Rows dropped or cut, and oddities that the user should act on."""
    remarks: tuple[Message, ...] = ()
    """Oddities that need no action."""


def read_workload(choice: TraceChoice, load: LoadShape, *, base: Path | None = None) -> PromptedWorkload:
    """Read or generate the trace; arguments as of `load_trace`.

    Raises:
        Refusal: the trace can't be read, or has no prompts although they are to be replayed.
    """
    if choice.file is None:
        trace, title = load_trace(choice, load)
        return PromptedWorkload(trace=trace, title=title)
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
    return PromptedWorkload(
        trace=imported.trace,
        title=path.name,
        texts=texts,
        notes=(*_dropped(report), *report.to_act_on),
        remarks=tuple(each for each in report.warnings if each not in report.to_act_on),
    )


def _dropped(report: ImportReport) -> list[Message]:
    """Return a note on the dropped rows, if there are any."""
    reasons = [
        message("experiments.rows_dropped_because", count=each.count, reason=each.reason)
        for each in report.dropped
    ]
    kept, read = report.rows_kept, report.rows_read
    return [message("experiments.rows_kept", kept=kept, read=read, dropped=reasons)] if reasons else []


def fit_to_context(
    workload: PromptedWorkload, max_model_len: int | None, choice: TraceChoice
) -> PromptedWorkload:
    """Fit the rows, with their prompts, to the server's longest context.

    Raises:
        Refusal: a row is too long and `max_len` is "refuse".
    """
    if max_model_len is None:
        return workload
    trace = workload.trace
    changed, report = fit_to_model(trace, max_model_len, how=choice.max_len)
    texts = workload.texts
    if texts and len(changed) < len(trace):
        kept = (trace.input_length + trace.output_length <= max_model_len).nonzero()[0].tolist()
        texts = {new: texts[old] for new, old in enumerate(kept) if old in texts}
    notes = (*workload.notes, report.message()) if report.over_long else workload.notes
    return replace(workload, trace=changed, texts=texts, notes=notes)


def _sendable(text: str) -> str:
    """Return the text as valid UTF-8; a log may hold half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


# A bounded run replays only the first rows of a trace file, whose mix may differ from the whole.

PART = "trace_part"
"""Name of the fact that a run stores."""
_LENGTH_DIFFERS, _SHARE_DIFFERS = 0.1, 0.05
_MOST_CLASSES = 3


def part_used(trace: Trace, schedule: Schedule) -> Message | None:
    """Return the part of the trace that a schedule replays, and its differences; None if it is the whole."""
    if schedule.concurrency is not None and schedule.requests is None:
        return None  # A closed loop of a given duration sends an unknown number of requests.
    used = np.unique(schedule.rows)
    if not len(used) or len(used) >= len(trace):
        return None
    differences = _differences(trace, used)
    part = message("experiments.part_used", used=len(used), rows=len(trace))
    if not differences:
        return message("experiments.part_alike", part=part)
    return message("experiments.part_unlike", part=part, differences=differences)


def _differences(trace: Trace, used: np.ndarray) -> list[Message]:
    """Return mean lengths that differ by a tenth, and the class shares that differ most, by 5 % at least."""
    found = []
    part, whole = float(trace.input_length[used].mean()), float(trace.input_length.mean())
    if abs(part - whole) > _LENGTH_DIFFERS * max(whole, 1.0):
        found.append(message("experiments.part_prompts", part=part, whole=whole))
    part, whole = float(trace.output_length[used].mean()), float(trace.output_length.mean())
    if abs(part - whole) > _LENGTH_DIFFERS * max(whole, 1.0):
        found.append(message("experiments.part_outputs", part=part, whole=whole))
    codes, names = trace.classes.codes, trace.classes.names
    shares = [
        (float((codes[used] == code).mean()), float((codes == code).mean()), name)
        for code, name in enumerate(names)
    ]
    shares.sort(key=lambda each: -abs(each[0] - each[1]))
    for part, whole, name in shares[:_MOST_CLASSES]:
        if abs(part - whole) > _SHARE_DIFFERS:
            found.append(message("experiments.part_class", part=100 * part, whole=100 * whole, name=name))
    return found


def note_part(
    experiment: Experiment, run: Run, trace: Trace, schedule: Schedule, emit: Emit
) -> dict[str, str]:
    """Return the part of a trace file that the run replays as a fact; emit it once for each rate."""
    part = part_used(trace, schedule) if experiment.trace.file is not None else None
    if part is None:
        return {}
    if run.configuration.control is None and run.repeat == 1:
        emit(notice("info", message("experiments.run_uses_part", run=run.name, part=part)))
    return {PART: str(part)}


def parts_planned(plan: Plan, trace: Trace) -> list[Message]:
    """Return the part of the trace file that each rate of a plan replays, for rates that replay a part."""
    first = plan.experiments[0]
    if first.trace.file is None:
        return []
    found = []
    for rate, concurrency in {(run.rate, run.concurrency): None for run in plan.runs}:
        schedule = make_schedule(trace, first.trace, first.load, rate, concurrency, first.burst)
        part = part_used(trace, schedule)
        if part is not None and rate is not None:
            found.append(message("experiments.part_at_rate", rate=rate, part=part))
        elif part is not None:
            found.append(part)
    return found
