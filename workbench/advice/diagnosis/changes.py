"""The next single change that each limit suggests, with what to watch and what it may cost."""

import math

import numpy as np

from workbench.advice.diagnosis.bottleneck_conditions import seat_limit
from workbench.advice.diagnosis.figure_text import number, percent, setting
from workbench.advice.diagnosis.findings import Change
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.sample_arrays import ENOUGH, Bools, Floats, Series, as_last, held
from workbench.controls import CONTROLS

_PREFILL_IS_FULL = "lower the rate, or make prompts share prefixes: prefill is what the card can do."
_ROOM = 0.9
# More seats are only worth it while the pool keeps a tenth free.


def set_control(view: RunView, name: str, value: float | str, cost: str) -> Change:
    """Set one control to a value."""
    before = view.limits.get(name)
    shown = value if isinstance(value, str) else setting(value)
    was = f"{setting(before)} → " if isinstance(before, (int, float)) and not isinstance(before, bool) else ""
    return Change(
        control=name,
        value=value,
        text=f"{name} {was}{shown}.",
        watch=CONTROLS[name].watch,
        cost=cost,
    )


def advise(text: str, watch: str = "", cost: str = "") -> Change:
    """Something to do that is no control."""
    return Change(control=None, value=None, text=text, watch=watch, cost=cost)


def what_was_tried(view: RunView, series: Series, mask: Bools, change: Change | None) -> Change | None:
    """The change, unless the run ended with a value in that direction under which the limit held no more."""
    if change is None or change.control is None:
        return change
    end, then = held(view, change.control)[-1], as_last(view, series, mask)
    before, wanted = then.limit(change.control), change.value
    under_load = (series.t >= end.start) & (series.t <= (view.length_s or np.inf))
    if before is None or end.value is None or np.count_nonzero(under_load) < ENOUGH:
        return change
    if not isinstance(wanted, (int, float)) or (end.value - before) * (wanted - before) <= 0:
        return change
    tried = set_control(then, change.control, int(end.value), change.cost)
    text = f"{change.control} {setting(before)} → {setting(end.value)}: with it this limit bound no more."
    return Change(control=tried.control, value=tried.value, text=text, watch=tried.watch, cost=tried.cost)


def more_seats(view: RunView, series: Series, mask: Bools) -> Change:
    """Raise the cap as far as the KV pool has room."""
    cap = seat_limit(view, series)
    if cap is None:
        return advise("find out max_num_seqs; it looks reached.", "running requests")
    name, value = cap[0], cap[1] / series.engines
    usage = _mean(series.kv, mask)
    if usage is None or usage <= 0:
        cost = "longer steps: inter-token latency grows; KV use wasn't seen"
        return set_control(view, name, int(2 * value), cost)
    wanted = int(min(2 * value, value * _ROOM / usage))
    if wanted < 1.1 * value:
        return more_kv(view, f"the pool is {percent(usage)} full with {number(value)} seats")
    whole = requests_held(view)
    if whole is not None and value < math.floor(whole) < wanted:
        # The number that the evidence names.
        wanted = math.floor(whole)
    projected = percent(usage * wanted / value)
    cost = f"longer steps: inter-token latency grows; KV use would be about {projected}"
    if whole is not None and whole < wanted:
        cost = (
            f"longer steps: inter-token latency grows; KV use would be about {projected}, and as the pool"
            f" holds {number(whole)} requests to their end preemptions can begin"
        )
    return set_control(view, name, wanted, cost)


def fewer_seats(view: RunView, series: Series, mask: Bools) -> Change:
    """Lower the cap to what the pool holds: the number that the evidence names, where it names one."""
    named = seats_named(view, series)
    level = _seats_seen(series, mask) if named is None else named
    cap = _seats_of_an_engine(view, series)
    if cap is not None and cap <= 1:
        return more_kv(view, "requests wait for blocks")
    if cap is not None:
        level = min(level, cap - 1)
    cost = (
        "tokens/s, for fewer run at once; where pauses keep within the targets, preemptions can be worth it"
    )
    return set_control(view, "max_num_seqs", level, cost)


def seats_named(view: RunView, series: Series) -> int | None:
    """Return how many whole requests the pool holds, where that is below the cap and so tells what to set.

    None: it isn't known, or fewer ran and the pool was full all the same; then it explains nothing.
    """
    whole, cap = requests_held(view), _seats_of_an_engine(view, series)
    if whole is None or whole < 1:
        return None
    held_whole = math.floor(whole)
    return held_whole if cap is None or held_whole < cap else None


def held_said(view: RunView) -> str:
    """Say how many requests the pool holds; only where `requests_held` knows it."""
    whole = number(requests_held(view) or 0.0)
    return f"The pool holds {whole} requests of this load's mean length to their end."


def _seats_seen(series: Series, mask: Bools) -> int:
    """Return how many could run at a pool nine tenths full, by those that ran and how full it was."""
    running, usage = _mean(series.running, mask), _mean(series.kv, mask)
    return max(1, math.floor((running or 1) / series.engines * _ROOM / max(usage or 1.0, _ROOM)))


def _seats_of_an_engine(view: RunView, series: Series) -> int | None:
    cap = seat_limit(view, series)
    return None if cap is None else math.floor(cap[1] / series.engines)


def requests_held(view: RunView) -> float | None:
    """How many requests of the load's mean length one engine's pool holds to their end; None: not known."""
    columns = view.requests
    if view.kv_cache_tokens is None or not len(columns):
        return None
    # A request that cached prompts share holds less than its own length.
    if view.figure("prefix_hit"):
        return None
    mean = float(np.mean(columns.input_tokens + columns.output_tokens))
    return view.kv_cache_tokens / mean if mean > 0 else None


def more_kv(view: RunView, why: str) -> Change:
    """Give the pool more tokens."""
    blocks = view.limit("num_gpu_blocks_override")
    if blocks is not None:
        cost = f"memory, if the card has it; {why}"
        return set_control(view, "num_gpu_blocks_override", max(int(blocks) + 1, int(blocks * 1.5)), cost)
    kind = view.limits.get("kv_cache_dtype")
    share = view.limit("gpu_memory_utilization")
    if share is not None and share < 0.93:
        cost = f"less memory in reserve: a start or a long prompt can run out of it; {why}"
        return set_control(view, "gpu_memory_utilization", 0.95, cost)
    if kind in {None, "auto", "bfloat16", "float16"}:
        cost = f"answers can change; compare them before keeping it; {why}"
        return set_control(view, "kv_cache_dtype", "fp8", cost)
    return advise(
        "more KV memory: a larger card, more cards, or shorter contexts.", "preemptions, KV use", why
    )


def larger_budget(view: RunView) -> Change:
    """Let a step take more prompt tokens."""
    budget = view.limit("max_num_batched_tokens")
    if budget is not None and budget >= 16384:
        return advise(_PREFILL_IS_FULL, "prompt tokens/s, TTFT")
    cost = "each step with prefill takes longer: gaps of decoding requests grow"
    if budget is None:
        control = CONTROLS["max_num_batched_tokens"]
        text = "raise max_num_batched_tokens above the server's value."
        return Change(control=control.name, value=None, text=text, watch=control.watch, cost=cost)
    return set_control(view, "max_num_batched_tokens", int(2 * budget), cost)


def spare_decodes(view: RunView) -> Change:
    """Keep prefill from taking whole steps."""
    cost = "TTFT of long prompts grows"
    threshold = view.limit("long_prefill_token_threshold") or 0
    budget = view.limit("max_num_batched_tokens")
    if not threshold:
        value = 1024 if budget is None else max(16, int(budget // 4))
        return set_control(view, "long_prefill_token_threshold", value, cost)
    if budget is not None and budget > 512:
        return set_control(view, "max_num_batched_tokens", int(max(512, budget // 2)), cost)
    if threshold <= 16:
        return advise(_PREFILL_IS_FULL, "prompt tokens/s, TTFT")
    return set_control(view, "long_prefill_token_threshold", int(max(16, threshold // 2)), cost)


def continuous() -> Change:
    """Let requests join at every step."""
    control = CONTROLS["static_batching"]
    return Change(
        control=control.name,
        value=False,
        text="static_batching on → off: vLLM batches continuously.",
        watch=control.watch,
        cost="steps grow a little longer for those already in the batch",
    )


def admit_more(view: RunView) -> Change:
    """Let more requests queue."""
    cost = "those let in wait longer: queue time and TTFT grow"
    for name in ("max_num_queued_reqs", "max_num_queued_tokens"):
        limit = view.limit(name)
        if limit is not None:
            change = set_control(view, name, max(int(limit) + 1, int(1.5 * limit)), cost)
            text = f"keep it if callers can retry; else {change.text}"
            return Change(control=name, value=change.value, text=text, watch=change.watch, cost=cost)
    return advise("find out which admission limit refuses requests.", "rejection rate", cost)


def open_client(view: RunView) -> Change:
    """Let the client keep more requests open."""
    cap = view.limit("max_in_flight")
    if cap is not None:
        cost = "requests wait in the server instead: running and waiting grow"
        return set_control(view, "max_in_flight", int(2 * cap), cost)
    if view.concurrency is not None:
        text = f"concurrency {setting(view.concurrency)} → {setting(2 * view.concurrency)}, or an open loop."
        return advise(text, "running, waiting, TTFT", "the load becomes another one")
    return advise("let the client keep more requests open.", "running, waiting, TTFT")


def _mean(values: Floats, mask: Bools) -> float | None:
    chosen = values[mask]
    chosen = chosen[~np.isnan(chosen)]
    return float(chosen.mean()) if len(chosen) else None
