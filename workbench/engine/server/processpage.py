"""prometheus_client's families of the front's process: the first lines of `/metrics`."""

import gc
import platform
from collections.abc import Iterator

import psutil

from workbench.engine.server.exposition import MetricFamily, sample


def process_families() -> Iterator[MetricFamily]:
    """Yield prometheus_client's families of this process."""
    stats = list(enumerate(gc.get_stats()))
    for name, key, text in (
        ("python_gc_objects_collected_total", "collected", "Objects collected during gc"),
        ("python_gc_objects_uncollectable_total", "uncollectable", "Uncollectable objects found during GC"),
        ("python_gc_collections_total", "collections", "Number of times this generation was collected"),
    ):
        lines = [sample(name, {"generation": str(generation)}, stat[key]) for generation, stat in stats]
        yield MetricFamily(name, "counter", text, lines)
    major, minor, patch = platform.python_version_tuple()
    about = {
        "implementation": platform.python_implementation(),
        "major": major,
        "minor": minor,
        "patchlevel": patch,
        "version": platform.python_version(),
    }
    yield MetricFamily(
        "python_info", "gauge", "Python platform information", [sample("python_info", about, 1)]
    )
    for name, kind, text, value in _process_values():
        yield MetricFamily(name, kind, text, [sample(name, {}, value)])


def _process_values() -> Iterator[tuple[str, str, str, float]]:
    process = psutil.Process()
    memory, times = process.memory_info(), process.cpu_times()
    yield "process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", memory.vms
    yield "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", memory.rss
    started = "Start time of the process since unix epoch in seconds."
    yield "process_start_time_seconds", "gauge", started, process.create_time()
    spent = "Total user and system CPU time spent in seconds."
    yield "process_cpu_seconds_total", "counter", spent, times.user + times.system
    if psutil.POSIX:
        yield "process_open_fds", "gauge", "Number of open file descriptors.", process.num_fds()
    if psutil.LINUX:
        limit = process.rlimit(psutil.RLIMIT_NOFILE)[0]
        yield "process_max_fds", "gauge", "Maximum number of open file descriptors.", limit
