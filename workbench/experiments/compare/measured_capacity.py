"""At which rate a load saturates a configuration by what was measured: of a real server too.

An open loop that grew without end has found the capacity: what it completed meanwhile, between the highest
rate that settled and the rate that didn't.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from workbench.advice import Bottleneck, Saturation
from workbench.base import Place, Refusal, message
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import TraceChoice
from workbench.results import BenchFile, RunEntry
from workbench.servers import TargetSpec
from workbench.traces import Trace

_LOW_SHARE = 0.75
"""Of what was completed, where no lower rate was tried: bursts and chance may shift it so far."""
_NO_LIMIT = {Bottleneck.NONE, Bottleneck.IDLE, Bottleneck.UNKNOWN}


def measured_saturation(path: Path, experiment: Experiment, trace: Trace) -> Saturation:
    """What the bench file says of the experiment's baseline under its workload.

    Args:
        path: a bench file in which some configuration is that baseline, by whatever control.
        experiment: whose server, trace and baseline are meant.
        trace: the experiment's.

    Raises:
        InputError: no bench file, or none of its runs tells; says what is missing.
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
            and (run.summary or {}).get("valid") is True
            and (run.trace_sha256 == sha or _same_workload(toml[run.experiment_id], experiment.trace))
        ]
        drowned = min((run for run in runs if _diverged(run) is True), key=_rate, default=None)
        if drowned is None:
            place = Place(file=str(path))
            if runs:
                raise Refusal("experiments.no_saturated_run", place)
            raise Refusal("experiments.no_run_of_baseline", place)
        held = [_rate(run) for run in runs if _diverged(run) is False and _rate(run) < _rate(drowned)]
        return _told(drowned, max(held, default=None), _bound(bench, drowned), path)


def _same_server(then: Experiment, now: Experiment) -> bool:
    """What is recorded beside and which limits can be changed live doesn't make it another one."""
    return _plain(then.target) == _plain(now.target)


def _plain(target: TargetSpec) -> TargetSpec:
    return msgspec.structs.replace(target, record_steps=False, live_limits=False, time_scale=1.0)


def _same_workload(toml: str, now: TraceChoice) -> bool:
    """Rows of one mix, or equal requests, are the same kind of work however many there are."""
    then = Experiment.from_toml(toml, where="bench file").trace
    if now.mix is None and now.synthetic is None:
        return False
    return (then.mix, then.synthetic, then.speedup) == (now.mix, now.synthetic, now.speedup)


def _diverged(run: RunEntry) -> bool | None:
    found: bool | None = (run.summary or {}).get("diverging")
    return found


def _rate(run: RunEntry) -> float:
    return run.rate or 0.0


def _bound(bench: BenchFile, run: RunEntry) -> Bottleneck:
    """The limit that bound longest, by the diagnosis that was stored."""
    for line in reversed(bench.log(run.id)):
        if line.kind == "event" and '"type":"diagnosis"' in line.text:
            told: Mapping[str, Any] = msgspec.json.decode(line.text)
            names = [Bottleneck(name) for name in told.get("shares", {}) if name in set(Bottleneck)]
            return next((name for name in names if name not in _NO_LIMIT), Bottleneck.UNKNOWN)
    return Bottleneck.UNKNOWN


def _told(drowned: RunEntry, held: float | None, bound: Bottleneck, path: Path) -> Saturation:
    high, low = _rate(drowned), 0.0 if held is None else held
    rate = min(high, max(low, float((drowned.summary or {}).get("completed_rps") or 0.0)))
    low = _LOW_SHARE * rate if held is None else held
    by_others = message("advice.saturates_unknown", rate=rate, low=low, high=high)
    by_limit = message("advice.saturates", rate=rate, low=low, high=high, limit=bound.phrase)
    alone = message("advice.saturation_measured_alone", rate=high, completed=rate, file=path.name)
    between = message("advice.saturation_measured", rate=high, completed=rate, settled=held, file=path.name)
    return Saturation(
        rate_rps=rate,
        low_rps=low,
        high_rps=high,
        bound=bound,
        rates={bound.value: rate},
        notes=[
            by_others if bound is Bottleneck.UNKNOWN else by_limit,
            alone if held is None else between,
        ],
    )
