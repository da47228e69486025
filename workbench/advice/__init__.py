"""Memory sizing, which limit binds, the next single change, comparison of GPUs; each with its evidence."""

from typing import TYPE_CHECKING

from workbench.base.lazy import on_first_use

if TYPE_CHECKING:
    from workbench.advice.comparison import Decision, SystemResult, compare_systems
    from workbench.advice.diagnosis import (
        Bound,
        Change,
        Diagnosis,
        Finding,
        Reach,
        RunView,
        Segment,
        StepWait,
        compare,
        diagnose,
        memory_held,
        read_stats_lines,
    )
    from workbench.advice.offers import Offer, cost_per_hour, offer_of, read_offers, warnings_of, write_offers
    from workbench.advice.plausibility import Roofline, implausible, roofline
    from workbench.advice.questions import Answer, checklist, normal_rate
    from workbench.advice.saturating import Load, Saturation, saturation
    from workbench.advice.sizing import SizingEstimate, SizingRequest, size_model

__all__ = [
    "Answer",
    "Bound",
    "Change",
    "Decision",
    "Diagnosis",
    "Finding",
    "Load",
    "Offer",
    "Reach",
    "Roofline",
    "RunView",
    "Saturation",
    "Segment",
    "SizingEstimate",
    "SizingRequest",
    "StepWait",
    "SystemResult",
    "checklist",
    "compare",
    "compare_systems",
    "cost_per_hour",
    "diagnose",
    "implausible",
    "memory_held",
    "normal_rate",
    "offer_of",
    "read_offers",
    "read_stats_lines",
    "roofline",
    "saturation",
    "size_model",
    "warnings_of",
    "write_offers",
]

__getattr__ = on_first_use(
    __name__,
    {
        "questions": ("Answer", "checklist", "normal_rate"),
        "comparison": ("Decision", "SystemResult", "compare_systems"),
        "diagnosis": (
            "Bound",
            "Change",
            "Diagnosis",
            "Finding",
            "Reach",
            "RunView",
            "Segment",
            "StepWait",
            "compare",
            "diagnose",
            "memory_held",
            "read_stats_lines",
        ),
        "offers": ("Offer", "cost_per_hour", "offer_of", "read_offers", "warnings_of", "write_offers"),
        "plausibility": ("Roofline", "implausible", "roofline"),
        "saturating": ("Load", "Saturation", "saturation"),
        "sizing": ("SizingEstimate", "SizingRequest", "size_model"),
    },
)
