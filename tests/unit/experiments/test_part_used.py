"""A run bounded by time or number uses the first rows of a trace file, and says so."""

import json
from pathlib import Path

import msgspec

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.experiments.plan.plan import Plan, make_plan
from workbench.experiments.plan.workload import note_part, part_used, parts_planned
from workbench.experiments.run.events import Event, Notice
from workbench.traces import Trace, open_loop, read_trace


def trace_of(path: Path) -> Trace:
    """A hundred short chats, then nine hundred long documents."""
    lines = [json.dumps({"workbench_trace": 1, "block_tokens": 512, "source": "made", "transforms": []})]
    for number in range(1000):
        chat = number < 100
        row = {"timestamp": 100 * number, "input_length": 50 if chat else 1000, "output_length": 20}
        lines.append(json.dumps(row | {"class": "chat" if chat else "document"}))
    path.write_text("\n".join(lines) + "\n")
    return read_trace(path)


def planned(path: Path, load: str) -> Plan:
    experiment = read(GOOD.replace("rates = [12.0]\nduration_s = 30", load))
    choice = msgspec.structs.replace(experiment.trace, file=str(path), synthetic=None, mix=None)
    return make_plan([msgspec.structs.replace(experiment, trace=choice)])


def test_that_a_run_of_the_first_rows_says_how_many_and_how_their_mix_differs(tmp_path: Path) -> None:
    trace = trace_of(tmp_path / "t.jsonl")
    said = str(part_used(trace, open_loop(trace, rate=10.0, requests=100)))
    assert said.startswith("uses the first 100 of 1,000 requests of the trace: ")
    assert "prompts of 50 tokens on average, 905 in the whole trace" in said
    assert "100 % of class chat, 10 % in the whole trace" in said
    assert "outputs" not in said


def test_that_a_run_of_the_whole_trace_says_nothing(tmp_path: Path) -> None:
    trace = trace_of(tmp_path / "t.jsonl")
    assert part_used(trace, open_loop(trace, rate=10.0)) is None
    assert part_used(trace, open_loop(trace, rate=10.0, requests=1500)) is None


def test_that_a_plan_says_it_for_each_rate_and_a_run_once_with_a_fact(tmp_path: Path) -> None:
    trace = trace_of(tmp_path / "t.jsonl")
    plan = planned(tmp_path / "t.jsonl", "rates = [5.0, 200.0]\nduration_s = 20")
    (note,) = parts_planned(plan, trace)
    assert str(note).startswith("at 5 req/s uses the first 100 of 1,000")
    told: list[Event] = []
    schedule = open_loop(trace, rate=5.0, duration_s=20)
    for run in plan.runs:
        assert note_part(plan.experiments[0], run, trace, schedule, told.append).keys() == {"trace_part"}
    baselines = [run for run in plan.runs if run.configuration.control is None and run.repeat == 1]
    assert len(told) == len(baselines)
    assert all(isinstance(event, Notice) for event in told)
