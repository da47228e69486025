"""Replay of a live server's recording: adds and aborts in their order, recorded tokens as output."""

from collections.abc import Sequence
from typing import Any

from workbench.base import Place, Refusal
from workbench.engine.live_limits import ATTRIBUTES
from workbench.engine.parity.golden_case import KeyMaker
from workbench.engine.parity.verdict import FirstDifference, ParityVerdict, first_difference
from workbench.engine.scheduler import EngineCoreOutputs, Request, Scheduler, SchedulerConfig, SchedulerOutput
from workbench.vllm_dialect import (
    AnyStepLine,
    LinesDropped,
    PrefixCacheReset,
    RequestAdded,
    RequestsFinished,
    StepHeader,
    StepLimitChanged,
    StepScheduled,
    StepUpdated,
    version_has,
)


def check_recording(lines: Sequence[AnyStepLine], *, where: str, name: str) -> ParityVerdict:
    """Compare every schedule() and every update_from_output() with the recording.

    Raises:
        Refusal: the recording has no header, or uses what the scheduler does not model.
    """
    if not lines or not isinstance(lines[0], StepHeader):
        raise Refusal("engine.no_header", Place(file=where, line=1))
    player = RecordingPlayer(lines, where)
    version = lines[0].version
    for line in lines[1:]:
        difference = player.play(line)
        if difference:
            return ParityVerdict(name, player.steps, difference, version=version)
    return ParityVerdict(name, player.steps, version=version)


def recorded_config(header: StepHeader, where: str) -> SchedulerConfig:
    """Return the settings that a record was made with."""
    if header.prefill_schedule_interval > 1 and version_has(
        "behavior", "local_prefill_interval", header.version
    ):
        place = Place(file=where, line=1, key="prefill_schedule_interval")
        raise Refusal("engine.not_modelled", place, value=header.prefill_schedule_interval)
    if header.unseen:
        raise Refusal("engine.record_incomplete", Place(file=where, line=1), what=header.unseen)
    if header.policy not in {"fcfs", "priority"}:
        place = Place(file=where, line=1, key="policy")
        raise Refusal("base.not_one_of", place, value=header.policy, choices=["fcfs", "priority"])
    if header.block_size < 1:
        place = Place(file=where, line=1, key="block_size")
        raise Refusal("base.too_small", place, value=header.block_size, minimum=1)
    return SchedulerConfig(
        num_gpu_blocks=header.num_gpu_blocks,
        max_model_len=header.max_model_len,
        max_num_seqs=header.max_num_seqs,
        max_num_active_seqs=header.max_num_active_seqs,
        max_num_batched_tokens=header.max_num_batched_tokens,
        enable_chunked_prefill=header.enable_chunked_prefill,
        enable_prefix_caching=header.enable_prefix_caching,
        scheduler_reserve_full_isl=header.scheduler_reserve_full_isl,
        block_size=header.block_size,
        long_prefill_token_threshold=header.long_prefill_token_threshold,
        long_prefill_token_threshold_adaptive=header.long_prefill_token_threshold_adaptive,
        policy="priority" if header.policy == "priority" else "fcfs",
        watermark=header.watermark,
        async_scheduling=header.async_scheduling,
        vllm_version=header.version,
    )


class RecordingPlayer:
    """Replays a recording through our scheduler, line by line.

    Args:
        lines: the complete recording; the first is its header.
        where: file name for errors.
        config: the scheduler's settings; None: those of the header.
    """

    def __init__(
        self, lines: Sequence[AnyStepLine], where: str, config: SchedulerConfig | None = None
    ) -> None:
        header = lines[0]
        assert isinstance(header, StepHeader)
        self.steps = 0
        self.played: SchedulerOutput | None = None
        """Step whose output was processed last."""
        self._where = where
        self._scheduler = Scheduler(config or recorded_config(header, where))
        if header.max_num_scheduled_tokens:
            self._scheduler.max_num_scheduled_tokens = header.max_num_scheduled_tokens
        self._keys = KeyMaker(header.block_size)
        self._outputs = recorded_outputs(lines)
        self._in_flight: dict[int, SchedulerOutput] = {}

    def play(self, line: AnyStepLine) -> FirstDifference | None:
        """Apply a line; returns the difference, if any."""
        match line:
            case RequestAdded():
                self._add(line)
            case RequestsFinished():
                self._finish(line)
            case StepScheduled():
                return self._schedule(line)
            case StepUpdated():
                return self._update(line)
            case StepLimitChanged():
                self._change(line)
            case PrefixCacheReset():
                self._scheduler.reset_prefix_cache()
            case LinesDropped():
                place = Place(file=self._where)
                raise Refusal("engine.lines_missing", place, lines=line.lines, call=self.steps - 1)
            case StepHeader():
                raise Refusal("engine.second_header", Place(file=self._where))
        return None

    def _add(self, line: RequestAdded) -> None:
        self._scheduler.add_request(self.request(line))

    def _finish(self, line: RequestsFinished) -> None:
        self._scheduler.finish_requests(line.ids)

    def request(self, line: RequestAdded) -> Request:
        """Return the request of a line, with the tokens that it has in the whole recording."""
        outputs = self._outputs.get(line.id, [])
        ends = {line.eos, *line.stop_token_ids}
        eos_at = next((place for place, token in enumerate(outputs) if token in ends), None)
        return Request(
            line.id,
            len(line.prompt),
            line.max_tokens,
            priority=line.priority,
            arrival_time=line.arrival_time,
            block_hashes=self._keys.keys([*line.prompt, *outputs]),
            eos_at=eos_at,
            skip_reading_prefix_cache=line.skip_reading_prefix_cache,
        )

    def _change(self, line: StepLimitChanged) -> None:
        attribute = ATTRIBUTES.get(line.name)
        if attribute is None:
            place = Place(file=self._where)
            raise Refusal("engine.unknown_limit", place, name=line.name, known=list(ATTRIBUTES))
        setattr(self._scheduler, attribute, line.new)

    def _schedule(self, line: StepScheduled) -> FirstDifference | None:
        if line.unseen:
            raise Refusal("engine.record_incomplete", Place(file=self._where), what=["preemptions"])
        step = self._scheduler.schedule()
        self._in_flight[line.t] = step
        self.steps += 1
        ours = {
            "sched": [(request.request_id, tokens) for request, tokens in step.num_scheduled_tokens],
            "pre": [(request.request_id, lost) for request, lost in step.preempted_reqs],
            "new": [request.request_id for request, _ in step.scheduled_new_reqs],
            "res": [request.request_id for request, _ in step.scheduled_resumed_reqs],
            "hit": step.num_hit_tokens,
        }
        theirs: dict[str, Any] = {name: getattr(line, name) for name in ours}
        if line.why is not None:
            ours["why"] = step.head_wait.reason if step.head_wait else None
            theirs["why"] = line.why
        return first_difference(line.t, ours | self._standing(), theirs | _standing_of(line))

    def _update(self, line: StepUpdated) -> FirstDifference | None:
        if line.t not in self._in_flight:
            raise Refusal("engine.update_without_call", Place(file=self._where), call=line.t)
        step = self.played = self._in_flight.pop(line.t)
        update = self._process(step)
        # The recorded tokens are the sampler's, including those of requests aborted meanwhile.
        ours = {
            "tok": {request.request_id: 1 for request in step.sampling_reqs},
            "fin": [request.request_id for request, _ in update.finished_requests],
        }
        theirs = {"tok": {name: len(ids) for name, ids in line.tok.items() if ids}, "fin": line.fin}
        return first_difference(line.t, ours | self._standing(), theirs | _standing_of(line))

    def _process(self, step: SchedulerOutput) -> EngineCoreOutputs:
        return self._scheduler.update_from_output(step)

    def _standing(self) -> dict[str, Any]:
        scheduler = self._scheduler
        return {
            "run": [request.request_id for request in scheduler.running],
            "wait": len(scheduler.waiting),
            "free": scheduler.num_free_blocks,
        }


def _standing_of(line: StepScheduled | StepUpdated) -> dict[str, Any]:
    return {"run": line.run, "wait": line.wait, "free": line.free}


def recorded_outputs(lines: Sequence[AnyStepLine]) -> dict[str, list[int]]:
    """Return all output tokens of each request in the recording."""
    outputs: dict[str, list[int]] = {}
    for line in lines:
        if isinstance(line, StepUpdated):
            for request_id, ids in line.tok.items():
                outputs.setdefault(request_id, []).extend(ids)
    return outputs
