"""Carrying out experiment files from start to end: the bench file, the conductor, the scorecard CSV."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from workbench.base import (
    MASK,
    InputError,
    Message,
    Place,
    Refusal,
    WorkbenchError,
    data_folder,
    require_writable_folder,
    utc_now,
)
from workbench.controls import control_flags
from workbench.engine import DEFAULT_PROFILE, scheduler_config
from workbench.engine.server.words import check_extra_words
from workbench.experiments.plan.plan import Configuration, Plan, make_plan
from workbench.experiments.plan.resume import Resume, as_begun, check_same
from workbench.experiments.plan.workload import HeldWorkload, make_schedule, read_workload
from workbench.experiments.run.answer_quality import asked_quality, quality_prompts
from workbench.experiments.run.bench_recorder import BenchRecorder
from workbench.experiments.run.channel import (
    Emit,
    UserRequests,
    read_commands,
    stamped,
    stop_on_signals,
    without_secrets,
)
from workbench.experiments.run.conductor import Conductor
from workbench.experiments.run.events import Event, ExperimentFinished, RunFinished, as_data, notice
from workbench.experiments.run.followers import Followers
from workbench.experiments.run.plan_registry import registration
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.read_experiments import BASE
from workbench.profiles import Profile, load_profile
from workbench.results import BenchFile, write_csv
from workbench.servers import make_server, require_target
from workbench.traces import Trace


def default_bench_path(name: str, folder: Path | None = None) -> Path:
    """Where an experiment's bench file goes where the user names none: `<name>-<time>.bench`."""
    stem = re.sub(r"[^\w.-]+", "-", name).strip("-").lower() or "experiment"
    stamp = utc_now()[:19].replace(":", "").replace("-", "")
    return (folder or data_folder() / "benches") / f"{stem[:60]}-{stamp}Z.bench"


def run_experiments(
    experiments: Sequence[Experiment],
    bench: Path,
    emit: Emit,
    *,
    csv: Path | None = None,
    base: Path | None = None,
    commands: bool = False,
    resume: Resume = "no",
    calibrated: bool = True,
) -> str:
    """Carry out experiments that share a baseline into `bench`; returns `done`, `stopped` or `failed`.

    `csv` is written after every run, so that it is there whatever happens; `base` is where relative trace
    files are sought; with `commands` standard input is read for commands. To `resume`, the bench file is one
    that a conductor of the same files left unfinished. Unless `calibrated` is false, the load generator's own
    error is measured first where that wasn't done within a day (`calibrate_first`).

    Raises:
        InputError: before anything was written: the experiments can't share a scorecard, the trace can't be
            read, a configuration can't be served, no vLLM or server is where the target says, the bench file
            can't be made or holds something else.
    """
    plan = make_plan(as_begun(bench, experiments) if resume != "no" else experiments)
    chosen = prepare_with_texts(plan, base)
    prompts = quality_prompts(plan.experiments[0], base)
    _require_surroundings(plan, bench, csv)
    known = plan.experiments[0].target.secrets()
    requests = UserRequests()
    followers = Followers(emit, requests)
    send = stamped(without_secrets(followers, known))
    opened = _opened(bench, plan, chosen.trace, base or Path.cwd(), resume=resume != "no")
    with registration(bench) as announced, opened as file:
        file.known_secrets = known
        quality = asked_quality(plan.experiments[0], prompts, file)
        conductor = Conductor(
            plan, chosen, BenchRecorder(file), _exporting(file, csv, send), requests, quality
        )

        async def conduct() -> str:
            stop_on_signals(requests)
            if commands:
                read_commands(requests, send)
            async with followers.listening(announced, send):
                return await conductor.run(resume=resume, calibrated=calibrated)

        return asyncio.run(conduct())


def _require_surroundings(plan: Plan, bench: Path, csv: Path | None) -> None:
    """Whether the server can be had, and what is written has a place.

    Raises:
        InputError: not so; says which.
    """
    _require_target(plan)
    for file in (bench, csv):
        if file is not None:
            require_writable_folder(file.parent)


def _require_target(plan: Plan) -> None:
    asyncio.run(require_target(plan.experiments[0].target, [each.launched() for each in _asked(plan)]))


def start_problem(plan: Plan) -> Message | str | None:
    """Return why the plan's server could not be started or reached from here; None: nothing is in the way.

    Machines and images elsewhere are asked by the start alone.
    """
    try:
        _require_target(plan)
    except WorkbenchError as refusal:
        return as_data(refusal)
    return None


def _exporting(file: BenchFile, csv: Path | None, send: Emit) -> Emit:
    """`send`, with the scorecard written beside each run's end, and its place told at the plan's."""
    if csv is None:
        return send

    def emit(event: Event) -> None:
        if isinstance(event, RunFinished | ExperimentFinished):
            try:
                write_csv(file, csv)
            except WorkbenchError as error:
                # The measurement is worth more than its copy; an export can be made later.
                send(notice("warning", error))
        if isinstance(event, ExperimentFinished):
            event = msgspec.structs.replace(event, csv=str(csv))
        send(event)

    return emit


def prepare(plan: Plan, base: Path | None) -> tuple[Trace, str]:
    """The plan's trace and its title, once everything that can be known without a server is checked.

    Raises:
        InputError: the trace can't be read or offered at a rate, a configuration can't be served, a class has
            objectives and no requests.
    """
    chosen = prepare_with_texts(plan, base)
    return chosen.trace, chosen.title


def prepare_with_texts(plan: Plan, base: Path | None) -> HeldWorkload:
    """As `prepare`, with the prompts that are to be replayed as they are.

    Raises:
        InputError: as `prepare`.
    """
    first = plan.experiments[0]
    refuse_masked(first)
    chosen = read_workload(first.trace, first.load, base=base)
    trace = chosen.trace
    check_servers(plan)
    known = set(trace.classes.names)
    for experiment in plan.experiments:
        unknown = sorted(set(experiment.objectives.classes) - known)
        if unknown:
            place = Place(file=experiment.name, table="objectives.classes")
            raise Refusal("experiments.class_not_in_trace", place, name=unknown[0], known=sorted(known))
    for rate, concurrency in {(run.rate, run.concurrency): None for run in plan.runs}:
        make_schedule(trace, first.trace, first.load, rate, concurrency, first.burst)
    return chosen


def refuse_masked(experiment: Experiment) -> None:
    """Whether the target is whole: a secret is stored nowhere, so a file made from a stored one lacks it.

    Raises:
        InputError: something of it is masked; names it.
    """
    target = msgspec.to_builtins(experiment.target)
    masked = [f"env {name}" for name, value in target.pop("env").items() if MASK in value]
    masked += [name for name, value in target.items() if MASK in msgspec.json.encode(value).decode()]
    if masked:
        place = Place(file=experiment.name, table="target")
        raise Refusal("experiments.masked_secret", place, names=masked)


def _opened(bench: Path, plan: Plan, trace: Trace, base: Path, *, resume: bool) -> BenchFile:
    """The bench file, new or to be gone on with, which says where its experiments' files are sought."""
    if resume:
        with BenchFile.open(bench) as looked_at:
            check_same(looked_at, plan.experiments, trace.sha256(plan.experiments[0].trace.seed))
    file = BenchFile.open(bench, read_only=False) if resume else BenchFile.create(bench)
    # Who measures the same again from elsewhere must find the trace that the file names.
    file.set_meta(BASE, str(base.resolve()))
    return file


def check_servers(plan: Plan) -> None:
    """Whether each configuration of the plan can be served as asked, as far as that is known without a start.

    Raises:
        InputError: a profile that doesn't exist, an executable that isn't there, a control the server lacks.
    """
    target = plan.experiments[0].target
    profile = load_profile(target.profile or DEFAULT_PROFILE) if target.kind == "embedded" else None
    for configuration in _asked(plan):
        if profile is not None:
            _check_embedded(configuration, profile, target.args)
        make_server(target, configuration.launched())


def _asked(plan: Plan) -> list[Configuration]:
    """The plan's configurations, each once."""
    return list({run.configuration.label: run.configuration for run in plan.runs}.values())


def _check_embedded(configuration: Configuration, profile: Profile, args: Sequence[str]) -> None:
    """Whether the engine would start: it refuses a pool that is too small for one request, say."""
    try:
        scheduler_config({"async_scheduling": True, **configuration.launched()}, profile)
        check_extra_words(["--profile", profile.name, *control_flags(configuration.launched())], args)
    except InputError as refusal:
        raise Refusal("experiments.about", subject=configuration.label, said=as_data(refusal)) from refusal
