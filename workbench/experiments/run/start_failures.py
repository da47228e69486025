"""The remaining configurations that would fail to start as the last one did.

A failure depends on some controls, in some direction. Before any server of the plan was ready, a failure that
the control under test can't change affects every run. Later, only values worse than the failed one are left
out.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

from workbench.base import Message, Refusal, WorkbenchError, WorkFailure, message
from workbench.controls import CONTROLS, Value
from workbench.experiments.plan.plan import Configuration, Run
from workbench.servers import failure_of
from workbench.vllm_dialect import Failure

Direction = Literal["lower", "higher", "other"]
"""Values that may help: lower ones, higher ones or any other."""

_LESS_WORK: dict[str, Direction] = {
    "max_num_seqs": "lower",
    "max_num_batched_tokens": "lower",
    "max_model_len": "lower",
    "cpu_offload_gb": "higher",
    "kv_cache_dtype": "other",
    "quantization": "other",
    "dtype": "other",
    "enforce_eager": "other",
    "block_size": "other",
}
_MORE_KV: dict[str, Direction] = {
    **_LESS_WORK,
    "gpu_memory_utilization": "higher",
    "num_gpu_blocks_override": "higher",
    "kv_cache_memory_bytes": "higher",
}
_LESS_MEMORY: dict[str, Direction] = {
    **_LESS_WORK,
    "gpu_memory_utilization": "lower",
    "num_gpu_blocks_override": "lower",
    "kv_cache_memory_bytes": "lower",
}
_HELPS: dict[str, Mapping[str, Direction]] = {
    "context_over_kv": _MORE_KV,
    "no_kv_memory": _MORE_KV,
    "mamba_blocks": _MORE_KV,
    "gpu_busy": {"gpu_memory_utilization": "lower"},
    "cpu_memory": _LESS_MEMORY,
    "host_memory": _LESS_MEMORY,
    "killed": _LESS_MEMORY,
    "engine_silent": _LESS_MEMORY,
    "oom": _LESS_MEMORY,
    "oom_warmup": _LESS_MEMORY,
    "oom_loading": {"dtype": "other", "quantization": "other", "cpu_offload_gb": "higher"},
    "budget_below_seats": {"max_num_batched_tokens": "higher", "max_num_seqs": "lower"},
    "budget_below_context": {
        "max_num_batched_tokens": "higher",
        "max_model_len": "lower",
        "enable_chunked_prefill": "other",
    },
    "context_over_model": {"max_model_len": "lower"},
}
"""By the failure's kind: the controls that it depends on. Other kinds depend on the controls they name."""
_ALSO_NAMED: dict[str, frozenset[str]] = {
    "block_size": frozenset({"block_size"}),
    "crashed": frozenset({"enforce_eager"}),
    "dtype_and_model": frozenset({"dtype"}),
    "dtype_and_quantization": frozenset({"dtype", "quantization"}),
    "gpu_fault": frozenset({"enforce_eager"}),
    "no_attention_backend": frozenset({"block_size", "kv_cache_dtype"}),
    "no_bfloat16": frozenset({"dtype"}),
    "no_fp8": frozenset({"kv_cache_dtype", "quantization"}),
    "quantization_mismatch": frozenset({"quantization"}),
    "quantization_needs_gpu": frozenset({"quantization"}),
    "quantization_unknown": frozenset({"quantization"}),
    "weights_mismatch": frozenset({"quantization"}),
}
"""By the failure's kind: controls that it depends on although the log's line may not name them."""
_PASSING = frozenset(
    {"gpu_busy", "gpu_memory_moved", "gpu_exclusive", "port_in_use", "hub_busy", "hub_unreachable"}
)
"""Kinds that may be gone at the next try."""
_SCHEDULING = frozenset(
    {
        "max_num_seqs",
        "max_num_batched_tokens",
        "max_num_active_seqs",
        "max_num_scheduled_tokens",
        "max_model_len",
        "max_num_queued_reqs",
        "max_num_queued_tokens",
        "long_prefill_token_threshold",
        "long_prefill_token_threshold_adaptive",
        "scheduling_policy",
        "scheduler_reserve_full_isl",
        "watermark",
        "stream_interval",
        "num_gpu_blocks_override",
        "gpu_memory_utilization",
    }
)
"""Controls that change no kernel: an unexplained failure depends on them only if it names them."""

WouldFail = Callable[[Configuration], bool]


def fails_alike(failed: Configuration, error: WorkbenchError, *, any_served: bool) -> WouldFail:
    """Return which configurations would fail as `failed` did.

    Args:
        failed: the configuration of the server.
        error: why it didn't start.
        any_served: whether a server of this plan was ready before.
    """
    failure = failure_of(error)
    kind = failure.kind if failure else "unknown"
    named = _named_controls(error, failure) | _ALSO_NAMED.get(kind, frozenset())

    def would_fail(other: Configuration) -> bool:
        if other.launch_controls() == failed.launch_controls():
            return not any_served or (failure is not None and kind not in _PASSING)
        helped = any(
            _may_help(name, before, after, kind, named)
            for name, before, after in _changes(failed.launch_controls(), other.launch_controls())
        )
        return not helped and (not any_served or kind in _HELPS)

    return would_fail


def left_out_message(dropped: Sequence[Run], *, ends_plan: bool) -> Message:
    """Return which runs are left out because their server would fail to start."""
    if ends_plan:
        return message("experiments.plan_ends", runs=len(dropped))
    names = list(dict.fromkeys(run.configuration.label for run in dropped))
    return message("experiments.left_out", configurations=names, runs=len(dropped))


def _changes(
    failed: Mapping[str, Value], other: Mapping[str, Value]
) -> list[tuple[str, Value | None, Value | None]]:
    """Return the controls in which two launches differ, with both values; None is vLLM's default."""
    names = sorted(failed.keys() | other.keys())
    return [
        (name, failed.get(name), other.get(name)) for name in names if failed.get(name) != other.get(name)
    ]


def _may_help(
    name: str, before: Value | None, after: Value | None, kind: str, named: Collection[str]
) -> bool:
    """Return whether a server may start with this control at `after` where it failed with `before`."""
    helps = _HELPS.get(kind)
    if helps is None:
        return name in named or (kind == "unknown" and name not in _SCHEDULING)
    direction = helps.get(name)
    if direction is None or direction == "other":
        return direction == "other"
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return True
    return after < before if direction == "lower" else after > before


def _named_controls(error: WorkbenchError, failure: Failure | None) -> set[str]:
    """Return the controls that the log's line or the refusal's place names, as a setting or a flag."""
    key = error.place.key if isinstance(error, Refusal | WorkFailure) else None
    text = f"{key or ''} {failure.line if failure else ''}"
    return {
        name
        for name, control in CONTROLS.items()
        for word in (name, (control.flag or name).removeprefix("--"))
        if re.search(rf"\b{re.escape(word)}\b", text)
    }
