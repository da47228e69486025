"""The scorecard as a table of text."""

from pathlib import Path

from tests.unit.results.making import request, unanswered
from workbench.cli.table import scorecard_table
from workbench.results import BenchFile, RunFrame, summarize_run


def test_that_lower_bounds_and_requests_left_open_are_marked(tmp_path: Path) -> None:
    frame = RunFrame(length_s=10.0, ended=70.0)
    requests = [
        *(request(i, due=i / 10, ttft=0.2) for i in range(100)),
        *(unanswered(100 + i, due=9.0) for i in range(16)),
    ]
    with BenchFile.create(tmp_path / "b.bench") as bench:
        experiment = bench.add_experiment("x", "")
        run = bench.add_run(
            experiment, "baseline", control=None, value=None, config={}, rate=10.0, frame=frame
        )
        bench.finish_run(run, "done", summarize_run(requests, frame))
    _, row = scorecard_table(tmp_path / "b.bench").splitlines()
    assert "≥ 61,000" in row
    assert row.endswith("16 requests were still open when the drain of 60 s ended")
