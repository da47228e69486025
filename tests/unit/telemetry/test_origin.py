"""Several processes that answer in turn behind one address are no restart, and are never passed over."""

import pytest

from workbench.results import Conditions, RunFrame, summarize_run
from workbench.telemetry import MetricsPage, ScrapeOrigin, server_delta


def page(preemptions: float, started: float | None = None) -> MetricsPage:
    start = "" if started is None else f"process_start_time_seconds {started}\n"
    return MetricsPage.parse(
        f"{start}"
        'vllm:num_requests_running{engine="0",model_name="m"} 3\n'
        f'vllm:num_preemptions_total{{engine="0",model_name="m"}} {preemptions}\n'
    )


def origin_of(pages: list[MetricsPage]) -> ScrapeOrigin:
    origin = ScrapeOrigin()
    for each in pages:
        origin.feed(each)
    return origin


@pytest.mark.parametrize(
    ("pages", "sign"),
    [
        # The first and the last page are of one process: their difference alone shows nothing.
        (
            [page(100, 1000), page(150, 1500), page(100, 1000)],
            "2 processes answer in turn, which began 500 s apart",
        ),
        (
            [page(100), page(150), page(100), page(151), page(101)],
            "vllm:num_preemptions goes back and forth between 150 and 100",
        ),
        ([page(100, 1500), page(150, 1000)], "2 processes answer in turn, which began 500 s apart"),
    ],
    ids=["start times", "counters", "back in time"],
)
def test_processes_that_answer_in_turn_leave_no_server_figures(pages: list[MetricsPage], sign: str) -> None:
    change = server_delta(pages[0], pages[-1], origin_of(pages))
    assert not change.restarted
    assert change.preemptions is None
    assert str(change.mixed) == sign
    samples = [sample for t, each in enumerate(pages) for sample in each.samples(float(t))]
    summary = summarize_run(
        [], RunFrame(length_s=10.0), samples=samples, server=change, conditions=Conditions()
    )
    assert summary.reasons == [f"scrapes come from different processes (a load balancer?): {sign}"]
    figures = (summary.preemptions, summary.running_max, summary.waiting_max, summary.kv_peak)
    assert figures == (None, None, None, None)


@pytest.mark.parametrize(
    ("pages", "sign"),
    [
        ([page(100), page(2), page(150)], "vllm:num_preemptions fell from 100 to 2"),
        ([page(100, 10), page(2, 20), page(1, 30), page(5, 30)], "its process began +20 s"),
    ],
    ids=["counted anew", "began later, twice"],
)
def test_a_restart_stays_a_restart_also_where_the_last_page_has_caught_up(
    pages: list[MetricsPage], sign: str
) -> None:
    change = server_delta(pages[0], pages[-1], origin_of(pages))
    assert change.mixed is None
    assert change.restarted
    assert str(change.restart_sign).startswith(sign)


def test_one_process_is_neither() -> None:
    pages = [page(count, 10) for count in (1, 1, 2, 5)]
    change = server_delta(pages[0], pages[-1], origin_of(pages))
    assert (change.mixed, change.restarted, change.preemptions) == (None, False, 4.0)
