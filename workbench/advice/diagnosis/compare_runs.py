"""Two runs compared: the figures that one changed control moved, and the bottleneck before and after."""

from typing import NamedTuple

from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.diagnose import diagnose
from workbench.advice.diagnosis.evidence import longest_pause
from workbench.advice.diagnosis.findings import Diagnosis
from workbench.advice.diagnosis.headroom import INERT_UNTIL_REACHED
from workbench.advice.diagnosis.run_view import RunView
from workbench.base import Message, message, percent_change
from workbench.controls import CONTROLS, ECHOES, FOLLOWS
from workbench.results import stored_reasons

NOISE = 0.05
"""Relative difference up to which two single runs count as equal; repeats would show more."""
_SAME_RATE = 0.02
"""Relative difference up to which two offered rates are the same."""

Path = tuple[str, ...]
_FIGURES: dict[Path, tuple[Message, int]] = {
    ("completed_rps",): (message("advice.figure_completed_rps"), 1),
    ("accepted_rps",): (message("advice.figure_accepted_rps"), 1),
    ("output_tok_s",): (message("advice.figure_output_tok_s"), 1),
    ("ttft_ms", "p95"): (message("advice.figure_ttft_p95"), -1),
    ("itl_ms", "p95"): (message("advice.figure_itl_p95"), -1),
    ("e2e_ms", "p95"): (message("advice.figure_e2e_p95"), -1),
    ("queue_ms", "p95"): (message("advice.figure_queue_p95"), -1),
    ("admission_wait_ms", "p95"): (message("advice.figure_admission_wait_p95"), -1),
    ("error_rate",): (message("advice.figure_error_rate"), -1),
    ("rejected_rate",): (message("advice.figure_rejected_rate"), -1),
    ("preemptions",): (message("advice.figure_preemptions"), -1),
    ("running_max",): (message("advice.figure_running_max"), 0),
    ("kv_peak",): (message("advice.figure_kv_peak"), 0),
    ("prefix_hit",): (message("advice.figure_prefix_hit"), 1),
}
"""Figures that are compared: name, and whether more is better (1), worse (-1) or neither (0)."""
_GROW: tuple[Path, ...] = (("ttft_ms", "p95"), ("queue_ms", "p95"), ("e2e_ms", "p95"), ("accepted_rps",))
"""Figures that depend on the run's length if the load exceeds capacity: later requests wait longer."""
_EXPECTED: dict[str, tuple[Path, ...]] = {
    "max_num_batched_tokens": (("output_tok_s",), ("ttft_ms", "p95"), ("itl_ms", "p95")),
    "max_num_seqs": (("running_max",), ("kv_peak",), ("queue_ms", "p95"), ("e2e_ms", "p95")),
    "max_num_active_seqs": (("running_max",), ("queue_ms", "p95")),
    "enable_chunked_prefill": (("ttft_ms", "p95"), ("itl_ms", "p95")),
    "long_prefill_token_threshold": (("ttft_ms", "p95"), ("itl_ms", "p95")),
    "max_num_queued_reqs": (("queue_ms", "p95"), ("rejected_rate",)),
    "max_num_queued_tokens": (("queue_ms", "p95"), ("rejected_rate",)),
    "num_gpu_blocks_override": (("preemptions",), ("kv_peak",)),
    "gpu_memory_utilization": (("preemptions",), ("kv_peak",)),
    "kv_cache_dtype": (("preemptions",), ("kv_peak",)),
    "watermark": (("preemptions",), ("running_max",)),
    "scheduler_reserve_full_isl": (("preemptions",), ("queue_ms", "p95")),
    "enable_prefix_caching": (("prefix_hit",), ("ttft_ms", "p95")),
    "max_in_flight": (("admission_wait_ms", "p95"), ("queue_ms", "p95")),
}
"""Figures that a control should move, by the guide's table of controls."""


class _Movement(NamedTuple):
    """A figure in both runs."""

    before: float
    after: float
    moved: bool
    """The difference exceeds the noise."""


def compare(baseline: RunView, variant: RunView, *, noise: float = NOISE) -> list[Message]:
    """Return what moved and what didn't, the expected figures, both sides of preemption, the bottleneck.

    Args:
        baseline: the run to compare with.
        variant: the run with one control changed.
        noise: relative difference up to which a figure counts as unmoved; from repeats if there are any.
    """
    refusal = _incomparable(baseline, variant)
    if refusal is not None:
        return [refusal]
    changed = _changed(baseline, variant)
    before, after = diagnose(baseline), diagnose(variant)
    growing = [view for view in (baseline, variant) if view.figures.get("diverging") is True]
    left_out = _GROW if growing else ()
    movements = _movements(baseline, variant, noise, left_out)
    inert = _never_reached(changed, before, after)
    return [
        *_changes(baseline, variant, changed),
        *_movement_notes(movements, noise, judged=not inert),
        *_diverging(baseline, variant),
        *(inert or _expectation(changed, movements, left_out)),
        *_preemption_sides(baseline, variant),
        *_warm_cache(baseline, variant, changed),
        _bottlenecks(before, after),
    ]


def _incomparable(baseline: RunView, variant: RunView) -> Message | None:
    ours, theirs = baseline.figures.get("trace_sha256"), variant.figures.get("trace_sha256")
    if ours and theirs and ours != theirs:
        return message("advice.other_requests")
    if baseline.figures.get("valid") is False:
        return message("advice.baseline_invalid", reason=_first_reason(baseline))
    if variant.figures.get("valid") is False:
        return message("advice.variant_invalid", reason=_first_reason(variant))
    return None


def _first_reason(view: RunView) -> Message:
    return next(iter(stored_reasons(view.figures)), message("advice.unknown"))


def _changed(baseline: RunView, variant: RunView) -> list[str]:
    names = [name for name in CONTROLS if name in baseline.limits or name in variant.limits]
    moved = [name for name in names if baseline.limits.get(name) != variant.limits.get(name)]
    own = [name for name in moved if not _echoes(name, baseline, variant)]
    return [name for name in own if not any(led_by in moved for led_by in FOLLOWS.get(name, ()))]


def _echoes(name: str, baseline: RunView, variant: RunView) -> bool:
    """Return True if a control only has the value of the one that it follows by default, in both runs."""
    led_by = ECHOES.get(name)
    return led_by is not None and all(
        view.limits.get(name) == view.limits.get(led_by) for view in (baseline, variant)
    )


def _changes(baseline: RunView, variant: RunView, changed: list[str]) -> list[Message]:
    notes = []
    for name in changed:
        before, after = _value(baseline.limits.get(name)), _value(variant.limits.get(name))
        notes.append(message("advice.control_changed", name=name, before=before, after=after))
    if len(changed) > 1:
        notes.append(message("advice.several_changed", count=len(changed)))
    rates = baseline.figure("offered_rps"), variant.figure("offered_rps")
    if rates[0] and rates[1] and abs(rates[1] / rates[0] - 1) > _SAME_RATE:
        notes.append(message("advice.other_rate", before=rates[0], after=rates[1]))
    return notes


def _value(value: object) -> Message:
    if value is None:
        return message("advice.default_value")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return message("advice.setting", value=value)
    return message("advice.value", value=str(value))


def _diverging(baseline: RunView, variant: RunView) -> list[Message]:
    """Return the runs whose queue never settles, so that latencies depend on the run's length."""
    before, after = (view.figures.get("diverging") is True for view in (baseline, variant))
    names = [_FIGURES[path][0] for path in _GROW]
    if before and after:
        return [message("advice.both_diverge", names=names)]
    if before:
        return [message("advice.baseline_diverges", names=names)]
    return [message("advice.variant_diverges", names=names)] if after else []


def _movements(
    baseline: RunView, variant: RunView, noise: float, left_out: tuple[Path, ...]
) -> dict[Path, _Movement]:
    """Return the figures that both runs know."""
    found = {}
    for path in _FIGURES:
        if path in left_out:
            continue
        before, after = baseline.figure(*path), variant.figure(*path)
        if before is None or after is None:
            continue
        scale = max(abs(before), abs(after))
        found[path] = _Movement(before, after, scale > 0 and abs(after - before) > noise * scale)
    return found


def _movement_notes(movements: dict[Path, _Movement], noise: float, *, judged: bool = True) -> list[Message]:
    """Return what moved and what didn't; better or worse only if `judged`."""
    better: list[Message] = []
    worse: list[Message] = []
    other: list[Message] = []
    same: list[Message] = []
    for path, movement in movements.items():
        name, sign = _FIGURES[path]
        moved = message("advice.moved_by", name=name, change=_difference(movement.before, movement.after))
        if not movement.moved:
            same.append(name)
        elif sign == 0 or not judged:
            other.append(moved)
        else:
            (better if (movement.after > movement.before) == (sign > 0) else worse).append(moved)
    notes = [
        *([message("advice.better", figures=better)] if better else []),
        *([message("advice.worse", figures=worse)] if worse else []),
        *([message("advice.moved", figures=other)] if other else []),
        *([message("advice.unmoved", noise=noise, figures=same)] if same else []),
    ]
    return notes or [message("advice.nothing_to_compare")]


def _difference(before: float, after: float) -> Message:
    """Return `+12 %` or `×33,942`; both numbers if the first is 0."""
    if before == 0:
        return message("advice.from_zero", after=after)
    return message("advice.value", value=percent_change(before, after))


def _never_reached(changed: list[str], before: Diagnosis, after: Diagnosis) -> list[Message]:
    """Return a note if the one changed control was never reached in either run, so it can't be the cause."""
    if len(changed) != 1 or changed[0] not in INERT_UNTIL_REACHED:
        return []
    own = [[each for each in found.headrooms if each.control == changed[0]] for found in (before, after)]
    if any(len(each) != 1 or each[0].reached is None or each[0].near for each in own):
        return []
    was, now = (message("advice.limit_at_most", value=each.limit, most=each.reached or 0) for (each,) in own)
    return [message("advice.not_its_doing", name=changed[0], before=was, after=now)]


def _expectation(
    changed: list[str], movements: dict[Path, _Movement], left_out: tuple[Path, ...]
) -> list[Message]:
    """Return which of the figures moved that the control should move."""
    if len(changed) != 1 or changed[0] not in _EXPECTED:
        return []
    name = changed[0]
    paths = [path for path in _EXPECTED[name] if path not in left_out]
    known = [path for path in paths if path in movements]
    moved = [_FIGURES[path][0] for path in known if movements[path].moved]
    still = [_FIGURES[path][0] for path in known if not movements[path].moved]
    unknown = [_FIGURES[path][0] for path in paths if path not in movements]
    notes = []
    if moved and still:
        notes.append(message("advice.expected_partly", name=name, moved=moved, still=still))
    elif moved:
        notes.append(message("advice.expected_moved", name=name, moved=moved))
    elif known:
        notes.append(message("advice.expected_unmoved", name=name, still=still))
    if unknown:
        notes.append(message("advice.not_in_both", figures=unknown))
    return notes


def _preemption_sides(baseline: RunView, variant: RunView) -> list[Message]:
    """Return both sides of preemption: tokens/s gained, and the pause it made."""
    counted = [
        (view.figure("preemptions"), view.figure("output_tok_s"), view) for view in (baseline, variant)
    ]
    known = [(count, rate, view) for count, rate, view in counted if count is not None and rate]
    if len(known) < 2 or known[0][0] == known[1][0]:
        return []
    (few, slow, calm), (many, fast, pressed) = sorted(known, key=lambda entry: entry[0])
    notes = [message("advice.preemptions_gain", more=many, fewer=few, change=_difference(slow, fast))]
    pause, usual = longest_pause(pressed), longest_pause(calm)
    if pause is not None and usual is not None:
        notes.append(message("advice.preemptions_pause_against", pause_ms=pause, usual_ms=usual))
    elif pause is not None:
        notes.append(message("advice.preemptions_pause", pause_ms=pause))
    return notes


def _warm_cache(baseline: RunView, variant: RunView, changed: list[str]) -> list[Message]:
    before, after = baseline.figure("prefix_hit"), variant.figure("prefix_hit")
    if before is None or after is None or "enable_prefix_caching" in changed or after - before <= NOISE:
        return []
    return [message("advice.warm_cache", before=before, after=after)]


def _bottlenecks(before: Diagnosis, after: Diagnosis) -> Message:
    was, now = before.main, after.main
    if was is now is Bottleneck.NONE:
        return message("advice.no_bottleneck_in_either")
    earlier, later = before.shares.get(was.value, 0.0), after.shares.get(now.value, 0.0)
    if was is now:
        return message("advice.same_bottleneck", limit=now.phrase, before=earlier, after=later)
    return message("advice.bottleneck_moved", old=was.phrase, before=earlier, new=now.phrase, after=later)
