"""The scorecard's columns on the machine under the server: what a figure rests on besides the scheduler."""

from workbench.results.scorecard.column import Column, Combine, fact, largest, mean, same

_LOAD, _HOST, _GPU = "experiment", "host sampler", "GPU sampler"
_ROWS: tuple[tuple[str, str, str, str, Combine], ...] = (
    (
        "load_place",
        "",
        "load workers run here, there (beside the server), or over tunnel, network",
        _LOAD,
        same,
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
    ("out_of_memory", "", "times the server told of exhausted GPU memory during the run", "its log", largest),
    ("gpu_throttled", "", "why those GPUs ran slower than asked, with the share of looks", _GPU, same),
)

MACHINE_COLUMNS = [
    Column(name, unit, definition, source, fact(name), combine)
    for name, unit, definition, source, combine in _ROWS
]
