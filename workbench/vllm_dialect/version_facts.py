"""The differences between versions of vLLM as one table: flags, metrics, behavior and defaults.

A row holds the first version with a feature, the first without it, or a default from a version on.
Sources: the Python files of the releases 0.11 to 0.33; a test compares the rows with installed ones.
"""

from typing import Literal, TypeAlias

from workbench.base import Record
from workbench.vllm_dialect.versions import Version, version_of

FactKind: TypeAlias = Literal["flag", "metric", "behavior"]
Default: TypeAlias = bool | int | float | str | None


class VersionFact(Record, frozen=True, kw_only=True):
    """A feature that not every version has."""

    kind: FactKind
    name: str
    since: Version | None = None
    """None if all checked versions have it."""
    until: Version | None = None
    """The first version without it."""

    def holds(self, version: Version) -> bool:
        """Return whether `version` has it."""
        return (self.since is None or version >= self.since) and (self.until is None or version < self.until)


def _version(text: str | None) -> Version | None:
    return None if text is None else Version.parse(text)


def _rows(kind: FactKind, rows: dict[str, str | tuple[str | None, str]]) -> list[VersionFact]:
    facts = []
    for name, row in rows.items():
        since, until = row if isinstance(row, tuple) else (row, None)
        facts.append(VersionFact(kind=kind, name=name, since=_version(since), until=_version(until)))
    return facts


_FLAGS: dict[str, str | tuple[str | None, str]] = {
    # The first version that has the flag, or (first, first without it).
    "--enable-logging-iteration-details": "0.14",
    "--mamba-cache-mode": "0.15",
    "--scheduler-reserve-full-isl": "0.19",
    "--watermark": "0.24",
    "--prefill-schedule-interval": "0.24",
    "--enable-per-request-metrics": "0.25",
    "--max-num-scheduled-tokens": "0.26",
    "--prefix-match-unit": "0.26",
    "--use-replayssm": "0.27",
    "--replayssm-buffer-len": "0.27",
    "--max-num-queued-reqs": "0.29",
    "--max-num-queued-tokens": "0.29",
    "--prefix-cache-retention-interval": "0.29",
    "--max-num-active-seqs": "0.31",
    "--long-prefill-token-threshold-adaptive": "0.31",
    "--swa-bounded-replay": "0.31",
    "--enable-mamba-shared-prefix-checkpoint": "0.31",
    "--custom-histogram-buckets": "0.32",
    "--disable-log-requests": (None, "0.17"),
    "--swap-space": (None, "0.18"),
    "--max-num-partial-prefills": (None, "0.27"),
    "--max-long-partial-prefills": (None, "0.27"),
    "--calculate-kv-scales": (None, "0.28"),
}

_METRICS: dict[str, str | tuple[str | None, str]] = {
    "vllm:request_prefill_kv_computed_tokens": "0.13",
    "vllm:num_requests_waiting_by_reason": "0.20",
    "vllm:request_num_preemptions": "0.30",
    "vllm:admission_rejections": "0.32",
}

_BEHAVIOR: dict[str, str | tuple[str | None, str]] = {
    # V1 is the default engine.
    "one_engine": "0.8",
    # The scheduler has `_preempt_request`; stat-logger plug-ins are found by entry points.
    "preempt_request": "0.12",
    # The sampler's warm-up takes 15 bytes a logit, 38 before.
    "lean_sampler": "0.17",
    "finish_requests_answers": "0.17",
    # Kinds of layers are padded to the larger group up to a factor of 1.5, before 1.25.
    "wide_group_padding": "0.18",
    # CUDA graphs are taken out of the KV cache before they are captured.
    "cuda_graphs_planned": "0.20",
    # The start-up log prints concurrency times max_model_len as the KV cache's tokens.
    "kv_size_by_concurrency": "0.20",
    # Sliding windows reserve for each step in flight.
    "tokens_in_flight_reserved": "0.26",
    "iteration_line_kv_usage": "0.26",
    # Prefix-cache counters move once, at admission; before, at each attempt to admit.
    "prefix_counted_at_admission": "0.27",
    # Server sets a limit of its queue, answered by 503.
    "admission_limits": "0.29",
    # --prefill-schedule-interval holds prompts back without data parallelism too.
    "local_prefill_interval": "0.33",
    # Each switch is listed as --enable-x and --disable-x; --no-enable-x still works and is not listed.
    "unlisted_negations": "0.33",
}

_DEFAULTS: dict[str, tuple[tuple[str, Default], ...]] = {
    # By the control's name: (from this version on, default), oldest first.
    "gpu_memory_utilization": (("0.0", 0.9), ("0.20", 0.92)),
    "async_scheduling": (("0.0", False), ("0.14", True)),
    "scheduler_reserve_full_isl": (("0.0", False), ("0.19", True)),
    # For an API server on a card of at least 160 GiB.
    "max_num_batched_tokens_160_gib": (("0.0", 8192), ("0.28", 16384)),
}

FACTS: dict[tuple[FactKind, str], VersionFact] = {
    (fact.kind, fact.name): fact
    for fact in (*_rows("flag", _FLAGS), *_rows("metric", _METRICS), *_rows("behavior", _BEHAVIOR))
}


def first_version_with(kind: FactKind, name: str) -> str | None:
    """Return the first version with it, such as `0.31`; None where all checked versions have it."""
    fact = FACTS.get((kind, name))
    return None if fact is None or fact.since is None else str(fact.since)


def version_has(kind: FactKind, name: str, version: str | Version | None) -> bool | None:
    """Return whether `version` has it; None where the version is unknown and not all versions have it."""
    fact = FACTS.get((kind, name))
    if fact is None:
        return True
    known = version_of(version) if isinstance(version, str) else version
    return None if known is None else fact.holds(known)


def default_of(name: str, version: str | Version | None) -> Default:
    """Return vLLM's default of a control in `version`; None where the version is unknown.

    Raises:
        KeyError: the default does not depend on the version; it stands in the catalogue.
    """
    known = version_of(version) if isinstance(version, str) else version
    if known is None:
        return None
    return [value for start, value in defaults_of(name) if start <= known][-1]


def defaults_of(name: str) -> tuple[tuple[Version, Default], ...]:
    """Return every default that the control has had, with the version from which it holds, oldest first."""
    return tuple((Version.parse(start), value) for start, value in _DEFAULTS[name])
