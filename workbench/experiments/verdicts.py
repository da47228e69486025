"""The verdicts of a bench file: computed when a plan ends and kept there, for they read every request."""

from typing import Any

import msgspec

from workbench.base import Record
from workbench.results import BenchFile, Verdict, compare

_KEY = "verdicts"


class _Kept(Record, frozen=True, kw_only=True):
    """Verdicts and the runs, with their states, that they rest on."""

    runs: list[tuple[int, str]]
    verdicts: list[Verdict]


def verdicts_of(bench: BenchFile) -> list[Verdict]:
    """Those kept in the file where they still hold, else computed anew."""
    text = bench.meta().get(_KEY)
    if text is not None:
        try:
            kept = msgspec.json.decode(text, type=_Kept)
        except msgspec.MsgspecError:
            # Kept by another version; the runs say the same.
            return compare(bench)
        if kept.runs == _runs(bench):
            return kept.verdicts
    return compare(bench)


def keep_verdicts(bench: BenchFile) -> list[Verdict]:
    """Compute them and keep them in the file, which must be open for writing."""
    kept = _Kept(runs=_runs(bench), verdicts=compare(bench))
    bench.set_meta(_KEY, msgspec.json.encode(kept).decode())
    bench.flush()
    return kept.verdicts


def _runs(bench: BenchFile) -> list[tuple[int, str]]:
    return [(run.id, run.status) for run in bench.runs()]


def as_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as events carry it, its sentence beside its figures."""
    built: dict[str, Any] = msgspec.to_builtins(verdict)
    return {**built, "sentence": verdict.sentence()}
