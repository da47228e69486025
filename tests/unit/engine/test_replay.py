import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from workbench.base import InputError
from workbench.engine.replay import (
    Replay,
    ReplayJob,
    jobs_of,
    lead_in_s,
    prompt_keys,
    read_measured,
    read_workload,
)
from workbench.engine.scheduler import Request, SchedulerConfig
from workbench.profiles import StepModel, load_profile
from workbench.traces import Trace, TraceRow, closed_loop, open_loop, read_trace

TESTS = Path(__file__).parents[2]
PARITY = TESTS / "data" / "parity" / "replay"
SHARED = TESTS.parents[1] / "shared" / "data"
MODEL = StepModel(a=1000, b=10, c=100, d=0, e=0)


def settings(**changes: Any) -> SchedulerConfig:
    return SchedulerConfig(
        **(
            {
                "num_gpu_blocks": 1000,
                "max_model_len": 4096,
                "max_num_seqs": 8,
                "max_num_batched_tokens": 512,
                "async_scheduling": False,
            }
            | changes
        )
    )


@pytest.mark.parametrize("path", sorted(PARITY.glob("*.json")), ids=lambda path: path.stem)
def test_that_a_replay_comes_to_what_vllms_own_scheduler_makes_of_the_trace(path: Path):
    truth = json.loads(path.read_text())
    trace_file = path.with_name(f"{path.stem}.trace.jsonl")
    config = SchedulerConfig(async_scheduling=False, **truth["config"])
    trace = read_trace(trace_file)
    jobs = jobs_of(trace, open_loop(trace), config, lead_in_s=lead_in_s(trace_file))
    figures = msgspec.to_builtins(Replay(jobs, config, StepModel(**truth["step_model_us"])).run())
    for name, expected in truth["expected"].items():
        if isinstance(expected, int):
            assert figures[name] == expected, name
        else:
            assert figures[name] == pytest.approx(expected, rel=1e-3), name


def measured_error(name: str, profile_name: str, **changes: Any) -> tuple[float, float]:
    """Relative errors of the mean TTFT and TPOT on a measured run, under its own flags."""
    path = SHARED / "measured" / f"{name}.requests.jsonl"
    if not path.exists():
        pytest.skip("the measured runs are not in the project")
    requests, profile = read_measured(path), load_profile(profile_name)
    config = settings(max_num_batched_tokens=2048, async_scheduling=True, **changes)
    trace = read_workload(path)
    figures = Replay(jobs_of(trace, open_loop(trace), config), config, profile.step_model).run()
    ttft = sum(each.first_token_ts - each.queued_ts for each in requests) / len(requests)
    tpot = sum(
        (each.last_token_ts - each.first_token_ts) / (each.output_toks - 1) for each in requests
    ) / len(requests)
    assert figures.ttft_ms.mean is not None
    assert figures.tpot_ms.mean is not None
    return figures.ttft_ms.mean / ttft / 1000 - 1, figures.tpot_ms.mean / tpot / 1000 - 1


def test_that_the_measured_run_on_an_rtx_4090_is_met_within_2_percent():
    ttft, tpot = measured_error(
        "RTX4090_Llama-3.1-8B",
        "rtx_4090/Llama-3.1-8B/tp1",
        num_gpu_blocks=2588,
        max_model_len=32768,
        max_num_seqs=256,
    )
    assert abs(ttft) < 0.02
    assert abs(tpot) < 0.02


def test_that_the_measured_run_on_an_rtx_pro_6000_is_met_within_10_and_5_percent():
    profile = load_profile("rtx_pro_6000_server/Llama-3.1-8B/tp1")
    assert profile.kind == "fitted_from_kernels"
    ttft, tpot = measured_error(
        "RTXPRO6000_Llama-3.1-8B",
        profile.name,
        num_gpu_blocks=profile.num_gpu_blocks,
        max_model_len=131072,
        max_num_seqs=128,
    )
    assert abs(ttft) < 0.10
    assert abs(tpot) < 0.05


def job(due_s: float, name: str, prompt: int = 100, output: int = 3, **more: Any) -> ReplayJob:
    return ReplayJob(due_s, Request(name, prompt, output), **more)


def test_that_times_follow_the_step_model():
    replay = Replay([job(1.0, "a")], settings(), MODEL)
    figures = replay.run()
    # 1 ms + 100 * 10 us, then two steps of 1 ms + 100 us.
    assert figures.ttft_ms.mean == pytest.approx(2.0)
    assert figures.tpot_ms.mean == pytest.approx(1.1)
    assert figures.e2e_ms.mean == pytest.approx(4.2)
    assert figures.virtual_s == pytest.approx(1.0042)
    assert (figures.steps, figures.queue_ms.mean) == (3, 0.0)


def test_that_queue_time_ends_where_the_first_step_starts():
    replay = Replay([job(0.0, "a"), job(0.0005, "b")], settings(), MODEL)
    lives: list[Any] = [replay.run(), *replay.tally.lives.values()]
    assert lives[2].queue_end == pytest.approx(0.002)


def test_that_waiting_again_is_kept_apart_from_queue_time():
    config = settings(num_gpu_blocks=101, max_model_len=1600, max_num_batched_tokens=2048)
    replay = Replay([job(0.0, "a", 800, 40), job(0.0, "b", 800, 40)], config, MODEL)
    figures = replay.run()
    assert figures.preemptions == 1
    assert figures.queue_ms.mean == 0.0
    assert figures.requeue_wait_ms.mean is not None
    assert figures.requeue_wait_ms.mean > 0
    assert figures.recomputed_tokens == 800


def test_that_async_overlaps_nothing_on_the_gpu():
    sync = Replay([job(0.0, "a", 100, 50)], settings(), MODEL).run()
    overlapped = Replay([job(0.0, "a", 100, 50)], settings(async_scheduling=True), MODEL).run()
    assert overlapped.e2e_ms.mean == pytest.approx(sync.e2e_ms.mean)


def test_that_the_limit_on_unfinished_requests_counts_running_ones():
    jobs = [job(0.0, f"r{i}") for i in range(5)] + [job(10.0, "late")]
    figures = Replay(jobs, settings(max_num_seqs=2), MODEL, max_num_queued_reqs=3).run()
    assert (figures.requests, figures.completed, figures.rejected) == (6, 4, 2)


def test_that_a_turn_is_due_its_think_time_after_the_one_before():
    replay = Replay([job(0.0, "a"), job(0.0, "b", after=0, delay_s=2.0)], settings(), MODEL)
    replay.run()
    first, second = replay.tally.lives.values()
    assert first.last_token is not None
    assert second.due == pytest.approx(first.last_token + 2.0)


def test_that_a_rejected_turn_still_brings_the_next_one():
    jobs = [job(0.0, "x"), job(0.0, "a"), job(0.0, "b", after=1, delay_s=5.0)]
    figures = Replay(jobs, settings(), MODEL, max_num_queued_reqs=1).run()
    assert (figures.completed, figures.rejected) == (2, 1)


@pytest.mark.parametrize("cancel", [{"cancel_after_tokens": 4}, {"cancel_after_s": 0.0055}])
def test_that_cancelled_requests_leave_and_are_counted(cancel: dict[str, Any]):
    replay = Replay([job(0.0, "a", 100, 50, **cancel), job(0.0, "b", 100, 50)], settings(), MODEL)
    figures = replay.run()
    assert (figures.completed, figures.cancelled) == (1, 1)
    cancelled = next(iter(replay.tally.lives))
    assert 3 <= cancelled.num_output_tokens <= 5


def test_that_a_cancel_after_the_end_changes_nothing():
    figures = Replay([job(0.0, "a", cancel_after_s=60.0)], settings(), MODEL).run()
    assert (figures.completed, figures.cancelled) == (1, 0)


def test_that_an_empty_workload_has_no_figures():
    figures = Replay([], settings(), MODEL).run()
    assert (figures.requests, figures.ttft_ms.mean, figures.output_tok_s, figures.kv_peak) == (
        0,
        None,
        None,
        0.0,
    )
    assert figures.tokens_per_step.p95 is None


def test_that_the_same_workload_gives_the_same_figures():
    def figures() -> Any:
        jobs = [job(i * 0.003, f"r{i}", 50 + i, 20) for i in range(40)]
        return msgspec.structs.replace(Replay(jobs, settings(), MODEL).run(), wall_s=0.0)

    assert msgspec.json.encode(figures()) == msgspec.json.encode(figures())


def test_that_keys_name_kv_blocks_by_the_trace_block_of_their_last_token():
    first = prompt_keys([7, 8], block_tokens=32, block_size=16, prompt_len=60)
    second = prompt_keys([7, 9], block_tokens=32, block_size=16, prompt_len=64)
    assert len(first) == 3
    assert len(second) == 4
    assert first[:2] == second[:2]
    assert first[2] != second[2]


def test_that_a_kv_block_across_two_trace_blocks_belongs_to_the_later_one():
    first = prompt_keys([7, 8], block_tokens=24, block_size=16, prompt_len=48)
    second = prompt_keys([7, 9], block_tokens=24, block_size=16, prompt_len=48)
    assert [a == b for a, b in zip(first, second, strict=True)] == [True, False, False]


def test_that_blocks_beyond_the_ids_have_no_key():
    assert len(prompt_keys([7], block_tokens=32, block_size=16, prompt_len=500)) == 2
    assert prompt_keys([], block_tokens=32, block_size=16, prompt_len=500) == []


def test_that_equal_leading_ids_hit_in_a_replay():
    rows = [
        TraceRow(timestamp=i * 1000, input_length=1100, output_length=2, hash_ids=(1, 2, 3)) for i in range(2)
    ]
    trace = Trace.from_rows(rows)
    config = settings()
    figures = Replay(jobs_of(trace, open_loop(trace), config), config, MODEL).run()
    assert figures.prefix_hit_tokens == 1088


def test_that_a_closed_loop_has_no_due_times_to_replay():
    trace = Trace.from_rows([TraceRow(timestamp=0, input_length=10, output_length=2)])
    with pytest.raises(InputError, match="closed loop"):
        jobs_of(trace, closed_loop(trace, concurrency=2), settings())


def test_that_a_prompt_longer_than_the_model_is_refused_with_its_row():
    trace = Trace.from_rows([TraceRow(timestamp=0, input_length=4096, output_length=2)])
    with pytest.raises(InputError, match=r"trace row 1: a prompt of 4096 tokens .* max_model_len \(4096\)"):
        jobs_of(trace, open_loop(trace), settings())


def test_that_a_broken_measured_file_is_refused_with_its_line(tmp_path: Path):
    line = (
        '{"request_id":"a","input_toks":5,"output_toks":2,"arrival_time":0.5,"queued_ts":1.0,'
        '"scheduled_ts":1.1,"first_token_ts":1.2,"last_token_ts":1.3}'
    )
    path = tmp_path / "run.requests.jsonl"
    path.write_text(f"{line}\n{line[:-30]}\n")
    with pytest.raises(InputError, match=r"run\.requests\.jsonl:2: not a measured"):
        read_workload(path)
    path.write_text(f"{line}\n")
    assert len(read_workload(path)) == 1


def test_that_a_public_trace_of_700_conversations_replays_to_its_end():
    path = SHARED / "traces" / "mooncake_conversation.first700.jsonl"
    if not path.exists():
        pytest.skip("the public traces are not in the project")
    profile = load_profile("h100_sxm/Llama-3.1-8B/tp1")
    trace = read_trace(path)
    config = SchedulerConfig(
        num_gpu_blocks=profile.num_gpu_blocks, max_model_len=profile.max_model_len, async_scheduling=False
    )
    figures = Replay(jobs_of(trace, open_loop(trace), config), config, profile.step_model).run()
    assert (figures.completed, figures.requests) == (700, 700)
    assert figures.prefix_hit_tokens > 0
