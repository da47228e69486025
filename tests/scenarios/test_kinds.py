"""Kinds of experiments on the embedded engine, through real processes."""

import json
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
@pytest.mark.timeout(300)
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
@pytest.mark.timeout(300)
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
