"""Run experiment files from start to end: the bench file, the conductor, the scorecard CSV."""

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
from workbench.controls import control_flags, effective_mismatches
from workbench.engine import DEFAULT_PROFILE, scheduler_config
from workbench.engine.server.check_flags import check_extra_flags
from workbench.experiments.plan.plan import Configuration, Plan, make_plan
from workbench.experiments.plan.resume import Resume, check_resumable, in_stored_form
from workbench.experiments.plan.workload import PromptedWorkload, make_schedule, read_workload
from workbench.experiments.run.answer_quality import quality_check_of, quality_prompts
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
from workbench.traces import Trace, fit_to_model


def default_bench_path(name: str, folder: Path | None = None) -> Path:
    """Return the default path of an experiment's bench file: `<name>-<time>.bench`."""
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
    """Run experiments that share a baseline into `bench`; return `done`, `stopped` or `failed`.

    Args:
        experiments: share everything but their control.
        bench: the bench file to write; with `resume`, the unfinished file of the same experiments.
        emit: takes the events.
        csv: the scorecard's CSV, written after every run.
        base: folder of relative trace files.
        commands: whether to read commands from standard input.
        resume: whether to continue an unfinished plan, and which runs to repeat.
        calibrated: whether to measure the load generator's own error, unless that was done within a day.

    Raises:
        InputError: nothing was written: the experiments can't share a scorecard, the trace can't be read, a
            configuration can't be served, the target has no vLLM or server, or the bench file can't be made
            or holds something else.
    """
    plan = make_plan(in_stored_form(bench, experiments) if resume != "no" else experiments)
    workload = prepare_with_texts(plan, base)
    prompts = quality_prompts(plan.experiments[0], base)
    _require_surroundings(plan, workload.trace, bench, csv)
    known = plan.experiments[0].target.secrets()
    requests = UserRequests()
    followers = Followers(emit, requests)
    send = stamped(without_secrets(followers, known))
    opened = _open_bench(bench, plan, workload.trace, base or Path.cwd(), resume=resume != "no")
    with registration(bench) as announced, opened as file:
        file.known_secrets = known
        quality = quality_check_of(plan.experiments[0], prompts, file)
        conductor = Conductor(
            plan, workload, BenchRecorder(file), _exporting(file, csv, send), requests, quality
        )

        async def conduct() -> str:
            stop_on_signals(requests)
            if commands:
                read_commands(requests, send)
            async with followers.listening(announced, send):
                return await conductor.run(resume=resume, calibrated=calibrated)

        return asyncio.run(conduct())


def _require_surroundings(plan: Plan, trace: Trace, bench: Path, csv: Path | None) -> None:
    """Check that the server is available and that the output folders are writable.

    Raises:
        InputError: one of them is not; names it.
    """
    _require_target(plan, trace)
    for file in (bench, csv):
        if file is not None:
            require_writable_folder(file.parent)


def _require_target(plan: Plan, trace: Trace) -> None:
    """Check that the target is available, and that a running one can carry out the plan.

    Raises:
        Refusal: it isn't there, uses other values than the plan's, or takes no such long request.
    """
    first = plan.experiments[0]
    configurations = [each.launch_controls() for each in _configurations(plan)]
    running = asyncio.run(require_target(first.target, configurations))
    if running is None:
        return
    for controls in configurations:
        found = effective_mismatches(controls, running.arguments)
        if found:
            place = Place(file=first.name, table="baseline")
            raise Refusal("experiments.server_uses_other", place, found=found)
    if running.max_model_len is not None:
        fit_to_model(trace, running.max_model_len, how=first.trace.max_len)


def start_problem(plan: Plan, trace: Trace) -> Message | str | None:
    """Return why the plan can't be started from here; None if nothing prevents it.

    Remote machines and images are checked only by the start itself.
    """
    try:
        _require_target(plan, trace)
    except WorkbenchError as refusal:
        return as_data(refusal)
    return None


def _exporting(file: BenchFile, csv: Path | None, send: Emit) -> Emit:
    """Return `send` that also writes the CSV after each run and adds its path to the last event."""
    if csv is None:
        return send

    def emit(event: Event) -> None:
        if isinstance(event, RunFinished | ExperimentFinished):
            try:
                write_csv(file, csv)
            except WorkbenchError as error:
                # The measurement matters more than its copy; the CSV can be exported later.
                send(notice("warning", error))
        if isinstance(event, ExperimentFinished):
            event = msgspec.structs.replace(event, csv=str(csv))
        send(event)

    return emit


def prepare(plan: Plan, base: Path | None) -> tuple[Trace, str]:
    """Check everything that can be known without a server; return the plan's trace and its title.

    Raises:
        InputError: the trace can't be read or offered at a rate, a configuration can't be served, or a class
            with objectives has no requests.
    """
    workload = prepare_with_texts(plan, base)
    return workload.trace, workload.title


def prepare_with_texts(plan: Plan, base: Path | None) -> PromptedWorkload:
    """Check as `prepare` does; return the workload with the prompts to replay.

    Raises:
        InputError: as `prepare`.
    """
    first = plan.experiments[0]
    refuse_masked(first)
    workload = read_workload(first.trace, first.load, base=base)
    trace = workload.trace
    check_servers(plan)
    known = set(trace.classes.names)
    for experiment in plan.experiments:
        unknown = sorted(set(experiment.objectives.classes) - known)
        if unknown:
            place = Place(file=experiment.name, table="objectives.classes")
            raise Refusal("experiments.class_not_in_trace", place, name=unknown[0], known=sorted(known))
    for rate, concurrency in {(run.rate, run.concurrency): None for run in plan.runs}:
        make_schedule(trace, first.trace, first.load, rate, concurrency, first.burst)
    return workload


def refuse_masked(experiment: Experiment) -> None:
    """Check that the target has no masked secret; secrets are never stored, so a stored target lacks them.

    Raises:
        InputError: a field is masked; names it.
    """
    target = msgspec.to_builtins(experiment.target)
    masked = [f"env {name}" for name, value in target.pop("env").items() if MASK in value]
    masked += [name for name, value in target.items() if MASK in msgspec.json.encode(value).decode()]
    if masked:
        place = Place(file=experiment.name, table="target")
        raise Refusal("experiments.masked_secret", place, names=masked)


def _open_bench(bench: Path, plan: Plan, trace: Trace, base: Path, *, resume: bool) -> BenchFile:
    """Create the bench file, or open the one to resume, and store the folder of relative paths."""
    if resume:
        with BenchFile.open(bench) as looked_at:
            check_resumable(looked_at, plan.experiments, trace.sha256(plan.experiments[0].trace.seed))
    file = BenchFile.open(bench, read_only=False) if resume else BenchFile.create(bench)
    # A later measurement from another folder must find the trace that the file names.
    file.set_meta(BASE, str(base.resolve()))
    return file


def check_servers(plan: Plan) -> None:
    """Check each configuration of the plan, as far as possible without starting a server.

    Raises:
        InputError: a profile or an executable doesn't exist, or the server lacks a control.
    """
    target = plan.experiments[0].target
    profile = load_profile(target.profile or DEFAULT_PROFILE) if target.kind == "embedded" else None
    for configuration in _configurations(plan):
        if profile is not None:
            _check_embedded(configuration, profile, target.args)
        make_server(target, configuration.launch_controls())


def _configurations(plan: Plan) -> list[Configuration]:
    """Return the plan's configurations, each once."""
    return list({run.configuration.label: run.configuration for run in plan.runs}.values())


def _check_embedded(configuration: Configuration, profile: Profile, args: Sequence[str]) -> None:
    """Check that the embedded engine would start, for example that its KV cache holds one request."""
    try:
        scheduler_config({"async_scheduling": True, **configuration.launch_controls()}, profile)
        check_extra_flags(["--profile", profile.name, *control_flags(configuration.launch_controls())], args)
    except InputError as refusal:
        raise Refusal("experiments.about", subject=configuration.label, said=as_data(refusal)) from refusal
