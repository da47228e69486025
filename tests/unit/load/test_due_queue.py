from hypothesis import given
from hypothesis import strategies as st

from workbench.load.due_queue import DueQueue
from workbench.load.messages import LoadRequest


def _ask(index: int, due_s: float | None = None, **fields: object) -> LoadRequest:
    return LoadRequest(
        index=index,
        row=index,
        cycle=0,
        due_s=due_s,
        input_tokens=8,
        output_tokens=3,
        cls="",
        **{"pass_length": 100, **fields},  # type: ignore[arg-type] # names of optional fields
    )


def _drain(due_queue: DueQueue, until: float) -> list[tuple[int, float]]:
    popped = []
    while (entry := due_queue.pop(until)) is not None:
        popped.append((entry[0].index, entry[1]))
    return popped


@given(st.lists(st.floats(0, 100), max_size=40), st.floats(0, 100))
def test_that_open_requests_fall_due_in_order_and_not_before(dues: list[float], until: float) -> None:
    due_queue = DueQueue([_ask(i, due) for i, due in enumerate(dues)], slots=None, length_s=None)
    popped = [due for _, due in _drain(due_queue, until)]
    assert popped == sorted(due for due in dues if due <= until)
    assert len(due_queue.remaining()) == len(dues) - len(popped)
    _drain(due_queue, 100.0)
    assert due_queue.empty


def test_that_a_turn_waits_for_its_predecessor_and_then_thinks() -> None:
    requests = [_ask(0, 0.0), _ask(1, 5.0, after=0, think_s=2.0), _ask(2, 20.0, after=1)]
    due_queue = DueQueue(requests, slots=None, length_s=None)
    assert _drain(due_queue, 100.0) == [(0, 0.0)]
    assert not due_queue.empty
    assert due_queue.ended(requests[0], 7.0)
    assert due_queue.next_due() == 9.0
    assert _drain(due_queue, 100.0) == [(1, 9.0)]
    assert due_queue.ended(requests[1], 10.0)
    assert _drain(due_queue, 100.0) == [(2, 20.0)]
    assert not due_queue.ended(requests[2], 30.0)
    assert due_queue.empty
    assert due_queue.last_due == 20.0


def test_that_a_turn_without_think_time_is_due_no_earlier_than_its_own_time() -> None:
    requests = [_ask(0, 0.0), _ask(1, 5.0, after=0)]
    late = DueQueue(requests, slots=None, length_s=None)
    _drain(late, 1.0)
    late.ended(requests[0], 8.0)
    assert late.next_due() == 8.0


def test_that_slots_start_together_and_each_end_starts_the_next() -> None:
    due_queue = DueQueue([_ask(i) for i in range(4)], slots=2, length_s=None)
    assert _drain(due_queue, 0.0) == [(0, 0.0), (1, 0.0)]
    assert due_queue.next_due() is None
    assert due_queue.ended(_ask(1), 3.0)
    assert _drain(due_queue, 3.0) == [(2, 3.0)]
    assert [request.index for request, _ in due_queue.remaining()] == [3]


def test_that_a_loop_takes_nothing_after_its_duration() -> None:
    due_queue = DueQueue([_ask(0), _ask(1)], slots=1, length_s=10.0, endless=True)
    _drain(due_queue, 0.0)
    assert due_queue.ended(_ask(0), 9.9)
    _drain(due_queue, 9.9)
    assert not due_queue.ended(_ask(1), 10.0)
    assert due_queue.empty
    assert due_queue.remaining() == []


def test_that_an_endless_loop_counts_on_and_changes_its_cycle() -> None:
    requests = [_ask(0, pass_length=2), _ask(1, pass_length=2)]
    due_queue = DueQueue(requests, slots=1, length_s=10.0, endless=True)
    taken = []
    for step in range(5):
        entry = due_queue.pop(float(step))
        assert entry is not None
        taken.append((entry[0].index, entry[0].row, entry[0].cycle))
        due_queue.ended(entry[0], float(step + 1))
    assert taken == [(0, 0, 0), (1, 1, 0), (2, 0, 1), (3, 1, 1), (4, 0, 2)]


def test_that_each_request_is_given_out_to_be_built_once_and_ahead_of_due() -> None:
    due_queue = DueQueue([_ask(i, float(i)) for i in range(10)], slots=None, length_s=None)
    assert [request.index for request in due_queue.to_build(2.0)] == [0, 1, 2]
    assert [request.index for request in due_queue.to_build(4.0)] == [3, 4]
    loop = DueQueue([_ask(i) for i in range(3)], slots=1, length_s=None)
    assert [request.index for request in loop.to_build(2.0)] == [0, 1, 2]
    loop.pop(0.0)
    assert list(loop.to_build(2.0)) == []


def test_that_warm_up_comes_before_and_starts_nothing() -> None:
    due_queue = DueQueue([_ask(0, 0.0), _ask(0, -1.0, warmup=True)], slots=None, length_s=None)
    entry = due_queue.pop(-1.0)
    assert entry is not None
    assert entry[0].warmup
    assert not due_queue.ended(entry[0], -0.5)
    assert due_queue.due_within(-1.0, 1.0) == 1
