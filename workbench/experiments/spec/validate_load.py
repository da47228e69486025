"""Checks of the tables [trace], [load] and [burst]."""

import math
from collections.abc import Sequence

from workbench.base import Place, Refusal, placed
from workbench.experiments.spec.file_content import require_finite
from workbench.experiments.spec.tables import Burst, LadderShape, LoadShape, TraceChoice

_LEAST_FACTOR = 1.01
_MOST_BISECTIONS = 10
_MOST_SEED = 2**63 - 1
_LOGS_PROMPTS = ("--enable-log-requests", "--enable-log-outputs", "--log-requests")
"""Flags that make vLLM write prompts into its log."""


def check_trace(trace: TraceChoice, where: str) -> None:
    """Check the table [trace].

    Raises:
        Refusal: no trace or several are chosen, or a value is out of range.
    """
    require_finite(trace, "trace", where)
    given = [name for name in ("file", "synthetic", "mix") if getattr(trace, name) is not None]
    if len(given) > 1:
        raise Refusal("experiments.several_traces", Place(file=where, table="trace"), given=given)
    if not given:
        raise Refusal("experiments.no_trace", Place(file=where, table="trace"))
    if not 0 < trace.speedup < math.inf:
        place = Place(file=where, table="trace", key="speedup")
        raise Refusal("base.not_above", place, value=trace.speedup, minimum=0)
    if not 0 <= trace.seed <= _MOST_SEED:
        place = Place(file=where, table="trace", key="seed")
        raise Refusal("base.out_of_range", place, value=trace.seed, minimum=0, maximum=_MOST_SEED)


def check_text(trace: TraceChoice, load: LoadShape, where: str, arguments: Sequence[str] = ()) -> None:
    """Check that recorded prompts, if they are replayed, can be sent and stay out of the server's log.

    Args:
        trace: the table [trace].
        load: the table [load].
        where: the file's name.
        arguments: the target's own command-line words.

    Raises:
        Refusal: names the field.
    """
    for field in ("replay_text", "tokenizer"):
        if getattr(trace, field) and trace.file is None:
            raise Refusal("experiments.text_needs_file", Place(file=where, table="trace", key=field))
    if trace.time_unit is not None and trace.file is None:
        raise Refusal("traces.unit_needs_file", Place(file=where, table="trace", key="time_unit"))
    if not trace.replay_text:
        return
    place = Place(file=where, table="trace", key="replay_text")
    if trace.max_len == "clamp":
        raise Refusal("experiments.text_not_clamped", place)
    if load.input_mode == "ids":
        raise Refusal("experiments.text_not_ids", place)
    logging = [word for word in arguments if word.startswith(_LOGS_PROMPTS)]
    if logging:
        raise Refusal(
            "experiments.prompts_in_log", Place(file=where, table="target", key="args"), flag=logging[0]
        )


def check_load(load: LoadShape, where: str) -> None:
    """Check the table [load].

    Raises:
        Refusal: names the field.
    """
    require_finite(load, "load", where)
    given = [name for name in ("rates", "ladder", "concurrency") if getattr(load, name) is not None]
    if len(given) > 1:
        raise Refusal(
            "experiments.several_loads", Place(file=where, table="load", key=given[-1]), given=given
        )
    for field in ("rates", "concurrency"):
        _check_steps(getattr(load, field), Place(file=where, table="load", key=field))
    if load.ladder is not None:
        _check_ladder(load.ladder, where)
    if load.profile is not None:
        _check_profile(load, where)
    elif not given and load.arrivals not in ("trace", None):
        raise Refusal("experiments.no_load", Place(file=where, table="load"))
    for field in _ABOVE_0:
        value = getattr(load, field)
        if value is not None and not 0 < value < math.inf:
            place = Place(file=where, table="load", key=field)
            raise Refusal("base.not_above", place, value=value, minimum=0)
    for field in ("warmup_s", "max_retries", "retry_backoff_s"):
        value = getattr(load, field)
        if not 0 <= value < math.inf:
            place = Place(file=where, table="load", key=field)
            raise Refusal("base.too_small", place, value=value, minimum=0)
    for field, most in _AT_MOST.items():
        value = getattr(load, field)
        largest = max(value if isinstance(value, list) else [value or 0], default=0)
        if largest > most:
            place = Place(file=where, table="load", key=field)
            raise Refusal("base.too_large", place, value=largest, maximum=most)


def check_hosts(load: LoadShape, target_kind: str, where: str) -> None:
    """Check the machines that the load comes from.

    Raises:
        Refusal: none or one twice is named, or they can't reach the target.
    """
    hosts = load.hosts
    if hosts is None:
        return
    place = Place(file=where, table="load", key="hosts")
    if bool(hosts.ssh) == (hosts.ray is not None):
        raise Refusal("experiments.no_hosts", place)
    for field in ("count", "per_host"):
        value, own = getattr(hosts, field), Place(file=where, table="load.hosts", key=field)
        if value < 1:
            raise Refusal("base.too_small", own, value=value, minimum=1)
        if value > _AT_MOST["workers"]:
            raise Refusal("base.too_large", own, value=value, maximum=_AT_MOST["workers"])
    twice = next((host for host in hosts.ssh if hosts.ssh.count(host) > 1), None)
    if twice is not None:
        raise Refusal("experiments.value_twice", place, value=twice)
    if target_kind != "attached":
        # Servers of ours listen on 127.0.0.1 only.
        raise Refusal("experiments.hosts_need_attached", place, target_kind=target_kind)


_ABOVE_0 = (
    *("requests", "duration_s", "burstiness", "max_in_flight", "queue_timeout_s", "request_timeout_s"),
    "workers",
)
_YEAR_S = 31_536_000
_MOST_RATE = 1_000_000
_AT_MOST = {
    "duration_s": _YEAR_S,
    "warmup_s": _YEAR_S,
    "queue_timeout_s": _YEAR_S,
    "request_timeout_s": _YEAR_S,
    "retry_backoff_s": _YEAR_S,
    "rates": _MOST_RATE,
    "max_retries": 100,
    "requests": 100_000_000,
    "concurrency": 1_000_000,
    "max_in_flight": 1_000_000_000,
    "workers": 1024,
}
"""Larger values are surely typing errors, and the load is not computed with numbers that large."""


def _check_steps(steps: Sequence[float] | None, place: Place) -> None:
    """Check a list of rates or of concurrencies."""
    if steps is None:
        return
    if not steps:
        raise Refusal("experiments.empty_list", place)
    for step in steps:
        if not 0 < step < math.inf:
            raise Refusal("base.not_above", place, value=step, minimum=0)
    shown = [f"{step:g}" for step in steps]
    twice = next((step for step in shown if shown.count(step) > 1), None)
    if twice is not None:
        raise Refusal("experiments.value_twice", place, value=twice)


def _check_profile(load: LoadShape, where: str) -> None:
    from workbench.traces import parse_profile  # noqa: PLC0415 - numpy; few files state a profile

    assert load.profile is not None
    place = Place(file=where, table="load", key="profile")
    with placed(place):
        parse_profile(load.profile)
    if load.concurrency is not None:
        raise Refusal("experiments.profile_of_closed_loop", place)
    if load.arrivals == "trace":
        raise Refusal("experiments.profile_and_trace_times", place)


def _check_ladder(ladder: LadderShape, where: str) -> None:
    table = "load.ladder"
    if not 0 < ladder.start < math.inf:
        place = Place(file=where, table=table, key="from")
        raise Refusal("base.not_above", place, value=ladder.start, minimum=0)
    if not ladder.start <= ladder.to < math.inf:
        place = Place(file=where, table=table, key="to")
        raise Refusal("experiments.ladder_falls", place, value=ladder.to, start=ladder.start)
    if ladder.to > _MOST_RATE:
        place = Place(file=where, table=table, key="to")
        raise Refusal("base.too_large", place, value=ladder.to, maximum=_MOST_RATE)
    if not _LEAST_FACTOR <= ladder.factor < math.inf:
        place = Place(file=where, table=table, key="factor")
        raise Refusal("base.too_small", place, value=ladder.factor, minimum=_LEAST_FACTOR)
    if not 0 <= ladder.bisections <= _MOST_BISECTIONS:
        place = Place(file=where, table=table, key="bisections")
        raise Refusal(
            "base.out_of_range", place, value=ladder.bisections, minimum=0, maximum=_MOST_BISECTIONS
        )


def check_burst(burst: Burst, load: LoadShape, where: str) -> None:
    """Check the table [burst] and that it fits into the load.

    Raises:
        Refusal: names the field.
    """
    require_finite(burst, "burst", where)
    for field, minimum in (("factor", 1), ("seconds", 0), ("at", 0)):
        value = getattr(burst, field)
        if not minimum < value < math.inf:
            place = Place(file=where, table="burst", key=field)
            raise Refusal("base.not_above", place, value=value, minimum=minimum)
    if load.profile is not None:
        place = Place(file=where, table="load", key="profile")
        raise Refusal("experiments.not_with_kind", place, kind="burst")
    if load.offered_rates() is None or load.arrivals == "trace":
        raise Refusal("experiments.burst_needs_rates", Place(file=where, table="load", key="rates"))
    if load.duration_s is None or load.duration_s <= burst.at + burst.seconds:
        raise Refusal(
            "experiments.burst_too_late",
            Place(file=where, table="load", key="duration_s"),
            end_s=burst.at + burst.seconds,
        )
