"""A variant's run is held against its baseline's from the bench file, and the report shows what was said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.advice.test_diagnosis import samples
from tests.unit.results.making import request
from workbench.experiments.findings.diagnose_run import against_baseline
from workbench.experiments.run.events import RunDiagnosed, encode_event
from workbench.results import BenchFile, RunFrame, summarize_run, write_html

FULL = {"running": 8.0, "waiting": 20.0, "kv_usage": 0.1}
ROOM = {"running": 12.0, "waiting": 0.0, "kv_usage": 0.2}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[BenchFile]:
    with BenchFile.create(tmp_path / "b.bench") as file:
        file.add_experiment("x", "")
        yield file


def ran(bench: BenchFile, seats: int | None, ttft: float, gauges: dict[str, Any], **changes: Any) -> int:
    """A finished run of 20 s at 10 requests a second; seats None: the baseline's eight."""
    requests = [request(i, due=i / 10, ttft=ttft) for i in range(200)]
    seen = samples(20, **gauges)
    fields = {"rate": 10.0, "trace_sha256": "t", "frame": RunFrame(length_s=20.0), "command": "vllm serve m"}
    fields |= changes
    run = bench.add_run(
        1, f"seats {seats}" if seats else "baseline", control="max_num_seqs" if seats else None,
        value=seats, config={"max_num_seqs": seats or 8}, **fields,
    )  # fmt: skip
    bench.write_requests(run, requests)
    bench.write_samples(run, seen)
    bench.finish_run(run, "done", summarize_run(requests, RunFrame(length_s=20.0), samples=seen))
    return run


def test_that_what_moved_and_the_limit_that_binds_now_are_said(bench: BenchFile) -> None:
    baseline = ran(bench, None, 2.0, FULL)
    variant = ran(bench, 16, 0.1, ROOM)
    said = list(map(str, against_baseline(bench, variant)))
    assert said[0] == "max_num_seqs: 8 → 16."
    assert any(sentence.startswith("Better: ") and "TTFT p95 -95 %" in sentence for sentence in said)
    assert said[-1].startswith("The bottleneck moved: sequence limit")
    assert against_baseline(bench, baseline) == []


def test_that_a_baseline_under_another_load_is_none(bench: BenchFile) -> None:
    ran(bench, None, 2.0, FULL, rate=5.0)
    assert against_baseline(bench, ran(bench, 16, 0.1, ROOM)) == []


def test_that_the_nearest_run_of_the_baseline_is_taken(bench: BenchFile) -> None:
    ran(bench, None, 9.0, FULL)
    ran(bench, None, 0.2, FULL)
    said = against_baseline(bench, ran(bench, 16, 0.1, ROOM))
    assert any("TTFT p95 -50 %" in str(sentence) for sentence in said)


def test_that_the_report_shows_each_runs_limit_and_change_escaped(bench: BenchFile, tmp_path: Path) -> None:
    ran(bench, None, 2.0, FULL)
    variant = ran(bench, 16, 0.1, ROOM)
    event = RunDiagnosed(
        run="seats 16", headline="Bound by: <b>seats</b>.", strip=[], shares={},
        next_change="max_num_seqs 16 → 32.", sentences=["It was full."],
        against_baseline=["Better: all & everything."],
    )  # fmt: skip
    bench.write_log(variant, "event", ["a line that is no event", encode_event(event).decode().strip()])
    write_html(bench, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    section = text.partition("Bottlenecks, and what to change next")[2].partition("<h2>")[0]
    assert "Bound by: &lt;b&gt;seats&lt;/b&gt;." in section
    assert "max_num_seqs 16 → 32." in section
    assert "Better: all &amp; everything." in section
    assert "It was full." in section


def test_that_a_report_without_diagnoses_has_no_such_section(bench: BenchFile, tmp_path: Path) -> None:
    ran(bench, None, 2.0, FULL)
    write_html(bench, tmp_path / "r.html")
    assert "Bottlenecks, and" not in (tmp_path / "r.html").read_text()
