"""One run that another load generator measured. What it did not measure is None."""

import msgspec

from workbench.base import Record
from workbench.results.figures.drift import Drift
from workbench.results.percentiles import QUANTILES, Distribution, sample_floor

SERIES = ("ttft_ms", "itl_ms", "event_gap_ms", "tpot_ms", "e2e_ms", "client_delay_ms", "admission_wait_ms")
"""Our latency series that some peer has under some name."""


class PeerCounts(Record, frozen=True, kw_only=True):
    """Requests by what became of them, as far as the tool tells them apart."""

    scheduled: int | None
    completed: int
    failed: int | None = None
    cancelled: int | None = None
    unfinished: int | None = None


class PeerRun(Record, frozen=True, kw_only=True):
    """One run's figures in our units, by our names."""

    tool: str
    version: str | None = None
    model: str | None = None
    label: str | None = None
    """What the tool or its user calls the run."""
    started_utc: str | None = None
    rate: float | None = None
    """Requests a second that were asked for."""
    concurrency: int | None = None
    counts: PeerCounts
    duration_s: float | None = None
    completed_rps: float | None = None
    output_tok_s: float | None = None
    input_tok_s: float | None = None
    accepted: int | None = None
    """Completed within the objectives; None: requests aren't known one by one."""
    drift: Drift | None = None
    series: dict[str, Distribution] = msgspec.field(default_factory=dict)
    """By our names (`SERIES`)."""
    tokens: dict[str, Distribution] = msgspec.field(default_factory=dict)
    """`input_tokens` and `output_tokens`, where requests are known one by one."""
    differs: list[str] = msgspec.field(default_factory=list)
    """Where a figure means another thing than ours of that name, a sentence each."""

    @property
    def measured_by(self) -> str:
        """The tool with its version."""
        return self.tool if self.version is None else f"{self.tool} {self.version}"


def stated(n: int | None, figures: dict[str, float | None]) -> Distribution:
    """Figures as a tool states them; a percentile of fewer requests than ours would need is left out."""
    enough = {
        name: figures.get(name) for name, q in QUANTILES.items() if n is not None and n >= sample_floor(q)
    }
    return Distribution(
        n=n or 0,
        mean=figures.get("mean"),
        max=figures.get("max"),
        p50=enough.get("p50"),
        p90=enough.get("p90"),
        p95=enough.get("p95"),
        p99=enough.get("p99"),
    )
