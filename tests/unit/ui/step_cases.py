"""Small step records for the tests of the steps panel."""

from ui.steps.stage_data import StageData, stage_data
from ui.steps.step_arrays import KnownRequest, arrays_of
from workbench.advice.blame import build_step_index
from workbench.vllm_dialect import RequestAdded, StepHeader, StepScheduled, StepUpdated, encode_step

HEADER = StepHeader(
    base="Scheduler", async_scheduling=False, max_num_seqs=2, max_num_active_seqs=None,
    max_num_batched_tokens=64,
    enable_chunked_prefill=True, enable_prefix_caching=False, long_prefill_token_threshold=0, policy="fcfs",
    watermark=0.0, watermark_blocks=0, scheduler_reserve_full_isl=True, block_size=16, num_gpu_blocks=9,
    max_model_len=256,
)  # fmt: skip


def added(name, prompt, t_next=0):
    return RequestAdded(
        id=name, t_next=t_next, prompt=[1] * prompt, max_tokens=9, priority=0, arrival_time=0.0, eos=None
    )


def step(t, sched, *, run=(), pre=(), new=(), res=(), wait=0, free=0, why=None, fin=()):
    """A call at `t` seconds + 10 whose step takes half a second."""
    return [
        StepScheduled(
            t=t, mono=10.0 + t, us=0.0, sched=list(sched.items()), pre=list(pre), new=list(new),
            res=list(res), hit={}, run=list(run), wait=wait, free=free, why=why,
        ),
        StepUpdated(t=t, mono=10.5 + t, tok={}, fin=list(fin), run=list(run), wait=wait, free=free),
    ]  # fmt: skip


def staged(lines, known) -> StageData:
    index = build_step_index(map(encode_step, lines), 10.0, where="case")
    return stage_data(arrays_of(index, known))


def preemption() -> StageData:
    """Two requests fill 8 blocks; the second is preempted for the first, and comes back after it."""
    lines = [
        HEADER,
        added("a", 64),
        added("b", 60),
        added("c", 16),
        *step(0, {"a": 64}, run=["a"], new=["a"], wait=2, free=4, why="budget"),
        *step(1, {"a": 1, "b": 60}, run=["a", "b"], new=["b"], wait=1, free=0 + 0, why="seat"),
        *step(2, {"a": 16}, run=["a"], pre=[("b", 60)], wait=2, free=2, why="preempted_this_step"),
        *step(3, {"a": 1}, run=["a"], wait=2, free=2, why="kv", fin=["a"]),
        *step(4, {"b": 60}, run=["b"], res=["b"], wait=1, free=4, why="budget"),
        *step(5, {"b": 1, "c": 16}, run=["b", "c"], new=["c"], wait=0, free=3, fin=["b", "c"]),
    ]
    known = {
        "a": KnownRequest("a", 0, "chat"),
        "b": KnownRequest("b", 1, "document"),
        "c": KnownRequest("c", 2, "chat"),
    }
    return staged(lines, known)
