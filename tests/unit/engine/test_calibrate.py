import gzip
import io
import random
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from workbench.base import InputError
from workbench.engine.calibrate import (
    KVCacheSize,
    Row,
    Seen,
    decode_rows,
    fit_steps,
    fit_under_load,
    logged_rows,
    predict,
    prompt_rows,
    recorded_rows,
)
from workbench.engine.ideal_timeline import Arrival, Timeline
from workbench.engine.replay import Replay, ReplayJob
from workbench.engine.scheduler import EngineCoreOutputs, Request, Scheduler, SchedulerConfig, SchedulerOutput
from workbench.engine.server.recorder import StepRecorder
from workbench.profiles import StepModel
from workbench.results import Outcome, RequestRecord
from workbench.vllm_dialect import read_steps

DATA = Path(__file__).parents[2] / "data"
TRUTH = StepModel(a=7429, b=12.15, c=39.7, d=0.0416, e=0.00113)
BUDGET = 2048
CONFIG = SchedulerConfig(
    num_gpu_blocks=28000, max_model_len=16384, max_num_seqs=128, max_num_batched_tokens=BUDGET
)
LENGTHS = (64, 256, 1024, 2048, 4096, 8192)


def close(model: StepModel, rel: float) -> None:
    for name in "abcde":
        assert getattr(model, name) == pytest.approx(getattr(TRUTH, name), rel=rel), (name, model)


def row(noise: float = 1.0, **contents: float) -> Row:
    step = Row(0, 1, **contents)
    return step._replace(us=noise * TRUTH.step_us(int(step.P), int(step.D), int(step.K), step.Q))


def synthetic_steps(seed: int) -> list[Row]:
    """Steps as a server has them, each with 2 % of noise of its own."""
    draw = random.Random(seed)
    rows = []
    for _ in range(200):
        for streams in (1, 4, 16, 64, 128):
            for context in (200, 1000, 2500):
                noise = draw.gauss(1, 0.02)
                rows.append(row(D=streams, K=streams * (context + draw.randrange(100)), noise=noise))
    for _ in range(100):
        for before in (0, 2048, 4096, 6144):
            rows.append(row(P=2048, Q=2048 * (before + 1024), noise=draw.gauss(1, 0.02)))
        for short in (64, 256, 1024):
            rows.append(row(P=short, Q=short * short / 2, noise=draw.gauss(1, 0.02)))
    draw.shuffle(rows)
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_that_known_coefficients_are_recovered_within_2_percent_of_noisy_steps(seed: int):
    fit = fit_steps(Seen(steps=synthetic_steps(seed)))
    close(fit.step_model, rel=0.02)
    assert fit.residual_pct < 2


def test_that_steps_with_decodes_and_prompts_together_do_not_move_the_fit():
    odd = [row(P=512, D=64, K=64000, Q=100_000, noise=3.0)] * 500
    assert fit_steps(Seen(steps=[*synthetic_steps(1), *odd])) == fit_steps(Seen(steps=synthetic_steps(1)))


def test_that_a_coefficient_that_nothing_shows_is_0_and_never_negative():
    rows = [Row(1000, 1, D=n, K=n * k) for n in (1, 2, 4) for k in (100, 1000)]
    rows += [Row(900, 1, P=p, Q=p * p / 2) for p in (10, 100)]
    model = fit_steps(Seen(steps=rows)).step_model
    assert model.a == pytest.approx(1000)
    assert (model.b, model.c, model.d, model.e) == (0, 0, 0, 0)


def test_that_nothing_to_tell_from_is_said_in_one_line():
    with pytest.raises(InputError, match="no step that only decodes"):
        fit_steps(Seen(prompts=[Row(10, 1, P=1, requests=1)]))
    with pytest.raises(InputError, match="no prompt that ran alone"):
        fit_steps(Seen(decodes=[Row(10, 1, D=1, K=1)]))


# -- what clients see -----------------------------------------------------------------------------------


class _Clients:
    """Watches a replay as the clients of a server would: who was sent when, and the time of each token."""

    def __init__(
        self,
        jobs: list[ReplayJob],
        overhead_s: float = 0.002,
        jitter_s: float = 0.0,
        truth: StepModel = TRUTH,
    ) -> None:
        self.times: dict[Request, list[float]] = {job.request: [] for job in jobs}
        self._jobs, self._draw, self._jitter = jobs, random.Random(1), jitter_s
        replay = Replay(jobs, CONFIG, truth, request_overhead_s=overhead_s)
        told = replay._timeline._watcher.updated

        def updated(step: Any, update: Any, now: float) -> None:
            for request in update.outputs:
                self.times[request].append(now)
            told(step, update, now)

        replay.updated = updated
        replay.run()

    def records(self, time_scale: float = 1.0) -> list[RequestRecord]:
        return [self._record(i, job, time_scale) for i, job in enumerate(self._jobs)]

    def _record(self, index: int, job: ReplayJob, scale: float) -> RequestRecord:
        late = [t + self._draw.random() * self._jitter for t in self.times[job.request]]
        times = np.maximum.accumulate(late) / scale
        return RequestRecord(
            index=index, row=index, request_id=str(index), cls="", input_tokens=job.request.num_prompt_tokens,
            output_tokens=job.request.max_tokens, due=job.due_s / scale, sent=job.due_s / scale,
            first_token=float(times[0]), last_token=float(times[-1]), done=float(times[-1]),
            outcome=Outcome.COMPLETED, tokens=len(times),
            gaps_ms=(np.diff(times) * 1000).astype("<f4").tobytes(),
        )  # fmt: skip


def cell(streams: int, context: int, output: int = 64) -> list[ReplayJob]:
    return [ReplayJob(0.0001 * n, Request(f"{streams}-{n}", context, output)) for n in range(streams)]


def alone(lengths: tuple[int, ...]) -> list[ReplayJob]:
    return [ReplayJob(3.0 * n, Request(f"p{n}", length, 8)) for n, length in enumerate(lengths)]


def seen_by_clients(jitter_s: float = 0.0, time_scale: float = 1.0) -> Seen:
    seen = Seen()
    for streams in (1, 8, 32, 128):
        for context in (64, 1000):
            records = _Clients(cell(streams, context), jitter_s=jitter_s).records(time_scale)
            seen.decodes += decode_rows(records, time_scale=time_scale)
    records = _Clients(alone(LENGTHS), jitter_s=jitter_s).records(time_scale)
    seen.prompts += prompt_rows(records, budget=BUDGET, time_scale=time_scale)
    return seen


def test_that_token_times_at_the_clients_tell_the_coefficients_and_the_fronts_own_time():
    fit = fit_steps(seen_by_clients())
    close(fit.step_model, rel=0.01)
    assert fit.request_overhead_us == pytest.approx(2000, rel=0.02)
    assert fit.residual_pct < 0.5


def test_that_clients_that_read_2_ms_late_by_chance_move_it_little():
    close(fit_steps(seen_by_clients(jitter_s=0.002)).step_model, rel=0.08)


def test_that_times_of_a_server_that_runs_faster_are_counted_in_its_own_seconds():
    close(fit_steps(seen_by_clients(time_scale=4.0)).step_model, rel=0.01)


def test_that_a_stretch_in_which_a_prompt_is_under_way_is_left_out():
    jobs = [*cell(4, 100, output=200), ReplayJob(0.5, Request("late", 8000, 4))]
    rows = decode_rows(_Clients(jobs).records())
    for one in rows:
        assert one.us / one.steps == pytest.approx(
            TRUTH.step_us(0, round(one.D / one.steps), round(one.K / one.steps), 0), rel=0.01
        )
    assert sum(one.steps for one in rows) > 150


def test_that_an_unseen_run_is_predicted_from_what_was_sent():
    jobs = [ReplayJob(0.03 * n, Request(f"r{n}", 100 + 37 * (n % 20), 20 + n % 50)) for n in range(120)]
    records = _Clients(jobs).records()
    exact = predict(records, CONFIG, TRUTH, request_overhead_us=2000)
    assert exact.requests == 120
    assert abs(exact.ttft_ms.error_pct) < 0.1
    assert abs(exact.tpot_ms.error_pct) < 0.1
    slower = StepModel(a=TRUTH.a * 1.5, b=TRUTH.b, c=TRUTH.c, d=TRUTH.d, e=TRUTH.e)
    off = predict(records, CONFIG, slower, request_overhead_us=2000)
    assert off.tpot_ms.error_pct > 20
    assert off.tpot_ms.band_pct >= off.tpot_ms.error_pct


# -- what the server tells ------------------------------------------------------------------------------


def log_line(number: int, context: tuple[int, int], generation: int, ms: float, kv: float) -> str:
    requests, tokens = context
    return (
        f"(APIServer pid=7) INFO 11-29 20:44:59 [loggers.py:197] Engine 000: Iteration({number}): {requests} "
        f"context requests, {tokens} context tokens, {generation} generation requests, {generation} "
        f"generation tokens, iteration elapsed time: {ms:.2f} ms, GPU KV cache usage: {kv:.1f}%"
    )


def test_that_logged_steps_tell_the_coefficients_and_the_client_the_time_between_them():
    pool, lines = KVCacheSize(usable_blocks=4000, block_size=16, budget=BUDGET), []
    for streams in (1, 8, 32, 128):
        for context in (64, 160, 320):
            blocks = streams * (context / 16 + 0.5)
            ms = TRUTH.step_us(0, streams, streams * context, 0) / 1000
            lines += [log_line(len(lines), (0, 0), streams, ms, 100 * blocks / 4000)] * 20
    for length in LENGTHS:
        for before in range(0, length, BUDGET):
            tokens = min(BUDGET, length - before)
            ms = TRUTH.step_us(tokens, 0, 0, tokens * (before + tokens / 2)) / 1000
            lines.append(log_line(len(lines), (1, tokens), 0, ms, 0.0))
        lines += [log_line(len(lines), (0, 0), 1, 7.5, 0.0), "another line"]
    rows = logged_rows(lines, pool)
    model = fit_steps(Seen(steps=rows)).step_model
    for name in "abce":
        assert getattr(model, name) == pytest.approx(getattr(TRUTH, name), rel=0.1), name
    host = [
        Row(TRUTH.step_us(0, n, n * 200, 0) * 100 + 100 * (1500 + 30 * n), 100, D=n * 100, K=n * 20000)
        for n in (1, 8, 32, 128)
    ]
    whole = fit_steps(Seen(steps=rows, decodes=host, whole=False)).step_model
    assert whole.a - model.a == pytest.approx(1500, rel=0.3)
    assert whole.c - model.c == pytest.approx(30, rel=0.3)


def test_a_log_without_the_caches_usage_tells_of_prompts_and_of_no_decodes():
    pool = KVCacheSize(usable_blocks=4000, block_size=16, budget=BUDGET)
    lines = [
        log_line(0, (1, 100), 0, 5.0, 0.0),
        log_line(1, (0, 0), 4, 6.0, 0.0),
        log_line(2, (0, 0), 4, 6.0, 0.0),
    ]
    old = [line.partition(", GPU")[0] for line in lines]
    assert [row.kind for row in logged_rows(lines, pool)] == ["prefill", "decode"]
    assert [row.kind for row in logged_rows(old, pool)] == ["prefill"]


class _Recorded:
    """A recorder beside a timeline, as in the served engine."""

    def __init__(self, config: SchedulerConfig) -> None:
        self.file = io.BytesIO()
        self._recorder = StepRecorder(self.file, config, zero=500.0)
        self._scheduler = Scheduler(config)
        self._timeline = Timeline(
            self._scheduler, lambda step: 1e-6 * TRUTH.step_us(step.P, step.D, step.K, step.Q), self
        )

    def play(self, jobs: list[ReplayJob]) -> list[Row]:
        for job in jobs:
            while (due := self._timeline.next_event()) is not None and due < job.due_s:
                self._timeline.run_one()
            self._timeline.hand_in(Arrival(job.due_s, job.request))
        while self._timeline.next_event() is not None:
            self._timeline.run_one()
        return recorded_rows(list(read_steps(self.file.getvalue().splitlines(), where="r")), where="r")

    def added(self, request: Request, now: float) -> None:
        prompt = [int(request.request_id)] * request.num_prompt_tokens
        self._recorder.added(request, prompt, now)

    def aborted(self, request: Request) -> None:
        self._recorder.aborted(request)

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        self._recorder.scheduled(step, self._scheduler, now)

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        sampled = {request.request_id: 7 for request in step.sampling_reqs}
        self._recorder.updated(step, update, self._scheduler, now, sampled)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_that_each_recorded_step_has_its_contents_and_its_time(asynchronous: bool):
    config = msgspec.structs.replace(CONFIG, async_scheduling=asynchronous, enable_prefix_caching=False)
    jobs = [ReplayJob(0.05 * n, Request(str(n), 50 + 3000 * (n % 3), 5 + n)) for n in range(30)]
    jobs.append(ReplayJob(60.0, Request("99", 100, 3)))  # long after: the pause before it is no step's time
    rows = _Recorded(config).play(jobs)
    assert {one.kind for one in rows} == {"decode", "prefill", "mixed"}
    for one in rows:
        assert one.us == pytest.approx(TRUTH.step_us(int(one.P), int(one.D), int(one.K), one.Q), rel=1e-4)


def test_that_a_record_of_a_real_server_can_be_fitted_to():
    data = gzip.decompress((DATA / "parity" / "serve" / "serve-60-blocks.steps.jsonl.gz").read_bytes())
    rows = recorded_rows(list(read_steps(data.splitlines(), where="r")), where="r")
    fit = fit_steps(Seen(steps=rows))
    assert fit.step_model.a > 0
    assert fit.step_model.b > 0


def test_that_a_record_that_we_would_have_decided_otherwise_is_refused():
    data = gzip.decompress((DATA / "parity" / "serve" / "serve-60-blocks.steps.jsonl.gz").read_bytes())
    lines = list(read_steps(data.replace(b'"free":', b'"free":1', 1).splitlines(), where="r"))
    with pytest.raises(InputError, match=r"r: our scheduler decides otherwise at call 0 \(free\)"):
        recorded_rows(lines, where="r")
    with pytest.raises(InputError, match="does not begin with its header"):
        recorded_rows(lines[1:], where="r")


def test_that_a_pause_of_the_machine_is_no_property_of_a_step():
    steps = synthetic_steps(3)
    paused = [one._replace(us=one.us + 300_000) for one in steps[::50]]
    fit = fit_steps(Seen(steps=[*steps, *paused]))
    assert fit == fit_steps(Seen(steps=steps))


def test_that_equal_loads_that_differ_are_told():
    even = fit_steps(seen_by_clients())
    assert even.spread_pct < 0.5
    seen = seen_by_clients()
    seen.prompts = [one._replace(us=one.us * factor) for one in seen.prompts for factor in (0.8, 1, 1.2)]
    assert fit_steps(seen).spread_pct > 10


def mixed_records(truth: StepModel = TRUTH, overhead_s: float = 0.002) -> list[RequestRecord]:
    draw = random.Random(5)
    jobs = [
        ReplayJob(0.03 * n, Request(f"r{n}", draw.randrange(30, 2000), draw.randrange(2, 60)))
        for n in range(150)
    ]
    return _Clients(jobs, truth=truth, overhead_s=overhead_s).records()


def test_that_a_mixed_run_adds_nothing_where_the_fit_explains_it():
    fit = fit_steps(seen_by_clients())
    under_load = fit_under_load(fit, mixed_records(), CONFIG)
    close(under_load.step_model, rel=0.02)
    assert under_load.request_overhead_us == pytest.approx(2000, rel=0.15)


def test_that_a_mixed_run_shows_what_costs_more_under_load():
    fit = fit_steps(seen_by_clients())
    slower = msgspec.structs.replace(TRUTH, a=TRUTH.a + 1500, b=TRUTH.b + 4)
    records = mixed_records(slower, overhead_s=0.008)
    before = predict(records, CONFIG, fit.step_model, request_overhead_us=fit.request_overhead_us)
    better = fit_under_load(fit, records, CONFIG)
    after = predict(records, CONFIG, better.step_model, request_overhead_us=better.request_overhead_us)
    assert before.tpot_ms.error_pct < -15
    assert abs(after.tpot_ms.error_pct) < 5
    assert abs(after.ttft_ms.error_pct) < 10
