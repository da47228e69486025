"""How long answers stood still: what a preemption or a long prefill does to those who read along."""

import numpy as np

from workbench.advice.diagnosis.view import RunView


def longest_pause(view: RunView) -> float | None:
    """The longest gap between two token events of any request, ms of the run; None: not recorded."""
    gaps = np.frombuffer(b"".join(view.requests.gaps_ms), dtype="<f4")
    if not len(gaps):
        return view.figure("event_gap_ms", "max")
    return float(gaps.max()) * view.time_scale
