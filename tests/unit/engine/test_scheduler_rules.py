import pytest

from tests.unit.engine.drive import engine, one_step, request, run_out, shares
from workbench.base import InputError
from workbench.engine.scheduler import RequestStatus


def test_that_prompts_are_admitted_in_order_until_the_budget_is_spent():
    scheduler = engine([request("a", 200), request("b", 200), request("c", 10)])
    step, _ = one_step(scheduler)
    assert shares(step) == [("a", 200), ("b", 56)]
    assert step.head_wait is not None
    assert step.head_wait == ("c", "budget")


def test_that_running_requests_are_served_before_admissions():
    scheduler = engine([request("a", 200), request("b", 200)])
    one_step(scheduler)
    scheduler.add_request(request("c", 10))
    assert shares(one_step(scheduler)[0]) == [("a", 1), ("b", 144), ("c", 10)]


def test_that_a_prefill_chunk_yields_no_token():
    scheduler = engine([request("a", 300)])
    step, update = one_step(scheduler)
    assert step.prefill_chunk_reqs == {step.num_scheduled_tokens[0][0]}
    assert update.outputs == []
    assert [each.request_id for each in one_step(scheduler)[1].outputs] == ["a"]


def test_that_a_seat_limit_makes_the_head_wait_for_a_seat():
    scheduler = engine([request("a"), request("b")], max_num_seqs=1)
    step, _ = one_step(scheduler)
    assert step.head_wait == ("b", "seat")


def test_that_the_active_limit_caps_admission_only():
    scheduler = engine([request("a"), request("b"), request("c")], max_num_active_seqs=2)
    step, _ = one_step(scheduler)
    assert shares(step) == [("a", 64), ("b", 64)]
    scheduler.max_num_active_reqs = 1
    step, _ = one_step(scheduler)
    assert shares(step) == [("a", 1), ("b", 1)]  # nobody is evicted
    assert step.head_wait == ("c", "seat")


def test_that_the_whole_prompt_must_fit_before_its_first_chunk():
    big = [request("a", 900, 4), request("b", 900, 4)]
    step, _ = one_step(engine(big, max_num_batched_tokens=1024))
    assert shares(step) == [("a", 900)]
    assert step.head_wait == ("b", "kv")


def test_that_without_that_gate_a_chunk_is_enough():
    big = [request("a", 900, 4), request("b", 900, 4)]
    step, _ = one_step(engine(big, max_num_batched_tokens=1024, scheduler_reserve_full_isl=False))
    assert shares(step) == [("a", 900), ("b", 124)]


def test_that_the_watermark_counts_only_while_others_run():
    # 0.5 * 101 blocks, cut to 50; the first prompt of 60 blocks still gets in.
    scheduler = engine(
        [request("a", 960, 4), request("b", 16, 4)], watermark=0.5, max_num_batched_tokens=1024
    )
    step, _ = one_step(scheduler)
    assert shares(step) == [("a", 960)]
    assert step.head_wait == ("b", "kv")


def test_that_the_head_of_the_line_blocks_those_behind_it():
    scheduler = engine(
        [request("a", 900, 4), request("b", 900, 4), request("c", 16, 4)], max_num_batched_tokens=1024
    )
    assert shares(one_step(scheduler)[0]) == [("a", 900)]


def test_that_long_prefills_are_capped_only_in_company():
    alone = engine([request("a", 200)], long_prefill_token_threshold=50)
    assert shares(one_step(alone)[0]) == [("a", 200)]
    together = engine([request("a", 200), request("b", 200)], long_prefill_token_threshold=50)
    assert shares(one_step(together)[0]) == [("a", 50), ("b", 50)]


def test_that_the_adaptive_threshold_shares_the_budget_among_all_contenders():
    # 256 tokens over 2 contenders are 128, more than the threshold.
    scheduler = engine(
        [request("a", 200), request("b", 200)],
        long_prefill_token_threshold=50,
        long_prefill_token_threshold_adaptive=True,
    )
    assert shares(one_step(scheduler)[0]) == [("a", 128), ("b", 128)]


def test_that_without_chunked_prefill_a_prompt_waits_for_a_step_of_its_own():
    scheduler = engine([request("a", 200), request("b", 200)], enable_chunked_prefill=False)
    step, _ = one_step(scheduler)
    assert shares(step) == [("a", 200)]
    assert step.head_wait == ("b", "budget")


def test_that_fcfs_preempts_the_last_admitted_and_returns_it_to_the_front():
    # Two of 50 blocks each; both grow in the same step.
    scheduler = engine(
        [request("a", 800, 99), request("b", 800, 99), request("c", 16, 4)], max_num_batched_tokens=2048
    )
    one_step(scheduler)
    step, _ = one_step(scheduler)
    assert [(each.request_id, lost) for each, lost in step.preempted_reqs] == [("b", 800)]
    assert shares(step) == [("a", 1)]
    assert step.head_wait == ("b", "preempted_this_step")
    assert [each.request_id for each in scheduler.waiting] == ["b", "c"]


def test_that_a_preempted_request_keeps_its_tokens_and_ends_with_all_of_them():
    requests = [request("a", 800, 99), request("b", 800, 99)]
    scheduler = engine(requests, max_num_batched_tokens=2048)
    log = run_out(scheduler)
    emitted = [each.request_id for _, update in log for each in update.outputs]
    assert emitted.count("a") == emitted.count("b") == 99
    assert requests[1].num_preemptions >= 1
    assert scheduler.num_preemptions == sum(len(step.preempted_reqs) for step, _ in log)


def test_that_a_resumed_request_hits_its_own_blocks_again():
    scheduler = engine([request("a", 800, 40), request("b", 800, 40)], max_num_batched_tokens=2048)
    hits = {
        each.request_id: hit for step, _ in run_out(scheduler) for each, hit in step.scheduled_resumed_reqs
    }
    assert hits["b"] > 0


def test_that_priority_orders_the_queue_by_urgency_arrival_and_id():
    waiting = [
        request("r2", priority=1, arrival_time=0.0),
        request("r10", priority=1, arrival_time=0.0),
        request("r3", priority=0, arrival_time=5.0),
    ]
    scheduler = engine(waiting, policy="priority", max_num_seqs=1)
    assert [each.request_id for each in scheduler.waiting] == ["r3", "r10", "r2"]  # ids compare as strings


def test_that_priority_preempts_the_least_urgent_and_takes_its_share_back():
    # All three fill their last block; the victim stands first in the list and was already served.
    late = request("late", 320, 99, priority=9, arrival_time=0.0)
    others = [
        request("x", 640, 99, priority=1, arrival_time=1.0),
        request("y", 640, 99, priority=1, arrival_time=2.0),
    ]
    scheduler = engine([late, *others], policy="priority", max_num_batched_tokens=2048)
    one_step(scheduler)
    assert [each.request_id for each in scheduler.running] == ["x", "y", "late"]
    step, _ = one_step(scheduler)
    assert [each.request_id for each, _ in step.preempted_reqs] == ["late"]
    assert shares(step) == [("x", 1), ("y", 1)]


def test_that_a_victim_before_the_served_one_leaves_the_step():
    first = request("first", 320, 99, priority=9)
    scheduler = engine([first], policy="priority", max_num_batched_tokens=2048)
    one_step(scheduler)
    scheduler.add_request(request("x", 640, 99, priority=1))
    scheduler.add_request(request("y", 624, 99, priority=1))
    one_step(scheduler)
    assert [each.request_id for each in scheduler.running] == ["first", "x", "y"]
    step, _ = one_step(scheduler)
    assert [each.request_id for each, _ in step.preempted_reqs] == ["first"]
    assert shares(step) == [("x", 1), ("y", 1)]
    assert step.total_num_scheduled_tokens == 2


def test_that_equal_prefixes_hit_in_the_very_step_that_computes_them():
    keys = ["k0", "k1", "k2", "k3"]
    scheduler = engine([request("a", 70, block_hashes=keys), request("b", 70, block_hashes=keys)])
    step, _ = one_step(scheduler)
    assert step.num_hit_tokens == {"a": 0, "b": 64}
    assert shares(step) == [("a", 70), ("b", 6)]


def test_that_a_fully_cached_prompt_recomputes_its_last_block():
    keys = ["k0", "k1", "k2", "k3"]
    scheduler = engine([request("a", 64, block_hashes=keys), request("b", 64, block_hashes=keys)])
    step, _ = one_step(scheduler)
    assert step.num_hit_tokens == {"a": 0, "b": 48}


def test_that_a_request_may_decline_to_read_the_cache():
    keys = ["k0", "k1"]
    scheduler = engine(
        [
            request("a", 33, block_hashes=keys),
            request("b", 33, block_hashes=keys, skip_reading_prefix_cache=True),
        ]
    )
    assert one_step(scheduler)[0].num_hit_tokens == {"a": 0, "b": 0}


def test_that_nothing_hits_with_the_cache_off():
    keys = ["k0", "k1"]
    scheduler = engine(
        [request("a", 33, block_hashes=keys), request("b", 33, block_hashes=keys)],
        enable_prefix_caching=False,
    )
    assert one_step(scheduler)[0].num_hit_tokens == {"a": 0, "b": 0}


def test_that_known_outputs_can_be_hit_by_the_next_turn():
    turn = request("a", 40, 24, block_hashes=[f"k{i}" for i in range(4)])
    scheduler = engine([turn])
    run_out(scheduler)
    scheduler.add_request(request("b", 70, 4, block_hashes=[f"k{i}" for i in range(4)]))
    assert one_step(scheduler)[0].num_hit_tokens == {
        "b": 48
    }  # the block of the 64th token was never computed whole


def test_that_a_request_ends_by_tokens_length_or_end_of_sequence():
    requests = [request("a", 10, 3), request("b", 1000, 900), request("c", 10, 9, eos_at=1)]
    log = run_out(engine(requests, max_num_batched_tokens=2048))
    ends = {each.request_id: reason for _, update in log for each, reason in update.finished_requests}
    assert ends == {"a": "max_tokens", "b": "max_model_len", "c": "stop"}
    assert [each.num_output_tokens for each in requests] == [3, 24, 2]


def test_that_one_empty_step_follows_the_last_end():
    scheduler = engine([request("a", 10, 1)])
    one_step(scheduler)
    assert scheduler.has_requests()
    step, _ = one_step(scheduler)
    assert not step.num_scheduled_tokens
    assert not scheduler.has_requests()


def test_that_an_abort_frees_everything_at_once_and_discards_the_token_in_flight():
    scheduler = engine([request("a"), request("b")])
    step = scheduler.schedule()
    assert scheduler.finish_requests("a")
    assert not scheduler.finish_requests("a")
    update = scheduler.update_from_output(step)
    assert [each.request_id for each in update.outputs] == ["b"]
    assert scheduler.num_free_blocks == 100 - 4
    assert scheduler.finish_requests("b")
    assert scheduler.num_free_blocks == 100


def test_that_a_waiting_request_can_be_aborted():
    waiting = request("b")
    scheduler = engine([request("a"), waiting], max_num_seqs=1)
    one_step(scheduler)
    assert scheduler.finish_requests("b")
    assert waiting.status is RequestStatus.FINISHED_ABORTED
    assert len(scheduler.waiting) == 0


def test_that_async_schedules_a_decode_before_its_last_token_is_known():
    scheduler = engine([request("a", 10, 4)], async_scheduling=True)
    first, second = scheduler.schedule(), scheduler.schedule()
    assert shares(first) == [("a", 10)]
    assert shares(second) == [("a", 1)]
    assert [each.request_id for each in scheduler.update_from_output(first).outputs] == ["a"]


def test_that_async_knows_an_end_by_length_and_wastes_no_step_on_it():
    steps = [
        step
        for step, _ in run_out(engine([request("a", 10, 4)], async_scheduling=True))
        if step.num_scheduled_tokens
    ]
    assert [shares(step) for step in steps] == [[("a", 10)], [("a", 1)], [("a", 1)], [("a", 1)]]


def test_that_async_notices_an_end_of_sequence_one_step_late():
    log = run_out(engine([request("a", 10, 9, eos_at=1)], async_scheduling=True))
    assert sum(len(update.outputs) for _, update in log) == 2
    assert sum(bool(step.num_scheduled_tokens) for step, _ in log) == 3


def test_that_an_async_preemption_delivers_the_token_in_flight_once():
    requests = [request("a", 800, 30), request("b", 800, 30)]
    log = run_out(engine(requests, max_num_batched_tokens=2048, async_scheduling=True))
    assert requests[1].num_preemptions > 0
    assert [each.num_output_tokens for each in requests] == [30, 30]
    emitted = [each.request_id for _, update in log for each in update.outputs]
    assert emitted.count("b") == 30


def test_that_updates_come_in_the_order_of_their_steps():
    scheduler = engine([request("a", 10, 4)], async_scheduling=True)
    first, second = scheduler.schedule(), scheduler.schedule()
    with pytest.raises(ValueError, match="not the oldest"):
        scheduler.update_from_output(second)
    scheduler.update_from_output(first)
    scheduler.update_from_output(second)


def test_that_a_static_batch_admits_nobody_until_its_last_member_ends():
    scheduler = engine([request("a", 16, 3), request("b", 16, 9)], policy="static")
    one_step(scheduler)
    scheduler.add_request(request("c", 16, 3))
    admitted_at = {
        each.request_id: step.step_index
        for step, _ in run_out(scheduler)
        for each, _ in step.scheduled_new_reqs
    }
    assert admitted_at == {"c": 9}  # b's ninth token came with step 8


def test_that_a_static_batch_larger_than_the_budget_is_filled_over_several_steps():
    scheduler = engine([request("a", 200, 9), request("b", 200, 9)], policy="static")
    one_step(scheduler)
    scheduler.add_request(request("c", 16, 9))
    step, _ = one_step(scheduler)
    assert [each.request_id for each in scheduler.running] == ["a", "b"]
    assert step.head_wait == ("c", "seat")


def test_that_the_step_tells_the_step_time_model_what_is_in_it():
    scheduler = engine([request("a", 300, 9)])
    step, _ = one_step(scheduler)
    assert (step.P, step.D, step.K, step.Q) == (256, 0, 0, 256 * 128.0)
    step, _ = one_step(scheduler)
    assert (step.P, step.D, step.K, step.Q) == (44, 0, 0, 44 * (256 + 22.0))
    step, _ = one_step(scheduler)
    assert (step.P, step.D, step.K, step.Q) == (0, 1, 301, 0.0)


def test_that_reserved_blocks_are_taken_as_they_come_free_and_given_back():
    scheduler = engine([request("a", 320, 2)], max_model_len=512, max_num_batched_tokens=512)
    scheduler.num_reserved_blocks = 60
    one_step(scheduler)
    assert scheduler.num_free_blocks == 100 - 60 - 20
    assert scheduler.kv_cache_manager.usage == pytest.approx(20 / 40)  # of what isn't reserved
    scheduler.num_reserved_blocks = 0
    run_out(scheduler)
    one_step(scheduler)
    assert scheduler.num_free_blocks == 100


def test_that_reserving_leaves_room_for_one_request_of_full_length():
    scheduler = engine(max_model_len=1024)
    scheduler.num_reserved_blocks = 36
    with pytest.raises(InputError, match="from 0 to 36"):
        scheduler.num_reserved_blocks = 37


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_num_active_reqs", 0),
        ("max_num_active_reqs", 17),
        ("max_num_scheduled_tokens", 257),
        ("long_prefill_token_threshold", -1),
    ],
)
def test_that_a_live_limit_out_of_range_is_refused(name: str, value: int):
    with pytest.raises(InputError, match=str(value)):
        setattr(engine(), name, value)


def test_that_live_limits_hold_from_the_next_step_on():
    scheduler = engine([request("a", 300), request("b", 300)])
    scheduler.max_num_scheduled_tokens = 100
    assert shares(one_step(scheduler)[0]) == [("a", 100)]
    scheduler.long_prefill_token_threshold = 30
    assert shares(one_step(scheduler)[0]) == [("a", 30), ("b", 30)]
    assert (scheduler.max_num_scheduled_tokens, scheduler.long_prefill_token_threshold) == (100, 30)


def test_that_the_prefix_cache_is_emptied_only_while_nothing_runs():
    keys = ["k0", "k1"]
    scheduler = engine([request("a", 33, 2, block_hashes=keys)])
    one_step(scheduler)
    assert not scheduler.reset_prefix_cache()
    run_out(scheduler)
    assert scheduler.reset_prefix_cache()
    scheduler.add_request(request("b", 33, 2, block_hashes=keys))
    assert one_step(scheduler)[0].num_hit_tokens == {"b": 0}


@pytest.mark.parametrize(
    ("eos_at", "reason", "status"),
    [
        (4, "stop", RequestStatus.FINISHED_STOPPED),
        (None, "max_tokens", RequestStatus.FINISHED_LENGTH_CAPPED),
    ],
)
def test_an_ended_request_says_whether_it_stopped_or_reached_its_length(
    eos_at: int | None, reason: str, status: RequestStatus
) -> None:
    ended = request("a", 20, 10, eos_at=eos_at)
    run_out(engine([ended]))
    assert (ended.finish_reason, ended.status, ended.is_finished()) == (reason, status, True)


def test_only_ended_requests_are_finished() -> None:
    finished = {status for status in RequestStatus if RequestStatus.is_finished(status)}
    assert finished == {status for status in RequestStatus if status.name.startswith("FINISHED")}
