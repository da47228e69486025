"""The bottlenecks of a run under way, by the same conditions, from the samples that its plots keep."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from workbench.advice.diagnosis.array_operations import Floats
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.conditions import BottleneckConditions, sequence_limit_over
from workbench.advice.diagnosis.findings import Segment
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series, growth
from workbench.advice.diagnosis.timeline import label_samples, newest_label, segments_of
from workbench.results import LimitChange


class LiveBottlenecks:
    """The bottlenecks as far as samples show them; the diagnosis also sees requests and recorded steps.

    Args:
        t: seconds of the run, ascending.
        columns: `running`, `waiting`, `kv_usage`, `preemptions` (a running total), `input_tok_s`,
            `output_tok_s` and `rejected_rps` at these times; NaN is unknown. `in_flight` and `held`, counted
            by the client, may be missing.
        limits: controls in force when the run began.
        changes: limits changed since then.
        concurrency: requests that a closed loop keeps open; None: open loop.
        engines: engines or replicas behind the columns; each has the limits for itself.
    """

    def __init__(
        self,
        t: Floats,
        columns: Mapping[str, Floats],
        limits: Mapping[str, Any],
        changes: Sequence[LimitChange] = (),
        concurrency: float | None = None,
        engines: int = 1,
    ) -> None:
        unknown = np.full(len(t), np.nan)
        prompt_rate = columns["input_tok_s"]
        if np.isnan(prompt_rate).all():
            # Without prefill rates, waiting with free capacity is put down to the token budget.
            prompt_rate = np.ones(len(t))
        self._series = Series(
            t=t,
            engines=engines,
            running=columns["running"],
            waiting=columns["waiting"],
            deferred=unknown,
            kv=columns["kv_usage"],
            preempted=growth(columns["preemptions"]),
            rejected=columns["rejected_rps"],
            succeeded=unknown,
            prompt_rate=prompt_rate,
            output_rate=columns["output_tok_s"],
            output_tokens=unknown,
            succeeded_total=unknown,
            prefix_hit=None,
            server_ttft_s=None,
            in_flight=columns.get("in_flight", unknown),
            held=columns.get("held", unknown),
            decoding=unknown,
            restarted=False,
        )
        self._conditions = BottleneckConditions(
            RunView(samples=(), limits=limits, changes=changes, concurrency=concurrency), self._series
        )

    def segments(self) -> list[Segment]:
        """Return the stretches of one bottleneck so far."""
        return segments_of(self._series, label_samples(self._conditions))

    def newest(self) -> Bottleneck:
        """Return the bottleneck at the newest sample, however short."""
        return newest_label(self._conditions)


def running_limit(
    t: Floats, limits: Mapping[str, Any], changes: Sequence[LimitChange] = (), engines: int = 1
) -> Floats:
    """Return the number of requests that may run at each time, over all engines; NaN: unknown."""
    return sequence_limit_over(RunView(samples=(), limits=limits, changes=changes), t, engines)
