"""The `http_*` series of the front, as vLLM's instrumentation of its web framework counts them.

They are in wall seconds, unlike all other times.
"""

import time
from bisect import bisect_left
from collections.abc import Iterator

from workbench.engine.server.exposition import MetricFamily, sample

HIGHR_EDGES = (
    0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 7.5, 10.0,
    30.0, 60.0,
)  # fmt: skip
EDGES = (0.1, 0.5, 1.0)
EXCLUDED = frozenset({"/metrics", "/health", "/load", "/ping", "/version", "/server_info"})


class _DurationBins:
    def __init__(self, edges: tuple[float, ...]) -> None:
        self.edges = edges
        self.counts = [0] * (len(edges) + 1)
        self.sum = 0.0
        self.created = time.time()

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(self.edges, seconds)] += 1
        self.sum += seconds


class _Total:
    def __init__(self) -> None:
        self.count = 0
        self.sum = 0.0
        self.created = time.time()

    def add(self, value: float) -> None:
        self.count += 1
        self.sum += value


class HttpMetrics:
    """Requests by handler, method and status class; sizes by their content-length headers; durations."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str, str], _Total] = {}
        self._received: dict[str, _Total] = {}
        self._sent: dict[str, _Total] = {}
        self._durations: dict[tuple[str, str], _DurationBins] = {}
        self._highr = _DurationBins(HIGHR_EDGES)

    def add(
        self, handler: str, method: str, status: int, seconds: float, *, received: int, sent: int
    ) -> None:
        """Count an answered request; a stream's time ends with the stream, and its size is unknown (0)."""
        if handler in EXCLUDED:
            return
        self._requests.setdefault((handler, method, f"{status // 100}xx"), _Total()).add(1)
        self._received.setdefault(handler, _Total()).add(received)
        self._sent.setdefault(handler, _Total()).add(sent)
        self._durations.setdefault((handler, method), _DurationBins(EDGES)).add(seconds)
        self._highr.add(seconds)

    def families(self) -> Iterator[MetricFamily]:
        """Yield the families in the order of vLLM's page."""
        yield self._counted()
        yield _sizes(
            "http_request_size_bytes", "Content length of incoming requests by handler.", self._received
        )
        yield _sizes(
            "http_response_size_bytes", "Content length of outgoing responses by handler.", self._sent
        )
        yield _durations(
            "http_request_duration_highr_seconds",
            "Latency with many buckets but no API specific labels. Made for more accurate percentile "
            "calculations. ",
            [({}, self._highr)],
        )
        yield _durations(
            "http_request_duration_seconds",
            "Latency with only few buckets by handler. Made to be only used if aggregation by handler is "
            "important. ",
            [
                ({"handler": handler, "method": method}, timed)
                for (handler, method), timed in self._durations.items()
            ],
        )

    def _counted(self) -> MetricFamily:
        rows = [
            ({"handler": handler, "method": method, "status": status}, total)
            for (handler, method, status), total in self._requests.items()
        ]
        return MetricFamily(
            "http_requests_total",
            "counter",
            "Total number of requests by method, status and handler.",
            [sample("http_requests_total", labels, total.count) for labels, total in rows],
            [sample("http_requests_created", labels, total.created) for labels, total in rows],
        )


def _sizes(name: str, text: str, totals: dict[str, _Total]) -> MetricFamily:
    lines: list[str] = []
    for handler, total in totals.items():
        lines.append(sample(f"{name}_count", {"handler": handler}, total.count))
        lines.append(sample(f"{name}_sum", {"handler": handler}, total.sum))
    created = [
        sample(f"{name}_created", {"handler": handler}, total.created) for handler, total in totals.items()
    ]
    note = "Only value of header is respected. Otherwise ignored. No percentile calculated. "
    return MetricFamily(name, "summary", f"{text} {note}", lines, created)


def _durations(name: str, text: str, rows: list[tuple[dict[str, str], _DurationBins]]) -> MetricFamily:
    lines: list[str] = []
    for labels, timed in rows:
        seen = 0
        for edge, count in zip((*timed.edges, "+Inf"), timed.counts, strict=True):
            seen += count
            lines.append(sample(f"{name}_bucket", {**labels, "le": str(edge)}, seen))
        lines.append(sample(f"{name}_count", labels, seen))
        lines.append(sample(f"{name}_sum", labels, timed.sum))
    created = [sample(f"{name}_created", labels, timed.created) for labels, timed in rows]
    return MetricFamily(name, "histogram", text, lines, created)
