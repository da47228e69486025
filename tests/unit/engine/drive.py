"""Helpers that drive a scheduler in tests."""

from collections.abc import Callable, Iterable

from workbench.engine.scheduler import Pipeline, Request, Scheduler, SchedulerConfig, Step, Update

Log = list[tuple[Step, Update]]


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
        scheduler.add(each)
    return scheduler


def one_step(scheduler: Scheduler) -> tuple[Step, Update]:
    """Schedule and process a step, sync."""
    step = scheduler.schedule()
    return step, scheduler.update(step)


def run_out(scheduler: Scheduler, *, watch: Callable[[Scheduler, Step], None] | None = None) -> Log:
    """All steps until nothing is left to do."""
    pipeline, log, launched = Pipeline(scheduler), [], 0
    while pipeline.has_work():
        turn = pipeline.turn()
        if turn.launched is not None and watch:
            watch(scheduler, turn.launched)
        if turn.due is not None:
            log.append((turn.due, scheduler.update(turn.due)))
        launched += 1
        assert launched < 100_000, "the engine stands still"
    return log


def shares(step: Step) -> list[tuple[str, int]]:
    """(id, tokens) in order."""
    return [(each.id, count) for each, count in step.entries]
