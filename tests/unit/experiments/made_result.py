"""A vendor's result without a server: a bench file whose rows follow from its schedule."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from workbench.controls import control_flags
from workbench.experiments import Experiment, Order, make_plan, read_order, to_toml, write_order, write_result
from workbench.experiments.packs.carry_out import bench_of
from workbench.experiments.packs.evidence import EVIDENCE_FILE, SessionEvidence, evidence_bytes
from workbench.experiments.plan.plan import Run, server_side
from workbench.experiments.plan.workload import make_schedule, read_workload
from workbench.experiments.run.run_figures import cold_hit_share
from workbench.experiments.spec.read_experiments import BASE
from workbench.load import LoadOptions
from workbench.load.split_work import requests_of
from workbench.results import (
    BenchFile,
    Conditions,
    Histogram,
    MachineSample,
    Outcome,
    PackKey,
    RequestRecord,
    RunFrame,
    RunInputs,
    Sample,
    ServerDelta,
    recompute,
)
from workbench.traces import SCHEDULE_FORM, Trace

LIMITS = """name = "limits"
[target]
kind = "local"
model = "m"
[baseline]
max_num_seqs = 8
[control]
name = "max_num_seqs"
values = [16]
[trace]
file = "two-classes.jsonl"
[load]
rates = [4.0]
requests = 40
[repeat]
n = 2
[objectives]
ttft_p95_ms = 2000
"""
"""Two configurations, each twice."""
_START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
_RESTART_S = 30.0


class FakeClock:
    """The wall time of the made runs."""

    def __init__(self) -> None:
        self.now = _START

    def utc_now(self) -> str:
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@contextmanager
def made_time() -> Iterator[FakeClock]:
    """Bench files and orders bear the times of a clock of their own."""
    clock = FakeClock()
    with pytest.MonkeyPatch.context() as patch:
        for module in ("results.bench.bench_file", "experiments.packs.order"):
            patch.setattr(f"workbench.{module}.utc_now", clock.utc_now)
        yield clock


def two_classes(folder: Path) -> None:
    """Write a trace of 40 requests, every fourth of another class."""
    lines = ['{"workbench_trace":1}']
    for row in range(40):
        cls, prompt, output = ("long", 900 + row, 30) if row % 4 == 0 else ("short", 100 + row, 20)
        lines.append(
            f'{{"timestamp":{250 * row},"input_length":{prompt},"output_length":{output},"class":"{cls}"}}'
        )
    (folder / "two-classes.jsonl").write_text("\n".join(lines) + "\n")


class MadeResult:
    """An order, and the folder in which it was carried out."""

    def __init__(self, folder: Path, toml: str = LIMITS, *, seed: int = 0, **order: Any) -> None:
        two_classes(folder)
        self.folder = folder
        self.random = Random(seed)
        self.experiments = [Experiment.from_toml(toml, where="made")]
        self.order_file, self.result_file = folder / "order.wbpack", folder / "result.wbpack"
        self.work = folder / "result.work"
        self.work.mkdir()
        with made_time() as self.clock:
            write_order(self.experiments, folder, self.order_file, **order)
            self.order: Order = read_order(self.order_file)
            self.clock.sleep(3600)
            self._measure()
        self.key = PackKey.of_this_user()
        self.pack()

    def pack(self) -> None:
        """Write the result as it is in the folder now, signed by the vendor's key."""
        write_result(self.order, self.work, self.result_file, self.key)

    def copied(self, folder: Path) -> "MadeResult":
        """Return a copy in another folder, to be tampered with."""
        made = copy(self)
        made.folder = shutil.copytree(self.folder, folder)
        made.order_file, made.result_file, made.work = (
            folder / path.name for path in (self.order_file, self.result_file, self.work)
        )
        return made

    def _measure(self) -> None:
        began = self.clock.utc_now()
        experiment = self.order.experiments[0]
        with BenchFile.create(bench_of(self.work)) as bench:
            for name, content in self.order.members.items():
                if name.startswith("traces/"):
                    (self.work / "traces").mkdir(exist_ok=True)
                    (self.work / name).write_bytes(content)
            workload = read_workload(experiment.trace, experiment.load, base=self.work)
            bench.set_meta(BASE, str(self.work))
            facts = {
                "trace_sha256": workload.trace.sha256(experiment.trace.seed),
                "schedule_form": SCHEDULE_FORM,
                "calibrated_utc": began,
            }
            entry = bench.add_experiment(
                experiment.name, to_toml(experiment), objectives=experiment.objectives, facts=facts
            )
            self.run_plan(bench, entry, experiment, workload.trace)
            bench.finish_experiment(entry, "done")
        session = SessionEvidence(
            program="made", system="Linux", python="3", order_sha256=self.order.sha256,
            started_utc=began, ended_utc=self.clock.utc_now(), clock_step_s=0.0, utc_offset_s=0,
            clock_synchronized=True, host={}, gpus=[], calibration=None, checks=[],
        )  # fmt: skip
        (self.work / EVIDENCE_FILE).write_bytes(evidence_bytes([session]))

    def run_plan(self, bench: BenchFile, entry: int, experiment: Experiment, trace: Trace) -> None:
        """Measure every run of the plan; the second one took two tries."""
        for number, run in enumerate(make_plan([experiment]).runs):
            run_id = self.measured(bench, entry, experiment, trace, run, 2 * number)
            if number == 1:
                bench.update_run(run_id, status="replaced")
                self.measured(bench, entry, experiment, trace, run, 2 * number + 1)

    def measured(
        self, bench: BenchFile, entry: int, experiment: Experiment, trace: Trace, run: Run, number: int
    ) -> int:
        """Store one run as the conductor does."""
        load = experiment.load
        schedule = make_schedule(trace, experiment.trace, load, run.rate, run.concurrency, experiment.burst)
        records = self.records(trace, schedule, load.warmup_s, f"{self.random.getrandbits(32):08x}")
        ended = max(record.done or 0.0 for record in records) + 0.1
        controls = run.configuration.controls
        command = f"vllm serve m {' '.join(control_flags(server_side(controls)))} --port 8000"
        bench.write_log(
            None, "server", [f"INFO [utils] non-default args: {controls | {'port': 8000}!r}", "ready"]
        )
        self.clock.sleep(_RESTART_S)
        frame = RunFrame(length_s=schedule.length_s or ended, ended=ended)
        run_id = bench.add_run(
            entry, run.name, control=run.configuration.control, value=run.configuration.value,
            config=controls, repeat=run.repeat, rate=run.rate, concurrency=run.concurrency, command=command,
            effective={**controls, "version": "0.32.0", "max_model_len": 4096}, simulated=False, frame=frame,
            trace_sha256=trace.sha256(experiment.trace.seed), schedule_sha256=schedule.sha256(),
            facts={"cache_reset": "y", "input_mode": "ids"},
        )  # fmt: skip
        self.clock.sleep(ended + 1.0)
        bench.write_requests(run_id, records)
        server = _counted(records)
        bench.write_samples(run_id, _scrapes(server, ended))
        bench.write_machine(run_id, [MachineSample(t=0.5 + second, host_cpu=0.2) for second in range(3)])
        bench.write_log(run_id, "server", ["Avg generation throughput: 80.0 tokens/s"])
        options = LoadOptions(cache_salt="own", input_mode="ids")
        conditions = Conditions(
            asked=server_side(controls), effective=controls, clock_step_s=0.0, vllm_version="0.32.0",
            prefix_hit_ideal=cold_hit_share(trace, schedule, options, "completions", len(records)),
        )  # fmt: skip
        bench.finish_run(run_id, "done", None, RunInputs(server=server, conditions=conditions))
        bench.update_run(run_id, summary=recompute(bench, run_id).to_json())
        return run_id

    def records(self, trace: Trace, schedule: Any, warmup_s: float, name: str) -> list[RequestRecord]:
        """Return the requests of a run, each answered after a random time."""
        options = LoadOptions(warmup_s=warmup_s)
        found = []
        for number, request in enumerate(requests_of(trace, schedule, options)):
            due = request.due_s if request.due_s is not None else number / 4
            queue_ms, prefill_ms = self.random.uniform(0.1, 30), self.random.uniform(5, 50)
            gaps = np.array([self.random.uniform(8, 20) for _ in range(request.output_tokens - 1)], "<f4")
            first = due + 0.0003 + (queue_ms + prefill_ms) / 1000 + 0.002
            last = first + float(gaps.sum(dtype=np.float64)) / 1000
            found.append(
                request.record(
                    f"{name}-{'w' if request.warmup else ''}{request.index}", due=due, released=due,
                    sent=due + 0.0003, first_token=first, last_token=last, done=last, status=200,
                    outcome=Outcome.COMPLETED, finish_reason="length", prompt_tokens=request.input_tokens,
                    completion_tokens=request.output_tokens, tokens=request.output_tokens,
                    token_source="continuous", gaps_ms=gaps.tobytes(), queue_ms=queue_ms,
                    prefill_ms=prefill_ms,
                )
            )  # fmt: skip
        return found


def _counted(records: list[RequestRecord]) -> ServerDelta:
    """Return what an honest server counts of the requests."""
    inside = [((record.queue_ms or 0) + (record.prefill_ms or 0)) / 1000 for record in records]
    whole = [one + (r.last_token or 0) - (r.first_token or 0) for one, r in zip(inside, records, strict=True)]
    return ServerDelta(
        preemptions=0.0,
        prompt_tokens=float(sum(record.input_tokens for record in records)),
        generation_tokens=float(sum(record.output_tokens for record in records)),
        succeeded=float(len(records)),
        prefix_queries=float(sum(record.input_tokens for record in records)),
        prefix_hits=0.0,
        histograms={
            "vllm:time_to_first_token_seconds": Histogram((100.0,), (float(len(records)), 0.0), sum(inside)),
            "vllm:e2e_request_latency_seconds": Histogram((100.0,), (float(len(records)), 0.0), sum(whole)),
        },
    )


def _scrapes(server: ServerDelta, ended: float) -> list[Sample]:
    names = (
        "preemptions",
        "prompt_tokens",
        "generation_tokens",
        "succeeded",
        "prefix_queries",
        "prefix_hits",
    )
    return [
        Sample(
            t=t, running=4.0, waiting=0.0, kv_usage=0.1, queue_count=0.0, queue_sum_s=0.0,
            **{name: share * getattr(server, name) for name in names},
        )
        for t, share in ((-0.5, 0.0), (ended / 2, 0.5), (ended + 0.2, 1.0))
    ]  # fmt: skip
