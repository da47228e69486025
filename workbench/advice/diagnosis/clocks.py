"""Rule R20: GPU clocks held back while the run went on, by heat, by hardware or by the power limit."""

from workbench.advice.diagnosis import changes
from workbench.advice.diagnosis.bound_rules import Spoken
from workbench.advice.diagnosis.series import Series
from workbench.advice.diagnosis.view import RunView
from workbench.advice.diagnosis.words import percent

_LEAST = 0.05
"""Share of the looks below which it explains nothing."""
_POWER_CAP = "power cap"
"""A busy large card reaches its power limit by design; heat and brakes are faults."""


def held_back(view: RunView, series: Series) -> Spoken | None:
    """Clocks below what was asked in at least a twentieth of the looks at the server's GPUs."""
    del series
    looks = [gpu for sample in view.machine if sample.t >= 0 for gpu in sample.gpus if gpu.memory_ours != 0]
    reasons = {reason for gpu in looks for reason in gpu.throttling}
    shares = {reason: sum(reason in gpu.throttling for gpu in looks) / len(looks) for reason in reasons}
    told = sorted((reason for reason, share in shares.items() if share >= _LEAST), key=lambda r: -shares[r])
    if not told:
        return None
    evidence = [f"{reason}: {percent(shares[reason])} of {len(looks)} looks." for reason in told]
    clocks = [gpu.sm_clock_mhz for gpu in looks if gpu.sm_clock_mhz is not None]
    if clocks:
        evidence.append(f"SM clock {min(clocks):.0f} to {max(clocks):.0f} MHz.")
    if told == [_POWER_CAP]:
        verdict = "The GPU's clocks were held back by its power limit: figures hold for this limit."
        change = changes.advise("compare at the same power limit only.", "power, SM clock")
        return Spoken(verdict, evidence, "low", change)
    verdict = "The GPU's clocks were throttled: figures hold for this cooling and this moment only."
    change = changes.advise("cool the card or free it from its neighbours, and repeat the run.", "SM clock")
    return Spoken(verdict, evidence, "high", change)
