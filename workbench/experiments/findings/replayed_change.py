"""The next change of a run whose steps were recorded, tried by replaying them in the embedded engine."""

from collections.abc import Iterator, Sequence

import msgspec

from workbench.advice import Change, Diagnosis, RunView
from workbench.advice.blame import Blame
from workbench.advice.diagnosis.changes import change_to
from workbench.base import WorkbenchError, message
from workbench.engine import CHANGEABLE, RecordedReplay, WhatIf
from workbench.experiments.findings.explain_run import explain_records
from workbench.experiments.findings.predict import replay_part, undo
from workbench.experiments.findings.step_indexes import open_or_build
from workbench.experiments.run.step_records import RecordPart, RunSteps
from workbench.results import RequestRecord

_CONTROLS = {"num_gpu_blocks": "num_gpu_blocks_override"}
"""Controls of settings that have another name in the engine."""
_SETTINGS = {control: setting for setting, control in _CONTROLS.items()}
_MOST_BYTES = 64 << 20
"""Replays of longer records would hold up the plan; `explain` makes them."""
_LEAST_GAIN, _MOST_ERROR = 0.05, 0.15
_MUCH_LESS = 0.5
"""Below this share of the ledger's gain, the ledger's change replaces the rules' own."""


def with_replayed_change(
    found: Diagnosis, view: RunView, steps: RunSteps | None, records: Sequence[RequestRecord]
) -> Diagnosis:
    """Return the diagnosis with the effect of its next change, predicted by replaying the run.

    If the ledger's largest cause can be removed by a setting that gains much more, that is the next change.
    The diagnosis stays as it is without a record, for invalid runs and closed loops (their arrivals depend on
    the answers), and if the replay of the run as it was is off by more than 15 %.
    """
    if steps is None or steps.zero is None or steps.more or steps.source != "recorder":
        return found
    if view.concurrency is not None or view.figures.get("valid") is False:
        return found
    if steps.end - steps.begin > _MOST_BYTES:
        return found
    try:
        part = RecordPart(steps.file, steps.begin, steps.end)
        index = open_or_build(part, steps.zero)
        replay = replay_part(part, index, view.name)
        ledger = explain_records(records, [index], steps.zero, culprits_of=())
        best = _best(list(_tried(found, view, replay, ledger)), found.change)
    except WorkbenchError:
        # A record that can't be replayed, such as one of an unknown policy, predicts nothing.
        return found
    return found if best is None else msgspec.structs.replace(found, change=best)


def _tried(
    found: Diagnosis, view: RunView, replay: RecordedReplay, ledger: Blame
) -> Iterator[tuple[Change, WhatIf]]:
    """Yield the rules' own change and the one that removes the largest cause, each with its replay."""
    own = found.change
    name = None if own is None else _SETTINGS.get(own.control or "", own.control)
    if own is not None and name in CHANGEABLE and isinstance(own.value, int):
        yield own, replay.change({name: own.value})
    for cause, _ in sorted(ledger.totals.items(), key=lambda pair: -pair[1]):
        changes = undo(cause, replay.header)
        if not changes:
            continue
        ((setting, value),) = changes.items()
        if setting != name:
            yield change_to(view, _CONTROLS.get(setting, setting), value), replay.change(changes)
        return


def _best(tried: Sequence[tuple[Change, WhatIf]], own: Change | None) -> Change | None:
    """Return the change to make, with its prediction; None if the replays say nothing new."""
    exact = [
        (change, result, _gain(result))
        for change, result in tried
        if result.error is not None and abs(result.error) <= _MOST_ERROR
    ]
    # The rules' own change is kept though it gains little: they may aim at something else than E2E.
    worth = [each for each in exact if each[0] is own or each[2] >= _LEAST_GAIN]
    if not worth:
        return None
    most = max(gain for _, _, gain in worth)
    enough = _MUCH_LESS * most if most > 0 else most
    change, result, _ = next(each for each in worth if each[2] >= enough)
    said = message(
        "advice.predicted_by_replay",
        control=change.control,
        value=change.value,
        before=result.before.e2e_ms.mean,
        after=result.after.e2e_ms.mean,
        error=round(result.error or 0.0, 4) or 0.0,
    )
    return msgspec.structs.replace(change, predicted=said)


def _gain(result: WhatIf) -> float:
    """Return the share of the mean E2E that the change saves."""
    before, after = result.before.e2e_ms.mean, result.after.e2e_ms.mean
    return 0.0 if not before or after is None else 1 - after / before
