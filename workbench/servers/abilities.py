"""The abilities of a server's vLLM version with this program, shown before a user meets them as errors."""

from typing import Literal

from workbench.base import Message, Record, message
from workbench.controls import CONTROLS
from workbench.vllm_dialect import NEWEST_CHECKED, OLDEST_CHECKED, Version, version_has, version_of

Standing = Literal["yes", "partly", "no"]
_OWN = ("local", "ssh", "container")


class Ability(Record, frozen=True, kw_only=True):
    """One ability, and how far it goes."""

    standing: Standing
    what: Message


def abilities_of(version: str | None, kind: str) -> list[Ability]:
    """Return the abilities of a server, by its version and kind of target; none for a simulated one."""
    if kind == "embedded":
        return []
    ours = kind in _OWN
    return [
        _checked(version),
        _queue_times(version, ours=ours),
        *([_live_limits(version), *_records(version)] if ours else [_not_ours()]),
        _prefix_hits(version),
        *_controls(version, ours=ours),
    ]


def _ability(standing: Standing, what: Message) -> Ability:
    return Ability(standing=standing, what=what)


def _checked(version: str | None) -> Ability:
    known = version_of(version)
    span = {"oldest": OLDEST_CHECKED, "newest": NEWEST_CHECKED}
    if known is None:
        return _ability("partly", message("servers.version_unknown", **span))
    if Version.parse(OLDEST_CHECKED) <= known <= Version.parse(NEWEST_CHECKED):
        return _ability("yes", message("servers.version_checked", version=version))
    return _ability("partly", message("servers.version_not_checked", version=version, **span))


def _queue_times(version: str | None, *, ours: bool) -> Ability:
    exact = version_has("flag", "--enable-per-request-metrics", version)
    if exact and ours:
        return _ability("yes", message("servers.queue_exact"))
    if exact:
        return _ability("partly", message("servers.queue_exact_if", flag="--enable-per-request-metrics"))
    return _ability("partly", message("servers.queue_by_records" if ours else "servers.queue_histogram"))


def _live_limits(version: str | None) -> Ability:
    if version_has("flag", "--max-num-active-seqs", version) is False:
        return _ability("partly", message("servers.limits_but_seats", name="max_num_active_seqs"))
    return _ability("yes", message("servers.limits_all"))


def _records(version: str | None) -> list[Ability]:
    found = [_ability("yes", message("servers.records"))]
    if version_has("behavior", "preempt_request", version) is False:
        found.append(_ability("no", message("servers.no_stats_record")))
    return found


def _not_ours() -> Ability:
    return _ability("no", message("servers.nothing_inside"))


def _prefix_hits(version: str | None) -> Ability:
    if version_has("behavior", "prefix_counted_at_admission", version) is not False:
        return _ability("yes", message("servers.prefix_hits"))
    if version_has("metric", "vllm:request_prefill_kv_computed_tokens", version):
        return _ability("partly", message("servers.prefix_hits_of_finished"))
    return _ability("no", message("servers.no_prefix_hits"))


def _controls(version: str | None, *, ours: bool) -> list[Ability]:
    """Return the controls that can't be tested with this server."""
    if not ours:
        own = [control.name for control in CONTROLS.values() if not control.of_server]
        return [_ability("partly", message("servers.callers_controls", names=own))]
    lacking = [
        control.name
        for control in CONTROLS.values()
        if control.flag is not None and version_has("flag", control.flag, version) is False
    ]
    return [_ability("no", message("servers.lacks_controls", names=lacking))] if lacking else []
