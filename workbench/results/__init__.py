"""What runs leave behind and what can be said of it: records, figures, the bench file, the scorecard."""

from typing import TYPE_CHECKING

from workbench.base.lazy import on_first_use

if TYPE_CHECKING:
    from workbench.results.bench.entries import (
        IMPORTED,
        REPLACED,
        ExperimentEntry,
        LogLine,
        RunEntry,
        RunInputs,
    )
    from workbench.results.bench.file import BenchFile
    from workbench.results.bench.mask_stored import mask_toml
    from workbench.results.cost import MOST_MONEY, check_cost_figure, owned_per_hour, per_unit
    from workbench.results.demand import (
        Demand,
        check_demand,
        read_curve,
        reserved_cost,
        servers_needed,
        varied_cost,
    )
    from workbench.results.exports.csv_file import csv_text, table_csv, write_csv
    from workbench.results.exports.html_file import write_html
    from workbench.results.exports.json_file import json_text, scorecard_json, write_json
    from workbench.results.exports.pack import (
        pack_changed,
        pack_defined_otherwise,
        pack_report_otherwise,
        verify_pack,
        write_pack,
    )
    from workbench.results.exports.xlsx_file import write_xlsx
    from workbench.results.figures.columns import RequestColumns, columns_from_records
    from workbench.results.figures.drift import Drift
    from workbench.results.figures.frame import Conditions, RunFrame, RunIdentity
    from workbench.results.figures.latencies import request_token_gaps
    from workbench.results.figures.queue_time import QueueFigures, QueueSource, tells_enough
    from workbench.results.figures.remedies import may_pass, remedies
    from workbench.results.figures.scrapes import Scrapes, over_engines
    from workbench.results.figures.sharing import Sharing, sharing_of
    from workbench.results.figures.stored_reasons import reason_of, stored_reasons
    from workbench.results.figures.summary import Figures, RequestCounts, RunSummary, summarise
    from workbench.results.figures.validity import client_delay_limit_ms
    from workbench.results.histogram import CounterShrankError, Histogram
    from workbench.results.objectives import Limits, Objectives
    from workbench.results.peers.peer_run import PeerRun
    from workbench.results.peers.reading import read_peer_runs
    from workbench.results.peers.storing import add_peer_runs
    from workbench.results.percentiles import Distribution, distribution, percentile, sample_floor
    from workbench.results.recomputing import AsDefinedNow, frame_of, recompute, verify
    from workbench.results.records import (
        GpuSample,
        LimitChange,
        LoadSnapshot,
        MachineSample,
        Outcome,
        RequestRecord,
        Sample,
        tells_tokens,
        told_ms,
    )
    from workbench.results.scorecard.column import Column
    from workbench.results.scorecard.rows import COLUMNS, ScorecardRow, scorecard_rows
    from workbench.results.server_delta import ServerDelta
    from workbench.results.statistics.arms import arm_of, difference_in
    from workbench.results.statistics.capacity import past_capacity
    from workbench.results.statistics.checks import Check
    from workbench.results.statistics.choice import Candidate, Choice, choose
    from workbench.results.statistics.compare import compare
    from workbench.results.statistics.difference import (
        ENOUGH_REPEATS,
        Arm,
        Difference,
        difference,
        holm,
        never_seen,
    )
    from workbench.results.statistics.floors import client_floor_ms
    from workbench.results.statistics.margins import near_limits
    from workbench.results.statistics.series import FIGURES
    from workbench.results.statistics.verdict import Verdict, Word, judge
    from workbench.results.wording import change

__all__ = [
    "COLUMNS",
    "ENOUGH_REPEATS",
    "FIGURES",
    "IMPORTED",
    "MOST_MONEY",
    "REPLACED",
    "Arm",
    "AsDefinedNow",
    "BenchFile",
    "Candidate",
    "Check",
    "Choice",
    "Column",
    "Conditions",
    "CounterShrankError",
    "Demand",
    "Difference",
    "Distribution",
    "Drift",
    "ExperimentEntry",
    "Figures",
    "GpuSample",
    "Histogram",
    "LimitChange",
    "Limits",
    "LoadSnapshot",
    "LogLine",
    "MachineSample",
    "Objectives",
    "Outcome",
    "PeerRun",
    "QueueFigures",
    "QueueSource",
    "RequestColumns",
    "RequestCounts",
    "RequestRecord",
    "RunEntry",
    "RunFrame",
    "RunIdentity",
    "RunInputs",
    "RunSummary",
    "Sample",
    "ScorecardRow",
    "Scrapes",
    "ServerDelta",
    "Sharing",
    "Verdict",
    "Word",
    "add_peer_runs",
    "arm_of",
    "change",
    "check_cost_figure",
    "check_demand",
    "choose",
    "client_delay_limit_ms",
    "client_floor_ms",
    "columns_from_records",
    "compare",
    "csv_text",
    "difference",
    "difference_in",
    "distribution",
    "frame_of",
    "holm",
    "json_text",
    "judge",
    "mask_toml",
    "may_pass",
    "near_limits",
    "never_seen",
    "over_engines",
    "owned_per_hour",
    "pack_changed",
    "pack_defined_otherwise",
    "pack_report_otherwise",
    "past_capacity",
    "per_unit",
    "percentile",
    "read_curve",
    "read_peer_runs",
    "reason_of",
    "recompute",
    "remedies",
    "request_token_gaps",
    "reserved_cost",
    "sample_floor",
    "scorecard_json",
    "scorecard_rows",
    "servers_needed",
    "sharing_of",
    "stored_reasons",
    "summarise",
    "table_csv",
    "tells_enough",
    "tells_tokens",
    "told_ms",
    "varied_cost",
    "verify",
    "verify_pack",
    "write_csv",
    "write_html",
    "write_json",
    "write_pack",
    "write_xlsx",
]

__getattr__ = on_first_use(
    __name__,
    {
        "bench.entries": ("IMPORTED", "REPLACED", "ExperimentEntry", "LogLine", "RunEntry", "RunInputs"),
        "bench.file": ("BenchFile",),
        "bench.mask_stored": ("mask_toml",),
        "cost": ("MOST_MONEY", "check_cost_figure", "owned_per_hour", "per_unit"),
        "demand": ("Demand", "check_demand", "read_curve", "reserved_cost", "servers_needed", "varied_cost"),
        "exports.csv_file": ("csv_text", "table_csv", "write_csv"),
        "exports.html_file": ("write_html",),
        "exports.json_file": ("json_text", "scorecard_json", "write_json"),
        "exports.pack": (
            "pack_changed",
            "pack_defined_otherwise",
            "pack_report_otherwise",
            "verify_pack",
            "write_pack",
        ),
        "exports.xlsx_file": ("write_xlsx",),
        "figures.columns": ("RequestColumns", "columns_from_records"),
        "figures.drift": ("Drift",),
        "figures.frame": ("Conditions", "RunFrame", "RunIdentity"),
        "figures.latencies": ("request_token_gaps",),
        "figures.queue_time": ("QueueFigures", "QueueSource", "tells_enough"),
        "figures.remedies": ("may_pass", "remedies"),
        "figures.scrapes": ("Scrapes", "over_engines"),
        "figures.sharing": ("Sharing", "sharing_of"),
        "figures.stored_reasons": ("reason_of", "stored_reasons"),
        "figures.summary": ("Figures", "RequestCounts", "RunSummary", "summarise"),
        "figures.validity": ("client_delay_limit_ms",),
        "histogram": ("CounterShrankError", "Histogram"),
        "objectives": ("Limits", "Objectives"),
        "peers.peer_run": ("PeerRun",),
        "peers.reading": ("read_peer_runs",),
        "peers.storing": ("add_peer_runs",),
        "percentiles": ("Distribution", "distribution", "percentile", "sample_floor"),
        "recomputing": ("AsDefinedNow", "frame_of", "recompute", "verify"),
        "records": (
            *("GpuSample", "LimitChange", "LoadSnapshot", "MachineSample"),
            *("Outcome", "RequestRecord", "Sample", "tells_tokens", "told_ms"),
        ),
        "scorecard.column": ("Column",),
        "scorecard.rows": ("COLUMNS", "ScorecardRow", "scorecard_rows"),
        "server_delta": ("ServerDelta",),
        "statistics.arms": ("arm_of", "difference_in"),
        "statistics.capacity": ("past_capacity",),
        "statistics.checks": ("Check",),
        "statistics.choice": ("Candidate", "Choice", "choose"),
        "statistics.margins": ("near_limits",),
        "statistics.compare": ("compare",),
        "statistics.difference": ("ENOUGH_REPEATS", "Arm", "Difference", "difference", "holm", "never_seen"),
        "statistics.floors": ("client_floor_ms",),
        "statistics.series": ("FIGURES",),
        "statistics.verdict": ("Verdict", "Word", "judge"),
        "wording": ("change",),
    },
)
