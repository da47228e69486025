"""R20: GPU clocks held back by heat, hardware or the power limit in at least a twentieth of the samples."""

from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.rule import RuleVerdict, RunRule
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_LEAST = 0.05
"""Share of the samples below which it explains nothing."""
_POWER_CAP = "power cap"
"""A busy large card reaches its power limit by design; heat and brakes are faults."""


def _judge(view: RunView, series: Series) -> RuleVerdict | None:
    del series
    gpus = [gpu for sample in view.machine if sample.t >= 0 for gpu in sample.gpus if gpu.memory_ours != 0]
    reasons = {reason for gpu in gpus for reason in gpu.throttling}
    shares = {reason: sum(reason in gpu.throttling for gpu in gpus) / len(gpus) for reason in reasons}
    found = sorted((one for one, share in shares.items() if share >= _LEAST), key=lambda one: -shares[one])
    if not found:
        return None
    evidence = [
        message("advice.throttle_reason", reason=one, share=shares[one], samples=len(gpus)) for one in found
    ]
    clocks = [gpu.sm_clock_mhz for gpu in gpus if gpu.sm_clock_mhz is not None]
    if clocks:
        evidence.append(message("advice.sm_clock_range", least=min(clocks), most=max(clocks)))
    if found == [_POWER_CAP]:
        change = advise(message("advice.same_power_limit"), message("advice.power_and_clock"))
        return RuleVerdict(message("advice.power_limited"), evidence, "low", change)
    change = advise(message("advice.cool_the_card"), message("advice.sm_clock"))
    return RuleVerdict(message("advice.throttled"), evidence, "high", change)


RULE = RunRule("R20", _judge, "NVML, clocks-event reasons")
