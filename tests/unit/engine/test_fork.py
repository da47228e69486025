"""A fork reproduces what it doesn't change, and foretells exactly what its own engine would have done."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.engine.recorded_replay import MODEL, RecordedReplay, job
from workbench.base import Refusal
from workbench.engine import ForkOrder, ReplayJob, Scheduler, SchedulerConfig, play_fork, read_recording
from workbench.engine.fork import ForkResult, Recording
from workbench.engine.fork.ahead import RunEvents
from workbench.engine.fork.figures import Mark, future_figures

PARITY = Path(__file__).parents[2] / "data" / "parity"
SHARED = Path(__file__).parents[4] / "shared" / "data" / "parity"
RECORD = PARITY / "serve" / "serve-60-blocks.steps.jsonl.gz"
SMALL = [
    *(PARITY / "open").glob("1[38]-*.gz"),
    *(PARITY / "open_async").glob("3[15]-*.gz"),
    *(PARITY / "random").glob("0009*.gz"),
]
ALL = sorted({*PARITY.rglob("*.json.gz"), *PARITY.rglob("*.jsonl.gz"), *SHARED.rglob("*.json.gz")})


def reproduces(path: Path) -> None:
    """A fork at the first step and in the middle, with nothing changed."""
    recording = read_recording(path)
    for at_s in (0.0, 0.4 * (RunEvents(recording).time_of(len(recording.lines) - 1) - recording.zero)):
        result = play_fork(recording, ForkOrder(at_s=at_s))
        assert result.decisions > 0
        assert (result.same, result.differs_at) == (result.decisions, None)
        assert all(one.changed == one.recorded for one in result.figures.values())


@pytest.mark.parametrize("path", SMALL, ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_that_an_unchanged_fork_reproduces_a_golden_case(path: Path):
    reproduces(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL, ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_that_an_unchanged_fork_reproduces_every_recording(path: Path):
    reproduces(path)


def test_that_an_unchanged_fork_reproduces_a_live_server_and_a_limit_that_does_not_bind_changes_nothing():
    recording = read_recording(RECORD)
    unbound = ForkOrder(step=300, changes={"max_num_seqs": 4000, "long_prefill_token_threshold": 4000})
    for order in (ForkOrder(step=300), unbound):
        result = play_fork(recording, order)
        assert (result.same, result.decisions) == (480, 480)
        assert not any(one.certain for one in result.figures.values())


# Against what the engine itself does with the change.

OPEN = [job(n, 0.011 * n, 40 + 13 * (n % 7), 10 + 5 * (n % 5)) for n in range(60)]
SESSIONS = [
    job(n, 0.02 * n, 60, 20, after=n - 12 if n >= 12 else -1, delay_s=0.03 * (n >= 12)) for n in range(60)
]


def settings(**changes: object) -> SchedulerConfig:
    values: dict[str, object] = {
        "num_gpu_blocks": 81,
        "max_model_len": 512,
        "max_num_seqs": 12,
        "max_num_batched_tokens": 256,
        "async_scheduling": False,
    }
    return SchedulerConfig(**{**values, **changes})  # type: ignore[arg-type]  # fields by name


def fresh(jobs: list[ReplayJob]) -> list[ReplayJob]:
    """The jobs with requests that were never scheduled."""
    again = []
    for number, one in enumerate(jobs):
        made = job(number, one.due_s, one.request.num_prompt_tokens, one.request.max_tokens)
        again.append(one._replace(request=made.request))
    return again


def fork_and_truth(
    jobs: list[ReplayJob],
    config: SchedulerConfig,
    changes: dict[str, int | bool | str],
    change: Callable[[Scheduler], None],
    **more: object,
) -> tuple[ForkResult, dict[str, float]]:
    """Fork the unchanged record after step 40, and play the same engine with the change made there."""
    after = 40 + (2 if config.async_scheduling else 1)
    recording = RecordedReplay(fresh(jobs), config).recording(**more)
    result = play_fork(recording, ForkOrder(step=after, changes=changes, draws=1))
    true = RecordedReplay(fresh(jobs), config, change, 40)
    changed = true.recording()
    begin = next(n for n, line in enumerate(changed.lines) if getattr(line, "t", -1) == after)
    at = RunEvents(changed).time_of(begin)
    ended = {name for name, line in RunEvents(recording).ended_line.items() if line >= begin}
    gaps = sum(1 for line in changed.lines[:begin] if getattr(line, "tok", None))
    figures = future_figures(true.tally, Mark(at, gaps, 0), ended, {}).figures
    return result, figures


def set_active(value: int) -> Callable[[Scheduler], None]:
    return lambda scheduler: setattr(scheduler, "max_num_active_reqs", value)


def set_budget(value: int) -> Callable[[Scheduler], None]:
    return lambda scheduler: setattr(scheduler, "max_num_scheduled_tokens", value)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("changes", "change"),
    [({"max_num_seqs": 4}, set_active(4)), ({"max_num_batched_tokens": 48}, set_budget(48))],
    ids=["slots", "budget"],
)
def test_that_a_change_becomes_what_the_engine_does_with_it(
    changes: dict[str, int | bool | str], change: Callable[[Scheduler], None], is_async: bool
):
    result, truth = fork_and_truth(OPEN, settings(async_scheduling=is_async), changes, change)
    assert result.differs_at is not None
    assert result.unfinished == 0
    for name in ("ttft_ms", "ttft_p95_ms", "e2e_ms", "e2e_p95_ms", "waiting_ms", "span_s"):
        assert result.figures[name].changed == pytest.approx(truth[name], rel=0.002), name
        assert result.figures[name].certain
        assert abs(result.replay_error[name]) < 0.002
    assert result.model.a == pytest.approx(MODEL.a, rel=0.01)


def test_that_sessions_and_a_closed_loop_react_to_the_change():
    changes: dict[str, int | bool | str] = {"max_num_seqs": 4}
    follows = {f"r{n}": f"r{n - 12}" for n in range(12, 60)}
    for known in ({"follows": follows}, {"concurrency": 12}):
        result, truth = fork_and_truth(SESSIONS, settings(), changes, set_active(4), **known)
        reacting = result.figures["ttft_ms"]
        assert reacting.changed == pytest.approx(truth["ttft_ms"], rel=0.01 if "follows" in known else 0.05)
        assert result.figures["span_s"].changed == pytest.approx(truth["span_s"], rel=0.01)
    blind, _ = fork_and_truth(SESSIONS, settings(), changes, set_active(4))
    assert blind.figures["ttft_ms"].changed > 1.2 * reacting.changed


def test_that_more_kv_blocks_end_preemptions_and_a_client_that_leaves_still_leaves():
    jobs = [*OPEN[:59], job(59, 0.3, 60, 400, leave_after=30)]
    recording = RecordedReplay(fresh(jobs), settings(num_gpu_blocks=33)).recording()
    result = play_fork(recording, ForkOrder(step=30, changes={"num_gpu_blocks": 200}, draws=1))
    preemptions = result.figures["preemptions"]
    assert preemptions.recorded > 3
    assert preemptions.changed == 0
    assert result.unfinished == 0
    assert result.figures["e2e_ms"].changed < result.figures["e2e_ms"].recorded


def test_that_gains_and_losses_are_by_class_and_request():
    classes = {f"r{n}": "short" if n % 2 else "long" for n in range(60)}
    recording = RecordedReplay(fresh(OPEN), settings()).recording(classes=classes)
    result = play_fork(recording, ForkOrder(step=41, changes={"max_num_seqs": 4}, draws=2))
    assert {one.cls for one in result.classes} == {"short", "long"}
    assert all(one.figures["ttft_ms"].certain for one in result.classes)
    assert result.lose[0].changed_ms > result.lose[0].recorded_ms
    assert {one.cls for one in result.lose} <= {"short", "long"}


@pytest.mark.parametrize(
    ("order", "kind"),
    [
        (ForkOrder(step=10**6), "engine.fork_after_end"),
        (ForkOrder(step=1, changes={"policy": "priority"}), "base.not_one_of"),
        (ForkOrder(step=1, changes={"max_num_seqs": 0}), "base.too_small"),
        (ForkOrder(step=1, changes={"max_num_seqs": "many"}), "engine.impossible_change"),
        (ForkOrder(step=1, changes={"num_gpu_blocks": 3}), "engine.reserved_out_of_range"),
    ],
)
def test_that_an_impossible_fork_is_refused(order: ForkOrder, kind: str):
    recording: Recording = RecordedReplay(fresh(OPEN), settings()).recording()
    with pytest.raises(Refusal) as refused:
        play_fork(recording, order)
    assert refused.value.kind == kind
