"""Compute a run's figures from its records, with the conditions that make them valid."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from workbench.advice import Roofline, RunView, implausible, roofline
from workbench.advice.sizing import read_model
from workbench.base import InputError, Message, message
from workbench.controls import ADMISSION, CONTROLS, Value
from workbench.experiments.run.command_flags import flag_values, whole_number
from workbench.experiments.run.measurement import Measurement
from workbench.load import LoadOptions
from workbench.profiles import find_card, name_from_driver
from workbench.results import (
    BenchFile,
    Conditions,
    Objectives,
    Outcome,
    RequestRecord,
    RunFrame,
    RunIdentity,
    RunInputs,
    RunSummary,
    Sharing,
    scorecard_rows,
    summarize_run,
)
from workbench.servers import EffectiveConfig, TargetSpec
from workbench.traces import Schedule, Trace, ideal_hit_tokens

NEEDED_OF_OWN_SERVER = ("preemptions", "queue", "running", "waiting", "kv")
"""Metrics that a vLLM of our own always has."""


_TOLD_BY_THE_SERVER = {"queue_p95_ms": "queue", "preemptions": "preemptions", "itl_p95_ms": "itl"}
"""Objectives on figures that a server may lack, and the metrics that they need."""


def metrics_needed(objectives: Objectives) -> tuple[str, ...]:
    """Return the metrics that the objectives need, including those of classes."""
    stated = {name for limits in (objectives, *objectives.classes.values()) for name in limits.stated()}
    return tuple(need for name, need in _TOLD_BY_THE_SERVER.items() if name in stated)


def admission_in(words: Sequence[str]) -> dict[str, Value]:
    """Return the admission limits among a target's extra arguments, by name."""
    asked = flag_values(words)
    flags = {name: CONTROLS[name].flag or "" for name in ADMISSION}
    return {name: whole_number(asked[flag], flag) for name, flag in sorted(flags.items()) if asked.get(flag)}


class Incidents(msgspec.Struct, frozen=True, kw_only=True):
    """Events during a run that affect its validity."""

    changed_limits: Sequence[str] = ()
    """Limits that the user changed during the run, as texts."""
    server_lost: str | None = None
    """The cause of a lost server, as text."""
    sharing: Sharing | None = None
    """Share that other processes took of the machines."""
    replica_changes: Sequence[Message] = ()
    """Replicas that aren't what they were before the load."""
    tunnel_drops: int = 0
    """Number of drops of the connection that carries the requests."""
    lost_hosts: Sequence[Message] = ()
    """Machines of the load that were lost."""
    clock_error_ms: float | None = None
    """Largest error of a load machine's clock; None: the load ran on one machine."""
    prefix_hit_ideal: float | None = None
    """Share that a cold cache can serve of the sent requests (`cold_hit_share`); None if it may be warm."""


NO_INCIDENTS = Incidents()


class RunFigures(msgspec.Struct, kw_only=True):
    """A run's figures and their inputs."""

    summary: RunSummary
    frame: RunFrame
    inputs: RunInputs
    """Stored beside the run, so that an export can be recomputed and verified."""


def compute_figures(
    measurement: Measurement,
    frame: RunFrame,
    identity: RunIdentity,
    *,
    asked: Mapping[str, Value],
    effective: EffectiveConfig,
    objectives: Objectives,
    needed: tuple[str, ...] = (),
    incidents: Incidents = NO_INCIDENTS,
) -> RunFigures:
    """Compute the summary of a run; return it with all its inputs beside the stored rows."""
    final = msgspec.structs.replace(
        frame,
        ended=measurement.ended,
        stopped=measurement.stopped,
        length_s=_length_s(frame, measurement),
    )
    # A server that isn't ours must report only what the objectives need.
    need = tuple(dict.fromkeys((*needed, *metrics_needed(objectives))))
    known = Conditions(
        asked=asked,
        effective=effective.arguments,
        need=need,
        vllm_version=effective.version,
        simulated_scale=frame.time_scale if effective.simulated else None,
    )
    conditions = _with_incidents(known, measurement, incidents)
    summary = summarize_run(
        measurement.records,
        final,
        samples=measurement.samples,
        server=measurement.server,
        objectives=objectives,
        conditions=conditions,
        identity=identity,
    )
    inputs = RunInputs(server=measurement.server, conditions=conditions)
    return RunFigures(summary=summary, frame=final, inputs=inputs)


def _length_s(frame: RunFrame, measurement: Measurement) -> float:
    """Return the schedule's length; a closed loop that ends by its requests is as long as it took."""
    took = measurement.ended * frame.time_scale
    if measurement.outcome.closed_loop and frame.length_s:
        return min(frame.length_s, took)
    return frame.length_s or took


def _with_incidents(known: Conditions, measurement: Measurement, incidents: Incidents) -> Conditions:
    """Return the conditions with what happened during the run."""
    late = measurement.outcome.start_late_s
    return msgspec.structs.replace(
        known,
        prefix_hit_ideal=incidents.prefix_hit_ideal,
        sharing=incidents.sharing,
        clock_step_s=measurement.clock_step_s,
        server_lost=incidents.server_lost,
        replica_changes=tuple(incidents.replica_changes),
        tunnel_drops=incidents.tunnel_drops,
        lost_hosts=tuple(incidents.lost_hosts),
        clock_error_ms=incidents.clock_error_ms,
        start_late_ms=None if late is None else 1000 * late,
        worker_deaths=len(measurement.outcome.worker_deaths),
        read_late_p99_ms=measurement.outcome.read_late_p99_ms,
        changed_limits=tuple(incidents.changed_limits),
    )


def scorecard_row(bench: BenchFile, run_id: int) -> dict[str, Any]:
    """Return the scorecard row that a run belongs to, by column name."""
    for row in scorecard_rows(bench):
        if run_id in row.run_ids:
            return row.cells
    return {}


# Figures of a finished run that can't be right; with model and card known, also beyond the card.


def implausible_figures(view: RunView, target: TargetSpec, effective: EffectiveConfig) -> list[Message]:
    """Return one sentence for each implausible figure."""
    return implausible(view, _roofline_of(target, effective))


def implausible_column(notes: Sequence[Message]) -> dict[str, str]:
    """Return the scorecard's column."""
    return {"implausible": " ".join(map(str, notes))} if notes else {}


def _roofline_of(target: TargetSpec, effective: EffectiveConfig) -> Roofline | None:
    """Return the card's roofline; None without the model's files or a card of the catalogue."""
    folder = Path(effective.model or target.model or "").expanduser()
    # A server lists several cards one a line; they are alike, or the model could not be split.
    gpu = name_from_driver(str(effective.system.get("nvidia_gpu_models") or ""))
    if not gpu or not (folder / "config.json").is_file():
        return None
    try:
        shape, card = read_model(folder), find_card(gpu)
        return roofline(
            card, shape, tp=_parallel_size(effective, "tensor"), pp=_parallel_size(effective, "pipeline")
        )
    except InputError:
        return None


def _parallel_size(effective: EffectiveConfig, kind: str) -> int:
    value = effective.arguments.get(f"{kind}_parallel_size")
    return value if isinstance(value, int) and value > 0 else 1


# Share of a run's prompts that a cold prefix cache can serve, so that a warm cache is noticed.


def cold_hit_share(
    trace: Trace, schedule: Schedule, options: LoadOptions, endpoint: str, requests: int
) -> float | None:
    """Return the largest share (0..1) of the first requests' prompt tokens that a cold cache can serve.

    None if it is unknown: without its own salt the cache may hold anything, the server adds tokens to texts
    and chats, and requests that are sent again are found in the cache.
    """
    as_ids = options.input_mode == "ids" or (options.input_mode is None and endpoint == "completions")
    if options.cache_salt is None or not as_ids or options.max_retries or not requests:
        return None
    hits = ideal_hit_tokens(trace)
    if hits is None:
        return 0.0
    known = requests <= len(schedule.rows)
    rows = schedule.rows[:requests] if known else np.arange(requests) % schedule.trace_rows
    # Block ids stand for the same tokens in each pass over the trace.
    again = np.arange(len(rows)) >= schedule.trace_rows
    seen = np.where(again, trace.input_length[rows], hits[rows])
    return float(seen.sum() / trace.input_length[rows].sum())


async def cold_hits(
    trace: Trace, schedule: Schedule, options: LoadOptions, endpoint: str, requests: int
) -> float | None:
    """Compute `cold_hit_share` in a thread: a million prompts take a second."""
    return await asyncio.to_thread(cold_hit_share, trace, schedule, options, endpoint, requests)


# The reason of failed requests: a run can end as planned although all requests failed.

_SHOWN = 300
"""Characters of an error; a server may answer with a page."""


def failure_note(records: Sequence[RequestRecord]) -> Message | None:
    """Return `160 of 160 requests failed, 158 with: HTTP 400: …`; None if none failed."""
    failed = [record for record in records if record.outcome is Outcome.FAILED]
    if not failed:
        return None
    (error, times), *_ = Counter(record.error for record in failed).most_common(1)
    return message(
        "experiments.requests_failed",
        failed=len(failed),
        of=len(records),
        times=message("experiments.all_of_them") if times == len(failed) else times,
        error=error[:_SHOWN] if error else message("experiments.no_reason"),
    )
