"""Kinds of experiments on the embedded engine, through real processes."""

import json
import re
from pathlib import Path

import pytest

from tests.scenarios.test_first_run import stored, workbench
from workbench.results import BenchFile

TABLES = """
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
time_scale = 2.0
live_limits = {live}
[baseline]
max_num_seqs = 32
max_num_active_seqs = 2
max_num_batched_tokens = 8192
enable_prefix_caching = false
[control]
name = "max_num_active_seqs"
values = [16]
[trace]
synthetic = "200:100"
"""


def write(folder: Path, kind: str, load: str, *, live: bool = False) -> Path:
    path = folder / f"{kind}.toml"
    tables = TABLES.format(live=str(live).lower())
    path.write_text(f'name = "{kind}"\nkind = "{kind}"\n{tables}{load}')
    return path


@pytest.mark.slow
def test_that_a_switchback_changes_the_limit_of_one_server_block_by_block(tmp_path: Path) -> None:
    load = "[load]\nrates = [4]\nduration_s = 60\n[switchback]\nblock_s = 5\nwashout_s = 2\n"
    bench = tmp_path / "switch.bench"
    done = workbench("run", str(write(tmp_path, "switchback", load, live=True)), "--bench", str(bench))
    assert done.returncode == 0, done.stderr
    assert stored(bench, "SELECT name, status FROM runs") == [
        ("max_num_active_seqs = 2 ⇄ 16 @ 4 req/s", "done")
    ]
    with BenchFile.open(bench) as file:
        (run,) = file.runs()
        running = {
            variant: max(
                sample.running or 0.0
                for sample in file.samples(run.id)
                for begin, end, kind in run.facts["blocks"]
                if kind == variant and begin + 2 <= sample.t * 2 < end
            )
            for variant in (0, 1)
        }
    # 4 requests a second of 0.8 s each need more than two seats now and then.
    assert running[0] <= 2 < running[1]


@pytest.mark.slow
def test_that_an_adaptive_ladder_ends_where_it_diverges_and_says_so(tmp_path: Path) -> None:
    ladder = "ladder = { from = 1, to = 64, factor = 8, adaptive = true, bisections = 0 }"
    load = f"[load]\n{ladder}\nduration_s = 20\n[objectives]\nerror_rate = 0.5\n"
    path = write(tmp_path, "ladder", load)
    path.write_text(path.read_text().replace("values = [16]", "values = [1]"))
    done = workbench("run", str(path), "--bench", str(tmp_path / "a.bench"), "--events")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    runs = [event["run"] for event in events if event["type"] == "run_started"]
    # On a busy machine the first rate can be invalid already; no rate above that is tried either.
    assert not [run for run in runs if "@ 64" in run]
    assert any("higher rates are left out" in event.get("text", "") for event in events)
    assert len(events[0]["plan"]) == 6


@pytest.mark.slow
def test_that_a_search_ends_with_a_pick_and_goes_on_after_a_stop(tmp_path: Path) -> None:
    load = "[load]\nrates = [20]\nduration_s = 8\n[objectives]\nttft_p95_ms = 2000\n[search]\ngain = 0.05\n"
    path = write(tmp_path, "search", load)
    path.write_text(path.read_text().replace("values = [16]", "values = [1, 4, 8, 16, 32]"))
    bench = tmp_path / "search.bench"
    done = workbench("run", str(path), "--bench", str(bench), "--events")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    runs = [event["run"] for event in events if event["type"] == "run_started"]
    assert runs[0].startswith("baseline")
    assert len(runs) == len(set(runs)) <= len(events[0]["plan"]) == 6
    kinds = {said["kind"] for said in events[-1]["report_messages"] if isinstance(said, dict)}
    # On a busy machine no run is valid, and then none is picked.
    assert kinds & {
        "experiments.search_pick",
        "experiments.search_baseline_best",
        "experiments.search_without_pick",
    }
    again = workbench("run", "--bench", str(bench), "--resume", "--events")
    assert again.returncode == 0, again.stderr
    assert not [line for line in again.stdout.splitlines() if json.loads(line)["type"] == "run_started"]


@pytest.mark.slow
def test_that_a_bench_file_is_measured_again_from_another_folder_and_compared(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    after.mkdir()
    made = workbench("trace", "make", "chat", str(before / "chat.jsonl"), "--requests", "90", "--rate", "8")
    assert made.returncode == 0, made.stderr
    first = write(before, "ladder", "[load]\nrates = [8]\n[objectives]\nttft_p95_ms = 60000\n")
    first.write_text(first.read_text().replace('synthetic = "200:100"', 'file = "chat.jsonl"'))
    assert workbench("run", str(first), "--bench", str(before / "first.bench")).returncode == 0
    again = after / "again.toml"
    again.write_text('kind = "reproduce"\nbench = "../before/first.bench"\n')
    done = workbench("run", str(again), "--bench", str(after / "again.bench"))
    assert done.returncode == 0, done.stderr
    asked = "SELECT name, rate, trace_sha256, schedule_sha256, config FROM runs ORDER BY id"
    runs = stored(before / "first.bench", asked)
    assert stored(after / "again.bench", asked) == runs
    for name, *_ in runs:
        # On a busy machine a run can be invalid, which is then said; else the two are judged.
        compared = (
            rf"^{re.escape(name)}: (reproduced|not reproduced|can't tell yet|first\.bench has no valid run)"
        )
        assert re.search(compared, done.stdout, re.MULTILINE) or "INVALID" in done.stdout


@pytest.mark.slow
def test_that_a_value_which_is_clearly_out_is_not_repeated(tmp_path: Path) -> None:
    load = "[load]\nrates = [8]\nrequests = 100\n[objectives]\nerror_rate = 0.9\n"
    path = write(tmp_path, "ladder", f"{load}[repeat]\nn = 2\ndrop_dominated = true\n")
    text = path.read_text().replace("max_num_active_seqs = 2\n", "max_num_active_seqs = 32\n")
    path.write_text(text.replace("values = [16]", "values = [1]").replace("time_scale = 2.0", ""))
    done = workbench("run", str(path), "--bench", str(tmp_path / "d.bench"), "--events")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    finished = [event["run"] for event in events if event["type"] == "run_finished"]
    row = next(event["row"] for event in events if event["type"] == "run_finished")
    if row["valid"] is False:
        pytest.skip(f"this machine is too busy for the baseline itself: {row['reasons']}")
    one = "max_num_active_seqs = 1"
    assert finished == ["baseline @ 8 req/s #1", f"{one} @ 8 req/s #1", "baseline @ 8 req/s #2"]
    said = [event["text"] for event in events if event["type"] == "message"]
    assert any(text.startswith(f"{one}: ") and "it is not repeated" in text for text in said)
