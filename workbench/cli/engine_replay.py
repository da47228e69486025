"""`engine replay`: a trace through the scheduler in virtual time."""

import argparse
import sys
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Place, Refusal, require_writable_folder, write_atomic
from workbench.cli.engine import print_profiles
from workbench.cli.engine_objectives import judge, read_objective
from workbench.cli.output import say
from workbench.engine import (
    DEFAULT_PROFILE,
    Replay,
    ReplayFigures,
    add_scheduler_flags,
    add_step_time_flags,
    jobs_of,
    lead_in_s,
    read_workload,
    row_for,
    rules_caveat,
    rules_span,
    scheduler_config,
)
from workbench.profiles import Profile, StepModel, load_profile
from workbench.results import sample_floor
from workbench.traces import fit_to_model, open_loop
from workbench.vllm_dialect import MODELLED_RELEASE, Version


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the trace, its times, the step model and vLLM's flags."""
    parser.add_argument(
        "trace", nargs="?", type=Path, metavar="TRACE", help="any trace, or a measured run's requests"
    )
    parser.add_argument("--list-profiles", action="store_true", help="the profiles there are, one a line")
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON; - is standard output")
    _declare_arrivals(parser.add_argument_group("arrivals"))
    judging = parser.add_argument_group("what the prediction is for")
    judging.add_argument(
        "--objective",
        action="append",
        default=[],
        metavar="NAME=MS",
        help="a limit to judge it by, as in ttft_p95_ms=500; within the profile's error it is undecided",
    )
    judging.add_argument(
        "--target-version",
        dest="vllm_version",
        metavar="V",
        default=MODELLED_RELEASE,
        help=f"vLLM whose scheduler rules and defaults decide (default {MODELLED_RELEASE})",
    )
    add_step_time_flags(parser)
    add_scheduler_flags(parser)


def _declare_arrivals(times: argparse._ArgumentGroup) -> None:
    times.add_argument(
        "--rate", type=float, metavar="R", help="scale the trace's times to a mean of R requests/s"
    )
    times.add_argument(
        "--arrivals",
        choices=("trace", "poisson", "constant", "gamma"),
        default="trace",
        help="trace (default): its own times; else a process that replaces them",
    )
    times.add_argument(
        "--burstiness", type=float, default=1.0, metavar="B", help="shape of gamma arrivals: 1 is Poisson"
    )
    times.add_argument("--seed", type=int, default=1, metavar="S", help="of random arrivals (default 1)")
    times.add_argument("--requests", type=int, metavar="N", help="the first N; a shorter trace repeats")
    times.add_argument(
        "--max-len",
        choices=("refuse", "drop", "clamp"),
        default="refuse",
        help="requests longer than the context",
    )


def run(arguments: argparse.Namespace) -> int:
    """Replay and report."""
    if arguments.list_profiles:
        print_profiles()
        return 0
    if arguments.trace is None:
        raise Refusal("cli.no_trace", Place(key="trace"))
    if arguments.json not in (None, "-"):
        require_writable_folder(Path(arguments.json).absolute().parent)
    Version.parse(arguments.vllm_version, Place(key="vllm_version"))
    objectives = [read_objective(text) for text in arguments.objective]
    profile = load_profile(arguments.profile or DEFAULT_PROFILE)
    model = StepModel.parse(arguments.step_model) if arguments.step_model else profile.step_model
    figures = _replay(arguments, profile, model)
    behind = None if arguments.step_model else profile
    judged = [judge(objective, figures, behind) for objective in objectives]
    caveat = rules_caveat(arguments.vllm_version)
    if arguments.json:
        standing = {"profile": behind and behind.name, "known_error": behind and behind.known_error}
        rules = {"vllm_version": arguments.vllm_version, "rules": _rules_of(arguments)}
        more = {**standing, **rules, "objectives": judged, "caveat": caveat and str(caveat)}
        _write_json({**msgspec.structs.asdict(figures), **more}, arguments.json)
    else:
        times = _provenance(profile) if behind else "simulated with the step model given"
        _print(figures, f"{times}; scheduler rules of vLLM {_rules_of(arguments)}")
        for line in (*judged, *([caveat] if caveat else [])):
            say(str(line))
    return 0


def _replay(arguments: argparse.Namespace, profile: Profile, model: StepModel) -> ReplayFigures:
    config = scheduler_config(vars(arguments), profile)
    trace = read_workload(arguments.trace)
    trace, fit = fit_to_model(trace, config.max_model_len, arguments.max_len)
    if fit.over_long:
        say(str(fit), file=sys.stderr)
    schedule = open_loop(
        trace,
        rate=arguments.rate,
        arrivals=arguments.arrivals,
        burstiness=arguments.burstiness,
        seed=arguments.seed,
        requests=arguments.requests,
    )
    own_times = arguments.arrivals == "trace" and arguments.rate is None
    jobs = jobs_of(trace, schedule, config, lead_in_s=lead_in_s(arguments.trace) if own_times else 0.0)
    overhead_s = 0.0 if arguments.step_model else profile.request_overhead_us * 1e-6
    return Replay(
        jobs,
        config,
        model,
        max_num_queued_reqs=arguments.max_num_queued_reqs,
        request_overhead_s=overhead_s,
    ).run()


def _write_json(figures: dict[str, Any], target: str) -> None:
    data = msgspec.json.format(msgspec.json.encode(figures), indent=2) + b"\n"
    if target == "-":
        sys.stdout.write(data.decode())
    else:
        write_atomic(Path(target), data)


def _rules_of(arguments: argparse.Namespace) -> str:
    return rules_span(row_for(arguments.vllm_version))


def _provenance(profile: Profile) -> str:
    kind, error = profile.kind.replace("_", " "), profile.known_error or "unknown"
    times = f"step times of vLLM {profile.vllm_version}"
    return f"simulated on {profile.name} ({kind}; known error {error}; {times})"


def _print(figures: ReplayFigures, provenance: str) -> None:
    rows = {"TTFT": "ttft_ms", "TPOT": "tpot_ms", "ITL": "itl_ms", "E2E": "e2e_ms", "queue": "queue_ms"}
    say(provenance)
    say(f"{'ms':<8}{'mean':>12}{'p50':>12}{'p95':>12}{'p99':>12}")
    for title, name in rows.items():
        cells = (figures.beyond_trace(name, figure) for figure in ("mean", "p50", "p95", "p99"))
        say(f"{title:<8}" + "".join(_cell(value) for value in cells))
    if figures.completed and figures.below_floor:
        least = f"p95 from {sample_floor(0.95)} requests on, p99 from {sample_floor(0.99)}"
        say(f"too few requests for what is empty: {least}")
    say(
        f"{figures.completed} of {figures.requests} completed, {figures.rejected} rejected; "
        f"{figures.preemptions} preemptions of {figures.preempted_requests} requests, "
        f"{figures.recomputed_tokens} tokens recomputed, {figures.prefix_hit_tokens} from the prefix cache"
    )
    say(
        f"{figures.steps} steps in {figures.virtual_s:.3f} simulated s; KV cache at most "
        f"{figures.kv_peak:.1%}; computed in {figures.wall_s:.2f} s"
    )


def _cell(value: float | None) -> str:
    return f"{'':>12}" if value is None else f"{value:>12.2f}"
