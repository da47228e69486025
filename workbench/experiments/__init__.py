"""Experiments: the file, the plan of runs, the conductor that carries it out, its events."""

from typing import TYPE_CHECKING

from workbench.base.lazy import on_first_use

if TYPE_CHECKING:
    from workbench.experiments.calibrating import calibrate_whole
    from workbench.experiments.carrying import carry_out, default_bench_path, prepare, refused_start
    from workbench.experiments.channel import LineWriter, Requests
    from workbench.experiments.conclusions import Conclusions, conclusions_of
    from workbench.experiments.costs import PlanCosts, plan_costs
    from workbench.experiments.decision import SheetLine, sheet_csv, sheet_json, sheet_lines, to_know
    from workbench.experiments.enough_requests import too_few_planned
    from workbench.experiments.events import (
        Calibrated,
        Command,
        Event,
        ExperimentFinished,
        ExperimentStarted,
        LimitChanged,
        LimitsTold,
        MachineSampled,
        MemoryTold,
        Message,
        PlannedRun,
        PrefillTracked,
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
    from workbench.experiments.experiment import Experiment
    from workbench.experiments.experiment_text import to_toml
    from workbench.experiments.foretelling import foretold
    from workbench.experiments.lengths import lengths_planned
    from workbench.experiments.measured_capacity import measured_saturation
    from workbench.experiments.measurement import Hooks, Measurement, measure
    from workbench.experiments.memory import Gpu, MemoryWatch, foretold_memory, gpu_called, gpu_here
    from workbench.experiments.next_steps import Following, following
    from workbench.experiments.once import Measured, MeasureOrder, measure_once
    from workbench.experiments.packing import check_pack, pack
    from workbench.experiments.part_used import parts_of
    from workbench.experiments.plan import Configuration, Plan, Run, make_plan
    from workbench.experiments.reading import experiments_in, read_experiments
    from workbench.experiments.recent import EndedRequest, RecentRequests
    from workbench.experiments.scrapes import RecentScrapes, change_between
    from workbench.experiments.shapes import (
        Arrivals,
        Burst,
        ControlUnderTest,
        Cost,
        Kind,
        LadderShape,
        LoadShape,
        Repeats,
        SecondControl,
        Switchback,
        TraceChoice,
    )
    from workbench.experiments.story import tell
    from workbench.experiments.systems import MeasuredSystem, compare_measured, measured_systems
    from workbench.experiments.workload import arrivals_of

__all__ = [
    "Arrivals",
    "Burst",
    "Calibrated",
    "Command",
    "Conclusions",
    "Configuration",
    "ControlUnderTest",
    "Cost",
    "EndedRequest",
    "Event",
    "Experiment",
    "ExperimentFinished",
    "ExperimentStarted",
    "Following",
    "Gpu",
    "Hooks",
    "Kind",
    "LadderShape",
    "LimitChanged",
    "LimitsTold",
    "LineWriter",
    "LoadShape",
    "MachineSampled",
    "MeasureOrder",
    "Measured",
    "MeasuredSystem",
    "Measurement",
    "MemoryTold",
    "MemoryWatch",
    "Message",
    "Plan",
    "PlanCosts",
    "PlannedRun",
    "PrefillTracked",
    "Progress",
    "RecentRequests",
    "RecentScrapes",
    "Repeats",
    "Requests",
    "Run",
    "RunDiagnosed",
    "RunFinished",
    "RunStarted",
    "SampleTaken",
    "SecondControl",
    "ServerLog",
    "ServerState",
    "SheetLine",
    "Switchback",
    "TraceChoice",
    "arrivals_of",
    "calibrate_whole",
    "carry_out",
    "change_between",
    "check_pack",
    "compare_measured",
    "conclusions_of",
    "decode_event",
    "default_bench_path",
    "encode_event",
    "experiments_in",
    "following",
    "foretold",
    "foretold_memory",
    "gpu_called",
    "gpu_here",
    "lengths_planned",
    "make_plan",
    "measure",
    "measure_once",
    "measured_saturation",
    "measured_systems",
    "pack",
    "parts_of",
    "plan_costs",
    "prepare",
    "read_experiments",
    "refused_start",
    "sheet_csv",
    "sheet_json",
    "sheet_lines",
    "tell",
    "to_know",
    "to_toml",
    "too_few_planned",
]

__getattr__ = on_first_use(
    __name__,
    {
        "calibrating": ("calibrate_whole",),
        "carrying": ("carry_out", "default_bench_path", "prepare", "refused_start"),
        "channel": ("LineWriter", "Requests"),
        "conclusions": ("Conclusions", "conclusions_of"),
        "costs": ("PlanCosts", "plan_costs"),
        "enough_requests": ("too_few_planned",),
        "lengths": ("lengths_planned",),
        "part_used": ("parts_of",),
        "decision": ("SheetLine", "sheet_csv", "sheet_json", "sheet_lines", "to_know"),
        "events": (
            "Calibrated",
            "Command",
            "Event",
            "ExperimentFinished",
            "ExperimentStarted",
            "LimitChanged",
            "LimitsTold",
            "MachineSampled",
            "MemoryTold",
            "Message",
            "PlannedRun",
            "PrefillTracked",
            "Progress",
            "RunDiagnosed",
            "RunFinished",
            "RunStarted",
            "SampleTaken",
            "ServerLog",
            "ServerState",
            "decode_event",
            "encode_event",
        ),
        "experiment": ("Experiment",),
        "experiment_text": ("to_toml",),
        "foretelling": ("foretold",),
        "measured_capacity": ("measured_saturation",),
        "measurement": ("Hooks", "Measurement", "measure"),
        "memory": ("Gpu", "MemoryWatch", "foretold_memory", "gpu_called", "gpu_here"),
        "next_steps": ("Following", "following"),
        "once": ("Measured", "MeasureOrder", "measure_once"),
        "plan": ("Configuration", "Plan", "Run", "make_plan"),
        "packing": ("check_pack", "pack"),
        "reading": ("experiments_in", "read_experiments"),
        "recent": ("EndedRequest", "RecentRequests"),
        "scrapes": ("RecentScrapes", "change_between"),
        "shapes": (
            "Arrivals",
            "Burst",
            "ControlUnderTest",
            "Cost",
            "Kind",
            "LadderShape",
            "LoadShape",
            "Repeats",
            "SecondControl",
            "Switchback",
            "TraceChoice",
        ),
        "story": ("tell",),
        "systems": ("MeasuredSystem", "compare_measured", "measured_systems"),
        "workload": ("arrivals_of",),
    },
)
