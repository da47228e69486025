"""One run of another load generator; unmeasured figures are None."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from workbench.base import Message, Place, Record, Refusal, message
from workbench.results.figures.drift import Drift
from workbench.results.figures.request_columns import LARGEST
from workbench.results.percentiles import QUANTILES, Distribution, sample_floor

SERIES = ("ttft_ms", "itl_ms", "event_gap_ms", "tpot_ms", "e2e_ms", "client_delay_ms", "admission_wait_ms")
"""Our latency series that at least one tool has under some name."""


class PeerCounts(Record, frozen=True, kw_only=True):
    """Requests by outcome, as far as the tool distinguishes them."""

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
    """The name that the tool or its user gave the run."""
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
    """Completed within the objectives; None: single requests are unknown."""
    drift: Drift | None = None
    series: dict[str, Distribution] = msgspec.field(default_factory=dict)
    """Latency series by our names (`SERIES`)."""
    tokens: dict[str, Distribution] = msgspec.field(default_factory=dict)
    """`input_tokens` and `output_tokens`, if single requests are known."""
    differs: list[Message] = msgspec.field(default_factory=list)
    """Differences in the meaning of figures that have the names of ours."""

    @property
    def measured_by(self) -> str:
        """The tool with its version."""
        return self.tool if self.version is None else f"{self.tool} {self.version}"


def stated_distribution(n: int | None, figures: dict[str, float | None]) -> Distribution:
    """Return figures that a tool states; a percentile of fewer requests than ours needs is left out."""
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


# Typed reads of a result file; a value of another kind is refused with its place.


@dataclass(frozen=True, slots=True)
class ResultFields:
    """One object of a result file; `where` is its file and path, for messages."""

    content: Mapping[str, Any]
    where: str

    def _place(self, name: str) -> Place:
        return Place(file=self.where, key=name)

    def number(self, name: str, *, unit: float = 1.0) -> float | None:
        """Return a finite number times `unit`; None: missing or null.

        Raises:
            Refusal: another kind of value.
        """
        value = self.content.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not _fits(value):
            raise Refusal("peers.not_a_number", self._place(name), given=_kind_of(value))
        if value < 0:
            raise Refusal("base.too_small", self._place(name), value=value, minimum=0)
        if value * unit > LARGEST:
            raise Refusal("peers.too_large", self._place(name), value=value, most=LARGEST / unit)
        return float(value) * unit

    def count(self, name: str) -> int | None:
        """Return a whole number from 0; None: missing or null.

        Raises:
            Refusal: another kind of value.
        """
        value = self.number(name)
        if value is not None and (value < 0 or value != int(value)):
            raise Refusal("peers.not_a_count", self._place(name), value=value)
        return None if value is None else int(value)

    def needed_count(self, name: str) -> int:
        """Return a whole number from 0 that must be there.

        Raises:
            Refusal: missing, or another kind of value.
        """
        value = self.count(name)
        if value is None:
            raise Refusal("base.missing_key", Place(file=self.where), key=name)
        return value

    def text(self, name: str) -> str | None:
        """Return a text that is not empty; None: anything else. Lone surrogates become ?."""
        value = self.content.get(name)
        return value.encode(errors="replace").decode() if isinstance(value, str) and value else None

    def numbers(self, name: str) -> list[float]:
        """Return a list of finite numbers; empty: missing.

        Raises:
            Refusal: another kind of value.
        """
        values = self.content.get(name) or []
        good = isinstance(values, list) and all(
            isinstance(each, int | float) and not isinstance(each, bool) and _fits(each) for each in values
        )
        if not good or any(abs(each) > LARGEST for each in values):
            raise Refusal("peers.not_numbers", self._place(name), most=LARGEST)
        return [float(each) for each in values]

    def items(self, name: str) -> Sequence[Any]:
        """Return a list of anything; empty: missing.

        Raises:
            Refusal: another kind of value.
        """
        values = self.content.get(name) or []
        if not isinstance(values, list):
            raise Refusal("peers.not_a_list", self._place(name), given=_kind_of(values))
        return values

    def each(self, name: str) -> list["ResultFields"]:
        """Return the objects of a list; empty: missing.

        Raises:
            Refusal: another kind of value, or of entry.
        """
        places = [(f"{self.where}.{name}[{number}]", each) for number, each in enumerate(self.items(name))]
        for place, each in places:
            if not isinstance(each, Mapping):
                raise Refusal("peers.not_an_object", Place(file=place), given=_kind_of(each))
        return [ResultFields(each, place) for place, each in places]

    def inner(self, *path: str) -> "ResultFields":
        """Return the object at `path`; an empty one if it is missing or null.

        Raises:
            Refusal: another kind of value on the way.
        """
        content: Any = self.content
        where = self.where
        for name in path:
            content = content.get(name) or {}
            where = f"{where}.{name}"
            if not isinstance(content, Mapping):
                raise Refusal("peers.not_an_object", Place(file=where), given=_kind_of(content))
        return ResultFields(content, where)


_KINDS = {
    str: message("peers.text"),
    list: message("peers.list"),
    dict: message("peers.object"),
    bool: message("peers.boolean"),
}


def _kind_of(value: object) -> Message | str:
    """Return the kind of a value, never the value: it may be a prompt."""
    return _KINDS.get(type(value), type(value).__name__)


def _fits(value: float) -> bool:
    """Return whether a number is finite as a float; JSON's whole numbers may have hundreds of digits."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
