"""Predictions from a run's step record: the embedded engine replays it without a cause."""

from collections.abc import Iterator, Mapping

import msgspec

from workbench.advice.blame import (
    Blame,
    Cause,
    RequestBlame,
    StepIndex,
    fit_step_costs,
    idle_between_steps_us,
)
from workbench.base import Record
from workbench.engine import RecordedReplay, ReplayedRequest, WhatIf
from workbench.experiments.findings.step_indexes import open_step_indexes, record_lines, record_parts
from workbench.experiments.run.step_records import RecordPart, sent_request_id
from workbench.results import BenchFile
from workbench.results.bench.entries import RunEntry
from workbench.vllm_dialect import StepHeader, read_steps


class Prediction(Record, frozen=True, kw_only=True):
    """Effect of one change on a recorded run, predicted by the embedded engine."""

    cause: Cause | None
    """The cause that the change removes; None for a change from the user."""
    changes: dict[str, int | bool | str]
    without: str | None = None
    """The request that is left out, by the client's id."""
    result: WhatIf
    request: ReplayedRequest | None = None
    """The effect on the request that is explained."""


def predict(bench: BenchFile, run: RunEntry, changes: Mapping[str, int | bool | str]) -> Prediction:
    """Replay a run with settings changed.

    Raises:
        Refusal: there is no record, or the change is unknown or impossible.
    """
    result = _replay_of_first(bench, run).change(changes)
    return Prediction(cause=None, changes=dict(changes), result=result)


def predict_without_largest_cause(bench: BenchFile, run: RunEntry, ledger: Blame) -> Prediction | None:
    """Replay a run without the cause that cost most; None if no setting removes any of its causes."""
    replay = _replay_of_first(bench, run)
    for cause, _ in sorted(ledger.totals.items(), key=lambda pair: -pair[1]):
        changes = undo(cause, replay.header)
        if changes:
            result = replay.change(changes)
            # A change that changes nothing is no answer.
            if result.after.e2e_ms != result.before.e2e_ms:
                return Prediction(cause=cause, changes=changes, result=result)
    return None


def predict_request(bench: BenchFile, run: RunEntry, request: RequestBlame) -> list[Prediction]:
    """Replay a run without the largest cause of one request's time, and without the request that caused most.

    Returns:
        The predictions that are possible; none for a request that isn't in the record.
    """
    parts, _ = record_parts(bench.path, run)
    for part, index in zip(parts, open_step_indexes(bench, run), strict=True):
        known = {sent_request_id(name, {request.request}): name for name in index.requests.ids}
        engine_id = known.get(request.request)
        if engine_id is not None:
            replay = replay_part(part, index, run.name)
            return list(_without_cause_and_culprit(replay, index, request, engine_id))
    return []


def _without_cause_and_culprit(
    replay: RecordedReplay, index: StepIndex, request: RequestBlame, engine_id: str
) -> Iterator[Prediction]:
    for part in sorted(request.parts, key=lambda part: -part.ms):
        changes = undo(part.cause, replay.header)
        if not changes:
            continue
        result = replay.change(changes)
        effect = result.requests.get(engine_id)
        if effect is not None and effect.after_ms != effect.before_ms:
            yield Prediction(cause=part.cause, changes=changes, result=result, request=effect)
            break
    culprit = _worst_culprit(request)
    left_out = [name for name in index.requests.ids if culprit and sent_request_id(name, {culprit})]
    if culprit and left_out:
        result = replay.change({}, without=left_out)
        effect = result.requests.get(engine_id)
        yield Prediction(cause=None, changes={}, without=culprit, result=result, request=effect)


def _worst_culprit(request: RequestBlame) -> str | None:
    """Return the request that cost another one most, over all its parts."""
    lost: dict[str, float] = {}
    for part in request.parts:
        for culprit in part.culprits:
            lost[culprit.request] = lost.get(culprit.request, 0.0) + culprit.ms
    return max(lost, key=lost.__getitem__, default=None)


def undo(cause: Cause, header: StepHeader) -> dict[str, int | bool | str]:
    """Return the settings that remove a cause; empty if none does."""
    match cause:
        case "sequence_limit":
            return {"max_num_seqs": 2 * (header.max_num_active_seqs or header.max_num_seqs)}
        case "token_budget":
            return {"max_num_batched_tokens": 2 * header.max_num_batched_tokens}
        case "kv_blocks" | "blocked_head" | "preempted_wait" | "recompute":
            return {"num_gpu_blocks": header.num_gpu_blocks * 3 // 2}
        case "others_prefill" if header.enable_chunked_prefill and not header.long_prefill_token_threshold:
            return {"long_prefill_token_threshold": max(256, header.max_num_batched_tokens // 4)}
        case _:
            return {}


def _replay_of_first(bench: BenchFile, run: RunEntry) -> RecordedReplay:
    """Return the replay of the run's first engine."""
    (part, *_), _ = record_parts(bench.path, run)
    return replay_part(part, open_step_indexes(bench, run)[0], run.name)


def replay_part(part: RecordPart, index: StepIndex, where: str) -> RecordedReplay:
    """Return the replay of one engine's part, by the cost of its own steps and the time between them."""
    model = fit_step_costs(index)
    model = msgspec.structs.replace(model, a=model.a + idle_between_steps_us(index))
    lines = list(read_steps(record_lines(part), where=str(part.file)))
    return RecordedReplay(lines, model, where=where)
