"""Before and after: what one changed control moved, whether as expected, and which limit binds now."""

from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.evidence import longest_pause
from workbench.advice.diagnosis.figure_text import change_of, millis, number, percent, setting
from workbench.advice.diagnosis.findings import Diagnosis
from workbench.advice.diagnosis.headroom import CAPS
from workbench.advice.diagnosis.run_diagnosis import diagnose
from workbench.advice.diagnosis.run_view import RunView
from workbench.base import message
from workbench.controls import CONTROLS, ECHOES, FOLLOWS

NOISE = 0.05
"""Share below which two single runs are not called different; repeats would tell more."""

Path = tuple[str, ...]
_FIGURES: dict[Path, tuple[str, int]] = {
    ("completed_rps",): ("completed requests/s", 1),
    ("accepted_rps",): ("accepted requests/s", 1),
    ("output_tok_s",): ("output tokens/s", 1),
    ("ttft_ms", "p95"): ("TTFT p95", -1),
    ("itl_ms", "p95"): ("inter-token latency p95", -1),
    ("e2e_ms", "p95"): ("end-to-end p95", -1),
    ("queue_ms", "p95"): ("queue time p95", -1),
    ("admission_wait_ms", "p95"): ("admission wait p95", -1),
    ("error_rate",): ("error rate", -1),
    ("rejected_rate",): ("rejected", -1),
    ("preemptions",): ("preemptions", -1),
    ("running_max",): ("most running", 0),
    ("kv_peak",): ("KV peak", 0),
    ("prefix_hit",): ("prefix hits", 1),
}
# What is compared: words, and whether more is better (1), worse (-1) or neither (0).
_GROW: tuple[Path, ...] = (("ttft_ms", "p95"), ("queue_ms", "p95"), ("e2e_ms", "p95"), ("accepted_rps",))
"""Figures that follow from the run's length where the load is past capacity: later ones wait longer."""
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
# The guide's table of controls and what to watch.


def compare(baseline: RunView, variant: RunView, *, noise: float = NOISE) -> list[str]:
    """Short sentences: what moved, what didn't, the expected figures, preemptions' two sides, the limit.

    Args:
        baseline: the run that the variant is held against.
        variant: the run with one control changed.
        noise: share below which a figure counts as unmoved; from repeats where there are any.
    """
    refusal = _incomparable(baseline, variant)
    if refusal:
        return [refusal]
    changed = _changed(baseline, variant)
    before, after = diagnose(baseline), diagnose(variant)
    growing = [view for view in (baseline, variant) if view.figures.get("diverging") is True]
    left_out = _GROW if growing else ()
    moved = _moved(baseline, variant, noise, left_out)
    out_of_reach = _out_of_reach(changed, before, after)
    return [
        *_what_changed(baseline, variant, changed),
        *_movement(moved, noise, judged=not out_of_reach),
        *_diverging(baseline, variant),
        *(out_of_reach or _expectation(changed, moved, left_out)),
        *_preemption_sides(baseline, variant),
        *_contamination(baseline, variant, changed),
        *_bounds(before, after),
    ]


def _incomparable(baseline: RunView, variant: RunView) -> str | None:
    ours, theirs = baseline.figures.get("trace_sha256"), variant.figures.get("trace_sha256")
    if ours and theirs and ours != theirs:
        return "Not comparable: the runs had different requests (trace_sha256 differs)."
    for view, which in ((baseline, "baseline"), (variant, "variant")):
        if view.figures.get("valid") is False:
            reasons = view.figures.get("reasons") or ["unknown"]
            return f"Not comparable: the {which} is not valid ({reasons[0]})."
    return None


def _changed(baseline: RunView, variant: RunView) -> list[str]:
    names = [name for name in CONTROLS if name in baseline.limits or name in variant.limits]
    moved = [name for name in names if baseline.limits.get(name) != variant.limits.get(name)]
    own = [name for name in moved if not _echoes(name, baseline, variant)]
    return [name for name in own if not any(led_by in moved for led_by in FOLLOWS.get(name, ()))]


def _echoes(name: str, baseline: RunView, variant: RunView) -> bool:
    """Whether it only has the value of the control that it follows by default, in both runs."""
    led_by = ECHOES.get(name)
    return led_by is not None and all(
        view.limits.get(name) == view.limits.get(led_by) for view in (baseline, variant)
    )


def _what_changed(baseline: RunView, variant: RunView, changed: list[str]) -> list[str]:
    said = []
    for name in changed:
        before, after = baseline.limits.get(name), variant.limits.get(name)
        said.append(f"{name}: {_value(before)} → {_value(after)}.")
    if len(changed) > 1:
        said.append(f"{len(changed)} controls differ: no effect can be told from the others.")
    rates = baseline.figure("offered_rps"), variant.figure("offered_rps")
    if rates[0] and rates[1] and abs(rates[1] / rates[0] - 1) > 0.02:
        said.append(f"The offered rate differs: {number(rates[0])} and {number(rates[1])} requests/s.")
    return said


def _value(value: object) -> str:
    if value is None:
        return "default"
    return setting(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _diverging(baseline: RunView, variant: RunView) -> list[str]:
    """Which run's queue never settled: how long it was looked at is what its latencies tell."""
    was, grows = (view.figures.get("diverging") is True for view in (baseline, variant))
    if not was and not grows:
        return []
    whose = "In both runs" if was and grows else "In the baseline" if was else "Now"
    names = ", ".join(_FIGURES[path][0] for path in _GROW)
    return [f"{whose} the queue grows as long as the run lasts: {names} aren't compared."]


def _moved(
    baseline: RunView, variant: RunView, noise: float, left_out: tuple[Path, ...]
) -> dict[Path, tuple[float, float, bool]]:
    """Before, after, and whether that is more than noise; figures that both runs know."""
    found = {}
    for path in _FIGURES:
        if path in left_out:
            continue
        before, after = baseline.figure(*path), variant.figure(*path)
        if before is None or after is None:
            continue
        scale = max(abs(before), abs(after))
        found[path] = (before, after, scale > 0 and abs(after - before) > noise * scale)
    return found


def _movement(
    moved: dict[Path, tuple[float, float, bool]], noise: float, *, judged: bool = True
) -> list[str]:
    """What moved and what didn't; for better or worse where `judged`."""
    better: list[str] = []
    worse: list[str] = []
    other: list[str] = []
    same: list[str] = []
    for path, (before, after, real) in moved.items():
        words, sign = _FIGURES[path]
        text = f"{words} {change_of(before, after)}"
        if not real:
            same.append(words)
        elif sign == 0 or not judged:
            other.append(text)
        else:
            (better if (after > before) == (sign > 0) else worse).append(text)
    said = [
        f"{title}: {', '.join(texts)}."
        for title, texts in (("Better", better), ("Worse", worse), ("Moved", other))
        if texts
    ]
    if same:
        said.append(f"Within {percent(noise)}: {', '.join(same)}.")
    return said or ["Neither run has figures to compare."]


def _out_of_reach(changed: list[str], before: Diagnosis, after: Diagnosis) -> list[str]:
    """That the one control that was changed never bound in either run, so that what moved isn't its doing."""
    if len(changed) != 1 or changed[0] not in CAPS:
        return []
    own = [[each for each in found.reaches if each.control == changed[0]] for found in (before, after)]
    if any(len(reaches) != 1 or reaches[0].reached is None or reaches[0].near for reaches in own):
        return []
    was, now = (f"{setting(each.limit)} (at most {number(each.reached or 0)})" for (each,) in own)
    said = f"{changed[0]} was never reached, neither {was} nor {now}: it can't have mattered here"
    return [f"{said}, and what moved is chance or something else."]


def _expectation(
    changed: list[str], moved: dict[Path, tuple[float, float, bool]], left_out: tuple[Path, ...]
) -> list[str]:
    """Whether what the guide says to watch moved, and which way."""
    if len(changed) != 1 or changed[0] not in _EXPECTED:
        return []
    paths = [path for path in _EXPECTED[changed[0]] if path not in left_out]
    known = [path for path in paths if path in moved]
    unknown = [_FIGURES[path][0] for path in paths if path not in moved]
    said = []
    if stirred := [path for path in known if moved[path][2]]:
        names = ", ".join(_FIGURES[path][0] for path in stirred)
        still = [_FIGURES[path][0] for path in known if path not in stirred]
        but = f"; not {', '.join(still)}" if still else ""
        said.append(f"What {changed[0]} should move did: {names}{but}.")
    elif known:
        names = ", ".join(_FIGURES[path][0] for path in known)
        said.append(f"None of what {changed[0]} should move did ({names}): it didn't matter here.")
    if unknown:
        said.append(f"Not measured in both runs: {', '.join(unknown)}.")
    return said


def _preemption_sides(baseline: RunView, variant: RunView) -> list[str]:
    """A preemption isn't simply bad: tokens/s gained against the pause it made."""
    counted = [
        (view.figure("preemptions"), view.figure("output_tok_s"), view) for view in (baseline, variant)
    ]
    known = [(count, rate, view) for count, rate, view in counted if count is not None and rate]
    if len(known) < 2 or known[0][0] == known[1][0]:
        return []
    (few, slow, calm), (many, fast, pressed) = sorted(known, key=lambda entry: entry[0])
    gain = message("advice.preemptions_gain", more=many, fewer=few, change=change_of(slow, fast))
    said = [str(gain)]
    price, usual = longest_pause(pressed), longest_pause(calm)
    if price is not None:
        against = "" if usual is None else f" (else {millis(usual)})"
        said.append(f"Their price: a pause of up to {millis(price)} within an answer{against}.")
    return said


def _contamination(baseline: RunView, variant: RunView, changed: list[str]) -> list[str]:
    hits = baseline.figure("prefix_hit"), variant.figure("prefix_hit")
    if hits[0] is None or hits[1] is None or "enable_prefix_caching" in changed:
        return []
    if hits[1] - hits[0] <= NOISE:
        return []
    rise = f"Prefix hits rose from {percent(hits[0])} to {percent(hits[1])}"
    return [f"{rise}: a warm cache may explain the difference; reset it and repeat."]


def _bounds(before: Diagnosis, after: Diagnosis) -> list[str]:
    was, now = before.main, after.main
    if was is now is Bottleneck.NONE:
        return ["No limit in either."]
    shares = before.shares.get(was.value, 0.0), after.shares.get(now.value, 0.0)
    if was is now:
        # A limit that holds for far less of the time is the same limit, and not the same run.
        earlier, later = map(percent, shares)
        return [f"The limit is the same: {now.phrase}, {earlier} → {later} of the time."]
    text = f"The limit moved: {was.phrase} ({percent(shares[0])}) → {now.phrase} ({percent(shares[1])})."
    return [text]
