"""Rows of the rotary tables that vLLM builds at load time and keeps on each GPU.

They are not small for models of long context: 2.5 GiB for Llama 4 Scout (10,485,760 positions). Read from
vLLM's rotary_embedding: linear and dynamic scaling lengthen the table by their factor, the others don't.
"""

from typing import Any

from workbench.advice.sizing.fields import Fields


def rotary_rows(fields: Fields, max_positions: int | None) -> int:
    """Rows over all tables; each row is head_dim (or its rotary part) values wide."""
    if max_positions is None:
        return 0
    scaling = fields.mapping("rope_scaling", "rope_parameters") or {}
    nested = [value for value in scaling.values() if isinstance(value, dict)]
    tables = [_rows(entry, max_positions) for entry in nested] if nested else [_rows(scaling, max_positions)]
    local = fields.has("rope_local_base_freq") and not nested
    return sum(tables) + (max_positions if local else 0)


def _rows(scaling: dict[str, Any], max_positions: int) -> int:
    kind = str(scaling.get("rope_type") or scaling.get("type") or "default")
    factor = scaling.get("factor")
    if kind in {"linear", "dynamic"} and isinstance(factor, (int, float)) and factor > 0:
        return int(max_positions * factor)
    return max_positions
