"""The diagnosis of a run for a console: the bottleneck, its evidence, the change to try and its cost."""

from collections.abc import Mapping
from typing import Any

from workbench.advice import NO_LIMIT, Bottleneck
from workbench.experiments import RunDiagnosed

_LEAST_SHARE = 0.005


def diagnosis_lines(event: RunDiagnosed) -> list[str]:
    """Return the lines, the most important first, without repeats."""
    lines = [event.headline, *_shares(event.shares)]
    for finding in event.findings:
        lines += _finding(finding, event)
    if event.next_change:
        lines.append(f"next single change: {event.next_change}")
    if event.change is not None:
        watch, cost = event.change.get("watch"), event.change.get("cost")
        lines += [f"  watch {watch}"] if watch else []
        lines += [f"  it may cost {cost}"] if cost else []
        predicted = event.change.get("predicted")
        lines += [f"  {predicted}"] if predicted else []
    lines += [f"class {name}: {' '.join(said)}" for name, said in event.classes.items()]
    lines += [str(reach["verdict"]) for reach in event.reaches]
    lines += event.unseen
    beside = [f"  {sentence}" for sentence in event.against_baseline]
    return [*lines, *(["against the baseline, by these two runs alone:", *beside] if beside else [])]


def _shares(shares: Mapping[str, float]) -> list[str]:
    """Return each bottleneck's share of the time; empty if there was only one."""
    told = [
        f"{Bottleneck(name).phrase} {100 * share:.0f} %"
        for name, share in shares.items()
        if share >= _LEAST_SHARE
    ]
    return [f"of the time: {', '.join(told)}"] if len(told) > 1 else []


def _finding(finding: Mapping[str, Any], event: RunDiagnosed) -> list[str]:
    evidence = [str(each) for each in finding["evidence"]]
    main = next((name for name in event.shares if Bottleneck(name) not in NO_LIMIT), None)
    if finding["bound"] == main and main is not None:
        # The headline has its times.
        evidence = evidence[1:]
    said = f"{finding['rule']}, {finding['confidence']} confidence: {finding['verdict']}"
    return [said, *(f"  {each}" for each in evidence)]
