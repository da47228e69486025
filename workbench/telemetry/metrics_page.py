"""A scrape of `/metrics`: gauges and counters by engine, histograms, the cache's configuration."""

from workbench.results import Histogram, Sample
from workbench.telemetry.exposition import PROCESS_START, Exposition, read_exposition
from workbench.vllm_dialect import METRICS, PREFIX, Metric, metrics

_SAMPLED_SCALARS = (
    metrics.RUNNING,
    metrics.WAITING,
    metrics.WAITING_BY_REASON,
    metrics.KV_USAGE,
    metrics.PREEMPTIONS,
    metrics.PROMPT_TOKENS,
    metrics.GENERATION_TOKENS,
    metrics.PREFIX_QUERIES,
    metrics.PREFIX_HITS,
    metrics.REQUEST_SUCCESS,
    metrics.REJECTIONS,
)
_SAMPLED_MEANS = (metrics.QUEUE_TIME, metrics.TTFT, metrics.ITL)


def _sampled_prefixes() -> tuple[str, ...]:
    plain = [name for metric in _SAMPLED_SCALARS for name in (metric.name, *metric.former)]
    histograms = [name for metric in _SAMPLED_MEANS for name in (metric.name, *metric.former)]
    means = [f"{name}{suffix}" for name in histograms for suffix in ("_sum", "_count")]
    endings = ("{", "_total{", " ", "_total ")
    return (*(name + ending for name in plain for ending in endings), *means, PROCESS_START)


_SAMPLED = _sampled_prefixes()


class MetricsPage:
    """The content of one page, by the metric families of `vllm_dialect`."""

    def __init__(self, content: Exposition) -> None:
        self.content = content

    @classmethod
    def parse(cls, text: str, *, where: str = "metrics page") -> "MetricsPage":
        """Read a whole page.

        Raises:
            Refusal: it isn't exposition text, was cut off, or is another service's.
        """
        return cls(read_exposition(text, (PREFIX, PROCESS_START), where=where, with_buckets=True))

    @classmethod
    def parse_sampled(cls, text: str, *, where: str = "metrics page") -> "MetricsPage":
        """Read only what `samples` needs, without histograms: a tenth of the work of `parse`.

        Raises:
            Refusal: as `parse`.
        """
        return cls(read_exposition(text, _SAMPLED, where=where, with_buckets=False))

    @property
    def cache_config(self) -> dict[str, str]:
        """The labels of `cache_config_info` as strings; empty: missing."""
        return self.content.cache_config

    @property
    def model_names(self) -> tuple[str, ...]:
        """The models that the series name."""
        return self.content.model_names

    @property
    def process_start(self) -> float | None:
        """Unix seconds; None: missing."""
        return self.content.process_start

    @property
    def engines(self) -> tuple[str, ...]:
        """All engines, in order of rank."""
        return self.content.engines

    def value(self, metric: Metric, engine: str, suffix: str = "") -> float | None:
        """Return one engine's value; None: missing, or not a number."""
        return self.content.scalars.get(metric.name + suffix, {}).get(engine)

    def has(self, metric: Metric, suffix: str = "") -> bool:
        """Return whether the page has the series, even without a known value."""
        return metric.name + suffix in self.content.scalars

    def total(self, metric: Metric, suffix: str = "") -> float | None:
        """Return the sum over engines; None: the series or an engine's value is missing."""
        values = list(self.content.scalars.get(metric.name + suffix, {}).values())
        known = [value for value in values if value is not None]
        return sum(known) if known and len(known) == len(values) else None

    def histogram(self, metric: Metric) -> Histogram | None:
        """Return the histogram over all engines; None: missing."""
        parts = list(self.content.histograms.get(metric.name, {}).values())
        if not parts:
            return None
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.plus(part)
        return whole

    def missing(self) -> tuple[str, ...]:
        """Return the canonical names of the families that a page of vLLM 0.32 has and this one lacks."""
        present = {*self.content.scalars, *self.content.histograms}
        if self.cache_config:
            present.add(metrics.CACHE_CONFIG.name)
        return tuple(metric.name for metric in METRICS if metric.name not in present)

    def samples(self, t: float) -> list[Sample]:
        """Return a sample for each engine, stamped `t` (seconds since the schedule's start).

        Rejections have no engine label; they go into the first engine's sample.
        """
        return [self._sample(engine, t, first=place == 0) for place, engine in enumerate(self.engines)]

    def _sample(self, engine: str, t: float, *, first: bool) -> Sample:
        return Sample(
            t=t,
            engine=engine,
            running=self.value(metrics.RUNNING, engine),
            waiting=self.value(metrics.WAITING, engine),
            kv_usage=self.value(metrics.KV_USAGE, engine),
            preemptions=self.value(metrics.PREEMPTIONS, engine),
            prompt_tokens=self.value(metrics.PROMPT_TOKENS, engine),
            generation_tokens=self.value(metrics.GENERATION_TOKENS, engine),
            prefix_queries=self.value(metrics.PREFIX_QUERIES, engine),
            prefix_hits=self.value(metrics.PREFIX_HITS, engine),
            succeeded=self.value(metrics.REQUEST_SUCCESS, engine),
            rejected=self.total(metrics.REJECTIONS) if first else None,
            queue_sum_s=self.value(metrics.QUEUE_TIME, engine, "_sum"),
            queue_count=self.value(metrics.QUEUE_TIME, engine, "_count"),
            ttft_sum_s=self.value(metrics.TTFT, engine, "_sum"),
            ttft_count=self.value(metrics.TTFT, engine, "_count"),
            deferred=self.content.deferred.get(engine),
            itl_sum_s=self.value(metrics.ITL, engine, "_sum"),
            itl_count=self.value(metrics.ITL, engine, "_count"),
        )
