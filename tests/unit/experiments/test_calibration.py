import gzip
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.engine import Comparison, Fit, PredictedRun, SchedulerConfig
from workbench.engine.replay import Quantiles
from workbench.experiments.calibration import CalibrationOrder, load_shapes
from workbench.experiments.calibration.calibrate import makespan_s
from workbench.experiments.calibration.calibrated_profile import calibration_basis, make_profile
from workbench.experiments.calibration.load_runner import LoadRunner
from workbench.experiments.calibration.step_log import StepLog
from workbench.load import Target
from workbench.profiles import StepModel
from workbench.results import Outcome, RequestRecord
from workbench.servers import EffectiveConfig

MODEL = StepModel(a=7429, b=12.15, c=39.7, d=0.0416, e=0.00113)
PARITY = Path(__file__).parents[2] / "data" / "parity" / "serve"


def settings(**changes: Any) -> SchedulerConfig:
    values: dict[str, Any] = {
        "num_gpu_blocks": 28000, "max_model_len": 16384, "max_num_seqs": 128, "max_num_batched_tokens": 2048,
    }  # fmt: skip
    return SchedulerConfig(**(values | changes))


def configs() -> st.SearchStrategy[SchedulerConfig]:
    return st.builds(
        lambda blocks, length, seats: settings(
            num_gpu_blocks=max(blocks, length // 16 + 2), max_model_len=length, max_num_seqs=seats
        ),
        blocks=st.integers(20, 30000),
        length=st.integers(256, 131072),
        seats=st.integers(1, 1024),
    )


@given(config=configs())
def test_that_prompts_alone_fit_the_context_and_the_cache(config: SchedulerConfig):
    lengths = load_shapes.prompt_lengths(config)
    assert len(lengths) >= 3
    assert lengths[0] >= 1
    longest = lengths[-1] + load_shapes.PROMPT_OUTPUT
    assert longest <= config.max_model_len
    assert -(-longest // config.block_size) < config.num_gpu_blocks


@given(config=configs(), long=st.booleans(), slice_s=st.floats(0.01, 60), a=st.floats(10, 1e6))
def test_that_no_cell_preempts_and_each_keeps_its_time(
    config: SchedulerConfig, long: bool, slice_s: float, a: float
):
    model = StepModel(a=a, b=a / 500, c=a / 200, d=a / 1e5, e=0)
    for streams in load_shapes.stream_levels(config):
        cell = load_shapes.cell(config, streams, long=long, model=model, slice_s=slice_s)
        if cell is None:
            continue
        each = cell.context + cell.outputs
        assert each <= config.max_model_len
        assert streams <= config.max_num_seqs
        assert streams * -(-each // config.block_size) <= config.num_gpu_blocks - 1
        assert cell.outputs * a * 1e-6 <= slice_s


def test_that_levels_and_lengths_spread_over_what_the_server_can_do():
    assert load_shapes.stream_levels(settings()) == [3, 11, 38, 128]
    assert load_shapes.stream_levels(settings(max_num_seqs=16)) == [2, 4, 8, 16]
    # 60 blocks of 32 tokens: 16 streams have 96 tokens each.
    small = settings(num_gpu_blocks=60, block_size=32, max_model_len=1024, max_num_seqs=16)
    assert load_shapes.stream_levels(small) == [2, 4, 8, 16]
    assert load_shapes.prompt_lengths(settings()) == [64, 169, 446, 1176, 3104, 8192]


def test_that_a_longer_context_is_only_tried_where_it_is_long():
    small = settings(num_gpu_blocks=60, block_size=32, max_model_len=1024, max_num_seqs=16)
    assert load_shapes.cell(small, 16, long=True, model=MODEL, slice_s=5) is None
    cell = load_shapes.cell(small, 2, long=True, model=MODEL, slice_s=5)
    assert cell is not None
    assert cell.context > 4 * 64


def test_that_the_hold_out_is_the_same_for_the_same_seed_and_fits():
    config = settings(max_model_len=1024)
    first, again = (load_shapes.mixed_trace(config, rows=500, seed=1) for _ in range(2))
    assert first.sha256(1) == again.sha256(1)
    assert int((first.input_length + first.output_length).max()) <= 1024
    assert int(first.input_length.min()) < 50
    assert int(first.input_length.max()) > 400
    assert makespan_s(first, config, MODEL) > 5


# -- what the server tells ------------------------------------------------------------------------------

TOLD = EffectiveConfig(
    version="0.32.0",
    model="meta/Llama-3.1-8B",
    max_model_len=4096,
    num_gpu_blocks=2588,
    block_size=16,
    arguments={"max_num_seqs": 64, "max_num_batched_tokens": 2048, "async_scheduling": True},
    system={"nvidia_gpu_models": "GPU 0: NVIDIA GeForce RTX 4090\nGPU 1: NVIDIA GeForce RTX 4090"},
)


def test_that_the_profile_takes_its_sizes_from_the_server():
    standing = calibration_basis(TOLD, None, {})
    assert standing.profile.name == "rtx_4090/Llama-3.1-8B/tp1"
    assert (standing.config.num_gpu_blocks, standing.config.max_num_seqs) == (2588, 64)
    assert standing.config.async_scheduling
    assert standing.notes == []


def test_that_what_the_server_does_not_tell_is_taken_from_the_flags_else_assumed_and_said():
    silent = msgspec.structs.replace(TOLD, arguments={}, system={}, version="0.32.0+cpu")
    standing = calibration_basis(silent, "h/M/tp2", {"max_num_seqs": 7})
    assert standing.profile.name == "h/M/tp2"
    assert (standing.config.max_num_seqs, standing.config.max_num_batched_tokens) == (7, 8192)
    assert not standing.config.async_scheduling
    (note,) = standing.notes
    assert note.kind == "experiments.setting_assumed"
    assert note.values == {
        "name": "max_num_batched_tokens",
        "value": 8192,
        "flag": "--max-num-batched-tokens",
    }


def test_that_an_unknown_cache_size_is_refused_with_the_flag_that_helps():
    silent = msgspec.structs.replace(TOLD, num_gpu_blocks=None)
    with pytest.raises(
        InputError, match="num_gpu_blocks_override; give its value with --num-gpu-blocks-over"
    ):
        calibration_basis(silent, None, {})
    assert calibration_basis(silent, None, {"num_gpu_blocks_override": 500}).config.num_gpu_blocks == 500


def quantiles(mean: float) -> Quantiles:
    return Quantiles(mean=mean, p50=mean, p95=mean, p99=mean)


def compared(measured: float, predicted: float) -> Comparison:
    return Comparison(measured=quantiles(measured), predicted=quantiles(predicted))


FIT = Fit(
    step_model=MODEL,
    request_overhead_us=1500,
    residual_pct=1.25,
    spread_pct=2,
    decode_rows=20,
    prefill_rows=6,
)


def test_that_a_profile_says_where_it_comes_from_and_how_far_off_it_was():
    hold_out = PredictedRun(requests=80, ttft_ms=compared(100, 93.04), tpot_ms=compared(10, 10.02))
    profile = make_profile(calibration_basis(TOLD, None, {}), TOLD, FIT, hold_out, 3.5, own_steps=False)
    assert profile.kind == "measured"
    assert profile.step_model == MODEL
    assert profile.request_overhead_us == 1500
    assert profile.known_error is not None
    # One run can't vouch for less than 1 %.
    assert (profile.known_error.ttft_pct, profile.known_error.tpot_pct) == (7.0, 1.0)
    assert "80 mixed requests at 3.5/s" in profile.known_error.evidence
    assert "from what its clients saw: 20 kinds of decode steps and 6 of prompts" in profile.source


def test_that_answers_in_one_piece_are_no_times_to_be_held_against():
    hold_out = PredictedRun(requests=80, ttft_ms=compared(100, 93.04), tpot_ms=compared(0, 10.02))
    with pytest.raises(InputError, match="came in one piece"):
        make_profile(calibration_basis(TOLD, None, {}), TOLD, FIT, hold_out, 3.5, own_steps=False)


def test_that_the_servers_version_chooses_the_rules_and_an_unchecked_one_is_said():
    checked, newer = (msgspec.structs.replace(TOLD, version=version) for version in ("0.24.0", "0.41.0"))
    standing = calibration_basis(checked, None, {})
    assert not standing.config.rules.threshold_in_company_only
    assert standing.notes == []
    assert any("0.41.0 was not checked" in str(note) for note in calibration_basis(newer, None, {}).notes)


def test_that_async_scheduling_is_assumed_as_the_version_has_it_by_default():
    for version, by_default in (("0.13.0", False), ("0.14.0", True), ("0.32.0+cpu", False)):
        told = msgspec.structs.replace(TOLD, version=version, arguments={})
        assert calibration_basis(told, None, {}).config.async_scheduling is by_default


def test_that_a_simulated_server_makes_no_measured_profile():
    simulated = msgspec.structs.replace(TOLD, simulated=True, profile="h100_sxm/M/tp1")
    assert calibration_basis(simulated, None, {}).profile.kind == "estimated"


# -- the server's own steps -----------------------------------------------------------------------------

LINE = (
    "(APIServer pid=7) INFO 11-29 20:44:59 [loggers.py:197] Engine 000: Iteration(1): {} context requests, "
    "{} context tokens, {} generation requests, {} generation tokens, iteration elapsed time: 39.68 ms, "
    "CPU KV cache usage: 8.5%\n"
)


def test_that_only_what_was_written_between_two_marks_is_read(tmp_path: Path):
    path = tmp_path / "server.log"
    path.write_text(LINE.format(0, 0, 3, 3) * 4)
    log = StepLog(path, settings())
    assert not log.whole
    began = log.mark()
    with path.open("a") as file:
        file.write(LINE.format(0, 0, 5, 5) * 3 + LINE.format(0, 0, 9, 9)[:-30])
    rows = log.rows(began, log.mark())
    assert [row.D for row in rows] == [5, 5]  # the last line is not whole, the one before needs its follower
    assert rows[0].us == pytest.approx(39680)


def test_that_a_log_of_before_is_read_as_a_whole(tmp_path: Path):
    path = tmp_path / "server.log"
    path.write_text(LINE.format(0, 0, 3, 3) * 4)
    log = StepLog(path, settings())
    assert len(log.rows(log.mark(), log.mark())) == 3


def test_that_a_step_record_is_told_by_its_first_line(tmp_path: Path):
    path = tmp_path / "steps.jsonl"
    path.write_bytes(gzip.decompress((PARITY / "serve-60-blocks.steps.jsonl.gz").read_bytes()))
    log = StepLog(path, settings())
    assert log.whole
    everything = log.rows(0, log.mark())
    later = log.rows(log.mark() // 2, log.mark())
    assert later == everything[-len(later) :]
    assert 0 < len(later) < len(everything)


def test_that_a_log_without_steps_says_how_to_have_them(tmp_path: Path):
    path = tmp_path / "server.log"
    path.write_text("INFO nothing\n")
    with pytest.raises(InputError, match="enable-logging-iteration-details"):
        StepLog(path, settings()).rows(0, 100)
    with pytest.raises(InputError, match=r"none\.log: can't be read"):
        StepLog(tmp_path / "none.log", settings())


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), 1000])
def test_that_an_impossible_time_is_refused(minutes: float):
    with pytest.raises(InputError, match=r"--minutes: .*from 0\.1 to 120"):
        CalibrationOrder(url="http://127.0.0.1:1", minutes=minutes)


def ended(index: int, outcome: Outcome) -> RequestRecord:
    return RequestRecord(
        index=index, row=index, request_id=f"r{index}", cls="mixed", input_tokens=8, output_tokens=8, due=0.0,
        outcome=outcome, error="the server closed the connection" if outcome is Outcome.FAILED else None,
    )  # fmt: skip


def test_that_a_stray_failure_is_left_out_and_told_and_more_end_the_calibration():
    runner = LoadRunner(Target(url="http://127.0.0.1:1", model="m"), EffectiveConfig())
    records = [ended(index, Outcome.FAILED if index == 7 else Outcome.COMPLETED) for index in range(100)]
    assert [record.index for record in runner._without_strays(records)] == [n for n in range(100) if n != 7]
    assert [note.kind for note in runner.notes] == ["experiments.requests_left_out"]
    with pytest.raises(InputError, match="1 of 99 requests were failed: the server closed"):
        runner._without_strays(records[:99])
