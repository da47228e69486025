"""The live picture: simulated seconds, rates from differences, gaps where nothing is known."""

import numpy as np

from workbench.experiments.run.live_sample import SampleBuilder
from workbench.results import LoadSnapshot, Outcome, RequestRecord, Sample


def snapshot(t: float, **changes: object) -> LoadSnapshot:
    fields: dict[str, object] = {
        "t": t, "due": 0, "sent": 0, "in_flight": 0, "awaiting_first_token": 0, "oldest_waiting_s": None,
        "completed": 0, "failed": 0, "rejected": 0, "timed_out": 0, "cancelled": 0, "events": 0,
    }  # fmt: skip
    return LoadSnapshot(**{**fields, **changes})  # type: ignore[arg-type]  # fields of several types


def test_that_nothing_is_invented_before_anything_was_seen() -> None:
    event = SampleBuilder("baseline", 1.0).event(0.5)
    assert event.running is None
    assert event.ttft_p95_ms is None
    assert event.output_tok_s is None
    assert event.offered_rps is None


def test_that_wall_figures_of_a_simulated_run_are_given_in_simulated_seconds() -> None:
    picture = SampleBuilder("baseline", 4.0)
    picture.add_snapshot(snapshot(1.0, recent_ttft_ms=[10.0, 20.0], oldest_waiting_s=0.5))
    event = picture.event(1.0)
    assert event.run_t == 4.0
    assert event.ttft_p50_ms == 60.0
    assert event.oldest_waiting_s == 2.0


def test_that_rates_are_differences_over_simulated_time() -> None:
    picture = SampleBuilder("baseline", 2.0)
    picture.add_samples([Sample(t=0.0, generation_tokens=1000.0, queue_sum_s=1.0, queue_count=10.0)])
    picture.add_samples([Sample(t=0.5, generation_tokens=1600.0, queue_sum_s=3.0, queue_count=14.0)])
    event = picture.event(0.5)
    assert event.output_tok_s == 600.0
    assert event.queue_ms == 500.0


def test_that_a_page_that_came_late_makes_no_spike() -> None:
    picture = SampleBuilder("baseline", 1.0)
    # 1,000 tokens a second; the page of 1.25 s comes at 1.49 s and the next one right after it.
    for page, came in (
        (0.0, 0.0),
        (0.25, 0.25),
        (0.5, 0.5),
        (0.75, 0.75),
        (1.0, 1.0),
        (1.25, 1.49),
        (1.5, 1.5),
    ):
        picture.add_samples([Sample(t=came, generation_tokens=1000.0 * page)])
    rate = picture.event(1.5).output_tok_s
    assert rate is not None
    assert 900 <= rate <= 1100, "over the last hundredth of a second it would be 25,000"


def test_that_a_server_that_was_started_anew_has_no_negative_rate() -> None:
    picture = SampleBuilder("baseline", 1.0)
    picture.add_samples([Sample(t=0.0, generation_tokens=5000.0)])
    picture.add_samples([Sample(t=1.0, generation_tokens=10.0)])
    assert picture.event(1.0).output_tok_s is None


def test_that_counters_of_a_server_that_was_up_before_count_from_the_runs_first_sample() -> None:
    picture = SampleBuilder("baseline", 1.0)
    picture.add_samples([Sample(t=0.0, preemptions=40.0)])
    picture.add_samples([Sample(t=0.3, preemptions=43.0)])
    assert picture.event(0.3).preemptions == 3.0


def test_that_several_engines_are_summed_and_the_fullest_pool_is_shown() -> None:
    picture = SampleBuilder("baseline", 1.0)
    picture.add_samples(
        [
            Sample(t=0.0, engine="0", running=3.0, kv_usage=0.2),
            Sample(t=0.0, engine="1", running=4.0, kv_usage=0.7),
        ]
    )
    event = picture.event(0.0)
    assert event.running == 7.0
    assert event.kv_usage == 0.7


def test_that_each_engine_and_their_imbalance_are_told_if_there_are_several() -> None:
    picture = SampleBuilder("baseline", 1.0)
    picture.add_samples(
        [
            Sample(t=0.0, engine="a", succeeded=100.0, waiting=0.0, kv_usage=0.1),
            Sample(t=0.0, engine="b", succeeded=500.0, waiting=0.0, kv_usage=0.3),
        ]
    )
    assert picture.event(0.0).waiting_imbalance is None, "nothing waits"
    picture.add_samples(
        [
            Sample(t=1.0, engine="a", running=4.0, succeeded=130.0, waiting=6.0, kv_usage=0.3),
            Sample(t=1.0, engine="b", running=1.0, succeeded=510.0, waiting=0.0, kv_usage=0.1),
        ]
    )
    event = picture.event(1.0)
    assert (event.waiting_imbalance, event.request_imbalance, event.kv_imbalance) == (2.0, 1.5, 1.5)
    assert (event.engines["a"].waiting, event.engines["b"].running) == (6.0, 1.0)
    picture.add_samples([Sample(t=2.0, engine="a", waiting=6.0), Sample(t=2.0, engine="b")])
    event = picture.event(2.0)
    assert (event.waiting_imbalance, event.engines["b"].waiting) == (None, None)


def test_that_one_engine_is_not_told_apart() -> None:
    picture = SampleBuilder("baseline", 1.0)
    picture.add_samples([Sample(t=0.0, waiting=3.0, kv_usage=0.1)])
    assert (picture.event(0.0).engines, picture.event(0.0).kv_imbalance) == ({}, None)


def test_that_first_tokens_leave_the_live_percentiles_after_a_few_seconds() -> None:
    picture = SampleBuilder("baseline", 1.0)
    picture.add_snapshot(snapshot(0.0, recent_ttft_ms=[9000.0]))
    picture.add_snapshot(snapshot(6.0, recent_ttft_ms=[50.0]))
    assert picture.event(6.0).ttft_p95_ms == 50.0


def ended(done: float, gaps_ms: list[float], **changes: object) -> RequestRecord:
    fields: dict[str, object] = {
        "index": 0, "row": 0, "request_id": "r", "cls": "", "input_tokens": 1, "output_tokens": 1,
        "due": done - 1.0, "first_token": done - 0.9, "done": done, "outcome": Outcome.COMPLETED,
        "gaps_ms": np.array(gaps_ms, dtype="<f4").tobytes(),
    }  # fmt: skip
    return RequestRecord(**{**fields, **changes})  # type: ignore[arg-type]  # fields of several types


def test_that_gaps_between_tokens_are_those_of_requests_that_just_finished() -> None:
    picture = SampleBuilder("baseline", 2.0)
    picture.add_records([ended(1.0, [10.0, 10.0, 30.0])])
    assert picture.event(3.0).itl_p50_ms == 20.0
    picture.add_records([ended(9.0, [5.0, 5.0, 5.0])])
    assert picture.event(10.0).itl_p50_ms == 10.0
    assert SampleBuilder("baseline", 2.0).event(10.0).itl_p95_ms is None


def test_that_an_event_of_several_tokens_counts_as_several_gaps() -> None:
    picture = SampleBuilder("baseline", 1.0)
    tokens = np.array([4, 1], dtype="<u2").tobytes()
    picture.add_records([ended(1.0, [40.0, 20.0], gap_tokens=tokens)])
    assert picture.event(1.0).itl_p50_ms == 10.0


def test_that_the_parts_of_ttft_are_told_only_where_the_server_tells_them() -> None:
    picture = SampleBuilder("baseline", 1.0)
    picture.add_records([ended(1.0, [10.0])])
    assert picture.event(1.0).prefill_ms is None
    picture.add_records([ended(1.5, [10.0], queue_ms=60.0, prefill_ms=30.0)])
    event = picture.event(1.5)
    assert event.prefill_ms == 30.0
    assert event.outside_ms == 10.0


def test_that_the_wait_in_the_client_is_a_part_of_its_own() -> None:
    picture = SampleBuilder("baseline", 2.0)
    picture.add_records([ended(1.0, [10.0], released=0.04, queue_ms=60.0, prefill_ms=30.0)])
    picture.add_snapshot(snapshot(1.0, due=20, in_flight=4, completed=9, rejected=1, timed_out=1))
    event = picture.event(1.0)
    assert event.admission_wait_ms == 80.0
    assert event.outside_ms == 30.0, "200 ms to the first token, of which 80, 60 and 30 have their causes"
    assert event.held == 5


def test_that_classes_are_told_apart_where_there_are_several() -> None:
    picture = SampleBuilder("baseline", 1.0)
    picture.add_records([ended(1.0, [10.0], cls="chat")])
    assert picture.event(1.0).classes == {}
    picture.add_records([ended(1.2, [40.0], cls="document")])
    classes = picture.event(1.2).classes
    assert classes["chat"]["itl_p50_ms"] == 10.0
    assert classes["document"]["itl_p50_ms"] == 40.0
    assert classes["document"]["ttft_p95_ms"] == 100.0


def test_figures_of_a_server_whose_metrics_no_longer_come_are_unknown() -> None:
    picture = SampleBuilder("baseline", 1.0)
    for t in (0.0, 1.0):
        picture.add_samples([Sample(t=t, running=3.0, preemptions=2.0, generation_tokens=100.0 * t)])
    seen = picture.event(1.5)
    assert (seen.running, seen.preemptions, seen.output_tok_s) == (3.0, 0.0, 100.0)
    lost = picture.event(4.0)
    assert (lost.running, lost.preemptions, lost.output_tok_s) == (None, None, None)
    picture.add_samples([Sample(t=5.0, running=1.0, preemptions=5.0, generation_tokens=900.0)])
    back = picture.event(5.0)
    assert (back.running, back.preemptions, back.output_tok_s) == (1.0, 3.0, None)


def test_that_a_watch_shows_the_server_s_own_means_of_the_last_seconds() -> None:
    picture = SampleBuilder("watch", 2.0)
    for t, requests in ((0.0, 10.0), (4.0, 12.0), (8.0, 12.0), (12.0, 13.0)):
        # Each request of the last scrape took 3 s, the ones before 1 s.
        total = requests + 2.0 * (requests > 12)
        picture.add_samples(
            [Sample(t=t, ttft_sum_s=total, ttft_count=requests, itl_sum_s=0.0, itl_count=0.0)]
        )
        event = picture.event(t)
        expected = {0.0: None, 4.0: 1000.0, 8.0: 1000.0, 12.0: 3000.0}[t]
        assert (event.server_ttft_ms, event.server_itl_ms) == (expected, None)


def test_that_no_mean_spans_a_restart_of_the_server_and_none_stands_beside_our_own_load() -> None:
    picture = SampleBuilder("watch", 1.0)
    picture.add_samples([Sample(t=0.0, itl_sum_s=9.0, itl_count=90.0)])
    picture.add_samples([Sample(t=0.5, itl_sum_s=1.0, itl_count=10.0)])
    assert picture.event(0.5).server_itl_ms is None
    own = SampleBuilder("baseline", 1.0)
    own.add_snapshot(snapshot(0.5))
    own.add_samples([Sample(t=0.0, itl_sum_s=1.0, itl_count=10.0)])
    own.add_samples([Sample(t=0.5, itl_sum_s=2.0, itl_count=20.0)])
    assert own.event(0.5).server_itl_ms is None
