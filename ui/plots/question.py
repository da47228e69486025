"""The plot that answers a plan's question: a growing queue, latency, or memory. No Qt."""

from ui.live import LiveState, RunView

QUEUE, LATENCY, MEMORY = "scheduler", "ttft", "kv"
"""Ids of the main plots."""
_MEMORY_CONTROLS = frozenset(
    {
        *("gpu_memory_utilization", "num_gpu_blocks_override", "block_size", "kv_cache_dtype", "watermark"),
        *("kv_cache_memory_bytes", "cpu_offload_gb", "kv_offloading_size", "max_model_len"),
    }
)
_LATENCIES = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms")


def main_plot(state: LiveState) -> str:
    """Return the main plot's id, from the measured runs, else from the control under test."""
    runs = [run for run in state.runs.values() if run.row and run.row.get("valid") is not False]
    if any(run.row.get("preemptions") for run in runs) or any(_limit(run) == "kv" for run in runs):
        return MEMORY
    if any(run.row.get("diverging") is True for run in runs):
        return QUEUE
    if runs and any(state.objectives.get(name) for name in _LATENCIES):
        return LATENCY
    tested = {run.control for run in state.runs.values()}
    return MEMORY if not runs and tested & _MEMORY_CONTROLS else QUEUE


def _limit(run: RunView) -> str | None:
    return run.diagnosed.main if run.diagnosed is not None else None
