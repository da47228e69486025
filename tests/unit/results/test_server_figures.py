"""Peaks and counters of a server: never of a part of its engines, or of the run, without a word."""

import pytest

from tests.unit.results.making import request
from workbench.base import message
from workbench.results import (
    Conditions,
    Outcome,
    RunFrame,
    RunSummary,
    Sample,
    ServerDelta,
    over_engines,
    summarize_run,
)

FRAME = RunFrame(length_s=60.0, ended=60.0)


def run_of(
    samples: list[Sample], server: ServerDelta | None = None, need: tuple[str, ...] = ()
) -> RunSummary:
    records = [request(i, due=float(i)) for i in range(60)]
    return summarize_run(records, FRAME, samples=samples, server=server, conditions=Conditions(need=need))


def scrapes(begin: float, end: float, **values: float) -> list[Sample]:
    return [Sample(t=float(t), **values) for t in range(int(begin), int(end) + 1)]


def test_an_engine_whose_value_is_unknown_makes_the_sum_unknown() -> None:
    known, unknown = (
        Sample(t=0.0, engine="0", running=2, kv_usage=0.4),
        Sample(t=0.0, engine="1", running=None),
    )
    assert over_engines([known], "running") == 2
    assert over_engines([known, unknown], "running") is None
    assert over_engines([known, unknown], "kv_usage") is None
    # Rejections stand in the first engine's sample.
    assert over_engines([Sample(t=0.0, rejected=6), unknown], "rejected") == 6


def test_metrics_that_were_lost_during_the_run_leave_its_figures_unknown_and_say_so() -> None:
    summary = run_of(scrapes(0, 20, running=3, waiting=0, kv_usage=0.2, preemptions=0))
    assert (summary.preemptions, summary.running_max, summary.kv_peak) == (None, None, None)
    assert summary.notes == [
        "the server's metrics cover only 0 s to 20 s of 60 s: its peaks and counters are unknown"
    ]
    assert summary.valid
    needed = run_of(scrapes(0, 20, preemptions=0), need=("preemptions",))
    assert needed.reasons == ["metrics missing: preemptions was not measured"]


def test_metrics_that_began_late_are_lost_as_well() -> None:
    summary = run_of(scrapes(30, 60, running=3, preemptions=7))
    assert (summary.preemptions, summary.running_max) == (None, None)
    assert "cover only 30 s to 60 s of 60 s" in summary.notes[0]


def test_counters_of_scrapes_that_cover_the_run_are_known_without_a_last_page() -> None:
    samples = [*scrapes(0, 30, preemptions=1, running=1), *scrapes(31, 60, preemptions=4, running=5)]
    summary = run_of(samples)
    assert (summary.preemptions, summary.running_max, summary.notes) == (3, 5, [])


def test_a_long_pause_hides_the_peaks_and_not_the_counters() -> None:
    samples = [*scrapes(0, 20, running=3), *scrapes(40, 60, running=2)]
    summary = run_of(samples, ServerDelta(preemptions=9))
    assert (summary.running_max, summary.preemptions) == (None, 9)
    assert summary.notes == ["the server's metrics did not come from 20 s to 40 s: its peaks are unknown"]


def test_a_page_of_several_engines_names_them() -> None:
    engines = ("http://10.0.0.1:8000", "http://10.0.0.2:8000")
    samples = [Sample(t=float(t), engine=name, running=2) for t in range(61) for name in engines]
    assert run_of(samples).notes == [
        "the server's metrics are those of 2 engines: http://10.0.0.1:8000, http://10.0.0.2:8000"
    ]
    assert run_of(samples).running_max == 4


@pytest.mark.parametrize("engine", ["0", "12"])
def test_ranks_of_one_server_need_no_word(engine: str) -> None:
    assert run_of([Sample(t=float(t), engine=engine, running=2) for t in range(61)]).notes == []


def test_means_are_over_the_time_of_the_window() -> None:
    """A scrape stands for the time since the one before, however unevenly they came; the drain counts not."""
    looks = ((0, 4), (5, 2), (6, 8), (10, 8), (15, 9))
    samples = [Sample(t=float(t), running=count, kv_usage=count / 10) for t, count in looks]
    frame = RunFrame(length_s=10.0, ended=15.0)
    summary = summarize_run([request(due=1.0)], frame, samples=samples, server=ServerDelta())
    assert summary.running_mean == pytest.approx((5 * 2 + 5 * 8) / 10)
    assert summary.kv_mean == pytest.approx(0.5)
    assert summary.running_max == 9


def test_the_oldest_request_without_a_first_token_is_followed_to_the_end_of_the_window() -> None:
    records = [
        request(0, due=1.0, ttft=0.5),
        request(1, due=2.0, ttft=30.0),
        request(2, due=8.0, ttft=0.2),
        # Answered after the window: within it, it got 4 s old.
        request(3, due=6.0, ttft=90.0),
    ]
    assert summarize_run(records[:1], RunFrame(length_s=10.0)).oldest_waiting_s == pytest.approx(0.5)
    assert summarize_run(records, RunFrame(length_s=10.0)).oldest_waiting_s == pytest.approx(8.0)
    assert summarize_run(records[2:], RunFrame(length_s=10.0)).oldest_waiting_s == pytest.approx(4.0)
    assert summarize_run([], RunFrame(length_s=10.0)).oldest_waiting_s is None


def test_rejections_within_the_window_have_their_rate() -> None:
    refused = [request(i, due=float(i), outcome=Outcome.REJECTED) for i in range(5)]
    assert summarize_run(refused, RunFrame(length_s=10.0)).rejected_rps == pytest.approx(0.5)


def two_engines(**values: tuple[float, float]) -> list[Sample]:
    """Two engines over the minute; counters rise to their value at its end."""
    rising = {"succeeded", "prefix_hits", "prefix_queries", "preemptions"}
    return [
        Sample(
            t=float(t),
            engine=name,
            **{
                field: both[place] * t / 60 if field in rising else both[place]
                for field, both in values.items()
            },
        )
        for t in range(61)
        for place, name in enumerate(("a", "b"))
    ]


def test_each_engine_has_its_figures_and_their_imbalance_is_stated() -> None:
    taken = two_engines(
        running=(8, 4),
        waiting=(6, 0),
        kv_usage=(0.6, 0.2),
        succeeded=(90, 30),
        prefix_hits=(60, 0),
        prefix_queries=(120, 120),
    )
    summary = run_of(taken)
    assert list(summary.engines) == ["a", "b"]
    assert (summary.engines["a"].waiting_max, summary.engines["b"].waiting_max) == (6, 0)
    assert (summary.engines["a"].requests, summary.engines["a"].prefix_hit) == (90, 0.5)
    assert summary.imbalance is not None
    assert summary.imbalance.waiting == pytest.approx(2)
    assert summary.imbalance.requests == pytest.approx(1.5)
    assert summary.imbalance.kv == pytest.approx(1.5)


def test_engines_without_a_queue_have_no_imbalance_of_waiting() -> None:
    summary = run_of(two_engines(running=(1, 1), waiting=(0, 0)))
    assert summary.imbalance is not None
    assert (summary.imbalance.waiting, summary.imbalance.requests) == (None, None)


def test_one_engine_has_no_figures_of_its_own() -> None:
    summary = run_of(scrapes(0, 60, running=1))
    assert (summary.engines, summary.imbalance) == ({}, None)


def test_a_replica_that_changed_makes_the_run_invalid() -> None:
    changed = message("servers.replica_silent", replica="b", why="gone")
    records = [request(i, due=float(i)) for i in range(60)]
    summary = summarize_run(records, FRAME, conditions=Conditions(replica_changes=(changed,)))
    assert [reason.kind for reason in summary.reason_messages] == ["results.replica_changed"]
    assert summary.reason_messages[0].values["found"] == changed
