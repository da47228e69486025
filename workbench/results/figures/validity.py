"""Why a run's figures can't be trusted: each reason names its figure and its limit."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from workbench.controls import effective_mismatches
from workbench.results.figures.columns import RequestColumns
from workbench.results.figures.frame import Conditions
from workbench.results.percentiles import sample_floor
from workbench.results.records import Outcome
from workbench.results.server_delta import ServerDelta

_BROKEN = {
    Outcome.FAILED: "failed",
    Outcome.TIMED_OUT: "timed out",
    Outcome.UNFINISHED: "unanswered at the end",
}
"""Ways to end without an answer that nobody meant, and their words."""
_ERROR_SHOWN = 160
"""Characters of an error; a server may answer a page."""
_STEP_S = 0.5
_NEVER_SENT_SHARE = 0.01
_PREFIX_MARGIN = 0.02
_READ_LATE_MS = 10.0
"""Of an event's stamp; a long TTFT doesn't excuse it, since gaps between tokens are told by it too."""
# Gaps shorter than this come out of one socket read.
_ONE_READ_MS = 0.05
_BURST_TOKENS = 16
_OUTSIDE_MS = 50.0
_PROMPT_TOLERANCE = 0.05


def invalid_reasons(
    columns: RequestColumns,
    conditions: Conditions,
    server: ServerDelta | None,
    missing: tuple[str, ...],
    *,
    stopped: bool,
) -> list[str]:
    """Every reason against the run, the gravest of the load generator first; empty: valid.

    `columns` are the measured requests; `missing` names needed figures that were not measured.
    """
    return [
        *([f"server lost: {conditions.server_lost}"] if conditions.server_lost else []),
        *_nothing_measured(columns, stopped=stopped),
        *_client_bound(columns, conditions.read_late_p99_ms),
        *_machine_bound(columns, conditions),
        *_off_schedule(columns, conditions, stopped=stopped),
        *_short_outputs(columns),
        *_token_counts(columns),
        *_burst_streams(columns),
        *_no_streams(columns),
        *_other_configuration(conditions),
        *_warm_cache(conditions, server),
        *_stepped_clock(conditions),
        *_restarted(server),
        *[f"metrics missing: {name} was not measured" for name in missing],
    ]


def _nothing_measured(columns: RequestColumns, *, stopped: bool) -> Iterator[str]:
    """No request was completed, though not all were turned away or cancelled by design."""
    outcomes = Counter(columns.outcome)
    broken = {outcome: outcomes[str(outcome)] for outcome in _BROKEN if outcomes[str(outcome)]}
    if stopped or not broken or outcomes[str(Outcome.COMPLETED)]:
        return
    counts = ", ".join(f"{count} {_BROKEN[outcome]}" for outcome, count in broken.items())
    yield f"nothing measured: 0 of {len(columns)} requests completed, {counts}{_commonest_error(columns)}"


def _commonest_error(columns: RequestColumns) -> str:
    """`, 38 with: no whole answer within 10 s`; empty where none is known."""
    errors = Counter(" ".join(str(error).split()) for error in columns.error if error)
    if not errors:
        return ""
    (error, count), *_ = errors.most_common(1)
    which = "all" if count == len(columns) else str(count)
    return f", {which} with: {error[:_ERROR_SHOWN]}"


def client_delay_limit_ms(ttft_p95_ms: float | None) -> float:
    """The most that the load generator's p99 delay may be, wall milliseconds."""
    return min(max(10.0, 0.05 * (ttft_p95_ms or 0.0)), 50.0)


def _client_bound(columns: RequestColumns, read_late_ms: float | None) -> Iterator[str]:
    """Judged in wall time and at any number of requests: the load generator's clock is not simulated."""
    delays = columns.sent - columns.released
    delays = delays[~np.isnan(delays)] * 1000
    if not delays.size:
        return
    ttft = columns.first_token - columns.due
    ttft = ttft[~np.isnan(ttft)] * 1000
    limit = client_delay_limit_ms(float(np.quantile(ttft, 0.95)) if ttft.size else None)
    p99 = float(np.quantile(delays, 0.99))
    if p99 > limit:
        if delays.size < sample_floor(0.99):
            # The run's figures have no p99 of so few: what was judged is said with how many it is of.
            late = f"client delay p99 of {delays.size} requests {_figure(p99)} ms > {_figure(limit)} ms"
            yield f"client-bound: {late}"
        else:
            yield f"client-bound: client delay p99 {_figure(p99)} ms > {_figure(limit)} ms"
    elif read_late_ms is not None and read_late_ms > _READ_LATE_MS:
        yield (
            f"client-bound: token times up to {_figure(read_late_ms)} ms off at p99 > "
            f"{_figure(_READ_LATE_MS)} ms"
        )


def _machine_bound(columns: RequestColumns, conditions: Conditions) -> Iterator[str]:
    """Whether this machine could keep up with a simulated server.

    What a real server spends outside its scheduler is part of the figure; a simulated one has no such time,
    so it can only be this machine's: the wait for a CPU in the engine's or the client's processes. A request
    may have to wait for the step under way, which is about an event gap.
    """
    scale = conditions.simulated_scale
    if scale is None:
        return
    inside_ms = (columns.queue_ms + columns.prefill_ms) / scale
    outside = (columns.first_token - columns.sent) * 1000 - inside_ms
    # A request that was sent again waited for its next try, which is no fault of the machine.
    outside = outside[~np.isnan(outside) & ~(columns.retries > 0)]
    if not outside.size:
        return
    lost = float(np.quantile(outside, 0.95))
    limit = _OUTSIDE_MS + _longest_step_ms(columns)
    if lost > limit:
        yield (
            f"machine-bound: p95 of {_figure(lost)} ms of TTFT passed outside the simulated engine > "
            f"{_figure(limit)} ms; this machine is too slow or too busy for this time scale"
        )


def _longest_step_ms(columns: RequestColumns) -> float:
    """The p99 of the event gaps: a prefill step under way makes everybody wait that long."""
    streams = [np.frombuffer(gaps, dtype="<f4") for gaps in columns.gaps_ms]
    gaps = np.concatenate([stream for stream in streams if stream.size] or [np.zeros(1, np.float32)])
    return float(np.quantile(gaps, 0.99))


def _off_schedule(columns: RequestColumns, conditions: Conditions, *, stopped: bool) -> Iterator[str]:
    if conditions.worker_deaths:
        yield f"off schedule: {conditions.worker_deaths} load worker(s) died during the run"
    if stopped or not len(columns):
        return
    # A request that the cap on requests in flight held back to the end has no `released`: that was asked for.
    never = columns.of_outcome(Outcome.UNFINISHED) & np.isnan(columns.sent) & ~np.isnan(columns.released)
    count = int(np.count_nonzero(never))
    if count > _NEVER_SENT_SHARE * len(columns):
        yield f"off schedule: {count} of {len(columns)} requests were due and never sent"


def _short_outputs(columns: RequestColumns) -> Iterator[str]:
    completed = columns.select(columns.of_outcome(Outcome.COMPLETED))
    short = completed.output_counted < completed.output_tokens
    if short.any():
        got, asked = completed.output_counted[short].mean(), completed.output_tokens[short].mean()
        yield (
            f"short outputs: {np.count_nonzero(short)} of {len(completed)} completed requests gave "
            f"{_figure(got)} tokens on average where {_figure(asked)} were asked"
        )


def _token_counts(columns: RequestColumns) -> Iterator[str]:
    completed = columns.select(columns.of_outcome(Outcome.COMPLETED))
    unchecked = np.isnan(completed.completion_tokens)
    if unchecked.any():
        yield (
            f"tokens not checkable: {np.count_nonzero(unchecked)} of {len(completed)} completed requests "
            "carried no usage"
        )
    wrong = completed.tokens != completed.completion_tokens
    wrong &= ~unchecked & ~np.isnan(completed.tokens)
    if wrong.any():
        counted, usage = completed.tokens[wrong].sum(), completed.completion_tokens[wrong].sum()
        yield (
            f"token counts differ from usage in {np.count_nonzero(wrong)} of {len(completed)} requests: "
            f"{counted:.0f} counted in the streams, {usage:.0f} in usage"
        )
    as_ids = (completed.input_mode == "ids") & ~np.isnan(completed.prompt_tokens)
    # A beginning-of-sequence token or a counting gateway moves a few; a cut prompt moves many.
    other = as_ids & (
        np.abs(completed.prompt_tokens - completed.input_tokens) > _PROMPT_TOLERANCE * completed.input_tokens
    )
    if other.any():
        asked, usage = completed.input_tokens[other].sum(), completed.prompt_tokens[other].sum()
        yield (
            f"prompt tokens differ from usage in {np.count_nonzero(other)} of {len(completed)} requests: "
            f"{asked:.0f} sent, {usage:.0f} in usage"
        )


def _burst_streams(columns: RequestColumns) -> Iterator[str]:
    """A proxy that buffers hands a whole stream over in one or two reads."""
    timed = columns.of_outcome(Outcome.COMPLETED) & ~np.isnan(columns.first_token)
    long = timed & (columns.output_counted >= _BURST_TOKENS)
    streams = columns.gaps_ms[long]
    burst = sum(np.count_nonzero(np.frombuffer(gaps, dtype="<f4") > _ONE_READ_MS) <= 1 for gaps in streams)
    if len(streams) and burst > len(streams) / 2:
        yield (
            f"burst streams: {burst} of {len(streams)} responses arrived in one burst, "
            "so token times mean nothing"
        )


def _no_streams(columns: RequestColumns) -> Iterator[str]:
    """A gateway may pass over `stream` and answer with one JSON body."""
    answered = columns.of_outcome(Outcome.COMPLETED) & (columns.output_counted > 0)
    whole = np.count_nonzero(answered & np.isnan(columns.first_token))
    if whole > np.count_nonzero(answered) / 2:
        yield (
            f"no streams: {whole} of {np.count_nonzero(answered)} responses came whole, "
            "so nobody knows when their tokens were there"
        )


def _other_configuration(conditions: Conditions) -> Iterator[str]:
    for mismatch in effective_mismatches(conditions.asked, conditions.effective or {}):
        yield f"configuration differs: {mismatch}"
    if conditions.changed_limits:
        yield f"limits changed during the run: {', '.join(conditions.changed_limits)}"


def _warm_cache(conditions: Conditions, server: ServerDelta | None) -> Iterator[str]:
    ideal = conditions.prefix_hit_ideal
    if ideal is None or server is None or not server.prefix_queries or server.prefix_hits is None:
        return
    hit = server.prefix_hits / server.prefix_queries
    if hit > ideal + _PREFIX_MARGIN:
        yield f"warm cache: prefix hits {hit:.1%} > {ideal:.1%} that the trace itself allows"


def _restarted(server: ServerDelta | None) -> Iterator[str]:
    if server is not None and server.restarted:
        yield f"server restarted during the run: {server.restart_sign or 'a counter shrank'}"


def _stepped_clock(conditions: Conditions) -> Iterator[str]:
    step = conditions.clock_step_s
    if step is not None and abs(step) > _STEP_S:
        yield f"clock stepped or machine slept: wall and monotonic time differ by {step:.2f} s > {_STEP_S} s"


def _figure(value: float) -> str:
    """Two or three digits that matter."""
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.2g}"
