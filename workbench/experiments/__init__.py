"""Experiments: the file, the plan of runs, the conductor that carries it out, its events."""

from workbench.experiments.carrying import carry_out, default_bench_path
from workbench.experiments.channel import LineWriter, Requests
from workbench.experiments.events import (
    Command,
    Event,
    ExperimentFinished,
    ExperimentStarted,
    Message,
    PlannedRun,
    Progress,
    RunDiagnosed,
    RunFinished,
    RunStarted,
    SampleTaken,
    ServerLog,
    ServerState,
    decode_event,
    encode_event,
)
from workbench.experiments.experiment import (
    Arrivals,
    ControlUnderTest,
    Cost,
    Experiment,
    LoadShape,
    Repeats,
    TraceChoice,
)
from workbench.experiments.experiment_text import to_toml
from workbench.experiments.measurement import Hooks, Measurement, measure
from workbench.experiments.once import Measured, MeasureOrder, measure_once
from workbench.experiments.plan import Configuration, Plan, Run, make_plan
from workbench.experiments.story import tell

__all__ = [
    "Arrivals",
    "Command",
    "Configuration",
    "ControlUnderTest",
    "Cost",
    "Event",
    "Experiment",
    "ExperimentFinished",
    "ExperimentStarted",
    "Hooks",
    "LineWriter",
    "LoadShape",
    "MeasureOrder",
    "Measured",
    "Measurement",
    "Message",
    "Plan",
    "PlannedRun",
    "Progress",
    "Repeats",
    "Requests",
    "Run",
    "RunDiagnosed",
    "RunFinished",
    "RunStarted",
    "SampleTaken",
    "ServerLog",
    "ServerState",
    "TraceChoice",
    "carry_out",
    "decode_event",
    "default_bench_path",
    "encode_event",
    "make_plan",
    "measure",
    "measure_once",
    "tell",
    "to_toml",
]
