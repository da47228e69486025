"""From what a run saw to its figures, with everything that must have held for them to mean something."""

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
    summarise,
)
from workbench.servers import EffectiveConfig, TargetSpec
from workbench.traces import Schedule, Trace, ideal_hit_tokens

NEEDED_OF_OWN_SERVER = ("preemptions", "queue", "running", "waiting", "kv")
"""Figures that a vLLM of our own always gives; without them something is wrong."""


_TOLD_BY_THE_SERVER = {"queue_p95_ms": "queue", "preemptions": "preemptions", "itl_p95_ms": "itl"}
"""Objectives of figures that a server need not tell, and what they need."""


def needs_of(objectives: Objectives) -> tuple[str, ...]:
    """What the server's metrics must tell so that the objectives, of classes too, can be judged."""
    stated = {name for limits in (objectives, *objectives.classes.values()) for name in limits.stated()}
    return tuple(need for name, need in _TOLD_BY_THE_SERVER.items() if name in stated)


def admission_in(words: Sequence[str]) -> dict[str, Value]:
    """Return the admission limits among a target's own words, by name."""
    asked = flag_values(words)
    flags = {name: CONTROLS[name].flag or "" for name in ADMISSION}
    return {name: whole_number(asked[flag], flag) for name, flag in sorted(flags.items()) if asked.get(flag)}


class Incidents(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a run besides what its load saw."""

    changed_limits: Sequence[str] = ()
    """Limits that the user changed while it went on, in words."""
    server_lost: str | None = None
    """How its server was lost, in words."""
    sharing: Sharing | None = None
    """What others took of the machines that it was measured on."""
    tunnel_drops: int = 0
    """How often the connection through which its requests went dropped."""
    prefix_hit_ideal: float | None = None
    """What a cache that starts cold can serve of what was sent (`cold_hit_share`); None: it may be warm."""


NO_INCIDENTS = Incidents()


class RunFigures(msgspec.Struct, kw_only=True):
    """A run's figures and what they rest on."""

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
    """The summary of a run, with all that it was computed from besides the stored rows."""
    final = msgspec.structs.replace(
        frame,
        ended=measurement.ended,
        stopped=measurement.stopped,
        length_s=_length_s(frame, measurement),
    )
    # A server that isn't ours need not tell anything but what was asked of it.
    need = tuple(dict.fromkeys((*needed, *needs_of(objectives))))
    known = Conditions(
        asked=asked,
        effective=effective.arguments,
        need=need,
        vllm_version=effective.version,
        simulated_scale=frame.time_scale if effective.simulated else None,
    )
    conditions = _as_it_went(known, measurement, incidents)
    summary = summarise(
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
    """The schedule's length; a closed loop whose number of requests ends it is as long as it took."""
    took = measurement.ended * frame.time_scale
    if measurement.outcome.closed_loop and frame.length_s:
        return min(frame.length_s, took)
    return frame.length_s or took


def _as_it_went(known: Conditions, measurement: Measurement, incidents: Incidents) -> Conditions:
    """What was known before the run, with what its load and its server met with meanwhile."""
    return msgspec.structs.replace(
        known,
        prefix_hit_ideal=incidents.prefix_hit_ideal,
        sharing=incidents.sharing,
        clock_step_s=measurement.clock_step_s,
        server_lost=incidents.server_lost,
        tunnel_drops=incidents.tunnel_drops,
        worker_deaths=len(measurement.outcome.worker_deaths),
        read_late_p99_ms=measurement.outcome.read_late_p99_ms,
        changed_limits=tuple(incidents.changed_limits),
    )


def scorecard_row(bench: BenchFile, run_id: int) -> dict[str, Any]:
    """The scorecard row that a run is part of, by column name."""
    for row in scorecard_rows(bench):
        if run_id in row.run_ids:
            return row.cells
    return {}


# Figures of a finished run that can't be right; beyond the card too, where model and card are known.


def implausible_figures(view: RunView, target: TargetSpec, effective: EffectiveConfig) -> list[Message]:
    """Return one note for each impossible figure."""
    return implausible(view, _roof(target, effective))


def implausible_column(notes: Sequence[Message]) -> dict[str, str]:
    """Return the notes as the scorecard's column has them."""
    return {"implausible": " ".join(map(str, notes))} if notes else {}


def _roof(target: TargetSpec, effective: EffectiveConfig) -> Roofline | None:
    """None where the model's files aren't on this machine, or its card isn't in the catalogue."""
    folder = Path(effective.model or target.model or "").expanduser()
    # Of several cards the server lists each on a line; they are alike or it could not share a model.
    gpu = name_from_driver(str(effective.system.get("nvidia_gpu_models") or ""))
    if not gpu or not (folder / "config.json").is_file():
        return None
    try:
        shape, card = read_model(folder), find_card(gpu)
        return roofline(card, shape, tp=_size(effective, "tensor"), pp=_size(effective, "pipeline"))
    except InputError:
        return None


def _size(effective: EffectiveConfig, kind: str) -> int:
    value = effective.arguments.get(f"{kind}_parallel_size")
    return value if isinstance(value, int) and value > 0 else 1


# How much of a run's prompts a prefix cache that starts cold can serve, so that a warm one is noticed.


def cold_hit_share(
    trace: Trace, schedule: Schedule, options: LoadOptions, endpoint: str, requests: int
) -> float | None:
    """At most this share (0..1) of the prompt tokens of the first `requests` requests had been seen before.

    None where it isn't known: without a salt of its own the cache may be anybody's; text has its tokens, a
    chat its template, from the server; what is sent again is found again.
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
    """`cold_hit_share` in a thread: of a million prompts it takes a second that the loop doesn't have."""
    return await asyncio.to_thread(cold_hit_share, trace, schedule, options, endpoint, requests)


# Why requests of a run failed, in one line: a run can end as planned and have been refused throughout.

_SHOWN = 300
"""Characters of an error; a server may answer a page."""


def failure_note(records: Sequence[RequestRecord]) -> Message | None:
    """Return `160 of 160 requests failed, 158 with: HTTP 400: …`; None where none did."""
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
