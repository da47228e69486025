"""What the server counted over one run: the form that telemetry fills and the summary reads."""

import msgspec

from workbench.base import Message
from workbench.results.histogram import Histogram


class ServerDelta(msgspec.Struct, kw_only=True):
    """Differences between a run's first and last scrape, summed over engines. None: no such series."""

    preemptions: float | None = None
    prompt_tokens: float | None = None
    generation_tokens: float | None = None
    succeeded: float | None = None
    """Finished requests of all reasons."""
    rejected: float | None = None
    """Refused by an admission limit."""
    prefix_queries: float | None = None
    """Prompt tokens looked up in the prefix cache."""
    prefix_hits: float | None = None
    """Prompt tokens found there."""
    queue: Histogram | None = None
    """Queue time up to the first scheduling, in the server's seconds."""
    histograms: dict[str, Histogram] = msgspec.field(default_factory=dict)
    """Every histogram by its canonical name, the server's own units."""
    restarted: bool = False
    """A counter shrank: the server was restarted during the run and the differences mean nothing."""
    restart_sign: Message | str | None = None
    """The sign of it, with its figures; a text in older files."""
    mixed: Message | None = None
    """Scrapes came from several processes in turn, and the server's figures mean nothing: the sign of it."""
    missing: tuple[str, ...] = ()
    """Canonical names of the series that the page lacks."""
