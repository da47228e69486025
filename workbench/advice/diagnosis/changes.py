"""Changes that several rules suggest, each with its possible cost."""

import msgspec
import numpy as np

from workbench.advice.diagnosis.array_operations import ENOUGH, Bools
from workbench.advice.diagnosis.findings import Change
from workbench.advice.diagnosis.limit_history import limit_history, view_at_last
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import Message, message

_MORE_BLOCKS = 1.5
_HIGH_SHARE, _HIGHEST_SHARE = 0.93, 0.95
_WIDE_TYPES = {None, "auto", "bfloat16", "float16"}


def set_control(view: RunView, name: str, value: float | str, cost: Message) -> Change:
    """Return the change of one control to a value, with its cost."""
    return msgspec.structs.replace(change_to(view, name, value), cost=cost)


def change_to(view: RunView, name: str, value: float | str) -> Change:
    """Return the change of one control to a value."""
    before = view.limits.get(name)
    if isinstance(value, str):
        text = message("advice.set_choice", name=name, value=value)
    elif isinstance(before, (int, float)) and not isinstance(before, bool):
        text = message("advice.set_from", name=name, before=before, value=value)
    else:
        text = message("advice.set_to", name=name, value=value)
    return Change(control=name, value=value, text=text)


def advise(text: Message, watch: Message | None = None, cost: Message | None = None) -> Change:
    """Return advice that is not a control."""
    return Change(control=None, value=None, text=text, watch=watch, cost=cost)


def prefill_is_full() -> Change:
    """Return the advice for prefill at the card's limit."""
    return advise(message("advice.prefill_full_change"), message("advice.prompt_rate_ttft"))


def without_tried(view: RunView, series: Series, mask: Bools, change: Change | None) -> Change | None:
    """Return the change, or the run's last value if that went the same way and lifted the limit."""
    if change is None or change.control is None:
        return change
    end, then = limit_history(view, change.control)[-1], view_at_last(view, series, mask)
    before, wanted = then.limit(change.control), change.value
    under_load = (series.t >= end.start) & (series.t <= (view.length_s or np.inf))
    if before is None or end.value is None or np.count_nonzero(under_load) < ENOUGH:
        return change
    if not isinstance(wanted, (int, float)) or (end.value - before) * (wanted - before) <= 0:
        return change
    text = message("advice.tried_already", name=change.control, before=before, value=end.value)
    return Change(control=change.control, value=int(end.value), text=text, cost=change.cost)


def requests_in_pool(view: RunView) -> float | None:
    """Return how many requests of mean length one engine's pool holds to their end; None: unknown."""
    columns = view.requests
    if view.kv_cache_tokens is None or not len(columns):
        return None
    # Requests that share cached prompts hold less than their own length.
    if view.figure("prefix_hit"):
        return None
    length = float(np.mean(columns.input_tokens + columns.output_tokens))
    return view.kv_cache_tokens / length if length > 0 else None


def pool_holds(view: RunView) -> Message:
    """Return the evidence for `requests_in_pool`, which must be known."""
    return message("advice.pool_holds", count=requests_in_pool(view) or 0.0)


def more_kv(view: RunView, why: Message) -> Change:
    """Return the change that gives the KV pool more tokens."""
    blocks = view.limit("num_gpu_blocks_override")
    if blocks is not None:
        value = max(int(blocks) + 1, int(blocks * _MORE_BLOCKS))
        return set_control(
            view, "num_gpu_blocks_override", value, message("advice.more_blocks_cost", why=why)
        )
    share = view.limit("gpu_memory_utilization")
    if share is not None and share < _HIGH_SHARE:
        cost = message("advice.less_reserve_cost", why=why)
        return set_control(view, "gpu_memory_utilization", _HIGHEST_SHARE, cost)
    if view.limits.get("kv_cache_dtype") in _WIDE_TYPES:
        return set_control(view, "kv_cache_dtype", "fp8", message("advice.answers_change_cost", why=why))
    return advise(message("advice.more_kv_change"), message("advice.preemptions_and_kv"), why)
