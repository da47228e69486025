"""The diagnosis of one run."""

import numpy as np

from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.bottleneck_conditions import none, seat_caps
from workbench.advice.diagnosis.bottleneck_rules import RULES
from workbench.advice.diagnosis.bottleneck_timeline import Segment, masks_of, segments_of, shares_of, strip_of
from workbench.advice.diagnosis.changes import advise, what_was_tried
from workbench.advice.diagnosis.evidence import class_sentences, machine_meanwhile
from workbench.advice.diagnosis.figure_text import millis, percent, stretches
from workbench.advice.diagnosis.findings import Change, Diagnosis, Finding
from workbench.advice.diagnosis.headroom import reaches_of
from workbench.advice.diagnosis.run_rules import RUN_RULES
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.sample_arrays import ENOUGH, Bools, Series, as_last, changes_said, series_of

_WORTH_SAYING = 0.02
_WORTH_CHANGING = 0.05
_MOSTLY = 0.5
_QUEUED_MS, _QUEUED_SHARE = 100.0, 0.5
"""Queue time from which a server hasn't kept up, though samples far apart saw no limit hold."""
_INVALID = {"R8", "R18"}
_WAITED = {
    Bottleneck.SEQUENCES,
    Bottleneck.BUDGET,
    Bottleneck.KV_CACHE,
    Bottleneck.BLOCKED_HEAD,
    Bottleneck.FRONT_END,
    Bottleneck.CLIENT,
}
"""Where it matters whether the GPU had anything to do while requests waited."""
_NO_LIMIT = {Bottleneck.NONE, Bottleneck.IDLE, Bottleneck.UNKNOWN}


def diagnose(view: RunView) -> Diagnosis:
    """Which limit bound when, on what evidence, and the next single change worth trying.

    Pure: the same view gives the same diagnosis. A view without samples gives one that says so.
    """
    series = series_of(view)
    masks = masks_of(view, series)
    labels = strip_of(series, masks)
    segments = segments_of(series, labels)
    shares = shares_of(segments)
    findings = [*_run_findings(view, series), *_bound_findings(view, series, labels, segments, shares)]
    main = _main(shares)
    return Diagnosis(
        headline=_headline(view, series, main, segments, shares),
        strip=segments,
        shares=shares,
        findings=findings,
        reaches=reaches_of(view, series),
        classes=class_sentences(view),
        change=_change(view, series, findings, main),
        unseen=_unseen(view, series),
    )


def _run_findings(view: RunView, series: Series) -> list[Finding]:
    found = []
    at_end = as_last(view, series, none(series))
    for rule in RUN_RULES:
        spoken = rule.judge(at_end, series)
        if spoken is not None:
            found.append(
                Finding(
                    rule=rule.id,
                    bound=None,
                    verdict=spoken.verdict,
                    evidence=spoken.evidence,
                    moments=[],
                    share=None,
                    confidence=spoken.confidence,
                    change=spoken.change,
                    source=rule.source,
                )
            )
    return found


def _bound_findings(
    view: RunView, series: Series, labels: list[Bottleneck], segments: list[Segment], shares: dict[str, float]
) -> list[Finding]:
    """One finding a limit that held for a noticeable share of the run, the longest first."""
    found = []
    for name, share in shares.items():
        bound = Bottleneck(name)
        rule = RULES.get(bound)
        if rule is None or (
            share < _WORTH_SAYING and bound not in {Bottleneck.KV_CACHE, Bottleneck.ADMISSION}
        ):
            continue
        mask: Bools = np.asarray([label is bound for label in labels], dtype=np.bool_)
        spoken = rule.speak(as_last(view, series, mask), series, mask)
        moments = [(segment.start, segment.end) for segment in segments if segment.bound is bound]
        when = f"{percent(share)} of the time, {stretches(moments)}."
        meanwhile = machine_meanwhile(view, series, mask) if bound in _WAITED else []
        found.append(
            Finding(
                rule=rule.id,
                bound=bound,
                verdict=spoken.verdict,
                evidence=[when, *spoken.evidence, *meanwhile, *changes_said(view, rule.limits)],
                moments=sorted(moments, key=lambda moment: moment[0] - moment[1])[:5],
                share=share,
                confidence=spoken.confidence,
                change=what_was_tried(view, series, mask, spoken.change),
                source=rule.source,
            )
        )
    return found


def _main(shares: dict[str, float]) -> Bottleneck | None:
    """The limit that held longest and for a noticeable time."""
    for name, share in shares.items():
        if Bottleneck(name) not in _NO_LIMIT:
            return Bottleneck(name) if share >= _WORTH_CHANGING else None
    return None


def _headline(
    view: RunView, series: Series, main: Bottleneck | None, segments: list[Segment], shares: dict[str, float]
) -> str:
    if len(series) < ENOUGH:
        return "Too few samples of the server to say what limits it."
    if shares.get(Bottleneck.UNKNOWN.value, 0.0) > 0.5:
        return "The server doesn't tell what runs and waits: no limit can be named."
    if main is None and _is_invalid(view):
        return "No limit was seen to bind, but the run is invalid: nothing follows from it."
    if main is None:
        return _queued(view) or "No limit bound: the server kept up."
    moments = [(segment.start, segment.end) for segment in segments if segment.bound is main]
    if shares.get(Bottleneck.NONE.value, 0.0) > _MOSTLY:
        return (
            f"Mostly no limit bound; {main.phrase} for {percent(shares[main.value])} ({stretches(moments)})."
        )
    return f"Bound by: {main.phrase}, {percent(shares[main.value])} of the time ({stretches(moments)})."


def _change(view: RunView, series: Series, findings: list[Finding], main: Bottleneck | None) -> Change | None:
    """The next single change: what makes the run invalid first, then the limit that held longest."""
    for finding in findings:
        if finding.rule in _INVALID:
            return finding.change
    for finding in findings:
        if main is not None and finding.bound is main:
            return finding.change
    for finding in findings:
        if finding.change is not None and finding.bound in {None, Bottleneck.KV_CACHE}:
            return finding.change
    if len(series) < ENOUGH or view.concurrency is not None or _is_invalid(view):
        return None
    if _queued(view) is None:
        return advise("a higher rate: at this one no limit was reached.", "TTFT, waiting", "")
    full: Bools = (series.waiting > 0) & (series.running >= seat_caps(view, series))
    if full.any():
        return RULES[Bottleneck.SEQUENCES].speak(as_last(view, series, full), series, full).change
    return advise("record every step of the scheduler: it tells what the requests waited for.", "queue time")


def _queued(view: RunView) -> str | None:
    """Of requests that queued for much of their TTFT though no limit was seen to hold; None: they didn't."""
    ttft, queue = view.figure("ttft_ms", "p95"), view.figure("queue_ms", "p95")
    if ttft is None or queue is None or queue < max(_QUEUED_MS, _QUEUED_SHARE * ttft):
        return None
    return (
        "No limit held for long, yet requests queued:"
        f" queue time p95 {millis(queue)}, TTFT p95 {millis(ttft)}."
    )


def _is_invalid(view: RunView) -> bool:
    return view.figures.get("valid") is False


def _unseen(view: RunView, series: Series) -> list[str]:
    """What could not be looked at, where it would have mattered."""
    said = []
    if np.isnan(series.kv).all():
        said.append("Not seen: KV use (missing, or always 0 while requests ran).")
    if all(sample.preemptions is None for sample in view.samples):
        said.append("Not seen: preemptions.")
    if np.isnan(series.running).all():
        said.append("Not seen: running and waiting.")
    if view.limit("max_num_seqs") is None:
        said.append("Not known: max_num_seqs.")
    if not len(view.requests):
        said.append("Not seen: single requests, so neither client nor front end.")
    return said if len(series) else ["Not seen: anything of the server."]
