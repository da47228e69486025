"""How long answers stood still: what a preemption or a long prefill does to those who read along."""

import numpy as np

from workbench.advice.diagnosis.view import RunView


def longest_pause(view: RunView) -> float | None:
    """The longest gap between two token events of any request, ms of the run; None: not recorded."""
    longest = [float(gaps.max()) for record in view.records if len(gaps := record.gap_array())]
    if not longest:
        return view.figure("event_gap_ms", "max")
    return float(np.max(longest)) * view.time_scale
