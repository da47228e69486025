"""From what a run saw to its figures, with everything that must have held for them to mean something."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.controls import ADMISSION, CONTROLS, Value
from workbench.experiments.command_words import flag_values, whole_number
from workbench.experiments.measurement import Measurement
from workbench.results import (
    BenchFile,
    Conditions,
    Objectives,
    RunFrame,
    RunIdentity,
    RunInputs,
    RunSummary,
    Sharing,
    scorecard_rows,
    summarise,
)
from workbench.servers import Effective

OWNED_NEED = ("preemptions", "queue", "running", "waiting", "kv")
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


NOTHING_HAPPENED = Incidents()


class Figured(msgspec.Struct, kw_only=True):
    """A run's figures and what they rest on."""

    summary: RunSummary
    frame: RunFrame
    inputs: RunInputs
    """Stored beside the run, so that an export can be recomputed and verified."""


def figures_of(
    measurement: Measurement,
    frame: RunFrame,
    identity: RunIdentity,
    *,
    asked: Mapping[str, Value],
    effective: Effective,
    objectives: Objectives,
    needed: tuple[str, ...] = (),
    incidents: Incidents = NOTHING_HAPPENED,
) -> Figured:
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
    return Figured(summary=summary, frame=final, inputs=inputs)


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


def row_of(bench: BenchFile, run_id: int) -> dict[str, Any]:
    """The scorecard row that a run is part of, by column name."""
    for row in scorecard_rows(bench):
        if run_id in row.run_ids:
            return row.cells
    return {}
