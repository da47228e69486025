"""What is shown of a run as it begins and as it is reopened: the limits in force, not those asked for."""

from pathlib import Path
from typing import Any

import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from ui.files.bench_reader import read_bench
from workbench.experiments.plan.plan import make_plan
from workbench.experiments.plan.run_queue import RunQueue
from workbench.experiments.plan.workload import read_workload
from workbench.experiments.run.conductor import run_started
from workbench.experiments.run.prepared_run import prepare_run
from workbench.results import BenchFile
from workbench.servers import EffectiveConfig, make_server

ASKED = GOOD.replace("[baseline]", "[baseline]\nmax_num_active_seqs = 8", 1)


@pytest.mark.parametrize(
    ("command", "told", "shown"),
    [
        (None, {"max_num_seqs": 40}, {"max_num_seqs": 40}),
        (None, {}, {}),
        ("vllm serve", {"max_num_seqs": 40, "block_size": None}, {"max_num_seqs": 40}),
    ],
    ids=["attached", "attached and silent", "started by us"],
)
def test_a_run_shows_the_limits_in_force_live_and_reopened(
    command: str | None, told: dict[str, Any], shown: dict[str, Any], tmp_path: Path
) -> None:
    plan = make_plan([read(ASKED)])
    first, run = plan.experiments[0], plan.runs[0]
    server = make_server(first.target, {})
    server.url, server.model, server.command = "http://127.0.0.1:1", "m", command
    effective = EffectiveConfig(arguments=told, model="m")
    held = prepare_run(first, run, read_workload(first.trace, first.load), server, effective, None)
    live = run_started(held, plan, RunQueue(plan)).limits
    with BenchFile.create(tmp_path / "a.bench") as bench:
        bench.add_run(
            bench.add_experiment(first.name, ASKED),
            run.name,
            control=None,
            value=None,
            config=run.configuration.controls,
            effective=told,
            command=command,
        )
    (reopened,) = read_bench(tmp_path / "a.bench").runs.values()
    assert live == reopened.limits
    assert shown.items() <= live.items()
    seats = {"max_num_seqs", "max_num_active_seqs"}
    asked = {} if command is None else run.configuration.controls
    assert {name: live.get(name) for name in seats} == {
        name: shown.get(name, asked.get(name)) for name in seats
    }
