"""How fast the embedded engine decides, printed: exact steps with records, and a long trace replayed."""

import itertools
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.unit.engine.recorded_replay import RecordedReplay, job
from workbench.engine import (
    ForkOrder,
    Recording,
    Replay,
    Request,
    Scheduler,
    SchedulerConfig,
    jobs_of,
    play_fork,
)
from workbench.engine.scheduler import BatchQueue, SchedulerOutput
from workbench.profiles import load_profile
from workbench.traces import open_loop, read_trace

TRACE = Path(__file__).parents[3] / "shared" / "data" / "traces" / "mooncake_conversation.first700.jsonl"


def steps_per_second(*, caching: bool, is_async: bool, steady: bool) -> float:
    """64 decoding requests, every step kept."""
    scheduler = Scheduler(
        SchedulerConfig(
            num_gpu_blocks=28000,
            max_model_len=32768,
            enable_prefix_caching=caching,
            async_scheduling=is_async,
        )
    )
    if not steady:
        scheduler._begin_steady = lambda step: None  # type: ignore[method-assign]  # every step looped over
    for i in range(64):
        scheduler.add_request(Request(f"r{i}", 200 + i, 1500))
    batch_queue, records = BatchQueue(scheduler), list[SchedulerOutput]()
    began = time.perf_counter()
    while batch_queue.has_work():
        turn = batch_queue.step()
        if turn.scheduled is not None:
            records.append(turn.scheduled)
        if turn.awaited is not None:
            scheduler.update_from_output(turn.awaited)
    return len(records) / (time.perf_counter() - began)


def replay_seconds() -> tuple[float, int]:
    """Wall seconds of reading and replaying 700 conversations, and the steps they took."""
    profile = load_profile("h100_sxm/Llama-3.1-8B/tp1")
    config = SchedulerConfig(
        num_gpu_blocks=profile.num_gpu_blocks, max_model_len=profile.max_model_len, async_scheduling=False
    )
    began = time.perf_counter()
    trace = read_trace(TRACE)
    figures = Replay(jobs_of(trace, open_loop(trace), config), config, profile.step_model).run()
    return time.perf_counter() - began, figures.steps


def fork_seconds() -> tuple[float, float, int]:
    """Wall seconds of a fork at 64 running, whole and per modelled future, and the record's steps."""
    recording = recorded(requests=640, running=64, output=1000)
    began = time.perf_counter()
    result = play_fork(recording, ForkOrder(step=1, draws=1, changes={"max_num_seqs": 63}))
    whole = time.perf_counter() - began
    result = play_fork(recording, ForkOrder(step=1, draws=3, changes={"max_num_seqs": 63}))
    return whole, (time.perf_counter() - began - 2 * whole) / 4, result.decisions


def recorded(*, requests: int, running: int, output: int) -> Recording:
    """A step record of the embedded engine, with decodes in a closed loop of `running` requests."""
    jobs = [
        job(n, 0.0, 60 + n % 97, output + 7 * (n % 13), after=n - running if n >= running else -1)
        for n in range(requests)
    ]
    config = SchedulerConfig(
        num_gpu_blocks=28000, max_model_len=32768, max_num_seqs=running, async_scheduling=False
    )
    return RecordedReplay(jobs, config).recording()


def main() -> None:
    """Print the figures beside what they should reach: the best of three, for the machine may be busy."""
    for is_async, caching, steady in itertools.product((False, True), repeat=3):
        rate = max(steps_per_second(caching=caching, is_async=is_async, steady=steady) for _ in range(3))
        print(
            f"{'async' if is_async else 'sync '}  prefix caching {'on ' if caching else 'off'}  "
            f"{'counted' if steady else 'looped '}  {rate:>9,.0f} exact steps/s at 64 decoding requests"
            + ("  (at least 6,000)" if steady else "")
        )
    whole, each, steps = fork_seconds()
    print(
        f"fork of {steps:,} recorded steps at 64 running: {each:.2f} s a modelled future,"
        f" {each * 10000 / steps:.2f} s for 10,000 steps (at most 1.7); "
        f"{whole:.2f} s in all for one draw"
    )
    if TRACE.exists():
        seconds, steps = min(replay_seconds() for _ in range(3))
        print(f"mooncake_conversation, 700 rows, {steps:,} steps: {seconds:.2f} s (at most 3)")
    else:
        print("mooncake_conversation: not in the project, not measured")


if __name__ == "__main__":
    main()
