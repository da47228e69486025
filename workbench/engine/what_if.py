"""Replay of a recorded run's requests with one setting changed."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from workbench.base import Place, Record, Refusal
from workbench.engine.fork.ahead import RunEvents
from workbench.engine.fork.recording import Recording
from workbench.engine.parity.golden_case import KeyMaker
from workbench.engine.parity.play_recording import recorded_config, recorded_outputs
from workbench.engine.replay import Replay, ReplayFigures, ReplayJob
from workbench.engine.scheduler import Request, SchedulerConfig
from workbench.profiles import StepModel
from workbench.vllm_dialect import AnyStepLine, RequestAdded, StepHeader

CHANGEABLE = (
    "max_num_seqs",
    "max_num_batched_tokens",
    "long_prefill_token_threshold",
    "num_gpu_blocks",
    "enable_chunked_prefill",
    "enable_prefix_caching",
    "policy",
)
"""Settings that a replay can change."""
_ALIASES = {"num_gpu_blocks_override": "num_gpu_blocks"}
"""vLLM's flags for settings of another name."""


class ReplayedRequest(Record, frozen=True, kw_only=True):
    """A request's time in the engine, in milliseconds."""

    measured_ms: float
    before_ms: float
    """Time in the replay of the run as it was."""
    after_ms: float | None
    """Time in the replay with the change; None: it was left out."""

    @property
    def error(self) -> float | None:
        """Relative, signed error of the unchanged replay."""
        return self.before_ms / self.measured_ms - 1 if self.measured_ms else None


class WhatIf(Record, frozen=True, kw_only=True):
    """A recorded run replayed twice, as it was and with the change. Times are of the engine alone."""

    before: ReplayFigures
    after: ReplayFigures
    measured_e2e_ms: float | None
    """Mean time of the same requests in the engine, as recorded."""
    requests: dict[str, ReplayedRequest]
    """Requests by the engine's id."""

    @property
    def error(self) -> float | None:
        """Relative, signed error of the unchanged replay against the record."""
        predicted = self.before.e2e_ms.mean
        if not self.measured_e2e_ms or predicted is None:
            return None
        return predicted / self.measured_e2e_ms - 1


def what_if(
    lines: Sequence[AnyStepLine],
    step_model: StepModel,
    changes: Mapping[str, int | bool | str],
    *,
    without: Collection[str] = (),
    where: str,
) -> WhatIf:
    """Replay a record's finished requests as they arrived, and again with the changes.

    See `RecordedReplay`.
    """
    return RecordedReplay(lines, step_model, where=where).change(changes, without=without)


class RecordedReplay:
    """Replays of a record's finished requests as they arrived, as the run was and with changes.

    Args:
        lines: the header, then the record.
        step_model: the time of a step, fitted to the same record.
        where: the record's name, for refusals.

    Raises:
        Refusal: the record can't be replayed.
    """

    def __init__(self, lines: Sequence[AnyStepLine], step_model: StepModel, *, where: str) -> None:
        header = lines[0]
        if not isinstance(header, StepHeader):
            raise Refusal("engine.no_header", Place(file=where, line=1))
        self.header = header
        self._config = recorded_config(header, where)
        self._recorded = _Recorded(lines, where)
        self._model = step_model
        self._before: tuple[ReplayFigures, dict[str, float]] | None = None

    def change(self, changes: Mapping[str, int | bool | str], *, without: Collection[str] = ()) -> WhatIf:
        """Replay the run with changes.

        Args:
            changes: settings by vLLM's names.
            without: requests, by the engine's ids, that are left out.

        Raises:
            Refusal: a change is unknown or impossible.
        """
        changed = _changed(self._config, changes)
        if self._before is None:
            self._before = self._replay(self._config)
        before, times = self._before
        after, then = self._replay(changed, without)
        return WhatIf(
            before=before,
            after=after,
            measured_e2e_ms=self._recorded.mean_e2e_ms(),
            requests={
                name: ReplayedRequest(measured_ms=measured, before_ms=times[name], after_ms=then.get(name))
                for name, measured in self._recorded.e2e_ms().items()
                if name in times
            },
        )

    def _replay(
        self, config: SchedulerConfig, without: Collection[str] = ()
    ) -> tuple[ReplayFigures, dict[str, float]]:
        """Return the figures, and each request's time in milliseconds."""
        replay = Replay(self._recorded.jobs(config, without), config, self._model)
        figures = replay.run()
        times = {
            request.request_id: 1000 * (life.last_token - life.due)
            for request, life in replay.tally.lives.items()
            if life.completed and life.last_token is not None
        }
        return figures, times


def _changed(config: SchedulerConfig, changes: Mapping[str, int | bool | str]) -> SchedulerConfig:
    changes = {_ALIASES.get(name, name): value for name, value in changes.items()}
    unknown = [name for name in changes if name not in CHANGEABLE]
    if unknown:
        place = Place(key=unknown[0])
        raise Refusal("base.not_one_of", place, value=unknown[0], choices=list(CHANGEABLE))
    values = {**msgspec.structs.asdict(config), **changes}
    if "max_num_seqs" in changes:
        values["max_num_active_seqs"] = None
    try:
        return msgspec.convert(values, SchedulerConfig).validate()
    except msgspec.ValidationError as error:
        name = next((name for name in changes if f"$.{name}" in str(error)), next(iter(changes)))
        raise Refusal("engine.impossible_change", Place(key=name), value=str(changes[name])) from error


class _Recorded:
    """The finished requests of a record."""

    def __init__(self, lines: Sequence[AnyStepLine], where: str) -> None:
        events = RunEvents(Recording(lines, where))
        self._added = {line.id: line for line in lines if isinstance(line, RequestAdded)}
        self._outputs = recorded_outputs(lines)
        self._arrived = events.arrived
        self._ended = {name: at for name, at in events.ended.items() if name not in events.left}
        self._names = [
            name
            for name in self._added
            if name in self._ended and name in self._arrived and self._outputs.get(name)
        ]
        self._start = min((self._arrived[name] for name in self._names), default=0.0)

    def jobs(self, config: SchedulerConfig, without: Collection[str] = ()) -> list[ReplayJob]:
        """Return the requests as jobs, each with as many outputs as it had."""
        keys = KeyMaker(config.block_size)
        jobs = []
        for name in sorted(self._names, key=self._arrived.__getitem__):
            if name in without:
                continue
            line, outputs = self._added[name], self._outputs[name]
            request = Request(
                name,
                len(line.prompt),
                len(outputs),
                priority=line.priority,
                arrival_time=line.arrival_time,
                block_hashes=keys.keys([*line.prompt, *outputs]) if config.enable_prefix_caching else None,
                skip_reading_prefix_cache=line.skip_reading_prefix_cache,
            )
            jobs.append(ReplayJob(self._arrived[name] - self._start, request))
        return jobs

    def mean_e2e_ms(self) -> float | None:
        """Return the mean time in the engine."""
        times = self.e2e_ms().values()
        return sum(times) / len(times) if times else None

    def e2e_ms(self) -> dict[str, float]:
        """Return each request's time in the engine."""
        return {name: 1000 * (self._ended[name] - self._arrived[name]) for name in self._names}
