"""Limits that were changed while a run went on: each moment is judged by the limit in force then."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from tests.unit.advice.test_diagnosis import LIMITS, between, bounds, samples
from tests.unit.advice.test_diagnosis_of_engine_runs import CHAT, Watched, jobs_at
from workbench.advice import Bottleneck, Diagnosis, RunView, StepWait, diagnose
from workbench.engine.scheduler import SchedulerConfig, SchedulerOutput
from workbench.results import LimitChange

SEATS = "max_num_active_seqs"


def changed(*values: tuple[float | None, int], first: int = 32, name: str = SEATS) -> list[LimitChange]:
    """Changes of one limit by the user at wall seconds of the run."""
    olds = [first, *(new for _, new in values[:-1])]
    return [
        LimitChange(t=t, name=name, asked=new, old=old, new=new, by="user")
        for (t, new), old in zip(values, olds, strict=True)
    ]


def verdicts(found: Diagnosis, control: str) -> list[str]:
    return [str(reach.verdict) for reach in found.headrooms if reach.control == control]


def test_that_seats_bind_only_while_the_lower_limit_was_in_force() -> None:
    taken = samples(60, running=8, waiting=between(20, 60, 5, 0), kv_usage=0.2, prompt_rate=100)
    found = diagnose(RunView(samples=taken, limits=LIMITS, changes=changed((20, 8), (40, 32))))
    finding = next(each for each in found.findings if each.bottleneck is Bottleneck.SEQUENCES)
    assert finding.moments == [pytest.approx((20, 40), abs=0.5)]
    assert f"{SEATS} 8 run" in str(finding.verdict)
    said = f"{SEATS} was changed during the run: 32, 8 from 20.0 s, 32 from 40.0 s."
    assert said in list(map(str, finding.evidence))
    # From 40 s on there are seats: what waits then, waits for something else.
    assert Bottleneck.SEQUENCES not in {
        segment.bottleneck for segment in found.timeline if segment.start > 41
    }


def test_that_the_same_samples_without_the_changes_blame_no_seat() -> None:
    taken = samples(60, running=8, waiting=between(20, 60, 5, 0), kv_usage=0.2, prompt_rate=100)
    assert Bottleneck.SEQUENCES not in bounds(diagnose(RunView(samples=taken, limits=LIMITS)))


def test_that_a_value_tried_in_the_run_is_the_next_change_where_the_limit_held_no_more_under_it() -> None:
    taken = samples(60, running=between(0, 30, 4, 9), waiting=between(0, 30, 5, 0), kv_usage=0.2)
    limits = {**LIMITS, SEATS: 4}
    found = diagnose(RunView(samples=taken, limits=limits, changes=changed((30, 16), first=4)))
    assert found.change is not None
    assert (found.change.control, found.change.value) == (SEATS, 16)
    assert str(found.change.text) == f"{SEATS} 4 → 16: at that value this limit was no bottleneck."
    quiet = RunView(samples=taken, limits=limits, changes=changed((30, 16), first=4), length_s=30)
    # Without load under the new value nothing was tried.
    change = diagnose(quiet).change
    assert change is not None
    assert "no bottleneck" not in str(change.text)


def test_that_the_next_change_starts_from_the_limit_that_bound_last() -> None:
    taken = samples(60, running=8, waiting=between(30, 60, 5, 0), kv_usage=0.1)
    found = diagnose(RunView(samples=taken, limits=LIMITS, changes=changed((30, 8))))
    assert found.change is not None
    assert (found.change.control, found.change.value) == (SEATS, 16)


def test_that_each_value_is_held_against_what_was_seen_while_it_held() -> None:
    taken = samples(60, running=between(0, 30, 20, 8), waiting=0, kv_usage=0.2)
    limits = {**LIMITS, SEATS: 32}
    found = diagnose(
        RunView(samples=taken, limits=limits, figures={"running_max": 20.0}, changes=changed((31, 8)))
    )
    first, second = verdicts(found, SEATS)
    assert first.startswith(f"Until 31.0 s: {SEATS} 32 was never reached (at most 20)")
    assert second == f"From 31.0 s: {SEATS} 8 was reached."


def test_that_a_budget_is_held_against_the_steps_that_were_made_under_it() -> None:
    waits = [StepWait(t=index / 4, reason="budget" if index >= 120 else None) for index in range(240)]
    found = diagnose(
        RunView(
            samples=samples(60, running=4, waiting=between(30, 60, 3, 0), kv_usage=0.2, prompt_rate=900),
            limits=LIMITS,
            step_waits=waits,
            step_tokens_max=7000.0,
            changes=changed((30, 512), first=8192, name="max_num_batched_tokens"),
        )
    )
    first, second = verdicts(found, "max_num_batched_tokens")
    assert first.startswith("Until 30.0 s: max_num_batched_tokens 8192 never kept a request waiting")
    assert second.startswith("From 30.0 s: max_num_batched_tokens 512 kept requests waiting in 100 %")
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_batched_tokens", 1024)


def test_that_a_full_house_is_judged_by_the_limit_in_force() -> None:
    """Between refusals the house counts as full only as far as the limit of that moment was reached."""
    taken = samples(
        60, running=8, waiting=8, kv_usage=0.2, prompt_rate=100, rejected=lambda t: min(9.0, t // 2)
    )
    limits = {**LIMITS, "max_num_queued_reqs": 16}
    stays = diagnose(RunView(samples=taken, limits=limits))
    raised = changed((20, 64), first=16, name="max_num_queued_reqs")
    grows = diagnose(RunView(samples=taken, limits=limits, changes=raised))
    assert stays.shares["admission"] == pytest.approx(1.0, abs=0.02)
    assert grows.shares["admission"] == pytest.approx(20 / 60, abs=0.05)


def test_that_refused_and_early_changes_and_a_simulated_clock_are_reckoned_rightly() -> None:
    """A change before the start holds from the first moment; stamps are wall, the strip is the run's time."""
    taken = samples(30, running=4, waiting=5, kv_usage=0.2)
    refused = LimitChange(t=1.0, name=SEATS, asked=99, old=4, new=4, by="user", refusal="too many")
    changes = [*changed((None, 4), (10.0, 32)), refused]
    found = diagnose(RunView(samples=taken, limits=LIMITS, changes=changes, time_scale=2.0))
    (seats,) = [segment for segment in found.timeline if segment.bottleneck is Bottleneck.SEQUENCES]
    assert (seats.start, seats.end) == pytest.approx((0, 20), abs=1.0)


class Turned(Watched):
    """A replay whose seats are changed at moments of its own clock, as a user would."""

    def __init__(self, *parts: Any, turns: list[tuple[float, int]]) -> None:
        super().__init__(*parts)
        self._turns = list(turns)
        self.limits = {name: value for name, value in self.limits.items() if value is not None}
        first = self._scheduler.max_num_active_reqs
        self.changes = changed(*turns, first=first)

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        super().scheduled(step, now)
        while self._turns and self._turns[0][0] <= now:
            self._scheduler.max_num_active_reqs = self._turns.pop(0)[1]


@pytest.mark.parametrize("steps", [False, True])
def test_that_an_engine_run_with_seats_lowered_and_put_back_is_bound_by_them_only_between(
    steps: bool,
) -> None:
    config = SchedulerConfig(num_gpu_blocks=40_000, max_model_len=32_768, max_num_seqs=64)
    turned = Turned(jobs_at(6, 240, CHAT), config, turns=[(10.0, 3), (20.0, 64)])
    turned.run()
    view = turned.view(steps=steps)
    found = diagnose(replace(view, changes=turned.changes))
    assert found.main is Bottleneck.SEQUENCES
    held = [segment for segment in found.timeline if segment.bottleneck is Bottleneck.SEQUENCES]
    assert 9.5 < held[0].start < 12.0
    assert 19.5 < held[-1].end < 21.0
    assert sum(segment.end - segment.start for segment in held) > 8.0
    for before, after in pairwise(held):
        assert after.start - before.end < 1.0
