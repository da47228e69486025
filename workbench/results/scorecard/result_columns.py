"""The scorecard's further results, validity and objectives."""

from collections.abc import Callable
from typing import Any

from workbench.base import Message, message
from workbench.results.bench.entries import IMPORTED
from workbench.results.bench.stored_figures import StoredEngine, StoredFigures
from workbench.results.figures.reasons import stored_reasons
from workbench.results.objectives import Objectives
from workbench.results.scorecard.accepted_rate import due_accepted_rps, short_window
from workbench.results.scorecard.column import (
    CellReader,
    Column,
    RunFacts,
    fact,
    figure,
    interval_end,
    largest,
    mean,
    row_status,
    shared,
    shared_text,
    smallest,
    total,
    variation,
)
from workbench.results.scorecard.first_columns import LOAD, METRICS, QUEUE, latency, measured

_BUDGETS = (("ttft", "TTFT"), ("queue", "queue time"), ("e2e", "E2E"), ("itl", "ITL"))


_RULES = {
    "ttft_p95_ms": "results.rule_ttft",
    "itl_p95_ms": "results.rule_itl",
    "e2e_p95_ms": "results.rule_e2e",
}


def acceptance_rule(objectives: Objectives) -> Message:
    """Return what an accepted response is."""
    stated = objectives.stated()
    rules = [Message(kind, {"limit_ms": stated[name]}) for name, kind in _RULES.items() if name in stated]
    rules = [message("results.rule_completed"), *rules]
    own = [name for name, limits in objectives.classes.items() if limits.stated()]
    if own:
        return message("results.acceptance_rule_with_classes", rules=rules, classes=own)
    return message("results.acceptance_rule", rules=rules)


def _missing(run: RunFacts) -> str | None:
    missing = (why for why in stored_reasons(run.run.summary) if why.kind == "results.metrics_missing")
    return "; ".join(str(why.values["found"]) for why in missing) or None


def _lower_bounds(run: RunFacts) -> str | None:
    """Return the columns that unanswered requests make lower bounds, as `ttft_p95_ms e2e_p95_ms`."""
    figures = run.figures
    all_series = {"ttft": figures.ttft_ms, "queue": figures.queue_ms, "e2e": figures.e2e_ms}
    names = [
        f"{name}_{quantile}_ms" for name, series in all_series.items() for quantile in series.at_least or []
    ]
    return " ".join(names) or None


def _notes(run: RunFacts) -> str | None:
    """Return what explains the figures; that the operator stopped a run stands in its status."""
    said = [run.fact("trace_part"), _left_open(run), short_window(run), *(run.figures.notes or [])]
    return "; ".join(str(each) for each in said if each) or None


def _left_open(run: RunFacts) -> Message | None:
    count = run.figures.requests.unfinished
    if not count or run.figures.partial:
        return None
    # Requests that were never sent are unfinished too; a summary doesn't distinguish them.
    sent = run.figures.requests.sent == run.figures.requests.scheduled
    drain_s = run.figures.drain_s
    if drain_s is None:
        # Another tool's run, whose drain time is unknown.
        return message("peers.left_open", count=count)
    if sent:
        return message("results.open_after_drain", count=count, drain_s=drain_s)
    return message("results.unsent_or_open_after_drain", count=count, drain_s=drain_s)


def _per_gpu(run: RunFacts) -> float | None:
    gpus, rate = run.fact("gpu_count"), run.figures.output_tok_s
    return None if not gpus or rate is None else float(rate) / float(gpus)


def _per_user(run: RunFacts) -> float | None:
    tpot = run.figures.tpot_ms.p50
    return 1000 / float(tpot) if tpot else None


def _percent(figure_of: Callable[[StoredFigures], float | None]) -> CellReader:
    def read(run: RunFacts) -> float | None:
        value = figure_of(run.figures)
        return None if value is None else 100 * float(value)

    return read


def _worst_engine(
    read: Callable[[StoredEngine], float | None], worst: Callable[[list[float]], float]
) -> CellReader:
    """Return a reader of the worst engine's value; empty with one engine, or if one is unknown."""

    def cell(run: RunFacts) -> float | None:
        values = [read(engine) for engine in run.figures.engines.values()]
        known = [value for value in values if value is not None]
        return worst(known) if known and len(known) == len(values) else None

    return cell


_ENGINE_COLUMNS = [
    Column(
        "engines",
        "",
        "engines or replicas behind the figures; empty with one",
        METRICS,
        figure(lambda run: len(run.engines) or None),
        shared,
    ),
    measured(
        "waiting_imbalance",
        "",
        "longest queue / mean queue between engines, over the window; 1 is even",
        lambda run: run.imbalance and run.imbalance.waiting,
        METRICS,
    ),
    measured(
        "request_imbalance",
        "",
        "requests that the busiest engine finished / mean of the engines; 1 is even",
        lambda run: run.imbalance and run.imbalance.requests,
        METRICS,
    ),
    measured(
        "kv_imbalance",
        "",
        "KV-cache usage of the fullest engine / mean of the engines, over the window; 1 is even",
        lambda run: run.imbalance and run.imbalance.kv,
        METRICS,
    ),
    Column(
        "engine_waiting_max",
        "",
        "most requests waiting in one engine of several",
        METRICS,
        _worst_engine(lambda engine: engine.waiting_max, max),
        largest,
    ),
    Column(
        "engine_preemptions_max",
        "",
        "preemptions of the engine of several that had the most",
        METRICS,
        _worst_engine(lambda engine: engine.preemptions, max),
        largest,
    ),
    Column(
        "engine_prefix_hit_min",
        "0..1",
        "prefix hits of the engine of several that had the fewest",
        METRICS,
        _worst_engine(lambda engine: engine.prefix_hit, min),
        smallest,
    ),
]


def _objective(name: str) -> CellReader:
    def read(run: RunFacts) -> Any:
        return getattr(run.experiment.objectives, name)

    return read


def _rule(run: RunFacts) -> str:
    return str(acceptance_rule(run.experiment.objectives))


RESULT_COLUMNS = [
    measured("sent_rps", "req/s", "sent requests / length of the schedule", lambda run: run.sent_rps),
    latency("ttft", "p99"),
    latency("e2e", "p50"),
    latency("e2e", "p99"),
    latency("itl", "p50"),
    latency("itl", "p99"),
    latency("tpot", "p50"),
    latency("tpot", "p95"),
    measured(
        "queue_mean_ms",
        "ms",
        "mean time to the first scheduling; exact from a histogram too",
        lambda run: run.queue_ms.mean,
        QUEUE,
    ),
    measured("queue_p50_ms", "ms", "its median; empty from a histogram", lambda run: run.queue_ms.p50, QUEUE),
    measured(
        "input_tok_s",
        "tokens/s",
        "prompt tokens of requests that completed in the window / its length",
        lambda run: run.input_tok_s,
    ),
    Column("tok_s_per_gpu", "tokens/s", "output_tok_s / gpu_count", LOAD, _per_gpu, mean),
    Column("tok_s_per_user", "tokens/s", "1000 / tpot_p50_ms", LOAD, _per_user, mean),
    measured("accepted_share", "0..1", "accepted / (scheduled - cancelled)", lambda run: run.accepted_share),
    Column(
        "accepted_rps_carried",
        "req/s",
        "accepted of those due in the window / its length: what an open loop within capacity gets done once"
        " the last answers are in; empty past capacity, in a closed loop and where too few requests tell",
        LOAD,
        due_accepted_rps,
        mean,
    ),
    measured("completed", "", "requests that ended with a finish reason", lambda run: run.requests.completed),
    measured("failed", "", "requests that failed", lambda run: run.requests.failed),
    measured("rejected", "", "requests refused by an admission limit", lambda run: run.requests.rejected),
    measured(
        "cancelled",
        "",
        "requests cancelled by the trace, outside every rate",
        lambda run: run.requests.cancelled,
    ),
    measured("timeouts", "", "requests that timed out at the client", lambda run: run.requests.timed_out),
    measured(
        "requests_retried",
        "",
        "requests that were sent again",
        lambda run: run.retries and run.retries.requests,
    ),
    measured(
        "retries",
        "",
        "how often requests were sent again, in all",
        lambda run: run.retries and run.retries.times,
    ),
    measured(
        "unfinished", "", "requests never sent, or open at the end", lambda run: run.requests.unfinished
    ),
    measured(
        "running_max",
        "",
        "most requests running, sum of engines",
        lambda run: run.running_max,
        METRICS,
        largest,
    ),
    measured(
        "waiting_max",
        "",
        "most requests waiting, sum of engines",
        lambda run: run.waiting_max,
        METRICS,
        largest,
    ),
    measured(
        "running_mean",
        "",
        "requests running, sum of engines, mean over the window",
        lambda run: run.running_mean,
        METRICS,
    ),
    measured(
        "waiting_mean",
        "",
        "requests waiting, sum of engines, mean over the window",
        lambda run: run.waiting_mean,
        METRICS,
    ),
    measured(
        "kv_mean",
        "0..1",
        "KV-cache usage of the fullest engine, mean over the window",
        lambda run: run.kv_mean,
        METRICS,
    ),
    measured(
        "oldest_waiting_s",
        "s",
        "greatest age that a request without a first token reached within the window",
        lambda run: run.oldest_waiting_s,
        LOAD,
        largest,
    ),
    measured(
        "rejected_rps", "req/s", "rejected in the measured window / its length", lambda run: run.rejected_rps
    ),
    Column("kv_peak_pct", "%", "kv_peak in percent", METRICS, _percent(lambda run: run.kv_peak), largest),
    Column(
        "prefix_hit_pct",
        "%",
        "prompt tokens found in the prefix cache / looked up",
        METRICS,
        _percent(lambda run: run.prefix_hit),
        mean,
    ),
    *_ENGINE_COLUMNS,
    Column(
        "quality_check",
        "",
        "whether answers were compared with the baseline's",
        "experiment",
        fact("quality_check"),
        shared,
    ),
    Column(
        "moved",
        "",
        "what the server says moved besides the control under test",
        "server",
        fact("moved"),
        shared,
    ),
    Column("input_mode", "", "ids or text: how prompts were sent", LOAD, fact("input_mode"), shared),
    measured(
        "ttft_drift_s_per_s",
        "s/s",
        "slope of TTFT over due time, first quarter left out",
        lambda run: run.drift and run.drift.slope,
    ),
    measured(
        "ttft_drift_lo_s_per_s",
        "s/s",
        "lower end of its 95 % interval",
        lambda run: run.drift and run.drift.lo,
        LOAD,
        smallest,
    ),
    measured(
        "ttft_drift_hi_s_per_s",
        "s/s",
        "upper end of its 95 % interval",
        lambda run: run.drift and run.drift.hi,
        LOAD,
        largest,
    ),
    Column(
        "lower_bounds",
        "",
        "columns whose true value is at least what they say: requests were unanswered at the end",
        LOAD,
        _lower_bounds,
        shared,
    ),
    Column(
        "notes",
        "",
        "what else explains the figures: requests left open, a window that is short against a response",
        LOAD,
        _notes,
        shared_text,
    ),
    Column(
        "measured_by",
        "",
        "another load generator that measured this row; empty: this program",
        "the other tool's result file",
        fact("measured_by"),
        shared,
    ),
    Column(
        "definitions_differ",
        "",
        "where a figure of that tool means another thing than ours of its name",
        "the other tool's result file",
        fact("definitions_differ"),
        shared,
    ),
    measured("duration_s", "s", "the measured window", lambda run: run.duration_s),
    measured("drain_s", "s", "from the window's end to the last request's", lambda run: run.drain_s),
    measured("time_scale", "", "simulated seconds in a second", lambda run: run.time_scale, "server", shared),
]

VALIDITY_COLUMNS = [
    Column(
        "status",
        "",
        "valid, invalid, partial (stopped), replaced (done again), skipped, failed, running, imported or "
        "watched",
        "all",
        lambda run: row_status(run.run),
        shared,
    ),
    measured(
        "send_lag_p99_ms",
        "ms",
        "p99 of sent - released: how late the load generator was",
        lambda run: run.client_delay_ms.p99,
    ),
    Column(
        "client_cpu_max_pct",
        "%",
        "busiest second of the busiest load worker, of one core",
        "host sampler",
        fact("client_cpu_max_pct"),
        largest,
    ),
    *(
        Column(name, unit, definition, "the client's own calibration", fact(name), shared)
        for name, unit, definition in (
            ("client_floor_ttft_ms", "ms", "differences of TTFT below this are the load generator's own"),
            ("client_floor_itl_ms", "ms", "differences of ITL below this are the load generator's own"),
            ("client_limit_tok_s", "tokens/s", "output up to which the load generator was calibrated"),
            ("calibrated_utc", "UTC", "when it was; empty: never on this machine"),
            ("calibrated_path", "", "how far it reached: to a host, through a tunnel or within that host"),
            ("path_ms", "ms", "median that the path to the server adds to every TTFT; not taken off"),
        )
    ),
    Column(
        "load_hosts",
        "",
        "machines that the load came from, each with the error of its clock",
        LOAD,
        fact("load_hosts"),
        shared_text,
    ),
    Column("node", "", "node of a cluster that ran the experiment", "run --on", fact("node"), shared),
    Column(
        "clock_error_ms",
        "ms",
        "largest error of their clocks against the common start",
        LOAD,
        fact("clock_error_ms"),
        largest,
    ),
    measured(
        "n_samples",
        "",
        "requests behind the TTFT figures, all repeats",
        lambda run: run.ttft_ms.n,
        LOAD,
        total,
    ),
    Column(
        "implausible",
        "",
        "figures that can't be right: beyond the card's bandwidth or arithmetic, out of order, not adding up",
        "computed from the run and the model's files",
        fact("implausible"),
        shared,
    ),
    Column("metrics_missing", "", "figures that were needed and not measured", METRICS, _missing, shared),
    Column(
        "clock_source",
        "",
        "clock of all stamps",
        LOAD,
        lambda run: None if run.run.status == IMPORTED else "monotonic",
        shared,
    ),
]

_TTFT = figure(lambda run: run.ttft_ms.p95)

REPEAT_COLUMNS = [
    Column(
        "ci95_low",
        "ms",
        "lower end of the 95 % interval of ttft_p95_ms over repeats (Student's t); empty below 2",
        LOAD,
        _TTFT,
        interval_end(-1),
    ),
    Column("ci95_high", "ms", "upper end of that interval", LOAD, _TTFT, interval_end(1)),
    Column("cv_over_repeats", "", "standard deviation / mean of ttft_p95_ms", LOAD, _TTFT, variation),
]

SLO_COLUMNS = [
    *(
        Column(
            f"slo_{kind}_ms",
            "ms",
            f"objective for the p95 of {words}",
            "experiment",
            _objective(f"{kind}_p95_ms"),
            shared,
        )
        for kind, words in _BUDGETS
    ),
    Column("acceptance_rule", "", "what an accepted response is", "experiment", _rule, shared),
]
