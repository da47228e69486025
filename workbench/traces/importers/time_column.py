"""The unit of numeric times: stated, by size, by the format's definition, or by a plausible rate."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base import Message, message
from workbench.traces.columns import Floats
from workbench.traces.io.import_report import ImportReport
from workbench.traces.io.source_file import Source, shown_names

DAYS = "days"
TICKS = "100 ns"
MS_PER = {"ns": 1e-6, TICKS: 1e-4, "us": 1e-3, "ms": 1.0, "s": 1000.0, DAYS: 86_400_000.0}
"""Milliseconds of one unit; days are those of spreadsheets, ticks those of Windows and .NET."""

_SINCE_1970 = (("s", 1e9, 4.2e9), ("ms", 1e12, 4.2e12), ("us", 1e15, 4.2e15), ("ns", 1e18, 4.2e18))
"""Numbers of these sizes count from 1970: the years 2001 to 2103."""
_TICKS = ((1.26e17, 1.58e17), (6.3e17, 6.63e17))
"""Ticks since 1601 (Windows) and since the year 1 (.NET), of the years 2000 to 2100."""
_SERIAL_DAYS = (36_526.0, 73_415.0)
"""Spreadsheet days of the years 2000 to 2100."""
_OFF_SECOND = 0.06
"""Seconds by which six decimals of a day may be off."""
_DAY_S = 86_400
_NAMED = re.compile(
    r"(?:^|[_\s.(\[-])(?:(?P<ns>ns|nanos?|nanoseconds|unixnano)|(?P<us>us|µs|micros?|microseconds)"
    r"|(?P<ms>ms|millis?|milliseconds)|(?P<s>s|secs?|seconds))[)\]]?$",
    re.IGNORECASE,
)
_FEWEST_TIMES = 10
PLAUSIBLE_RPS = (1e-3, 1e4)
"""Mean rates that a service may have; 3,000 requests over 3.5 million seconds show that ms were read as s."""
_AT_ONCE_RPS = 1e3
"""A higher mean rate is doubted if the whole trace lasts less than a second."""

Times = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TimeColumn:
    """A column of times and the sources of its unit.

    Args:
        source: the file, for refusals.
        report: notes the unit and its reason.
        field: the column's name.
        defined: the unit that the format defines; None if it leaves that open.
        asked: the unit that the user stated.
        dates: times are dates, given in ns since 1970.
    """

    source: Source
    report: ImportReport
    field: str
    defined: str | None = None
    asked: str | None = None
    dates: bool = False

    def milliseconds(self, times: Times) -> Floats:
        """Return the times in ms from the earliest.

        Raises:
            Refusal: no unit gives a rate that a service can have.
        """
        if not len(times):
            return np.zeros(0, np.float64)
        unit = "ns" if self.dates else self.unit(times)
        if self.dates:
            self.report.note(message("traces.dates_in_utc"))
        relative = (times - times.min()).astype(np.float64)
        ms: Floats = relative * MS_PER[unit]
        if unit == DAYS and _on_seconds(times):
            seconds = np.rint(times.astype(np.float64) * _DAY_S)
            ms = (seconds - seconds.min()) * 1000
        return ms

    def unit(self, times: Times) -> str:
        """Find the unit of these times; the report notes its reason.

        Raises:
            Refusal: no unit gives a rate that a service can have.
        """
        if self.asked is not None:
            self._note(message("traces.unit_asked", column=self._shown, unit=self.asked))
            return self.asked
        unit = unit_since_1970(times)
        if unit is not None:
            self._note(message("traces.unit_since_1970", column=self._shown, unit=unit))
            return unit
        if any(low <= times.min() and times.max() <= high for low, high in _TICKS):
            self._note(message("traces.unit_ticks", column=self._shown))
            return TICKS
        if _on_seconds(times):
            self._note(message("traces.unit_serial_days", column=self._shown))
            return DAYS
        named = unit_named(self.field)
        stated = self.defined or named
        if stated is None:
            return self._inferred(times)
        self._check(times, stated)
        kind = self.defined is not None
        self._note(
            message("traces.unit_defined", column=self._shown, unit=stated)
            if kind
            else message("traces.unit_named", column=self._shown, unit=stated)
        )
        return stated

    def _check(self, times: Times, unit: str) -> None:
        """Refuse a unit that makes the rate too high; warn of one that makes it too low."""
        rate = mean_rps(times, unit)
        if rate is None:
            return
        others = [other for other in ("s", "ms", "us", "ns") if other != unit and _likely(times, other)]
        column, shown = self._shown, _figure(rate)
        if rate > PLAUSIBLE_RPS[1] or _all_at_once(times, rate):
            if others:
                better = self._better(times, others[0])
                self.source.refuse(
                    message("traces.rate_too_high_in", column=column, unit=unit, rate=shown, better=better)
                )
            self.source.refuse(message("traces.rate_too_high", column=column, unit=unit, rate=shown))
        elif rate < PLAUSIBLE_RPS[0]:
            self.report.warn(message("traces.rate_low", column=column, unit=unit, rate=shown))

    def _better(self, times: Times, unit: str) -> Message:
        return message("traces.better_unit", unit=unit, rate=_figure(mean_rps(times, unit) or 0.0))

    def _inferred(self, times: Times) -> str:
        """Find a unit for relative times without a defined one: the first with a plausible rate."""
        head = times[:1000]
        # Whole numbers far larger than their count are rarely seconds: at ten a second they are 0.1 apart.
        in_ms = bool(np.all(head == np.floor(head))) and float(times.max()) > 10 * len(times)
        order = ("ms", "s", "us", "ns") if in_ms else ("s", "ms", "us", "ns")
        few = len(times) < _FEWEST_TIMES
        found = [unit for unit in order if _likely(times, unit, fewest=2)]
        if not found and not few and mean_rps(times, "s") is not None:
            if _may_be_days(times):
                self._note(message("traces.unit_serial_days", column=self._shown))
                return DAYS
            rate = _figure(mean_rps(times, "s") or 0.0)
            self.source.refuse(message("traces.unit_unknown", column=self._shown, rate=rate))
        unit = found[0] if found else order[0]
        self._say_guess(times, unit, found[1:])
        return unit

    def _say_guess(self, times: Times, unit: str, others: list[str]) -> None:
        rate = mean_rps(times, unit, fewest=2)
        if rate is None:
            self._note(message("traces.unit_of_one_time", column=self._shown, unit=unit))
        elif others:
            guess = message(
                "traces.unit_guessed",
                column=self._shown,
                unit=unit,
                rate=_figure(rate),
                better=message(
                    "traces.better_unit",
                    unit=others[0],
                    rate=_figure(mean_rps(times, others[0], fewest=2) or 0.0),
                ),
            )
            self.report.warn(guess)
        else:
            self._note(message("traces.unit_by_rate", column=self._shown, unit=unit, rate=_figure(rate)))

    @property
    def _shown(self) -> str:
        return shown_names([self.field])

    def _note(self, said: Message) -> None:
        self.report.note(said)


def unit_since_1970(times: Times) -> str | None:
    """Return the unit of times that count from 1970, by their size; None if they count from elsewhere."""
    low, high = float(times.min()), float(times.max())
    return next((unit for unit, least, most in _SINCE_1970 if least <= low and high <= most), None)


def unit_named(field: str) -> str | None:
    """Return the unit at the end of a column's name: `at_ms`, `Time (s)`, `startTimeUnixNano`."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", field.strip())
    found = _NAMED.search(snake)
    return None if found is None else next(unit for unit, text in found.groupdict().items() if text)


def mean_rps(times: Times, unit: str, *, fewest: int = _FEWEST_TIMES) -> float | None:
    """Return the mean rate if times are in `unit`; None if there are too few times."""
    span = float(np.ptp(times)) if len(times) >= fewest else 0.0
    return (len(times) - 1) / (span * MS_PER[unit] / 1000) if span > 0 else None


def _likely(times: Times, unit: str, *, fewest: int = _FEWEST_TIMES) -> bool:
    """Check whether a service can have the mean rate that this unit gives."""
    rate = mean_rps(times, unit, fewest=fewest)
    return rate is not None and PLAUSIBLE_RPS[0] <= rate <= PLAUSIBLE_RPS[1] and not _all_at_once(times, rate)


def _all_at_once(times: Times, rate: float) -> bool:
    """Check whether a trace of fractional times is over within a second: seconds that were read as ms."""
    return rate > _AT_ONCE_RPS and len(times) < rate and bool(np.any(times != np.floor(times)))


def _may_be_days(times: Times) -> bool:
    """Check whether these can be spreadsheet days with times of day."""
    low, high = _SERIAL_DAYS
    return bool(low <= times.min() and times.max() <= high and np.any(times != np.floor(times)))


def _on_seconds(times: Times) -> bool:
    """Check whether these are spreadsheet days on whole seconds, which is too exact to be chance."""
    if len(times) < 3 or not _may_be_days(times) or np.all(np.abs(times * 100 - np.rint(times * 100)) < 1e-6):
        return False
    seconds = times.astype(np.float64) * _DAY_S
    return bool(np.all(np.abs(seconds - np.rint(seconds)) < _OFF_SECOND))


def _figure(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 1000 else f"{rate:.3g}"
