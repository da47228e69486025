import pytest

from tests.unit.engine.drive import engine, request, run_out
from workbench.engine.scheduler import Scheduler


@pytest.mark.parametrize("is_async", [False, True])
def test_that_steady_decode_shares_one_list_of_requests_between_steps(is_async: bool):
    scheduler = engine([request("a", 20, 60), request("b", 30, 60)], async_scheduling=is_async)
    log = run_out(scheduler)
    lists = {id(step.num_scheduled_tokens) for step, _ in log if step.D == 2}
    assert len(lists) <= 4


def test_that_progress_is_visible_while_steps_are_only_counted():
    first = request("a", 20, 60)
    scheduler = engine([first])
    seen: list[tuple[int, int]] = []
    run_out(scheduler, watch=lambda _, __: seen.append((first.num_output_tokens, first.num_context_tokens)))
    assert seen[:60] == [(n, 20 + n) for n in range(60)]


def test_that_a_lowered_budget_ends_a_steady_stretch():
    scheduler = engine([request("a", 20, 60), request("b", 30, 60)])
    for _ in range(5):
        scheduler.update_from_output(scheduler.schedule())
    scheduler.max_num_scheduled_tokens = 1
    assert [each.request_id for each, _ in scheduler.schedule().num_scheduled_tokens] == ["a"]


def test_that_an_abort_in_a_steady_stretch_leaves_the_others_exact():
    first, second = request("a", 20, 60), request("b", 30, 60)
    scheduler = engine([first, second])
    for _ in range(9):
        scheduler.update_from_output(scheduler.schedule())
    scheduler.finish_requests("a")
    run_out(scheduler)
    assert (first.num_output_tokens, second.num_output_tokens) == (9, 60)


def test_that_a_stretch_really_is_counted(monkeypatch: pytest.MonkeyPatch):
    looped: list[int] = []
    original = Scheduler._schedule_each
    monkeypatch.setattr(
        Scheduler,
        "_schedule_each",
        lambda self, step: (looped.append(step.step_index), original(self, step))[1],
    )
    run_out(engine([request("a", 20, 60), request("b", 30, 60)]))
    assert len(looped) < 10
