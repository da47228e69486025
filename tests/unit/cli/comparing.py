"""Bench files of systems that are to be compared."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.unit.results.making import request
from workbench.results import BenchFile, Objectives, RunFrame, summarize_run

Waits = dict[tuple[int | None, float], float]


def bench(
    path: Path,
    gpu: str,
    waits: Waits,
    *,
    limit_ms: float = 500,
    answer: Mapping[str, Any] = MappingProxyType({}),
    closed: bool = False,
    raw: bool = False,
    **changes: Any,
) -> Path:
    """A file with a run a configuration (seats; None: the baseline) and rate, each of one TTFT (seconds).

    `answer` changes its requests; they are stored where `raw`, and a rate is one of a `closed` loop.
    """
    facts = {"gpu_model": f"GPU 0: {gpu}", "model": "M", **changes}
    trace = facts.pop("trace_sha256", "t")
    with BenchFile.create(path) as file:
        experiment = file.add_experiment("x", "", objectives=Objectives(ttft_p95_ms=limit_ms), facts=facts)
        for (seats, rate), ttft in waits.items():
            requests = [request(i, due=i / rate, ttft=ttft, **answer) for i in range(int(30 * rate))]
            load: dict[str, Any] = {"concurrency": int(rate)} if closed else {"rate": rate}
            run = file.add_run(
                experiment, f"{seats or 'baseline'} @ {rate:g}", control="max_num_seqs" if seats else None,
                value=seats, config={"max_num_seqs": seats or 8}, trace_sha256=trace, **load,
            )  # fmt: skip
            objectives, frame = Objectives(ttft_p95_ms=limit_ms), RunFrame(length_s=30.0)
            if raw:
                file.update_run(run, frame=frame)
                file.write_requests(run, requests)
            file.finish_run(run, "done", summarize_run(requests, frame, objectives=objectives))
    return path
