"""Queue time of a server that doesn't tell it with its answers, from the record of its scheduler's steps."""

from pathlib import Path

import pytest

from tests.scenarios.test_first_run import experiment_file, rows_of, stored, workbench
from workbench.results import BenchFile, verify


@pytest.mark.slow
def test_that_a_recorded_server_without_per_request_metrics_has_its_queue_percentiles(tmp_path: Path) -> None:
    path = experiment_file(tmp_path, values="[32]", time_scale="2.0", duration_s="8")
    asked = 'kind = "embedded"\nrecord_steps = true\nargs = ["--no-enable-per-request-metrics"]'
    path.write_text(path.read_text().replace('kind = "embedded"', asked))
    bench = tmp_path / "a.bench"
    done = workbench("run", str(path), "--bench", str(bench), "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    baseline, variant = rows_of(tmp_path / "out" / "scorecard.csv")
    assert (baseline["queue_source"], variant["queue_source"]) == ("recorder", "recorder")
    # Four seats for what thirty-two hold: see the first run.
    assert float(baseline["queue_p95_ms"]) > 1000 > float(variant["queue_p95_ms"])
    assert baseline["queue_p95_lo_ms"] == ""
    completed = "FROM requests WHERE outcome = 'completed'"
    assert stored(bench, f"SELECT COUNT(*) {completed} AND queue_ms IS NULL") == [(0,)]
    with BenchFile.open(bench) as file:
        assert verify(file) == []
