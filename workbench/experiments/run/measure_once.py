"""One measurement of a running server, without an experiment."""

import secrets

import msgspec

from workbench.base import Message, Record
from workbench.experiments.plan.workload import PromptedWorkload, fit_to_context, make_schedule, read_workload
from workbench.experiments.run.channel import UserRequests, stop_on_signals
from workbench.experiments.run.machine_monitor import MachineMonitor, sharing
from workbench.experiments.run.measurement import Hooks, measure
from workbench.experiments.run.run_figures import Incidents, cold_hits, compute_figures
from workbench.experiments.run.run_settings import load_options
from workbench.experiments.run.watch_run import end_afterwards
from workbench.experiments.spec.tables import Burst, LoadShape, TraceChoice
from workbench.experiments.spec.validate_load import check_burst, check_load, check_text, check_trace
from workbench.load import LoadOptions, Target
from workbench.results import Objectives, RequestRecord, RunFrame, RunIdentity, RunSummary
from workbench.servers import EffectiveConfig, LifecycleState, TargetSpec, check_target, make_server
from workbench.traces import Schedule


class MeasureOrder(Record, frozen=True, kw_only=True):
    """Server, trace and load of one measurement."""

    url: str
    model: str | None
    api_key_env: str | None
    trace: TraceChoice
    load: LoadShape
    command: str
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Further headers of every request; a secret value is written `env:VARIABLE`."""
    ca_file: str | None = None
    burst: Burst | None = None

    def target(self) -> TargetSpec:
        """Return the server as the target of an experiment."""
        return TargetSpec(
            kind="attached",
            url=self.url,
            model=self.model,
            api_key_env=self.api_key_env,
            headers=self.headers,
            ca_file=self.ca_file,
        )


class Measured(msgspec.Struct, kw_only=True):
    """The figures and every request behind them."""

    summary: RunSummary
    records: list[RequestRecord]
    workers: int
    real_texts: int
    """Number of the trace's own prompts that were sent."""
    notes: tuple[Message, ...] = ()
    """Rows of the trace that were dropped, cut or unusual."""
    vllm_version: str | None = None
    """Version of the server; None if it doesn't report one."""
    host_others_cpu: float | None = None
    """Mean share of the usable cores taken by other processes; None if unknown."""
    server_notes: tuple[Message | str, ...] = ()
    """Data that the server doesn't report although it serves, and why."""


async def measure_once(order: MeasureOrder) -> Measured:
    """Measure a server; Ctrl+C ends the load and keeps the requests so far.

    Raises:
        InputError: the trace or the server can't be used.
    """
    _check(order)
    workload = read_workload(order.trace, order.load)
    spec = order.target()
    check_target(spec, where="measure")
    server = make_server(spec, {}, patience_s=order.load.request_timeout_s)
    said: dict[str, Message | str] = {}
    await server.start(lambda _: None, said.__setitem__)
    try:
        effective = await server.effective()
        target = Target(
            url=server.url or order.url,
            model=server.model or effective.model or "",
            endpoint=order.load.endpoint,
            api_key=spec.api_key(),
            headers=spec.all_headers(),
            ca_file=spec.ca_file,
        )
        machine = MachineMonitor("measure", 1.0, server, lambda _: None, lambda _: None)
        measured = await _measured(
            order, target, fit_to_context(workload, effective.max_model_len, order.trace), effective, machine
        )
        ready = said.get(LifecycleState.READY)
        measured.server_notes = (*([ready] if ready else []), *effective.notes)
        return measured
    finally:
        await server.stop()


def _check(order: MeasureOrder) -> None:
    check_trace(order.trace, "measure")
    check_load(order.load, "measure")
    check_text(order.trace, order.load, "measure")
    if order.burst is not None:
        check_burst(order.burst, order.load, "measure")


async def _measured(
    order: MeasureOrder,
    target: Target,
    workload: PromptedWorkload,
    effective: EffectiveConfig,
    machine: MachineMonitor,
) -> Measured:
    load, trace = order.load, workload.trace
    rate = load.rates[0] if load.rates else None
    concurrency = load.concurrency[0] if load.concurrency else None
    schedule = make_schedule(trace, order.trace, load, rate, concurrency, order.burst)
    options = _options(order, effective, schedule)
    frame = RunFrame(length_s=schedule.length_s or 0.0, time_scale=options.time_scale, server_time_scale=1.0)
    identity = RunIdentity(
        simulated=effective.simulated,
        profile=effective.profile,
        trace_sha256=trace.sha256(order.trace.seed),
        schedule_sha256=schedule.sha256(),
        command=order.command,
    )
    requests = UserRequests()
    stop_on_signals(requests)
    hooks = Hooks(
        on_records=lambda _: None,
        on_samples=lambda _: None,
        on_tick=lambda _, __: None,
        on_begin=machine.begin,
    )
    async with end_afterwards([machine]):
        seen = await measure(
            "measure", target, trace, schedule, options, hooks, requests.end_run, texts=workload.texts
        )
    shared = sharing(machine.samples, seen.ended)
    cold = await cold_hits(trace, schedule, options, target.endpoint, len(seen.records))
    figured = compute_figures(
        seen,
        frame,
        identity,
        asked={},
        effective=effective,
        objectives=Objectives(),
        incidents=Incidents(prefix_hit_ideal=cold, sharing=shared),
    )
    return Measured(
        summary=figured.summary,
        records=seen.records,
        workers=seen.outcome.workers,
        real_texts=len(workload.texts),
        notes=(*workload.notes, *workload.remarks),
        vllm_version=effective.version,
        host_others_cpu=shared.host_others,
    )


def _options(order: MeasureOrder, effective: EffectiveConfig, schedule: Schedule) -> LoadOptions:
    load = order.load
    return load_options(
        load,
        order.trace.seed,
        effective,
        schedule.length_s,
        load.max_in_flight,
        load.queue_timeout_s,
        # An earlier measurement of the same trace must not have warmed the prefix cache.
        cache_salt=f"measure-{secrets.token_hex(8)}" if effective.version else None,
        real_text=order.trace.replay_text,
    )
