"""Other users of the machine that a run was measured on: their share of its cores and its GPUs."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from workbench.base import Message, Record, message
from workbench.results.percentiles import Floats
from workbench.results.run_records import GpuSample, MachineSample

MEAN_LIMIT = 0.10
"""Share of the usable cores, or of a GPU's time, that others may take on average."""
WORST_LIMIT = 0.25
"""Share that they may take over `WORST_S`."""
WORST_S = 5.0
_HELD_LIMIT = 0.10
"""Share of the looks in which others with unknown use may hold one of the server's GPUs."""


_KINDS = (
    ("results.others_cpu_mean", "results.others_cpu_worst"),
    ("results.others_load_mean", "results.others_load_worst"),
    ("results.others_gpu_mean", "results.others_gpu_worst"),
)
"""Kinds for the server's machine, the load's machine, and a GPU: for the mean and the worst seconds."""


class OthersShare(Record, frozen=True, kw_only=True):
    """The share that others took over a run, 0 to 1."""

    mean: float
    worst: float
    """The largest mean over `WORST_S` seconds."""


class Sharing(Record, frozen=True, kw_only=True):
    """The shares that others took of a run's machines and GPUs. None: unknown."""

    host: OthersShare | None = None
    """The share of the usable cores of the server's machine."""
    load_host: OthersShare | None = None
    """The share of the usable cores of the load generator's machine, if it is another one."""
    gpu: OthersShare | None = None
    """The share of the time of the server's GPU that they used most."""
    gpu_held: float | None = None
    """Share of the looks in which others held one of the server's GPUs with unknown use."""

    @property
    def host_others(self) -> float | None:
        """The larger mean share of both machines."""
        known = [taken.mean for taken in (self.host, self.load_host) if taken is not None]
        return max(known, default=None)


def sharing_of(samples: Sequence[MachineSample], end_s: float, gpus: frozenset[int]) -> Sharing:
    """Return the shares that others took from the schedule's start to `end_s` wall seconds.

    `gpus` are the indices of the server's GPUs.
    """
    inside = [sample for sample in samples if 0.0 <= sample.t <= end_s]
    cards = [_taken(inside, _use_of(index)) for index in sorted(gpus)]
    looks = [[gpu for gpu in sample.gpus if gpu.index in gpus] for sample in inside]
    return Sharing(
        host=_taken(inside, lambda sample: sample.others_cpu),
        load_host=_taken(inside, lambda sample: sample.client_others_cpu),
        gpu=max((card for card in cards if card is not None), key=lambda card: card.mean, default=None),
        gpu_held=float(np.mean([any(map(_is_held, look)) for look in looks])) if gpus and looks else None,
    )


def shared_machine_reasons(sharing: Sharing | None) -> Iterator[Message]:
    """Yield the reasons why the run didn't have the machine to itself."""
    if sharing is None:
        return
    for kinds, taken in zip(_KINDS, (sharing.host, sharing.load_host, sharing.gpu), strict=True):
        if taken is not None and taken.mean > MEAN_LIMIT:
            found = Message(kinds[0], {"share": taken.mean, "limit": MEAN_LIMIT})
            yield message("results.machine_shared", found=found)
        elif taken is not None and taken.worst > WORST_LIMIT:
            figures = {"share": taken.worst, "limit": WORST_LIMIT, "seconds": WORST_S}
            yield message("results.machine_shared", found=Message(kinds[1], figures))
    if sharing.gpu_held is not None and sharing.gpu_held > _HELD_LIMIT:
        held = message("results.gpu_held", share=sharing.gpu_held)
        yield message("results.machine_shared", found=held)


def _taken(
    samples: Sequence[MachineSample], share: Callable[[MachineSample], float | None]
) -> OthersShare | None:
    known = [(sample.t, value) for sample in samples if (value := share(sample)) is not None]
    if not known:
        return None
    times, values = np.array(known, dtype=np.float64).T
    return OthersShare(mean=float(values.mean()), worst=_worst(times, values))


def _worst(times: Floats, values: Floats) -> float:
    """Return the largest mean over `WORST_S` seconds; a sample stands for the second before it."""
    begins = np.searchsorted(times, times - WORST_S, side="right")
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(times) + 1)
    means = (sums[ends] - sums[begins]) / (ends - begins)
    whole = times - times[0] >= WORST_S - 1.5
    return float(means[whole].max()) if whole.any() else float(values.mean())


def _use_of(index: int) -> Callable[[MachineSample], float | None]:
    def use(sample: MachineSample) -> float | None:
        cards = (gpu for gpu in sample.gpus if gpu.index == index and _tells_ours(gpu))
        return next((gpu.others_utilisation for gpu in cards), None)

    return use


def _is_held(gpu: GpuSample) -> bool:
    return gpu.others > 0 and gpu.others_utilisation is None and _tells_ours(gpu)


def _tells_ours(gpu: GpuSample) -> bool:
    """Return whether the driver lists the server's own processes.

    In a container the driver may list processes by the host's numbers.
    """
    return bool(gpu.memory_ours)
