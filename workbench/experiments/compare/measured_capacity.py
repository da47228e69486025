"""The rate at which a load saturates a configuration, from measurements.

An open loop whose queue grew without end shows the capacity: its throughput, which lies between the highest
rate that settled and its own rate.
"""

from pathlib import Path

import msgspec

from workbench.advice import NO_LIMIT, Bottleneck, Saturation
from workbench.base import Place, Refusal, message
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import TraceChoice
from workbench.results import BenchFile, RunEntry
from workbench.servers import TargetSpec
from workbench.traces import Trace

_LOW_SHARE = 0.75
"""Lower bound as a share of the throughput, if no lower rate was measured: bursts and chance shift it."""


class _StoredDiagnosis(msgspec.Struct, frozen=True):
    """The field of a stored `diagnosis` event that is read here."""

    shares: dict[str, float] = {}
    """Share of the run's time by bottleneck, largest first."""


def measured_saturation(path: Path, experiment: Experiment, trace: Trace) -> Saturation:
    """Return the capacity of the experiment's baseline under its workload.

    Args:
        path: a bench file with runs of that baseline; the control under test may be another one.
        experiment: the experiment with the server, the workload and the baseline.
        trace: the experiment's trace.

    Raises:
        Refusal: the file is unreadable, or no run of it shows the capacity.
    """
    with BenchFile.open(path) as bench:
        alike = {
            entry.id
            for entry in bench.experiments()
            if entry.toml and _same_server(Experiment.from_toml(entry.toml, where=str(path)), experiment)
        }
        sha = trace.sha256(experiment.trace.seed)
        toml = {entry.id: entry.toml for entry in bench.experiments()}
        runs = [
            run
            for run in bench.runs()
            if run.experiment_id in alike
            and run.config == dict(experiment.baseline)
            and run.rate is not None
            and run.figures.valid is True
            and (run.trace_sha256 == sha or _same_workload(toml[run.experiment_id], experiment.trace))
        ]
        saturated = min((run for run in runs if _diverged(run) is True), key=_rate, default=None)
        if saturated is None:
            place = Place(file=str(path))
            if runs:
                raise Refusal("experiments.no_saturated_run", place)
            raise Refusal("experiments.no_run_of_baseline", place)
        settled = [_rate(run) for run in runs if _diverged(run) is False and _rate(run) < _rate(saturated)]
        bottleneck = _bottleneck(bench, saturated)
        return _saturation(saturated, max(settled, default=None), bottleneck, path)


def _same_server(then: Experiment, now: Experiment) -> bool:
    """Return True for equal targets; recording, live limits and the time scale may differ."""
    return _plain(then.target) == _plain(now.target)


def _plain(target: TargetSpec) -> TargetSpec:
    return msgspec.structs.replace(target, record_steps=False, live_limits=False, time_scale=1.0)


def _same_workload(toml: str, now: TraceChoice) -> bool:
    """Return True for two traces of one mix or of equal requests, with any number of rows."""
    then = Experiment.from_toml(toml, where="bench file").trace
    if now.mix is None and now.synthetic is None:
        return False
    return (then.mix, then.synthetic, then.speedup) == (now.mix, now.synthetic, now.speedup)


def _diverged(run: RunEntry) -> bool | None:
    return run.figures.diverging


def _rate(run: RunEntry) -> float:
    return run.rate or 0.0


def _bottleneck(bench: BenchFile, run: RunEntry) -> Bottleneck:
    """Return the longest bottleneck of the stored diagnosis."""
    for line in reversed(bench.log(run.id)):
        if line.kind == "event" and '"type":"diagnosis"' in line.text:
            shares = msgspec.json.decode(line.text, type=_StoredDiagnosis).shares
            names = [Bottleneck(name) for name in shares if name in set(Bottleneck)]
            return next((name for name in names if name not in NO_LIMIT), Bottleneck.UNKNOWN)
    return Bottleneck.UNKNOWN


def _saturation(saturated: RunEntry, settled: float | None, bottleneck: Bottleneck, path: Path) -> Saturation:
    high, low = _rate(saturated), 0.0 if settled is None else settled
    rate = min(high, max(low, saturated.figures.completed_rps or 0.0))
    low = _LOW_SHARE * rate if settled is None else settled
    by_others = message("advice.saturates_unknown", rate=rate, low=low, high=high)
    by_limit = message("advice.saturates", rate=rate, low=low, high=high, limit=bottleneck.phrase)
    alone = message("advice.saturation_measured_alone", rate=high, completed=rate, file=path.name)
    between = message(
        "advice.saturation_measured", rate=high, completed=rate, settled=settled, file=path.name
    )
    return Saturation(
        rate_rps=rate,
        low_rps=low,
        high_rps=high,
        bottleneck=bottleneck,
        rates={bottleneck.value: rate},
        notes=[
            by_others if bottleneck is Bottleneck.UNKNOWN else by_limit,
            alone if settled is None else between,
        ],
    )
