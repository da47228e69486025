"""Carrying out experiment files from start to end: the bench file, the conductor, the scorecard CSV."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from workbench.base import data_folder, require_writable_folder, utc_now
from workbench.experiments.channel import Emit, Requests, read_commands, stamped, stop_on_signals
from workbench.experiments.conductor import Conductor
from workbench.experiments.events import Event, ExperimentFinished, RunFinished
from workbench.experiments.experiment import Experiment
from workbench.experiments.plan import Plan, make_plan
from workbench.experiments.recorder import Recorder
from workbench.experiments.settings import server_side
from workbench.experiments.workload import choose_trace
from workbench.profiles import load_profile
from workbench.results import BenchFile, write_csv
from workbench.servers import make_server


def default_bench_path(name: str, folder: Path | None = None) -> Path:
    """Where an experiment's bench file goes where the user names none: `<name>-<time>.bench`."""
    stem = re.sub(r"[^\w.-]+", "-", name).strip("-").lower() or "experiment"
    stamp = utc_now()[:19].replace(":", "").replace("-", "")
    return (folder or data_folder() / "benches") / f"{stem[:60]}-{stamp}Z.bench"


def carry_out(
    experiments: Sequence[Experiment],
    bench: Path,
    emit: Emit,
    *,
    csv: Path | None = None,
    base: Path | None = None,
    commands: bool = False,
) -> str:
    """Carry out experiments that share a baseline into `bench`; returns `done`, `stopped` or `failed`.

    `csv` is written after every run, so that it is there whatever happens; `base` is where relative trace
    files are sought; with `commands` standard input is read for commands.

    Raises:
        InputError: before anything was written: the experiments can't share a scorecard, the trace can't be
            read, a configuration can't be served, the bench file can't be made.
    """
    plan = make_plan(experiments)
    first = plan.experiments[0]
    trace, title = choose_trace(first.trace, first.load, base=base)
    check_servers(plan)
    require_writable_folder(bench.parent)
    requests, send = Requests(), stamped(emit)
    with BenchFile.create(bench) as file:

        def emit_and_export(event: Event) -> None:
            if csv is not None and isinstance(event, RunFinished | ExperimentFinished):
                write_csv(file, csv)
            if isinstance(event, ExperimentFinished):
                event = msgspec.structs.replace(event, csv=None if csv is None else str(csv))
            send(event)

        conductor = Conductor(plan, trace, title, Recorder(file), emit_and_export, requests)

        async def conduct() -> str:
            stop_on_signals(requests)
            if commands:
                read_commands(requests)
            return await conductor.carry_out()

        return asyncio.run(conduct())


def check_servers(plan: Plan) -> None:
    """Whether each configuration of the plan can be served as asked, as far as that is known without a start.

    Raises:
        InputError: a profile that doesn't exist, an executable that isn't there, a control the server lacks.
    """
    target = plan.experiments[0].target
    if target.kind == "embedded" and target.profile is not None:
        load_profile(target.profile)
    for configuration in {run.configuration.label: run.configuration for run in plan.runs}.values():
        make_server(target, server_side(configuration.controls))
