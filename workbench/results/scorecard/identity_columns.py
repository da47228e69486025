"""The scorecard's identity, system, software and workload columns, which are needed to repeat it."""

import re
from typing import Any

from workbench.results.scorecard.column import (
    CellReader,
    Column,
    Combine,
    RunFacts,
    as_text,
    effective,
    fact,
    figure,
    largest,
    mean,
    shared,
    smallest,
)

_BENCH = "bench file"
_SYSTEM = "the server's machine, else stated by the user"
_EFFECTIVE = "server's effective configuration, else as asked of a server of ours"
_TRACE = "trace"
_LOG = "the log of a server that we started"


_TOLD_AS = {"num_gpu_blocks_override": "num_gpu_blocks"}
"""Controls whose value a server reports under another name."""
_OFF_UNLESS_SET = ("max_num_queued_reqs", "max_num_queued_tokens")
"""Controls that are off in a server started without them."""


def _old_value(run: RunFacts) -> Any:
    """Return the baseline's value of the control that this row changes."""
    control, baseline = run.run.control, run.baseline
    if control is None or baseline is None:
        return None
    there = baseline.effective or {}
    for value in (
        there.get(control),
        there.get(_TOLD_AS.get(control, control)),
        baseline.config.get(control),
    ):
        if value is not None:
            return value
    # Without a command of ours it is unknown how the server was started.
    return "none" if control in _OFF_UNLESS_SET and baseline.command else None


def _tensor_parallel(run: RunFacts) -> Any:
    """Return the reported or asked value; for a simulated server that of its profile (`gpu/model/tp2`)."""
    reported = effective("tensor_parallel_size")(run)
    found = re.search(r"/tp(\d+)$", run.run.profile or "")
    return int(found[1]) if reported is None and found else reported


def _run(name: str) -> CellReader:
    return lambda run: getattr(run.run, name)


def _arguments(run: RunFacts) -> str | None:
    return as_text(run.run.effective) if run.run.effective else None


def _cancel_pct(run: RunFacts) -> float | None:
    scheduled = run.figures.requests.scheduled
    cancelled = run.figures.requests.cancelled
    return None if cancelled is None or not scheduled else 100 * float(cancelled) / float(scheduled)


def _facts(source: str, *rows: tuple[str, str, str]) -> list[Column]:
    return [Column(name, unit, definition, source, fact(name), shared) for name, unit, definition in rows]


def _effective(*rows: tuple[str, str, str]) -> list[Column]:
    return [Column(name, unit, text, _EFFECTIVE, effective(name), shared) for name, unit, text in rows]


IDENTITY_COLUMNS = [
    Column(
        "run_id",
        "",
        "numbers of the runs in the bench file",
        _BENCH,
        lambda run: str(run.run.id),
        shared,
    ),
    Column("run_group", "", "name of the experiment", "experiment", lambda run: run.experiment.name, shared),
    Column("start_utc", "UTC", "start of the first repeat", "clock", _run("started_utc"), smallest),
    Column("end_utc", "UTC", "end of the last repeat", "clock", _run("ended_utc"), largest),
    *_facts("stated by the user", ("operator", "", "who ran it")),
    Column(
        "tool_version",
        "",
        "program that measured",
        _BENCH,
        lambda run: run.meta.get("created_by"),
        shared,
    ),
    *_facts("export", ("report_sha256", "", "hash of the report beside this scorecard, in a pack")),
    Column("evidence_path", "", "bench file with all raw rows", _BENCH, lambda run: run.bench_name, shared),
    *_facts(
        _SYSTEM,
        ("supplier", "", "who offers the system"),
        ("system_name", "", "its name"),
        ("availability", "", "available, preview or rdi"),
        ("gpu_model", "", "GPU"),
        ("gpu_count", "", "GPUs used"),
        ("gpu_memory_gib_physical", "GiB", "physical memory of one GPU"),
        ("gpu_power_cap_w", "W", "power limit of one GPU"),
        ("interconnect", "", "between GPUs"),
        ("host_cpu", "", "host processor"),
        ("host_cores", "", "host cores"),
        ("host_ram_gib", "GiB", "host memory"),
        ("cloud", "", "provider"),
        ("instance_type", "", "provider's type"),
        ("region", "", "provider's region"),
        ("driver", "", "GPU driver"),
        ("cuda", "", "CUDA"),
    ),
]

SOFTWARE_COLUMNS = [
    Column("vllm_version", "", "version of vLLM", "server", effective("version"), shared),
    *_facts("server", ("image_digest", "", "container image")),
    Column("args_full", "", "command line, secrets masked", "server", _run("command"), shared),
    Column("effective_args", "", "what the server says it uses, JSON", "server", _arguments, shared),
    Column(
        "changed_control",
        "",
        "control that differs from the baseline",
        "experiment",
        _run("control"),
        shared,
    ),
    Column("old_value", "", "its value in the baseline", "experiment", _old_value, shared),
    Column("new_value", "", "its value in this row", "experiment", _run("value"), shared),
    Column("model", "", "model as requests name it", "server", effective("model"), shared),
    *_facts("server", ("model_revision", "", "revision of its files")),
    *_effective(
        ("dtype", "", "of weights and activations"),
        ("quantization", "", "of weights"),
        ("kv_cache_dtype", "", "of the KV cache"),
    ),
    Column("tp", "", "tensor parallel size", _EFFECTIVE, _tensor_parallel, shared),
    Column("pp", "", "pipeline parallel size", _EFFECTIVE, effective("pipeline_parallel_size"), shared),
    Column("dp", "", "data parallel size", _EFFECTIVE, effective("data_parallel_size"), shared),
    *_effective(
        ("gpu_memory_utilization", "0..1", "share of GPU memory given to vLLM"),
        ("max_model_len", "tokens", "longest prompt and output together"),
    ),
    Column(
        "kv_cache_gib", "GiB", "KV cache of one GPU, the one with least", _LOG, fact("kv_cache_gib"), smallest
    ),
    *_effective(("kv_cache_tokens", "tokens", "tokens that the KV cache holds")),
    Column("weights_gib", "GiB", "weights on one GPU", _LOG, fact("weights_gib"), largest),
    *_facts(
        "memory sizing, by what the server says it uses",
        ("weights_gib_estimated", "GiB", "weights_gib as estimated"),
        ("kv_cache_gib_estimated", "GiB", "kv_cache_gib as estimated"),
        ("kv_cache_tokens_estimated", "tokens", "kv_cache_tokens as estimated"),
    ),
]

WORKLOAD_COLUMNS = [
    *_facts(_TRACE, ("trace_name", "", "requests that were replayed")),
    Column("trace_sha256", "", "hash of what was asked", _TRACE, _run("trace_sha256"), shared),
    Column("schedule_sha256", "", "hash of when it was due", _TRACE, _run("schedule_sha256"), shared),
    *_facts("experiment", ("experiment_kind", "", "ladder, burst, soak, confirm or switchback")),
    *_facts("experiment", ("schedule_form", "", "how due times were made; empty: form 1, of older builds")),
    *_facts("experiment", ("arrival_mode", "", "open (by a schedule) or closed (by free slots)")),
    Column(
        "rate",
        "req/s",
        "rate asked for; empty: the trace's own times",
        "experiment",
        _run("rate"),
        shared,
    ),
    Column("concurrency", "", "requests kept open, closed loop", "experiment", _run("concurrency"), shared),
    Column(
        "requests",
        "",
        "scheduled requests, one repeat",
        _TRACE,
        figure(lambda run: run.requests.scheduled),
        mean,
    ),
    Column(
        "isl_p50", "tokens", "median prompt length", "usage", figure(lambda run: run.input_tokens.p50), mean
    ),
    Column(
        "isl_p95",
        "tokens",
        "p95 of the prompt length",
        "usage",
        figure(lambda run: run.input_tokens.p95),
        mean,
    ),
    Column(
        "osl_p50",
        "tokens",
        "median output length, completed",
        "usage",
        figure(lambda run: run.output_tokens.p50),
        mean,
    ),
    Column("osl_p95", "tokens", "p95 of it", "usage", figure(lambda run: run.output_tokens.p95), mean),
    Column("cancel_pct", "%", "requests that the trace cancels", _TRACE, _cancel_pct, mean),
    *_facts(
        _TRACE,
        ("shared_prefix_pct", "%", "prompt tokens that repeat an earlier prefix"),
        ("burst_factor", "", "dispersion of arrivals a second"),
    ),
    *_facts(
        "experiment",
        ("seed", "", "of prompts and arrivals"),
        ("warmup_s", "s", "load before the measured window"),
        ("cache_reset", "y/n", "prefix cache emptied or salted before the run"),
        ("repeats", "", "repeats asked for"),
    ),
]


# The scorecard's columns on the machine under the server.

_LOAD, _HOST, _GPU = "experiment", "host sampler", "GPU sampler"
_ROWS: tuple[tuple[str, str, str, str, Combine], ...] = (
    (
        "load_place",
        "",
        "load workers run here, there (beside the server), over tunnel or network, or on hosts of their own",
        _LOAD,
        shared,
    ),
    ("host_cpu_avg_pct", "%", "busy share of the server's host, all cores, mean", _HOST, mean),
    (
        "host_others_cpu",
        "0..1",
        (
            "share of the usable cores that processes took which are neither ours nor the server's, mean; of"
            " the server's machine or the load's, whichever is more"
        ),
        _HOST,
        largest,
    ),
    ("api_cpu_max", "cores", "busiest second of the server's HTTP process and its helpers", _HOST, largest),
    ("engine_cpu_max", "cores", "busiest second of the engine's process", _HOST, largest),
    ("worker_cpu_max", "cores", "busiest second of the workers; empty: part of the engine", _HOST, largest),
    ("net_received_max_mb_s", "MB/s", "busiest second of that host's network in", _HOST, largest),
    ("net_sent_max_mb_s", "MB/s", "busiest second of that host's network out", _HOST, largest),
    ("disk_read_max_mb_s", "MB/s", "busiest second of reads from that host's disks", _HOST, largest),
    ("gpu_util_avg_pct", "%", "share of time in which a kernel ran, mean of the server's GPUs", _GPU, mean),
    ("gpu_others_util_pct", "%", "share of time in which others' kernels ran on them, mean", _GPU, largest),
    ("gpu_mem_reserved_gib", "GiB", "most that the server's processes held on one GPU", _GPU, largest),
    ("gpu_mem_outside_gib", "GiB", "most that others held on one of those GPUs", _GPU, largest),
    ("out_of_memory", "", "how often the server ran out of GPU memory during the run", "its log", largest),
    (
        "gpu_throttled",
        "",
        "why those GPUs ran slower than asked, with the share of looks",
        _GPU,
        shared,
    ),
)

MACHINE_COLUMNS = [
    Column(name, unit, definition, source, fact(name), combine)
    for name, unit, definition, source, combine in _ROWS
]
