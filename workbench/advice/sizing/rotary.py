"""Rows of the rotary tables that vLLM builds at load time and keeps on each GPU.

They are not small for models of long context: 2.5 GiB for Llama 4 Scout (10,485,760 positions). Read from
vLLM's rotary_embedding: linear and dynamic scaling lengthen the table by their factor, the others don't.
"""

from typing import Any

from workbench.advice.sizing.fields import Fields
from workbench.base import InputError

_MOST_FACTOR = 10_000
"""Times the length that a model was trained on; what is beyond is no factor."""


def rotary_rows(fields: Fields, max_positions: int | None) -> int:
    """Rows over all tables; each row is head_dim (or its rotary part) values wide.

    Raises:
        InputError: a factor that can't be one.
    """
    if max_positions is None:
        return 0
    scaling = fields.mapping("rope_scaling", "rope_parameters") or {}
    nested = [value for value in scaling.values() if isinstance(value, dict)]
    tables = [_rows(entry, max_positions, fields.where) for entry in nested or [scaling]]
    local = fields.has("rope_local_base_freq") and not nested
    return sum(tables) + (max_positions if local else 0)


def _rows(scaling: dict[str, Any], max_positions: int, where: str) -> int:
    kind = str(scaling.get("rope_type") or scaling.get("type") or "default")
    factor = scaling.get("factor")
    if kind not in {"linear", "dynamic"} or factor is None:
        return max_positions
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor <= _MOST_FACTOR:
        raise InputError(
            f"{where}: rope_scaling factor must be above 0 and at most {_MOST_FACTOR:,}, not {factor!r}"
        )
    return int(max_positions * factor)
