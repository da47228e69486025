"""The diagnosis of one run."""

import numpy as np

from workbench.advice.diagnosis.array_operations import ENOUGH, Bools
from workbench.advice.diagnosis.bottleneck import NO_LIMIT, Bottleneck
from workbench.advice.diagnosis.bottleneck_rules import RULE_OF
from workbench.advice.diagnosis.changes import advise, without_tried
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.evidence import class_notes, machine_meanwhile
from workbench.advice.diagnosis.findings import Change, Diagnosis, Finding, Segment
from workbench.advice.diagnosis.headroom import headrooms_of
from workbench.advice.diagnosis.limit_history import limit_changes, view_at_last
from workbench.advice.diagnosis.run_rules import RUN_RULES
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series, series_of
from workbench.advice.diagnosis.timeline import Labels, label_samples, moments_of, segments_of, shares_of
from workbench.base import Message, message

_WORTH_SAYING = 0.02
_WORTH_CHANGING = 0.05
_MOSTLY = 0.5
_QUEUED_MS, _QUEUED_SHARE = 100.0, 0.5
"""Queue time from which a server hasn't kept up, though no sample showed a bottleneck."""
_MOST_MOMENTS = 5
_INVALID = {"R8", "R18"}
"""Rules that make the run invalid."""
_ALWAYS_SAID = {Bottleneck.KV_CACHE, Bottleneck.ADMISSION}
_WAITED = {
    Bottleneck.SEQUENCES,
    Bottleneck.BUDGET,
    Bottleneck.KV_CACHE,
    Bottleneck.UNEVEN_ENGINES,
    Bottleneck.BLOCKED_HEAD,
    Bottleneck.FRONT_END,
    Bottleneck.CLIENT,
}
"""Bottlenecks for which an idle GPU matters."""


def diagnose(view: RunView) -> Diagnosis:
    """Return the bottlenecks along a run with their evidence, and the next single change.

    Pure: the same view gives the same diagnosis. A view without samples gives one that says so.
    """
    series = series_of(view)
    labels = label_samples(BottleneckConditions(view, series))
    segments = segments_of(series, labels)
    shares = shares_of(segments)
    findings = [*_run_findings(view, series), *_bottleneck_findings(view, series, labels, segments, shares)]
    main = _main(shares)
    return Diagnosis(
        headline=_headline(view, series, main, segments, shares),
        timeline=segments,
        shares=shares,
        findings=findings,
        headrooms=headrooms_of(view, series),
        classes=class_notes(view),
        change=_change(view, series, findings, main),
        unseen=_unseen(view, series),
    )


def _run_findings(view: RunView, series: Series) -> list[Finding]:
    found = []
    at_end = view_at_last(view, series, np.zeros(len(series), dtype=np.bool_))
    for rule in RUN_RULES:
        verdict = rule.judge(at_end, series)
        if verdict is not None:
            finding = Finding(
                rule=rule.id,
                bottleneck=None,
                verdict=verdict.verdict,
                evidence=verdict.evidence,
                moments=[],
                share=None,
                confidence=verdict.confidence,
                change=verdict.change,
                source=rule.source,
            )
            found.append(finding)
    return found


def _bottleneck_findings(
    view: RunView, series: Series, labels: Labels, segments: list[Segment], shares: dict[str, float]
) -> list[Finding]:
    """Return one finding for each bottleneck of a noticeable share of the run, the longest first."""
    found = []
    for name, share in shares.items():
        limit = Bottleneck(name)
        rule = RULE_OF.get(limit)
        if rule is None or (share < _WORTH_SAYING and limit not in _ALWAYS_SAID):
            continue
        mask: Bools = moments_of(labels, limit)
        verdict = rule.judge(view_at_last(view, series, mask), series, mask)
        moments = _moments(segments, limit)
        when = message("advice.when", share=share, when=stretches(moments))
        meanwhile = machine_meanwhile(view, series, mask) if limit in _WAITED else []
        finding = Finding(
            rule=rule.id,
            bottleneck=limit,
            verdict=verdict.verdict,
            evidence=[when, *verdict.evidence, *meanwhile, *limit_changes(view, rule.controls)],
            moments=sorted(moments, key=lambda moment: moment[0] - moment[1])[:_MOST_MOMENTS],
            share=share,
            confidence=verdict.confidence,
            change=without_tried(view, series, mask, verdict.change),
            source=rule.source,
        )
        found.append(finding)
    return found


def _moments(segments: list[Segment], limit: Bottleneck) -> list[tuple[float, float]]:
    return [(segment.start, segment.end) for segment in segments if segment.bottleneck is limit]


def stretches(moments: list[tuple[float, float]]) -> Message:
    """Return the longest of some moments, and the number of the others."""
    start, end = max(moments, key=lambda moment: moment[1] - moment[0])
    # The sample before the run's begin stands for a moment of it.
    start = max(0.0, start)
    more = len(moments) - 1
    if not more:
        return message("advice.stretch", start=start, end=end)
    return message("advice.stretches", start=start, end=end, more=more)


def _main(shares: dict[str, float]) -> Bottleneck | None:
    """Return the bottleneck that lasted longest, if for a noticeable time."""
    for name, share in shares.items():
        if Bottleneck(name) not in NO_LIMIT:
            return Bottleneck(name) if share >= _WORTH_CHANGING else None
    return None


def _headline(
    view: RunView, series: Series, main: Bottleneck | None, segments: list[Segment], shares: dict[str, float]
) -> Message:
    if len(series) < ENOUGH:
        return message("advice.too_few_samples")
    if shares.get(Bottleneck.UNKNOWN.value, 0.0) > _MOSTLY:
        return message("advice.gauges_missing")
    if main is None and _is_invalid(view):
        return message("advice.invalid_without_limit")
    if main is None:
        return _queued(view) or message("advice.kept_up")
    share, when = shares[main.value], stretches(_moments(segments, main))
    none = shares.get(Bottleneck.NONE.value, 0.0)
    if none > _MOSTLY:
        return message("advice.mostly_free", none=none, limit=main.phrase, share=share, when=when)
    return message("advice.bottleneck", limit=main.phrase, share=share, when=when)


def _change(view: RunView, series: Series, findings: list[Finding], main: Bottleneck | None) -> Change | None:
    """Return the next change: first for what makes the run invalid, then for the longest bottleneck."""
    for finding in findings:
        if finding.rule in _INVALID:
            return finding.change
    for finding in findings:
        if main is not None and finding.bottleneck is main:
            return finding.change
    for finding in findings:
        if finding.change is not None and finding.bottleneck in {None, Bottleneck.KV_CACHE}:
            return finding.change
    if len(series) < ENOUGH or view.concurrency is not None or _is_invalid(view):
        return None
    if _queued(view) is None and not view.own_load:
        return None
    if _queued(view) is None:
        return advise(message("advice.higher_rate"), message("advice.ttft_and_waiting"))
    limits = BottleneckConditions(view, series).sequence_limits
    full: Bools = (series.waiting > 0) & (series.running >= limits)
    if full.any():
        rule = RULE_OF[Bottleneck.SEQUENCES]
        return rule.judge(view_at_last(view, series, full), series, full).change
    return advise(message("advice.record_steps"), message("advice.queue_time"))


def _queued(view: RunView) -> Message | None:
    """Return a headline for requests that queued for much of their TTFT without a bottleneck; else None."""
    ttft, queue = view.figure("ttft_ms", "p95"), view.figure("queue_ms", "p95")
    if ttft is None or queue is None or queue < max(_QUEUED_MS, _QUEUED_SHARE * ttft):
        return None
    return message("advice.queued_unseen", queue=queue, ttft=ttft)


def _is_invalid(view: RunView) -> bool:
    return view.figures.get("valid") is False


def _unseen(view: RunView, series: Series) -> list[Message]:
    """Return the figures that were missing and would have mattered."""
    missing = []
    if np.isnan(series.kv).all():
        missing.append(message("advice.kv_unseen"))
    if all(sample.preemptions is None for sample in view.samples):
        missing.append(message("advice.preemptions_unseen"))
    if np.isnan(series.running).all():
        missing.append(message("advice.running_unseen"))
    if view.limit("max_num_seqs") is None:
        missing.append(message("advice.sequence_limit_unknown"))
    if not len(view.requests):
        missing.append(message("advice.requests_unseen"))
    return missing if len(series) else [message("advice.server_unseen")]
