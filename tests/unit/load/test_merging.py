from typing import Any

import pytest

from workbench.load.messages import WorkerSnapshot
from workbench.load.split_work import SnapshotMerger


def _snapshot(**fields: Any) -> WorkerSnapshot:
    given = {
        "due": 0,
        "sent": 0,
        "in_flight": 0,
        "awaiting_first_token": 0,
        "oldest_due": None,
        "outcomes": {},
        "events": 0,
        "new_ttft_ms": [],
        "new_client_delay_ms": [],
        **fields,
    }
    return WorkerSnapshot(**given)


def test_that_counts_add_and_the_oldest_is_the_oldest_of_all() -> None:
    merger = SnapshotMerger()
    merger.add(
        0, _snapshot(due=5, sent=4, in_flight=3, oldest_due=2.0, outcomes={"completed": 1}, events=7), 10.0
    )
    merger.add(
        1, _snapshot(due=6, sent=6, in_flight=1, oldest_due=4.0, outcomes={"rejected": 2}, events=8), 10.0
    )
    whole = merger.merged(10.0)
    assert (whole.due, whole.sent, whole.in_flight, whole.events) == (11, 10, 4, 15)
    assert (whole.completed, whole.rejected, whole.failed) == (1, 2, 0)
    assert whole.oldest_waiting_s == 8.0


def test_that_first_tokens_are_told_once() -> None:
    merger = SnapshotMerger()
    merger.add(0, _snapshot(new_ttft_ms=[50.0]), 1.0)
    merger.add(1, _snapshot(new_ttft_ms=[60.0]), 1.1)
    assert merger.merged(1.2).recent_ttft_ms == [50.0, 60.0]
    assert merger.merged(1.4).recent_ttft_ms == []


def test_that_delay_is_that_of_the_last_seconds() -> None:
    merger = SnapshotMerger()
    merger.add(0, _snapshot(new_client_delay_ms=[100.0] * 10), 1.0)
    assert merger.merged(1.0).client_delay_p99_ms == pytest.approx(100.0)
    merger.add(0, _snapshot(new_client_delay_ms=[1.0] * 10), 7.0)
    assert merger.merged(7.0).client_delay_p99_ms == pytest.approx(1.0)
    assert merger.merged(20.0).client_delay_p99_ms is None


def test_that_a_dead_worker_has_nothing_in_flight_but_keeps_its_counts() -> None:
    merger = SnapshotMerger()
    merger.add(0, _snapshot(due=5, in_flight=3, awaiting_first_token=2, oldest_due=1.0, events=9), 2.0)
    merger.drop_worker(0)
    whole = merger.merged(3.0)
    assert (whole.due, whole.events, whole.in_flight, whole.oldest_waiting_s) == (5, 9, 0, None)
