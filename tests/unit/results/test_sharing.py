"""A machine or a GPU that others use beside the run: no verdict is drawn from it, and the reason says why."""

import pytest

from tests.unit.results.making import request
from workbench.base import render
from workbench.results import (
    Conditions,
    GpuSample,
    MachineSample,
    RunFrame,
    Sharing,
    remedies,
    sharing_of,
    summarize_run,
    worth_retrying,
)


def looks(shares: list[float | None], field: str = "others_cpu") -> list[MachineSample]:
    return [MachineSample(t=float(t + 1), **{field: share}) for t, share in enumerate(shares)]


def cards(*uses: float | None, others: int = 1, index: int = 0) -> list[MachineSample]:
    return [
        MachineSample(
            t=float(t + 1),
            gpus=[
                GpuSample(index=index, memory_used=9, memory_ours=8, others=others, others_utilisation=use)
            ],
        )
        for t, use in enumerate(uses)
    ]


def reasons(samples: list[MachineSample], gpus: frozenset[int] = frozenset({0})) -> list[str]:
    sharing = sharing_of(samples, 60.0, gpus)
    records = [request(i, due=i * 0.1) for i in range(100)]
    summary = summarize_run(records, RunFrame(length_s=60.0), conditions=Conditions(sharing=sharing))
    assert summary.valid is (not summary.reasons)
    assert all(reason.kind == "results.machine_shared" for reason in summary.reason_messages)
    assert all("机器被共用" in render(reason, "zh_CN") for reason in summary.reason_messages)
    return summary.reasons


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ([0.09] * 30, []),
        (
            [0.62] * 30,
            ["machine shared: other processes took 62.0% of the usable cores on average > 10%"],
        ),
        # Five busy seconds of a minute: 5 % on average.
        (
            [0.6] * 5 + [0.0] * 55,
            ["machine shared: other processes took 60.0% of the usable cores over 5 s > 25%"],
        ),
        ([0.6] * 2 + [0.0] * 58, []),
        ([None] * 30, []),
        ([], []),
    ],
    ids=["a tenth", "starved", "a burst", "a short burst", "unknown", "not looked at"],
)
def test_a_run_on_a_starved_machine_is_not_valid(shares: list[float | None], said: list[str]) -> None:
    assert reasons(looks(shares)) == said


def test_the_machine_of_the_load_counts_as_well() -> None:
    (said,) = reasons(looks([0.5] * 30, "client_others_cpu"))
    assert said.startswith("machine shared: on the machine of the load, other processes took 50.0% of the")


def test_only_the_run_itself_counts() -> None:
    before_and_after = [MachineSample(t=-1.0, others_cpu=1.0), MachineSample(t=61.0, others_cpu=1.0)]
    assert reasons([*before_and_after, *looks([0.0] * 30)]) == []


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (cards(*[0.4] * 30), "other processes used a GPU of the server 40.0% of the time > 10%"),
        (
            cards(*[0.5] * 5, *[0.0] * 55),
            "other processes used a GPU of the server 50.0% of the time over 5 s > 25%",
        ),
        (
            cards(*[None] * 30),
            (
                "other processes held a GPU of the server in 100% of the samples, and their use of it is"
                " unknown"
            ),
        ),
        (cards(*[0.05] * 30), None),
        (cards(*[None] * 30, others=0), None),
        (cards(*[0.4] * 30, index=3), None),
    ],
    ids=["used", "a burst", "held", "hardly used", "alone", "another card"],
)
def test_a_gpu_that_somebody_else_uses_is_named(samples: list[MachineSample], said: str | None) -> None:
    assert reasons(samples) == ([] if said is None else [f"machine shared: {said}"])


def test_a_driver_that_does_not_name_the_servers_processes_says_nothing_of_others() -> None:
    for sample in (samples := [*cards(*[0.4] * 30), *cards(*[None] * 30)]):
        sample.gpus[0].memory_ours = None
    assert reasons(samples) == []


def test_the_row_has_the_share_of_the_machine_where_others_took_more() -> None:
    samples = [MachineSample(t=1.0, others_cpu=0.02, client_others_cpu=0.3)]
    assert sharing_of(samples, 10.0, frozenset()).host_others == pytest.approx(0.3)
    assert sharing_of([MachineSample(t=1.0)], 10.0, frozenset()).host_others is None
    assert Sharing().host_others is None


def test_the_run_may_be_repeated_and_the_remedy_says_so() -> None:
    sharing = sharing_of(looks([0.6] * 30), 60.0, frozenset())
    found = summarize_run([request()], RunFrame(length_s=60.0), conditions=Conditions(sharing=sharing))
    assert worth_retrying(found.reason_messages)
    assert [str(remedy) for remedy in remedies(found.reason_messages)] == [
        "the run again, once the other processes have ended, or on a quieter machine"
    ]
