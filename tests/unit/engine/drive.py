"""Helpers that drive a scheduler in tests."""

from collections.abc import Callable, Iterable

from workbench.engine.scheduler import (
    BatchQueue,
    EngineCoreOutputs,
    Request,
    Scheduler,
    SchedulerConfig,
    SchedulerOutput,
)

Log = list[tuple[SchedulerOutput, EngineCoreOutputs]]


def config(**changes: object) -> SchedulerConfig:
    """A small engine: 100 usable blocks of 16, sync, prompts unique."""
    settings: dict[str, object] = {
        "num_gpu_blocks": 101,
        "max_model_len": 1024,
        "max_num_seqs": 16,
        "max_num_batched_tokens": 256,
        "async_scheduling": False,
    }
    return SchedulerConfig(**(settings | changes))  # type: ignore[arg-type]  # fields by name


def request(name: str, prompt: int = 64, output: int = 8, **more: object) -> Request:
    """A request of that id."""
    return Request(name, prompt, output, **more)  # type: ignore[arg-type]  # fields by name


def engine(requests: Iterable[Request] = (), **changes: object) -> Scheduler:
    """A scheduler to which the requests were added in order."""
    scheduler = Scheduler(config(**changes))
    for each in requests:
        scheduler.add_request(each)
    return scheduler


def one_step(scheduler: Scheduler) -> tuple[SchedulerOutput, EngineCoreOutputs]:
    """Schedule and process a step, sync."""
    step = scheduler.schedule()
    return step, scheduler.update_from_output(step)


def run_out(
    scheduler: Scheduler, *, watch: Callable[[Scheduler, SchedulerOutput], None] | None = None
) -> Log:
    """All steps until nothing is left to do."""
    batch_queue, log, launched = BatchQueue(scheduler), [], 0
    while batch_queue.has_work():
        turn = batch_queue.step()
        if turn.scheduled is not None and watch:
            watch(scheduler, turn.scheduled)
        if turn.awaited is not None:
            log.append((turn.awaited, scheduler.update_from_output(turn.awaited)))
        launched += 1
        assert launched < 100_000, "the engine stands still"
    return log


def shares(step: SchedulerOutput) -> list[tuple[str, int]]:
    """(id, tokens) in order."""
    return [(each.request_id, count) for each, count in step.num_scheduled_tokens]
