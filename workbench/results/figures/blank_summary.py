"""The form of a run's summary without figures, for runs whose requests are not ours."""

from typing import Any

import msgspec

from workbench.results.figures.queue_time import QueueFigures
from workbench.results.figures.summary import RequestCounts, RunSummary
from workbench.results.percentiles import Distribution

_EMPTY = {"classes": {}, "engines": {}, "reasons": [], "partial": False, "time_scale": 1.0}


def blank_summary(**known: Any) -> dict[str, Any]:
    """Return the keys of `RunSummary.to_json()`, all unknown but the `known` ones."""
    fields = {field.name: field.type for field in msgspec.structs.fields(RunSummary)}
    series = {
        name: msgspec.to_builtins(kind())
        for name, kind in fields.items()
        if kind in (Distribution, QueueFigures)
    }
    counts = dict.fromkeys(RequestCounts.__struct_fields__)
    return {**dict.fromkeys(fields), "requests": counts, **series, **_EMPTY, **known}
