"""What a bench file lets one conclude: computed when a plan ends and kept, for it reads every request."""

import contextlib

import msgspec

from workbench.base import UNREADABLE, Record
from workbench.experiments.findings import find
from workbench.results import BenchFile, Verdict, choose, compare, near_limits

_KEY = "conclusions"


class Conclusions(Record, frozen=True, kw_only=True):
    """Verdicts, findings and the runs, with their states, that they rest on."""

    runs: list[tuple[int, str]]
    verdicts: list[Verdict]
    findings: list[str]
    """Sentences of the experiment's kind."""
    near: list[str] = msgspec.field(default_factory=list)
    """Objectives that the recommended row meets, and that chance alone could have it miss."""


def conclusions_of(bench: BenchFile) -> Conclusions:
    """Those kept in the file where they still hold, else computed anew."""
    text = bench.meta().get(_KEY)
    # What another version kept is computed anew: the runs say the same.
    with contextlib.suppress(*UNREADABLE):
        kept = msgspec.json.decode(text, type=Conclusions) if text is not None else None
        if kept is not None and kept.runs == _runs(bench):
            return kept
    return _conclude(bench)


def keep_conclusions(bench: BenchFile) -> Conclusions:
    """Compute them and keep them in the file, which must be open for writing."""
    concluded = _conclude(bench)
    bench.set_meta(_KEY, msgspec.json.encode(concluded).decode())
    bench.flush()
    return concluded


def _conclude(bench: BenchFile) -> Conclusions:
    findings, verdicts = find(bench)
    return Conclusions(
        runs=_runs(bench),
        verdicts=[*compare(bench), *verdicts],
        findings=findings,
        near=near_limits(bench, choose(bench)),
    )


def _runs(bench: BenchFile) -> list[tuple[int, str]]:
    return [(run.id, run.status) for run in bench.runs()]
