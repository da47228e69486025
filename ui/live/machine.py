"""A sample of the machine as one row of numbers."""

from collections.abc import Iterable, Sequence
from typing import Any

from ui.live.series import MACHINE_COLUMNS

_OF_THE_HOST = MACHINE_COLUMNS[:5]


def machine_values(sample: Any, gpus: Sequence[Any]) -> list[float | None]:
    """Return one value for each of `MACHINE_COLUMNS`; `sample` and `gpus` are as in a `machine` event.

    GPUs are mappings in an event, records in a bench file.
    """
    shares = [_share(_get(gpu, "memory_used"), _get(gpu, "memory_total")) for gpu in gpus]
    powers = [power for gpu in gpus if (power := _get(gpu, "power_w")) is not None]
    return [
        *(getattr(sample, name) for name in _OF_THE_HOST),
        _most(_get(gpu, "utilisation") for gpu in gpus),
        _most(shares),
        sum(powers) if powers else None,
    ]


def _get(gpu: Any, name: str) -> Any:
    return gpu.get(name) if isinstance(gpu, dict) else getattr(gpu, name, None)


def _share(used: float | None, total: float | None) -> float | None:
    return used / total if used is not None and total else None


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
