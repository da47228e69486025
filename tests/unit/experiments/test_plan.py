"""The plan: order, restarts, sharing of a baseline."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.base import InputError
from workbench.experiments import Experiment, Repeats, estimate_plan, make_plan, prepare
from workbench.experiments.plan.estimate import TimeLeft
from workbench.experiments.plan.plan import expected_run_s, expected_s
from workbench.experiments.plan.run_queue import RunQueue
from workbench.experiments.plan.workload import read_workload


def repeated(n: int, order: str = "interleaved") -> Experiment:
    return msgspec.structs.replace(read(GOOD), repeat=msgspec.convert({"n": n, "order": order}, Repeats))


def test_that_the_baseline_runs_first_and_each_value_once() -> None:
    assert [run.name for run in make_plan([read(GOOD)]).runs] == [
        "baseline @ 12 req/s",
        "max_num_seqs = 32 @ 12 req/s",
        "max_num_seqs = 64 @ 12 req/s",
    ]


def test_that_the_time_left_has_the_server_s_start_and_the_present_run() -> None:
    plan = make_plan([read(GOOD)])
    queue = RunQueue(plan)
    present = queue.next()
    assert present is not None
    left = TimeLeft(plan, queue)
    rest = left.plan_left(0.0)
    assert left.before_load(present, starts=True) == pytest.approx(sum(expected_s(plan, plan.runs)))
    left.server_took(20.0)
    alone = expected_run_s(plan.experiments[0], present.rate)
    assert left.before_load(present, starts=True) - left.plan_left(0.0) == pytest.approx(20.0 + alone)
    assert left.before_load(present, starts=False) - left.plan_left(0.0) == pytest.approx(alone)
    assert rest > 0


@pytest.mark.parametrize(
    ("target", "costs_money"),
    [
        ('kind = "embedded"\nprofile = "h100_sxm/Llama-3.1-8B/tp1"', False),
        ('kind = "local"\nmodel = "m"', True),
    ],
)
def test_that_only_a_plan_on_real_hardware_costs_money(
    target: str, costs_money: bool, tmp_path: Path
) -> None:
    price = '[cost]\ncurrency="EUR"\nper_hour=3.6\nbasis="on_demand"\nprice_date="2026-11-01"\nsource="y"\n'
    stated = GOOD.replace(
        'kind = "embedded"\nprofile = "h100_sxm/Llama-3.1-8B/tp1"\ntime_scale = 2.0', target
    )
    plan = make_plan([read(stated.replace("[objectives]", f"{price}[objectives]"))])
    trace, _ = prepare(plan, tmp_path)
    costs = estimate_plan(plan, trace)
    expected = pytest.approx(costs.wall_s * 3.6 / 3600, abs=0.01) if costs_money else None
    assert (costs.money, costs.currency) == (expected, "EUR" if costs_money else None)


@pytest.mark.parametrize(
    ("target", "gpu_here", "gpus"),
    [
        ('kind = "local"\nmodel = "m"', True, 1),
        ('kind = "local"\nmodel = "m"\nargs = ["--tensor-parallel-size", "2"]', True, 2),
        ('kind = "local"\nmodel = "m"', False, 0),
        ('kind = "container"\nimage = "i"\nmodel = "m"', False, 0),
        ('kind = "embedded"\nprofile = "h100_sxm/Llama-3.1-8B/tp1"', True, 0),
    ],
)
def test_a_machine_without_a_gpu_spends_no_gpu_hours(
    target: str, gpu_here: bool, gpus: int, tmp_path: Path
) -> None:
    stated = GOOD.replace(
        'kind = "embedded"\nprofile = "h100_sxm/Llama-3.1-8B/tp1"\ntime_scale = 2.0', target
    )
    plan = make_plan([read(stated)])
    trace = read_workload(plan.experiments[0].trace, plan.experiments[0].load).trace
    costs = estimate_plan(plan, trace, gpu_here=lambda: gpu_here)
    assert costs.gpus == gpus
    assert costs.gpu_hours == pytest.approx(gpus * costs.wall_s / 3600, abs=0.001)


def test_that_repeats_run_there_and_back_so_that_drift_falls_on_all_alike() -> None:
    labels = [run.configuration.label for run in make_plan([repeated(2)]).runs]
    assert labels[:3] == labels[:2:-1]
    assert labels[0] == labels[-1] == "baseline"


def test_that_running_back_saves_the_restart_at_the_turn() -> None:
    assert make_plan([repeated(2)]).restarts() == 5


def test_that_sequential_repeats_stay_together() -> None:
    labels = [run.configuration.label for run in make_plan([repeated(2, "sequential")]).runs]
    assert labels == ["baseline"] * 2 + ["max_num_seqs = 32"] * 2 + ["max_num_seqs = 64"] * 2


def test_that_experiments_with_one_baseline_run_it_once() -> None:
    other = read(
        GOOD.replace(
            'name = "max_num_seqs"\nvalues = [32, 64]', 'name = "max_num_batched_tokens"\nvalues = [512]'
        )
    )
    labels = [run.configuration.label for run in make_plan([read(GOOD), other]).runs]
    assert labels == ["baseline", "max_num_seqs = 32", "max_num_seqs = 64", "max_num_batched_tokens = 512"]


def test_that_experiments_which_differ_in_more_than_the_control_are_refused_by_name() -> None:
    other = read(GOOD.replace("rates = [12.0]", "rates = [13.0]"))
    with pytest.raises(InputError, match=r"load\.rates"):
        make_plan([read(GOOD), other])


@given(st.integers(1, 6), st.sampled_from(["interleaved", "sequential"]))
def test_that_every_configuration_runs_as_often_as_asked_under_a_name_of_its_own(n: int, order: str) -> None:
    plan = make_plan([repeated(n, order)])
    names = [run.name for run in plan.runs]
    assert len(set(names)) == len(names) == 3 * n


def live(baseline: str) -> Experiment:
    text = GOOD.replace('name = "max_num_seqs"', 'name = "max_num_active_seqs"')
    text = text.replace("max_num_seqs = 16", f"max_num_seqs = 128\n{baseline}")
    return read(text.replace("[target]", "[target]\nlive_limits = true"))


def test_that_a_limit_a_running_server_takes_needs_no_restart_and_is_launched_at_its_largest() -> None:
    plan = make_plan([live("max_num_active_seqs = 8")])
    assert plan.restarts() == 1
    for run, seats in zip(plan.runs, (8, 32, 64), strict=True):
        assert run.configuration.launch_controls()["max_num_active_seqs"] == 64
        assert run.configuration.live_limits() == {"max_num_active_seqs": seats}
        assert run.configuration.controls["max_num_active_seqs"] == seats


def test_that_a_limit_which_the_baseline_leaves_open_is_launched_anew_for_each_value() -> None:
    plan = make_plan([live("")])
    assert plan.restarts() == 3
    assert all(not run.configuration.live_limits() for run in plan.runs)
