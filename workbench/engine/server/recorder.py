"""The step record of `--log-steps`, which `engine check` replays."""

import contextlib
import time
from typing import BinaryIO

from workbench.engine.scheduler import EngineCoreOutputs, Request, Scheduler, SchedulerConfig, SchedulerOutput
from workbench.engine.server import log_lines
from workbench.vllm_dialect import (
    RequestAdded,
    RequestsFinished,
    StepHeader,
    StepLimitChanged,
    StepLine,
    StepScheduled,
    StepUpdated,
    encode_step,
)

_FLUSH_EVERY_S = 0.25
"""The window reads the file four times a second to draw the steps."""
_MOST_BYTES = 2 << 30
"""The record is written without being asked for, so it must not fill a disk."""


class StepRecorder:
    """Writes lines in the order of events; a full disk ends only the record.

    Args:
        file: opened for writing, closed by the caller.
        config: the resolved settings, for the header.
        zero: added to simulated seconds, so that `mono` is the machine's monotonic clock at time scale 1.
        time_scale: simulated seconds in a second; in the header with `zero`, so that readers get wall time.
    """

    def __init__(self, file: BinaryIO, config: SchedulerConfig, zero: float, time_scale: float = 1.0) -> None:
        self._file = file
        self._zero = zero
        self._next_call = 0
        self._flushed = time.monotonic()
        self._unflushed = False
        self._written = 0
        self._stopped = False
        self._write(_header(config, zero, time_scale))

    def added(self, request: Request, prompt: list[int], arrived: float, *, eos: int | None = None) -> None:
        """Write an added request; the engine's own outputs never end by themselves, so `eos` is null."""
        self._write(
            RequestAdded(
                id=request.request_id,
                t_next=self._next_call,
                prompt=prompt,
                max_tokens=request.max_tokens,
                priority=request.priority,
                arrival_time=request.arrival_time,
                eos=eos,
                skip_reading_prefix_cache=request.skip_reading_prefix_cache,
                arrived=self._zero + arrived,
            )
        )

    def aborted(self, request: Request) -> None:
        """Write an abort."""
        self._write(
            RequestsFinished(t_next=self._next_call, ids=[request.request_id], status="FINISHED_ABORTED")
        )

    def limit(self, name: str, old: int, new: int) -> None:
        """Write a changed limit, which holds from the next call on."""
        self._write(StepLimitChanged(name=name, old=old, new=new, t_next=self._next_call))

    def scheduled(self, step: SchedulerOutput, scheduler: Scheduler, now: float) -> None:
        """Write a call of schedule(), whose own duration is not simulated: 0."""
        self._next_call = step.step_index + 1
        self._write(
            StepScheduled(
                t=step.step_index,
                mono=self._zero + now,
                us=0.0,
                sched=[(request.request_id, count) for request, count in step.num_scheduled_tokens],
                pre=[(request.request_id, lost) for request, lost in step.preempted_reqs],
                new=[request.request_id for request, _ in step.scheduled_new_reqs],
                res=[request.request_id for request, _ in step.scheduled_resumed_reqs],
                hit=step.num_hit_tokens,
                run=[request.request_id for request in scheduler.running],
                wait=step.num_waiting_reqs,
                free=step.num_free_blocks,
                why=step.head_wait.reason if step.head_wait else None,
            )
        )

    def updated(
        self,
        step: SchedulerOutput,
        update: EngineCoreOutputs,
        scheduler: Scheduler,
        now: float,
        sampled: dict[str, int],
    ) -> None:
        """Write a processed output; `sampled` has the tokens of aborted requests too."""
        self._write(
            StepUpdated(
                t=step.step_index,
                mono=self._zero + now,
                tok={name: [token] for name, token in sampled.items()},
                fin=[request.request_id for request, _ in update.finished_requests],
                run=[request.request_id for request in scheduler.running],
                wait=len(scheduler.waiting),
                free=scheduler.num_free_blocks,
            )
        )

    def flush(self) -> None:
        """Flush the file, so that readers see all events so far."""
        if not self._unflushed:
            return
        self._flushed, self._unflushed = time.monotonic(), False
        try:
            self._file.flush()
        except OSError as error:
            self._stop(error)

    def _write(self, line: StepLine) -> None:
        if self._stopped:
            return
        try:
            self._written += self._file.write(encode_step(line))
        except OSError as error:
            self._stop(error)
            return
        if self._written > _MOST_BYTES:
            self._stop(OSError(f"the record has reached {_MOST_BYTES >> 30} GiB"))
            return
        self._unflushed = True
        if time.monotonic() - self._flushed > _FLUSH_EVERY_S:
            self.flush()

    def _stop(self, error: OSError) -> None:
        self._stopped, self._unflushed = True, False
        log_lines.recorder_stopped(error)
        with contextlib.suppress(OSError):
            # Closing it later would try its buffer again.
            self._file.close()


def _header(config: SchedulerConfig, zero: float, time_scale: float) -> StepHeader:
    return StepHeader(
        base="AsyncScheduler" if config.async_scheduling else "Scheduler",
        async_scheduling=config.async_scheduling,
        max_concurrent_batches=2 if config.async_scheduling else 1,
        use_v2_model_runner=False,
        max_num_seqs=config.max_num_seqs,
        max_num_active_seqs=config.max_num_active_seqs or config.max_num_seqs,
        max_num_batched_tokens=config.max_num_batched_tokens,
        max_num_scheduled_tokens=config.max_num_batched_tokens,
        enable_chunked_prefill=config.enable_chunked_prefill,
        long_prefill_token_threshold=config.long_prefill_token_threshold,
        long_prefill_token_threshold_adaptive=config.long_prefill_token_threshold_adaptive,
        policy=config.policy,
        watermark=config.watermark,
        watermark_blocks=int(config.watermark * config.num_gpu_blocks),
        scheduler_reserve_full_isl=config.scheduler_reserve_full_isl,
        enable_prefix_caching=config.enable_prefix_caching,
        block_size=config.block_size,
        num_gpu_blocks=config.num_gpu_blocks,
        max_model_len=config.max_model_len,
        version=config.vllm_version,
        zero=zero,
        time_scale=time_scale,
    )
