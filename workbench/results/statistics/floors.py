"""What the load generator resolves, by its own calibration."""

from collections.abc import Mapping
from typing import Any

_COLUMNS = {
    "ttft_p95_ms": "client_floor_ttft_ms",
    "e2e_p95_ms": "client_floor_ttft_ms",
    "itl_p95_ms": "client_floor_itl_ms",
}
"""The scorecard's column that holds each figure's floor."""


def client_floor_ms(figure: str, facts: Mapping[str, Any], time_scale: float = 1.0) -> float:
    """Differences of a figure below this are the load generator's own; 0: it has none, or none is known.

    Args:
        figure: by the scorecard's name.
        facts: what holds the floors by their columns' names: an experiment's facts or a scorecard's row.
        time_scale: simulated seconds in a second, for a calibration is in wall time.
    """
    return float(facts.get(_COLUMNS.get(figure, "")) or 0.0) * time_scale
