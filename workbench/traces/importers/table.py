"""CSV by columns.

Chunks of a table, checked column by column, with file, line and field in every complaint.
"""

import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.traces.arrays import Bools, Floats, Ints
from workbench.traces.limits import MAX_ROWS, MAX_TIME_MS, MAX_TOKENS
from workbench.traces.source import Source, shown_names

if TYPE_CHECKING:
    import pandas as pd

_CHUNK_ROWS = 65_536
_WIDE_CHUNK_ROWS = 2_048
_HARMLESS = frozenset("0123456789+-.:eETZ ")
"""Values of these characters may be repeated in a message; anything else may be somebody's text."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Some rows of a CSV; the frame's index counts rows of the file from 0, blank lines included."""

    source: Source
    frame: "pd.DataFrame"

    def __len__(self) -> int:
        return len(self.frame)

    def line(self, row: int) -> int:
        """The file's line of a row, counting the header's as 1."""
        return 2 + int(self.frame.index[row])

    def fail(self, row: int, name: str, problem: str) -> None:
        """End the import with file, line and field."""
        value = str(self.frame[name].iloc[row])
        shown = f" ({value})" if 0 < len(value) <= 40 and _HARMLESS.issuperset(value) else ""
        self.source.fail(f"field {name}: {problem}{shown}", line=self.line(row))

    def require(self, good: Bools, name: str, problem: str) -> None:
        """Fail at the first row that isn't good."""
        if not good.all():
            self.fail(int(np.argmin(good)), name, problem)

    def numbers(self, name: str) -> Floats:
        """A column of finite numbers."""
        values = self.numbers_or_nan(name)
        self.require(np.isfinite(values), name, "not a finite number")
        return values

    def numbers_or_nan(self, name: str) -> Floats:
        """A column of numbers, NaN where there is none."""
        values: Floats = _pandas().to_numeric(self.frame[name], errors="coerce").to_numpy(np.float64)
        return values

    def tokens(self, name: str) -> Ints:
        """A column of token counts from 0 to the most a trace may hold."""
        column = self.frame[name]
        values = column.to_numpy() if column.dtype == np.int64 else self.numbers(name)
        self.require(values >= 0, name, "a negative number of tokens")
        self.require(values <= MAX_TOKENS, name, f"more than {MAX_TOKENS} tokens")
        self.require(values == np.floor(values), name, "not a whole number of tokens")
        return values.astype(np.int64)

    def instants(self, name: str) -> Ints:
        """A column of dates with times as ns since 1970; without a zone they are read as UTC."""
        text = self.frame[name].astype(str)
        times = _pandas().to_datetime(text, format="ISO8601", utc=True, errors="coerce")
        self.require(
            times.notna().to_numpy(), name, "not a date with a time such as 2023-11-16 18:17:03.9799600"
        )
        instants: Ints = times.dt.tz_localize(None).to_numpy("datetime64[ns]").view(np.int64)
        return instants

    def seconds(self, name: str) -> Floats:
        """A column of times as numbers of seconds."""
        values = self.numbers(name)
        self.require(np.abs(values) <= MAX_TIME_MS / 1000, name, "not a time in seconds")
        return values


def read_tables(source: Source, columns: Sequence[str], *, wide: bool = False) -> Iterator[Table]:
    """A CSV, a bounded number of rows at a time.

    `wide` reads no more than these columns, for tables that may hold whole texts; fields too many then pass.

    Raises:
        InputError: a column is missing, a row has too many fields, or a problem of the file itself.
    """
    pandas = _pandas()
    settings: dict[str, Any] = {"chunksize": _CHUNK_ROWS, "na_filter": False, "skip_blank_lines": False}
    settings |= {"index_col": False, "encoding": "utf-8"}
    if wide:
        settings |= {
            "usecols": lambda name: name.strip() in columns,
            "dtype": str,
            "chunksize": _WIDE_CHUNK_ROWS,
        }
    with warnings.catch_warnings():
        warnings.simplefilter("error", pandas.errors.ParserWarning)
        warnings.simplefilter("ignore", pandas.errors.DtypeWarning)
        try:
            for frame in pandas.read_csv(io.BufferedReader(source.open()), **settings):
                yield from _table(source, frame, columns)
        except pandas.errors.ParserWarning:
            source.fail("more fields than the header has columns", line=2)
        except (pandas.errors.ParserError, pandas.errors.EmptyDataError, ValueError) as error:
            source.fail(f"not a table: {_one_line(error)}")


def _table(source: Source, frame: "pd.DataFrame", columns: Sequence[str]) -> Iterator[Table]:
    frame.columns = frame.columns.str.strip()
    for name in columns:
        if name not in frame.columns:
            source.fail(f"no column {name} (it has {shown_names(list(frame.columns))})", line=1)
    blank = (frame.isna() | (frame == "")).all(axis=1).to_numpy()
    kept = frame[~blank] if blank.any() else frame
    if len(kept):
        if kept.index[-1] >= MAX_ROWS:
            source.fail(f"more than {MAX_ROWS:,} rows")
        yield Table(source=source, frame=kept)


def _pandas() -> Any:
    """Loaded only where a CSV is read: it takes longer than all else, and load workers never need it."""
    import pandas  # noqa: ICN001, PLC0415 - see above

    return pandas


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).removeprefix("Error tokenizing data. C error: ").split())
