"""Hold the stored requests of a run against what its server counted, logged and was started with."""

import ast
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.base import InputError, Message, message
from workbench.controls import CONTROLS, control_flags
from workbench.controls.check import is_as_asked
from workbench.experiments.packs.check_rows import WHOLE, RunRows
from workbench.experiments.plan.plan import server_side
from workbench.experiments.run.command_flags import flag_values
from workbench.experiments.run.run_figures import cold_hit_share
from workbench.load import LoadOptions
from workbench.results import BenchLogLine, Outcome, Sample, ServerDelta

_SLACK_SHARE, _SLACK = 0.02, 16.0
"""Allowed difference of counts: a scrape may miss the last step."""
_SAME_HITS = 1e-6
_LATE_S = 0.5
"""An engine whose first scrape comes so long after the schedule's start was not ready for it."""
_STARTED_WITH = re.compile(r"non-default args: (\{.*\})")
_COUNTED = ("prompt_tokens", "generation_tokens", "succeeded", "prefix_queries", "prefix_hits", "preemptions")


def server_findings(rows: RunRows, samples: Sequence[Sample], log: Sequence[BenchLogLine]) -> list[Message]:
    """Return what contradicts the requests: counters, scrapes, log, command and effective configuration."""
    return [
        *_counters(rows),
        *_scrapes(rows, samples),
        *_warm_cache(rows),
        *_late_engines(rows, samples),
        *_command(rows),
        *_started_otherwise(rows, log),
    ]


def _server(rows: RunRows) -> ServerDelta | None:
    """Return the counters of a server that only this load used; None: there are none, or others used it."""
    inputs = rows.entry.inputs
    if inputs is None or inputs.server is None or rows.entry.command is None:
        return None
    server = inputs.server
    return None if server.restarted or server.mixed is not None else server


def _counters(rows: RunRows) -> Iterator[Message]:
    """Yield that the server counted other requests or tokens than the rows show."""
    server = _server(rows)
    if server is None or rows.entry.status not in WHOLE or len(rows.measured) < len(rows.records):
        return  # A warm-up's requests end in the window and are counted in part.
    completed = [record for record in rows.records if record.outcome is Outcome.COMPLETED]
    sent = [record for record in rows.records if record.sent is not None]
    tries = len(sent) + sum(record.retries for record in sent)
    yield from _outside(rows, "succeeded", server.succeeded, len(completed), tries)
    tokens = sum(record.completion_tokens or record.tokens or 0 for record in completed)
    prompts = sum(record.prompt_tokens or record.input_tokens for record in completed)
    all_done = len(completed) == len(rows.records) and not any(record.retries for record in sent)
    yield from _outside(
        rows, "generation_tokens", server.generation_tokens, tokens, tokens if all_done else None
    )
    yield from _outside(rows, "prompt_tokens", server.prompt_tokens, prompts, prompts if all_done else None)
    if all_done:
        yield from _client_faster(rows, server)


def _outside(
    rows: RunRows, counter: str, counted: float | None, least: float, most: float | None
) -> Iterator[Message]:
    if counted is None:
        return
    slack = 0.0 if counter == "succeeded" else _SLACK + _SLACK_SHARE * least
    if counted < least - slack or (most is not None and counted > most + slack):
        yield message(
            "packs.server_counted", run=rows.entry.name, counter=counter, counted=counted, rows=least
        )


def _client_faster(rows: RunRows, server: ServerDelta) -> Iterator[Message]:
    """Yield that the responses of all requests took longer in the server than their client saw."""
    scale = rows.entry.time_scale if rows.entry.simulated else 1.0
    for name, stamp in (
        ("time_to_first_token_seconds", "first_token"),
        ("e2e_request_latency_seconds", "done"),
    ):
        histogram = server.histograms.get(f"vllm:{name}")
        seen = [
            getattr(record, stamp) - record.released
            for record in rows.records
            if record.released is not None and getattr(record, stamp) is not None
        ]
        if histogram is None or len(seen) != len(rows.records) or sum(histogram.counts) != len(seen):
            continue
        client_s, slack_s = sum(seen) * scale, len(seen) * scale * (0.05 if rows.entry.simulated else 0.005)
        if histogram.sum > client_s + slack_s:
            yield message(
                "packs.server_took_longer",
                run=rows.entry.name,
                figure=name,
                server_s=histogram.sum / len(seen),
                client_s=client_s / len(seen),
            )


def _scrapes(rows: RunRows, samples: Sequence[Sample]) -> Iterator[Message]:
    """Yield that the counters of the scrapes grew otherwise than the summary's."""
    server = _server(rows)
    if server is None or not samples:
        return
    for counter in _COUNTED:
        stated, grown = getattr(server, counter), _growth(samples, counter)
        if stated is None or grown is None:
            continue
        # The last page is read after the last scrape, so it may have counted more.
        slack = _SLACK + _SLACK_SHARE * abs(stated)
        if abs(stated - grown) > slack and rows.entry.status in WHOLE:
            yield message(
                "packs.scrapes_differ", run=rows.entry.name, counter=counter, stated=stated, grown=grown
            )


def _growth(samples: Sequence[Sample], counter: str) -> float | None:
    """Return the growth of a counter over the run, summed over the engines."""
    total = 0.0
    for engine in {sample.engine for sample in samples}:
        own = [sample for sample in samples if sample.engine == engine]
        before = [sample for sample in own if sample.t <= 0.0] or own[:1]
        first, last = getattr(before[-1], counter), getattr(own[-1], counter)
        if first is None or last is None:
            return None
        total += last - first
    return total


def _warm_cache(rows: RunRows) -> Iterator[Message]:
    """Yield that a cold prefix cache can serve another share than the run was judged by."""
    entry, load = rows.entry, rows.experiment.load
    if entry.inputs is None or entry.status not in WHOLE:
        return
    options = LoadOptions(
        input_mode=entry.facts.get("input_mode") or "text",
        cache_salt="own" if entry.facts.get("cache_reset") == "y" else None,
        max_retries=load.max_retries,
    )
    ideal = cold_hit_share(rows.trace, rows.schedule, options, load.endpoint, len(rows.records))
    stated = entry.inputs.conditions.prefix_hit_ideal
    if ideal is not None and (stated is None or abs(stated - ideal) > _SAME_HITS):
        yield message("packs.cold_hits_differ", run=entry.name, stated=stated, ideal=ideal)


def _late_engines(rows: RunRows, samples: Sequence[Sample]) -> Iterator[Message]:
    """Yield the engines of a server that were not there when the first request was due."""
    first: dict[str, float] = {}
    for sample in samples:
        first[sample.engine] = min(sample.t, first.get(sample.engine, sample.t))
    if not first or min(first.values()) > 0.0:
        return  # The server gave no page before the schedule.
    late = sorted(engine for engine, t in first.items() if t > _LATE_S)
    if late:
        yield message("packs.engines_late", run=rows.entry.name, engines=late, seconds=first[late[0]])
    stated = (rows.entry.effective or {}).get("data_parallel_size")
    if isinstance(stated, int) and stated > 1 and 1 < len(first) < stated:
        yield message("packs.engines_absent", run=rows.entry.name, seen=len(first), stated=stated)


def _command(rows: RunRows) -> Iterator[Message]:
    """Yield that the server's command sets a control otherwise than the run asks."""
    entry = rows.entry
    if entry.command is None or rows.experiment.target.live_limits:
        return
    try:
        given = flag_values(shlex.split(entry.command))
        asked = server_side(entry.config)
    except (ValueError, KeyError):
        yield message("packs.command_unreadable", run=entry.name)
        return
    for name, value in asked.items():
        if CONTROLS[name].of_target or CONTROLS[name].flag is None:
            continue
        for flag, wanted in flag_values(control_flags({name: value})).items():
            found = given.get(flag)
            if found is None or not _same_word(found, wanted):
                yield message("packs.command_differs", run=entry.name, flag=flag, asked=wanted, found=found)


def _same_word(found: str, wanted: str) -> bool:
    try:
        return float(found) == float(wanted)
    except ValueError:
        return found == wanted


def _started_otherwise(rows: RunRows, log: Sequence[BenchLogLine]) -> Iterator[Message]:
    """Yield that the server's own start log states other arguments than the run asks."""
    stated = _logged_arguments(rows, log)
    if stated is None or rows.experiment.target.live_limits:
        return
    for name, value in server_side(rows.entry.config).items():
        if name in stated and not is_as_asked(value, stated[name]):
            yield message(
                "packs.log_differs",
                run=rows.entry.name,
                name=name,
                asked=str(value),
                logged=str(stated[name]),
            )


def _logged_arguments(rows: RunRows, log: Sequence[BenchLogLine]) -> Mapping[str, Any] | None:
    """Return the arguments in the last start that the log has before the run."""
    found = None
    for line in log:
        if line.kind != "server" or line.utc > rows.entry.started_utc:
            continue
        match = _STARTED_WITH.search(line.text)
        if match is not None:
            found = match[1]
    if found is None:
        return None
    try:
        arguments = ast.literal_eval(found)
    except (ValueError, SyntaxError, InputError):
        return None
    return arguments if isinstance(arguments, dict) else None
