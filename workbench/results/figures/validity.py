"""Reasons why a run's figures can't be trusted: messages with their figure and their limit."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from workbench.base import Message, message
from workbench.controls import ADMISSION, effective_mismatches
from workbench.results.figures.prefix_hit import prefix_share
from workbench.results.figures.request_columns import RequestColumns
from workbench.results.figures.run_frame import Conditions
from workbench.results.figures.shared_machine import shared_machine_reasons
from workbench.results.percentiles import sample_floor
from workbench.results.run_records import Outcome, ServerDelta

_UNANSWERED_MESSAGES = {
    Outcome.FAILED: "results.failed",
    Outcome.REJECTED: "results.rejected",
    Outcome.TIMED_OUT: "results.timed_out",
    Outcome.UNFINISHED: "results.unanswered",
}
"""Unintended outcomes without an answer, and the kinds of message that count them.

A rejection is intended if an admission limit was asked for.
"""
_ERROR_SHOWN = 160
"""Characters shown of an error; a server may answer with a page."""
_MAX_CLOCK_STEP_S = 0.5
_NEVER_SENT_SHARE = 0.01
_PREFIX_MARGIN = 0.02
_READ_LATE_MS = 10.0
"""Allowed error of an event's stamp, at any TTFT, because gaps between tokens depend on it too."""
# Gaps shorter than this come out of one socket read.
_ONE_READ_MS = 0.05
_BURST_TOKENS = 16
_OUTSIDE_ENGINE_LIMIT_MS = 50.0


def invalid_reasons(
    columns: RequestColumns,
    conditions: Conditions,
    server: ServerDelta | None,
    missing: tuple[str, ...],
    *,
    stopped: bool,
) -> list[Message]:
    """Return every reason against the run, those of the load generator first; empty: valid.

    `columns` are the measured requests; `missing` names needed figures that were not measured.
    """
    return [
        *([message("results.server_lost", cause=conditions.server_lost)] if conditions.server_lost else []),
        *[message("results.replica_changed", found=found) for found in conditions.replica_changes],
        *_tunnel_lost(conditions),
        *_nothing_measured(columns, conditions, stopped=stopped),
        *_client_bound(columns, conditions.read_late_p99_ms),
        *_machine_bound(columns, conditions),
        *shared_machine_reasons(conditions.sharing),
        *[message("results.host_lost", found=found) for found in conditions.lost_hosts],
        *_clock_off(columns, conditions),
        *_off_schedule(columns, conditions, stopped=stopped),
        *_unreachable(columns, stopped=stopped),
        *_short_outputs(columns),
        *_token_counts(columns),
        *_burst_streams(columns),
        *_no_streams(columns),
        *_other_configuration(conditions),
        *_warm_cache(conditions, server),
        *_stepped_clock(conditions),
        *_restarted(server),
        *[
            message("results.metrics_missing", found=message("results.not_measured", figure=name))
            for name in missing
        ],
    ]


def _tunnel_lost(conditions: Conditions) -> Iterator[Message]:
    if conditions.tunnel_drops:
        found = message("results.tunnel_dropped", count=conditions.tunnel_drops)
        yield message("results.tunnel_lost", found=found)


def _nothing_measured(columns: RequestColumns, conditions: Conditions, *, stopped: bool) -> Iterator[Message]:
    """Yield that no request completed, unless all were rejected or cancelled by design."""
    outcomes = Counter(columns.outcome)
    by_design = {Outcome.REJECTED} if any(conditions.asked.get(name) for name in ADMISSION) else set()
    broken = {
        outcome: outcomes[str(outcome)]
        for outcome in _UNANSWERED_MESSAGES
        if outcomes[str(outcome)] and outcome not in by_design
    }
    if stopped or not broken or outcomes[str(Outcome.COMPLETED)]:
        return
    found = message(
        "results.none_completed",
        scheduled=len(columns),
        broken=[
            Message(_UNANSWERED_MESSAGES[outcome], {"count": count}) for outcome, count in broken.items()
        ],
        error=_commonest_error(columns),
    )
    yield message("results.nothing_measured", found=found)


def _commonest_error(columns: RequestColumns) -> Message | None:
    """Return `, 38 with: no whole answer within 10 s`; None: no error is known."""
    errors = Counter(" ".join(str(error).split()) for error in columns.error if error)
    if not errors:
        return None
    (error, count), *_ = errors.most_common(1)
    if count == len(columns):
        return message("results.all_with_error", error=error[:_ERROR_SHOWN])
    return message("results.some_with_error", count=count, error=error[:_ERROR_SHOWN])


def client_delay_limit_ms(ttft_p95_ms: float | None) -> float:
    """Return the limit of the load generator's p99 delay, wall milliseconds."""
    return min(max(10.0, 0.05 * (ttft_p95_ms or 0.0)), 50.0)


def _client_bound(columns: RequestColumns, read_late_ms: float | None) -> Iterator[Message]:
    """Yield that the load generator was late, in wall time: its clock is not simulated."""
    delays = columns.sent - columns.released
    delays = delays[~np.isnan(delays)] * 1000
    if not delays.size:
        return
    limit = _delay_limit_ms(columns)
    p99 = float(np.quantile(delays, 0.99))
    if p99 > limit:
        if delays.size < sample_floor(0.99):
            # The run's figures have no p99 of so few requests, so the reason states their number.
            late = message(
                "results.client_delay_of_few", requests=int(delays.size), p99_ms=p99, limit_ms=limit
            )
        else:
            late = message("results.client_delay", p99_ms=p99, limit_ms=limit)
        yield message("results.client_bound", found=late)
    elif read_late_ms is not None and read_late_ms > _READ_LATE_MS:
        off = message("results.token_times_off", late_ms=read_late_ms, limit_ms=_READ_LATE_MS)
        yield message("results.client_bound", found=off)


def _delay_limit_ms(columns: RequestColumns) -> float:
    ttft = columns.first_token - columns.due
    ttft = ttft[~np.isnan(ttft)] * 1000
    return client_delay_limit_ms(float(np.quantile(ttft, 0.95)) if ttft.size else None)


def _clock_off(columns: RequestColumns, conditions: Conditions) -> Iterator[Message]:
    """Yield that machines of the load may have sent at other times than planned."""
    error, limit = conditions.clock_error_ms, _delay_limit_ms(columns)
    if error is not None and not error <= limit:
        found = message("results.clock_error", error_ms=error, limit_ms=limit)
        yield message("results.load_clocks", found=found)


def _machine_bound(columns: RequestColumns, conditions: Conditions) -> Iterator[Message]:
    """Yield that this machine couldn't keep up with a simulated server.

    Time outside the scheduler is part of a real server's figure; a simulated one has no such time,
    so it is this machine's: the wait for a CPU in the engine's or the client's processes. A request
    may have to wait for the step under way, which is about an event gap.
    """
    scale = conditions.simulated_scale
    if scale is None:
        return
    inside_ms = (columns.queue_ms + columns.prefill_ms) / scale
    outside = (columns.first_token - columns.sent) * 1000 - inside_ms
    # A request that was sent again waited for its next try, which the machine didn't cause.
    outside = outside[~np.isnan(outside) & ~(columns.retries > 0)]
    if not outside.size:
        return
    lost = float(np.quantile(outside, 0.95))
    limit = _OUTSIDE_ENGINE_LIMIT_MS + _longest_step_ms(columns)
    if lost > limit:
        found = message("results.outside_engine", lost_ms=lost, limit_ms=limit)
        yield message("results.machine_bound", found=found)


def _longest_step_ms(columns: RequestColumns) -> float:
    """Return the p99 of the event gaps: all requests wait that long for a prefill step under way."""
    streams = [np.frombuffer(gaps, dtype="<f4") for gaps in columns.gaps_ms]
    gaps = np.concatenate([stream for stream in streams if stream.size] or [np.zeros(1, np.float32)])
    return float(np.quantile(gaps, 0.99))


def _off_schedule(columns: RequestColumns, conditions: Conditions, *, stopped: bool) -> Iterator[Message]:
    if conditions.start_late_ms is not None:
        late = message("results.start_missed", late_ms=conditions.start_late_ms)
        yield message("results.off_schedule", found=late)
    if conditions.worker_deaths:
        died = message("results.workers_died", count=conditions.worker_deaths)
        yield message("results.off_schedule", found=died)
    if stopped or not len(columns):
        return
    never = columns.select(columns.never_left)
    if len(never) > _NEVER_SENT_SHARE * len(columns):
        unsent = message(
            "results.never_sent", count=len(never), scheduled=len(columns), error=_commonest_error(never)
        )
        yield message("results.off_schedule", found=unsent)


def _unreachable(columns: RequestColumns, *, stopped: bool) -> Iterator[Message]:
    """Yield that requests found no connection: the server, or the way to it, was gone."""
    failed = columns.of_outcome(Outcome.FAILED) & np.isnan(columns.sent) & ~np.isnan(columns.released)
    refused = columns.select(failed)
    if not stopped and len(refused) > _NEVER_SENT_SHARE * len(columns):
        found = message(
            "results.no_connection",
            count=len(refused),
            scheduled=len(columns),
            error=_commonest_error(refused),
        )
        yield message("results.unreachable", found=found)


def _short_outputs(columns: RequestColumns) -> Iterator[Message]:
    completed = columns.select(columns.of_outcome(Outcome.COMPLETED))
    short = completed.output_counted < completed.output_tokens
    if short.any():
        found = message(
            "results.outputs_shorter",
            count=int(np.count_nonzero(short)),
            completed=len(completed),
            got=float(completed.output_counted[short].mean()),
            asked=float(completed.output_tokens[short].mean()),
        )
        yield message("results.short_outputs", found=found)


def _token_counts(columns: RequestColumns) -> Iterator[Message]:
    completed = columns.select(columns.of_outcome(Outcome.COMPLETED))
    unchecked = np.isnan(completed.completion_tokens)
    if unchecked.any():
        without = message(
            "results.no_usage", count=int(np.count_nonzero(unchecked)), completed=len(completed)
        )
        yield message("results.tokens_not_checkable", found=without)
    wrong = completed.tokens != completed.completion_tokens
    wrong &= ~unchecked & ~np.isnan(completed.tokens)
    if wrong.any():
        found = message(
            "results.counts_differ",
            count=int(np.count_nonzero(wrong)),
            completed=len(completed),
            streams=float(completed.tokens[wrong].sum()),
            usage=float(completed.completion_tokens[wrong].sum()),
        )
        yield message("results.token_counts_differ", found=found)
    # Prompts sent as ids have known lengths; the tokens of a text are counted by the server.
    as_ids = (completed.input_mode == "ids") & ~np.isnan(completed.prompt_tokens)
    other = as_ids & (completed.prompt_tokens != completed.input_tokens)
    if other.any():
        found = message(
            "results.prompts_differ",
            count=int(np.count_nonzero(other)),
            completed=len(completed),
            sent=float(completed.input_tokens[other].sum()),
            usage=float(completed.prompt_tokens[other].sum()),
        )
        yield message("results.prompt_tokens_differ", found=found)


def _burst_streams(columns: RequestColumns) -> Iterator[Message]:
    """Yield that streams came in one or two reads, as a buffering proxy delivers them."""
    timed = columns.of_outcome(Outcome.COMPLETED) & ~np.isnan(columns.first_token)
    long = timed & (columns.output_counted >= _BURST_TOKENS)
    streams = columns.gaps_ms[long]
    burst = sum(
        int(np.count_nonzero(np.frombuffer(gaps, dtype="<f4") > _ONE_READ_MS)) <= 1 for gaps in streams
    )
    if len(streams) and burst > len(streams) / 2:
        found = message("results.in_one_burst", count=burst, streams=len(streams))
        yield message("results.burst_streams", found=found)


def _no_streams(columns: RequestColumns) -> Iterator[Message]:
    """Yield that responses came whole: a gateway may ignore `stream` and answer with one JSON body."""
    answered = columns.of_outcome(Outcome.COMPLETED) & (columns.output_counted > 0)
    whole, all_answered = (
        np.count_nonzero(answered & np.isnan(columns.first_token)),
        np.count_nonzero(answered),
    )
    if whole > all_answered / 2:
        found = message("results.came_whole", count=int(whole), answered=int(all_answered))
        yield message("results.no_streams", found=found)


def _other_configuration(conditions: Conditions) -> Iterator[Message]:
    for mismatch in effective_mismatches(conditions.asked, conditions.effective or {}):
        yield message("results.configuration_differs", found=mismatch)
    if conditions.changed_limits:
        yield message("results.limits_changed", changes=list(conditions.changed_limits))


def _warm_cache(conditions: Conditions, server: ServerDelta | None) -> Iterator[Message]:
    ideal, hit = conditions.prefix_hit_ideal, prefix_share(server, conditions)
    if ideal is not None and hit is not None and hit > ideal + _PREFIX_MARGIN:
        found = message("results.prefix_hits_above", hit=hit, ideal=ideal)
        yield message("results.warm_cache", found=found)


def _restarted(server: ServerDelta | None) -> Iterator[Message]:
    if server is not None and server.mixed is not None:
        yield message("results.several_processes", sign=server.mixed)
    if server is not None and server.restarted:
        sign = server.restart_sign or message("results.counter_shrank")
        yield message("results.server_restarted", sign=sign)


def _stepped_clock(conditions: Conditions) -> Iterator[Message]:
    step = conditions.clock_step_s
    if step is not None and abs(step) > _MAX_CLOCK_STEP_S:
        found = message("results.clocks_differ", step_s=step, limit_s=_MAX_CLOCK_STEP_S)
        yield message("results.clock_stepped", found=found)
