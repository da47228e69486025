"""The whole walk: experiment files in, a bench file and a scorecard out, through real processes."""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.command_line import workbench
from ui.files.bench_reader import fill_series, read_bench
from ui.live import LiveState
from ui.plots.specs import PLOTS
from ui.plots.whole_run import whole_figures
from ui.scorecard.columns import COLUMNS
from ui.scorecard.model import Role, ScorecardModel
from workbench.base import now
from workbench.experiments import decode_event
from workbench.results import BenchFile, scorecard_rows

__all__ = ["workbench"]

FIRST_COLUMNS = [
    *("run", "offered_rps", "completed_rps", "ttft_p95_ms", "queue_p95_ms", "e2e_p95_ms"),
    *("error_rate", "preemptions"),
]
MEASURABLE = [
    *FIRST_COLUMNS,
    *("ttft_p50_ms", "itl_p95_ms", "output_tok_s", "accepted_rps", "rejected_rate", "kv_peak"),
    *("queue_source", "profile", "n", "trace_sha256", "schedule_sha256", "vllm_version", "args_full"),
]


def experiment_file(folder: Path, **changes: str) -> Path:
    text = f"""
name = "Seats"
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
time_scale = {changes.get("time_scale", "4.0")}
[baseline]
max_num_seqs = 4
max_num_batched_tokens = 8192
enable_prefix_caching = false
[control]
name = "max_num_seqs"
values = {changes.get("values", "[32]")}
[trace]
synthetic = "200:100"
[load]
rates = [{changes.get("rate", "10")}]
duration_s = {changes.get("duration_s", "16")}
[objectives]
ttft_p95_ms = 1000
"""
    path = folder / "seats.toml"
    path.write_text(text)
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The events and the scorecard of one plan, carried out to its end by a process of its own."""
    folder = tmp_path_factory.mktemp("whole")
    path = experiment_file(folder, time_scale="2.0", duration_s="8")
    (folder / "prompts.txt").write_text("Tell me a story.\nName three rivers.\n")
    path.write_text(f'{path.read_text()}\n[quality]\nprompts = "prompts.txt"\ntokens = 16\n')
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "run", str(path), "--out", str(folder / "out"), "--events"],
        capture_output=True, text=True, timeout=280, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], rows_of(folder / "out" / "scorecard.csv")


Whole = tuple[list[dict[str, Any]], list[dict[str, str]]]


def test_that_a_run_leaves_a_full_scorecard_whose_rows_differ_as_the_scheduler_says(whole: Whole) -> None:
    events, rows = whole
    assert list(rows[0])[:8] == FIRST_COLUMNS
    baseline, variant = rows
    # 4 seats complete about 4 / (100 steps of 7.7 ms) = 5 requests a second of the 10 offered; 32 hold them.
    assert float(baseline["completed_rps"]) < 6
    assert float(variant["completed_rps"]) > 1.3 * float(baseline["completed_rps"])
    assert float(baseline["ttft_p95_ms"]) > 3 * float(variant["ttft_p95_ms"])
    assert float(baseline["queue_p95_ms"]) > 1000
    assert variant["preemptions"] == "0"
    assert baseline["simulated"] == "true"
    assert "max_num_seqs 4 → 32" in "\n".join(events[-1]["report"])
    for row in rows:
        empty = [name for name in MEASURABLE if not row[name]]
        assert not empty, row["run"]


def test_that_the_events_tell_the_whole_walk_in_order(whole: Whole) -> None:
    events, _ = whole
    kinds = [event["type"] for event in events]
    assert kinds[0] == "experiment_started"
    assert kinds[-1] == "experiment_finished"
    assert kinds.count("run_started") == kinds.count("run_finished") == 2
    samples = [event for event in events if event["type"] == "sample"]
    assert any(sample["running"] for sample in samples)
    assert any(sample["output_tok_s"] for sample in samples)
    assert any(sample["ttft_p95_ms"] for sample in samples)
    states = [event["state"] for event in events if event["type"] == "server_state"]
    assert states.count("ready") == states.count("busy") == 2
    assert states.index("ready") < states.index("busy") < states.index("stopped")
    assert states[-1] == "stopped"


def test_a_run_has_the_same_figures_live_reopened_and_in_the_scorecard(whole: Whole) -> None:
    events, rows = whole
    live = LiveState()
    for event in events:
        live.apply(decode_event(json.dumps(event)))
    bench = Path(events[-1]["bench"])
    opened = read_bench(bench)
    fill_series(bench, list(opened.runs.values()))
    assert list(live.runs) == list(opened.runs)
    for name, run in live.runs.items():
        again = opened.runs[name]
        assert run.limits == again.limits
        for spec in PLOTS:
            shown = whole_figures(spec, run, run.of_source(spec.source))
            # Of the machine the window holds four decimals of each look.
            stored = whole_figures(spec, again, again.of_source(spec.source))
            for one, other in zip(shown, stored, strict=True):
                same = None if other.value is None else pytest.approx(other.value, rel=1e-3, abs=1e-4)
                assert one.value == same, (name, spec.id, one.curve.column)
    for row, run in zip(rows, live.runs.values(), strict=True):
        (plot,) = [spec for spec in PLOTS if spec.id == "scheduler"]
        running, _ = whole_figures(plot, run, run.series)
        assert float(row["running_mean"]) == pytest.approx(running.value, rel=1e-4)
        assert 0 < float(row["running_mean"]) <= float(row["running_max"])
        assert 0 < float(row["kv_mean"]) <= float(row["kv_peak"])
        # Within the window, which ends before the last of a queue is served.
        assert 0 < float(row["oldest_waiting_s"]) <= float(row["duration_s"])


def cells_of(state: LiveState) -> dict[str, dict[str, str]]:
    """The window's scorecard: the text of each cell by column, by run."""
    model = ScorecardModel()
    model.show_state(state)
    runs = [state.runs[model.index(row, 0).data(Role.RUN)] for row in range(model.rowCount())]
    return {run.name: {column.key: model.cell(run, column).plain() for column in COLUMNS} for run in runs}


class Tables(HTMLParser):
    """The tables of a report, as lists of rows of texts."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.inside = False

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")
        self.inside = self.inside or tag in {"td", "th"}

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.tables[-1][-1][-1] += data


def test_that_window_command_line_and_exports_show_the_same_figures(whole: Whole, tmp_path: Path) -> None:
    events, rows = whole
    live, bench = LiveState(), Path(events[-1]["bench"])
    for event in events:
        live.apply(decode_event(json.dumps(event)))
    opened = read_bench(bench)
    assert cells_of(live) == cells_of(opened)
    said = [[str(each) for each in state.report] for state in (live, opened)]
    assert said[0] == said[1]
    with BenchFile.open(bench) as file:
        truth = {row.cells["run"]: row.cells for row in scorecard_rows(file)}
    exported = json.loads(workbench("export", str(bench), "--json", "-").stdout)
    again = list(csv.DictReader(workbench("export", str(bench), "--csv", "-").stdout.splitlines()))
    assert again == rows
    report = tmp_path / "report.html"
    workbench("export", str(bench), "--html", str(report))
    parser = Tables()
    parser.feed(report.read_text())
    (every,) = [table for table in parser.tables if table[0][:2] == ["column", "unit"]]
    (guide,) = [table for table in parser.tables if table[0][:2] == ["run", "offered_rps"]]
    for place, (name, figures) in enumerate(truth.items()):
        cells = exported["rows"][place]["cells"]
        shown = cells_of(live)[name]
        reported = {row[0]: row[2 + place] for row in every[1:]}
        assert [cells["run"], reported["run"], guide[1 + place][0]] == [name] * 3
        for key, value in figures.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert cells[key] == pytest.approx(value, rel=1e-5), key
                assert float(rows[place][key]) == pytest.approx(cells[key], rel=1e-12), key
                assert float(reported[key].replace(",", "")) == pytest.approx(value, rel=6e-3), key
        for key, text in zip(guide[0], guide[1 + place], strict=True):
            assert text.removeprefix("≥ ") == reported[key], key
        for column in COLUMNS:
            value = column.value(figures)
            if column.kind != "text" and value is not None and "diverging" not in shown[column.key]:
                assert shown[column.key].removeprefix("≥ ").split(" ")[0] == column.words(value), column.key


def test_that_greedy_answers_are_compared_where_prompts_are_given(whole: Whole) -> None:
    _, rows = whole
    said = [row["quality_check"] for row in rows]
    assert said == ["", "compared: 2 of 2 greedy answers of up to 16 tokens are the baseline's"]


class Conducting:
    """A conductor as the window starts it."""

    def __init__(self, path: Path, bench: Path) -> None:
        self.bench = bench
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workbench", "run", str(path), "--bench", str(bench), "--events"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def wait_for(self, kind: str, **fields: object) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event: dict[str, Any] = json.loads(line)
            if event["type"] == kind and all(event.get(key) == value for key, value in fields.items()):
                return event
        raise AssertionError(f"the conductor ended without {kind} {fields}")

    def wait_for_completed(self, number: int) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event: dict[str, Any] = json.loads(line)
            if event["type"] == "sample" and (event["completed"] or 0) >= number:
                return event
        raise AssertionError("the conductor ended early")

    def say(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"command": command}).encode() + b"\n")
        self.process.stdin.flush()

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()

    def end(self) -> None:
        """Leave nothing behind, whatever the test found."""
        self.close()
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)


@pytest.fixture
def conduct(tmp_path: Path) -> Iterator[Callable[[Path], Conducting]]:
    """Starts conductors that are ended with the test."""
    started: list[Conducting] = []

    def start(path: Path) -> Conducting:
        started.append(Conducting(path, tmp_path / f"{len(started)}.bench"))
        return started[-1]

    yield start
    for conducting in started:
        conducting.end()


Conduct = Callable[[Path], Conducting]


def stored(bench: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(bench)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_that_a_stop_keeps_the_run_as_partial_and_ends_the_plan(tmp_path: Path, conduct: Conduct) -> None:
    conducting = conduct(experiment_file(tmp_path))
    conducting.wait_for_completed(1)
    conducting.say("stop")
    finished = conducting.wait_for("experiment_finished")
    assert finished["status"] == "stopped"
    assert conducting.process.wait(60) == 1
    conducting.close()
    assert stored(conducting.bench, "SELECT status FROM runs") == [("partial",)]


def test_that_a_skip_goes_on_with_the_next_run(tmp_path: Path, conduct: Conduct) -> None:
    conducting = conduct(experiment_file(tmp_path, duration_s="4"))
    conducting.wait_for_completed(1)
    conducting.say("skip")
    conducting.wait_for("experiment_finished", status="done")
    assert conducting.process.wait(60) == 0
    conducting.close()
    assert stored(conducting.bench, "SELECT status FROM runs ORDER BY id") == [("skipped",), ("done",)]


def test_that_the_plan_goes_on_to_its_end_when_the_window_is_gone(tmp_path: Path, conduct: Conduct) -> None:
    conducting = conduct(experiment_file(tmp_path, duration_s="4"))
    conducting.wait_for("run_started")
    conducting.close()
    assert conducting.process.wait(60) == 0
    assert stored(conducting.bench, "SELECT status FROM runs ORDER BY id") == [("done",), ("done",)]


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is a POSIX signal")
def test_that_a_killed_conductor_loses_no_request_that_ended_half_a_second_before(
    tmp_path: Path, conduct: Conduct
) -> None:
    conducting = conduct(experiment_file(tmp_path, values="[16]", duration_s="40"))
    event = conducting.wait_for_completed(10)
    at_event = now()
    children = psutil.Process(conducting.process.pid).children(recursive=True)
    time.sleep(max(0.0, 0.55 - (now() - at_event)))
    os.kill(conducting.process.pid, signal.SIGKILL)
    conducting.process.wait()
    conducting.close()
    count = stored(conducting.bench, "SELECT COUNT(*) FROM requests WHERE outcome = 'completed'")[0][0]
    assert count >= event["completed"]
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive, "the load workers and the engine end with their conductor"


def test_that_a_server_which_dies_ends_its_run_and_the_next_one_gets_a_new_server(
    tmp_path: Path, conduct: Conduct
) -> None:
    conducting = conduct(experiment_file(tmp_path, duration_s="6"))
    pid = conducting.wait_for("server_state", state="ready")["pid"]
    conducting.wait_for_completed(1)
    psutil.Process(pid).kill()
    first = conducting.wait_for("run_finished")
    assert first["status"] == "failed"
    assert first["row"]["valid"] is False
    assert first["row"]["reasons"].startswith("server lost: ")
    second = conducting.wait_for("run_finished")
    assert second["status"] == "done"
    assert conducting.wait_for("experiment_finished")["status"] == "failed"
    assert conducting.process.wait(60) == 1
