"""A plan whose servers all fail to start in the same way ends after the first, and says why once."""

import os
from pathlib import Path

import pytest

from tests.unit.servers.conftest import vllm_script
from workbench.experiments import Event, Experiment, Notice, run_experiments
from workbench.results import BenchFile

__all__ = ["vllm_script"]

TEXT = """
name = "starts"
[target]
kind = "local"
model = "{model}"
executable = "{script}"
[baseline]
max_num_seqs = 16
[control]
name = "max_num_seqs"
values = [32, 64]
[trace]
synthetic = "20:4"
[load]
rates = [4, 8]
requests = 4
"""


def carried_out(script: Path, model: str, bench: Path) -> tuple[str, list[str], list[tuple[str, str]]]:
    events: list[Event] = []
    experiment = Experiment.from_toml(TEXT.format(model=model, script=script), where="a.toml")
    status = run_experiments([experiment], bench, events.append, calibrated=False)
    with BenchFile.open(bench) as file:
        runs = [(run.name, run.status) for run in file.runs()]
    said = [event.text for event in events if isinstance(event, Notice) and event.level != "info"]
    return status, said, runs


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script")
def test_that_a_shared_start_failure_ends_the_plan_after_the_first(vllm_script: Path, tmp_path: Path) -> None:
    status, said, runs = carried_out(vllm_script, "locked", tmp_path / "a.bench")
    assert status == "failed"
    assert runs == [("baseline @ 4 req/s", "failed")]
    assert [line for line in said if "may not read or write /m/config.json" in line] == said[:1]
    assert said[1] == "the plan ends here: the server would fail to start in the same way for 5 other runs"
