"""What the stage draws, computed from a step record."""

import itertools

import numpy as np
import pytest

from tests.unit.ui.step_cases import HEADER, added, preemption, staged, step
from ui.steps.bands import Band, places
from ui.steps.pixels import Bars, Window, columns_of, extremes, lane_picture, mean_by_column, stack_picture
from ui.steps.step_arrays import DECODE, PREFILL, RECOMPUTE
from ui.steps.viewport import Viewport
from workbench.vllm_dialect import RequestsFinished


@pytest.fixture(scope="module")
def data():
    return preemption()


def test_that_steps_are_on_the_schedules_time_and_never_overlap(data):
    steps = data.arrays.steps
    assert steps.begin.tolist() == [0, 1, 2, 3, 4, 5]
    assert steps.end.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    assert (steps.begin[1:] >= steps.end[:-1]).all()


def test_that_a_preempted_request_leaves_its_lane_and_returns_to_the_lowest_free_one(data):
    stays, ids = data.stays, data.arrays.requests.ids
    found = [
        (ids[r], lane, first, left, lost)
        for r, lane, first, left, lost in zip(
            stays.request, stays.lane, stays.first, stays.left, stays.preempted, strict=True
        )
    ]
    assert found == [
        ("a", 0, 0, 4, False),
        ("b", 1, 1, 2, True),
        ("b", 0, 4, 6, False),
        ("c", 1, 5, 6, False),
    ]
    assert stays.end[1] == data.arrays.steps.begin[2]


def test_that_stretches_tell_prefill_decode_and_recomputation_apart(data):
    works, ids = data.stretches, data.arrays.requests.ids
    kinds = [(ids[r], int(kind)) for r, kind in zip(works.request, works.kind, strict=True)]
    assert kinds == [
        ("a", PREFILL), ("a", DECODE), ("b", PREFILL), ("b", RECOMPUTE), ("b", DECODE), ("c", PREFILL),
    ]  # fmt: skip


def test_that_the_queue_counts_classes_and_the_preempted_as_the_record_does(data):
    assert data.arrays.classes == ["chat", "document"]
    assert data.queue.tolist() == [[1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 0, 1], [1, 0, 0], [0, 0, 0]]
    assert data.queue.sum(axis=1).tolist() == data.arrays.steps.waiting.tolist()


def test_that_tokens_are_by_class_and_kind(data):
    assert data.work[1].tolist() == [0, 60, 1, 0, 0]
    assert data.work[4].tolist() == [0, 0, 0, 0, 60]


def test_that_kv_owners_sum_to_the_blocks_in_use(data):
    used = data.arrays.blocks - data.arrays.steps.free
    assert data.owners.sum(axis=1).tolist() == used.tolist()
    assert data.owners[2].tolist() == [6, 0, 0]


def test_that_the_winner_of_a_preemption_is_who_took_the_blocks(data):
    ids = data.arrays.requests.ids
    assert [ids[request] for request in data.winners] == ["a"]


def test_that_a_waiting_request_waits_from_its_first_call_and_after_a_preemption(data):
    waits, ids = data.waits, data.arrays.requests.ids
    found = {
        (ids[r], begin, end)
        for r, begin, end in zip(waits.request, waits.begin, waits.end, strict=True)
        if end > begin
    }
    assert found == {("b", 0.0, 1.0), ("c", 0.0, 5.0), ("b", 2.0, 4.0)}


def test_that_an_aborted_request_waits_no_longer():
    lines = [
        HEADER,
        added("a", 16),
        added("b", 16),
        added("c", 16),
        *step(0, {"a": 16, "b": 16}, run=["a", "b"], new=["a", "b"], wait=1, why="seat"),
        *step(1, {"a": 1}, run=["a"], pre=[("b", 16)], wait=2, why="seat"),
        *step(2, {"a": 1}, run=["a"], wait=2, why="seat"),
        RequestsFinished(t_next=3, ids=["c", "b"], status="FINISHED_ABORTED"),
        *step(3, {"a": 1}, run=["a"]),
        *step(4, {"a": 1}, run=["a"]),
        RequestsFinished(t_next=5, ids=["a"], status="FINISHED_ABORTED"),
    ]
    data = staged(lines, {})
    assert data.queue.sum(axis=1).tolist() == data.arrays.steps.waiting.tolist() == [1, 2, 2, 0, 0]
    waits, ids = data.waits, data.arrays.requests.ids
    found = {
        (ids[r], begin, end)
        for r, begin, end in zip(waits.request, waits.begin, waits.end, strict=True)
        if end > begin
    }
    assert found == {("c", 0.0, 3.0), ("b", 1.0, 3.0)}


@pytest.mark.parametrize(
    "lines", [[HEADER], [HEADER, added("a", 9)], [HEADER, added("a", 9), *step(0, {"a": 9}), *step(1, {})]]
)
def test_that_a_record_without_steps_or_running_lists_is_drawn_without_bars(lines):
    data = staged(lines, {})
    assert len(data.stays.request) == len(data.stretches.request) == 0
    assert data.lanes == 1
    assert data.arrays.classes == [""]


def test_that_a_columns_mean_is_over_its_time(data):
    window = Window(0.0, 1.0, 3)
    steps = data.arrays.steps
    means = mean_by_column(
        window, steps.begin, steps.end, np.array([[64.0], [61.0], [16.0], [1.0], [60.0], [17.0]])
    )
    assert means[0] == pytest.approx([32.0, 30.5, 8.0])


def test_that_a_columns_extremes_are_those_of_all_steps_under_way_in_it(data):
    window = Window(0.25, 0.5, 3)
    columns, first, last = columns_of(window, data.arrays.steps, slice(0, 6))
    low, high = extremes(np.array([64.0, 61.0, 16.0, 1.0, 60.0, 17.0]), first, last)
    assert columns.tolist() == [0, 1, 2]
    assert (low.tolist(), high.tolist()) == ([16.0, 1.0, 17.0], [64.0, 60.0, 60.0])


def test_that_a_bar_of_half_a_pixel_has_half_its_color():
    bars = Bars(
        np.array([1]), np.array([1.5]), np.array([3.0]), np.array([[100.0, 0.0, 50.0]], dtype=np.float32)
    )
    picture = lane_picture(Window(0.0, 1.0, 4), bars, 2, np.zeros(3, dtype=np.float32))
    assert [hex(pixel) for pixel in picture[1]] == ["0xff000000", "0xff320019", "0xff640032", "0xff000000"]
    assert set(picture[0].tolist()) == {0xFF000000}


def test_that_whatever_is_there_takes_at_least_a_row_of_its_stack():
    layers = np.array([[0.0, 1.0], [0.0, 99.0]])
    colours = np.array([[1, 0, 0], [2, 0, 0]], dtype=np.float32)
    picture = stack_picture(layers, 1000.0, 10, colours, 0)
    assert picture[:, 0].tolist() == [0] * 10
    assert picture[:, 1].tolist() == [0] * 9 + [0xFF010000]


def test_that_a_low_stage_keeps_slots_and_budget():
    low = {place.band for place in places(110, 17.0, 4)}
    assert {Band.SLOTS, Band.BUDGET} <= low
    assert Band.TIME not in low
    high = places(900, 17.0, 4)
    assert [place.band for place in high] == list(Band)
    assert all(before.bottom < after.top for before, after in itertools.pairwise(high))


def test_that_zooming_keeps_the_place_under_the_pointer_and_the_record_in_view():
    view = Viewport.of_whole(0.0, 100.0, 1000)
    closer = view.zoomed(4.0, 50.0)
    assert (closer.begin, closer.end) == (37.5, 62.5)
    assert closer.moved(1000.0).end == 100.0
    assert closer.zoomed(1e9, 40.0).span == pytest.approx(0.15)
    assert closer.zoomed(1e-9, 40.0).is_whole
