"""What this machine's load generator can resolve: its own error against a server that only keeps time."""

import asyncio
import itertools
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from workbench.base import UNREADABLE, WorkbenchError
from workbench.load.options import LoadOptions
from workbench.load.run import run_load
from workbench.load.target import Target
from workbench.results.records import LoadSnapshot, RequestRecord
from workbench.traces import Schedule, synthetic_trace

TOKENS_A_REQUEST = 64
LEVELS = (1_000, 5_000, 10_000, 20_000, 40_000, 80_000)
"""Output tokens per second."""
QUICK_LEVELS = (1_000, 10_000, 40_000)
QUICK_S = 1.5
QUICK_TAKES_S = 8.0
"""Wall seconds of `calibrate_quickly`, about: its rates, the warm-up, the start of a server and workers."""
MOST_ERROR_MS = 5.0
"""Where the error of TTFT passes this at its 99th percentile, the client is at its limit."""
_SERVER_LATE_MS = 5.0
"""Where the null server is itself later than this, an error may be its own doing."""
_HOPELESS_DELAY_MS = 100.0
_PROMPT_TOKENS = 64
_NULL_SERVER = Path(__file__).with_name("nullserver.py")
_FIRST_LOOK_S, _TRUTH_S = 15.0, 60.0
"""For the whole answer, which is long after a load."""
_START_S, _END_S = 30.0, 3.0
_THERE = f"python {_NULL_SERVER.name} --host 0.0.0.0 --port 9000 (this one file: {_NULL_SERVER})"
_SELF = "null"


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """The client's own error at one token rate; milliseconds."""

    tokens_per_s: float
    requests: int
    client_delay_p50_ms: float
    client_delay_p99_ms: float
    ttft_error_p50_ms: float
    """From due, less what the server knows of itself."""
    ttft_error_p99_ms: float
    itl_error_p50_ms: float
    """Of a request's mean gap."""
    itl_error_p99_ms: float
    server_late_p99_ms: float
    holds: bool
    """The error is within its bound, and the requests were answered."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """The floor below which this client can't tell a difference, and the rate up to which it holds."""

    client_delay_p99_ms: float
    ttft_floor_ms: float
    """Differences of TTFT below this are the client's own (p99 of its error at the lowest rate)."""
    itl_floor_ms: float
    """The same of a request's mean gap."""
    limit_tokens_per_s: float
    """The highest rate up to which every rate tried held; 0: none did."""
    limited_by: str
    """`client`, `null server`, or `nothing` up to the highest rate tried."""
    workers: int
    cpu_us_per_token: float | None
    """Of all workers; None: too few tokens for the system's clock of processor time."""
    remote: bool
    levels: list[Level]


async def calibrate(
    *,
    url: str | None = None,
    workers: int | None = None,
    levels: Sequence[float] = LEVELS,
    seconds: float = 3.0,
    on_snapshot: Callable[[LoadSnapshot], None] = lambda _: None,
) -> Calibration:
    """Measure a null server at rising token rates, `seconds` each, on this machine or at `url`.

    A null server at `url` (see `nullserver`) calibrates the path to it too, tunnel included.

    Raises:
        WorkbenchError: the null server doesn't start or doesn't answer.
    """
    levels = sorted(levels)
    async with AsyncExitStack() as stack:
        address = url if url is not None else await stack.enter_async_context(_OwnServer())
        # Before a load is put on what may be somebody's server.
        await _truth(address, patience_s=_FIRST_LOOK_S)
        climb = await _climb(address, workers, levels, seconds, on_snapshot)
        found = climb.levels
        if shaky(levels, found):
            # A pause of the machine at a low rate says nothing of the client: what it can do is asked again.
            climb = await _climb(address, workers, levels, seconds, on_snapshot)
            found = _better(found, climb.levels)
    if not found:
        raise WorkbenchError(f"calibration: {address} answered no request")
    return Calibration(
        client_delay_p99_ms=found[0].client_delay_p99_ms,
        ttft_floor_ms=found[0].ttft_error_p99_ms,
        itl_floor_ms=found[0].itl_error_p99_ms,
        limit_tokens_per_s=limit_of(levels, found),
        limited_by=_limited_by(found),
        workers=climb.workers,
        cpu_us_per_token=climb.cpu_us_per_token,
        remote=url is not None,
        levels=found,
    )


async def calibrate_quickly() -> Calibration:
    """This machine alone, in a few seconds: fewer rates and requests, and so a rougher floor.

    Raises:
        WorkbenchError: as `calibrate`.
    """
    return await calibrate(levels=QUICK_LEVELS, seconds=QUICK_S)


def limit_of(levels: Sequence[float], found: Sequence[Level]) -> float:
    """The highest of the rates tried up to which every one held; 0: not even the lowest did.

    A rate that held above one that didn't proves a pause of the machine, not a faster client.
    """
    holds = {level.tokens_per_s: level.holds for level in found}
    held = list(itertools.takewhile(lambda rate: holds.get(rate, False), sorted(levels)))
    return held[-1] if held else 0.0


def shaky(levels: Sequence[float], found: Sequence[Level]) -> bool:
    """Whether a rate above the limit held, so that something else made the lower one late."""
    limit = limit_of(levels, found)
    return any(level.holds and level.tokens_per_s > limit for level in found)


def _better(first: Sequence[Level], second: Sequence[Level]) -> list[Level]:
    """Of each rate the try with the smaller error; one that did not hold gives way to one that did."""
    tries: dict[float, list[Level]] = {}
    for level in (*first, *second):
        tries.setdefault(level.tokens_per_s, []).append(level)
    return [
        min(tries[rate], key=lambda level: (not level.holds, level.ttft_error_p99_ms))
        for rate in sorted(tries)
    ]


class _Climb(msgspec.Struct, frozen=True):
    """One replay of all rates."""

    levels: list[Level]
    workers: int
    cpu_us_per_token: float | None


async def _climb(
    address: str,
    workers: int | None,
    levels: Sequence[float],
    seconds: float,
    on_snapshot: Callable[[LoadSnapshot], None],
) -> _Climb:
    schedule = _staircase(levels, seconds)
    trace = synthetic_trace(_PROMPT_TOKENS, TOKENS_A_REQUEST, len(schedule))
    records: list[RequestRecord] = []
    stop = asyncio.Event()

    def watch(snapshot: LoadSnapshot) -> None:
        if (snapshot.client_delay_p99_ms or 0.0) > _HOPELESS_DELAY_MS:
            stop.set()
        on_snapshot(snapshot)

    options = LoadOptions(workers=workers, continuous_usage=True, drain_s=5.0, warmup_s=1.0)
    target = Target(url=address, model=_SELF)
    outcome = await run_load(
        target, trace, schedule, options, on_records=records.extend, on_snapshot=watch, stop=stop
    )
    truth = {entry["id"]: entry for entry in await _truth(address) if "last" in entry}
    measured = sorted((r for r in records if r.phase == "measured"), key=lambda r: r.index)
    found = [
        level
        for number, rate in enumerate(levels)
        if (level := _level(rate, measured, truth, number * seconds, (number + 1) * seconds))
    ]
    tokens = sum(record.tokens or 0 for record in records)
    spent = outcome.cpu_s / tokens * 1e6 if tokens and outcome.cpu_s > 0 else None
    return _Climb(found, outcome.workers, spent)


def _staircase(levels: Sequence[float], seconds: float) -> Schedule:
    """Evenly spaced requests, faster with each step."""
    due = np.concatenate(
        [
            number * seconds + np.arange(0, seconds, TOKENS_A_REQUEST / rate)
            for number, rate in enumerate(levels)
        ]
    )
    return Schedule(due_s=due, rows=np.arange(len(due)), length_s=len(levels) * seconds, trace_rows=len(due))


def _level(
    rate: float,
    records: Sequence[RequestRecord],
    truth: dict[str, dict[str, float]],
    begin_s: float,
    end_s: float,
) -> Level | None:
    answered = [
        (record, truth[record.request_id])
        for record in records
        if begin_s <= record.due < end_s and record.last_token is not None and record.request_id in truth
    ]
    if not answered:
        return None
    delay, ttft, gap, late = _errors(answered).T
    ttft_p99 = float(np.percentile(ttft, 99))
    late_p99 = float(np.percentile(late, 99))
    asked = round((end_s - begin_s) * rate / TOKENS_A_REQUEST)
    return Level(
        tokens_per_s=rate,
        requests=len(answered),
        client_delay_p50_ms=float(np.median(delay)),
        client_delay_p99_ms=float(np.percentile(delay, 99)),
        ttft_error_p50_ms=float(np.median(ttft)),
        ttft_error_p99_ms=ttft_p99,
        itl_error_p50_ms=float(np.median(gap)),
        itl_error_p99_ms=float(np.percentile(gap, 99)),
        server_late_p99_ms=late_p99,
        holds=ttft_p99 <= MOST_ERROR_MS and len(answered) >= 0.9 * asked,
    )


def _errors(answered: Sequence[tuple[RequestRecord, dict[str, float]]]) -> NDArray[np.float64]:
    """One row a request: client delay, error of TTFT, error of the mean gap, the server's lateness; ms."""
    rows = []
    for record, true in answered:
        assert record.sent is not None
        assert record.released is not None
        assert record.first_token is not None
        assert record.last_token is not None
        ttft = record.first_token - record.due - (true["first"] - true["request"])
        span = record.last_token - record.first_token - (true["last"] - true["first"])
        gaps = max(1, (record.tokens or 1) - 1)
        rows.append((record.sent - record.released, abs(ttft), abs(span) / gaps, true["late"]))
    return np.array(rows) * 1e3


def _limited_by(levels: Sequence[Level]) -> str:
    broken = next((level for level in levels if not level.holds), None)
    if broken is None:
        return "nothing"
    return "null server" if broken.server_late_p99_ms > _SERVER_LATE_MS else "client"


async def _truth(url: str, *, patience_s: float = _TRUTH_S) -> list[dict[str, Any]]:
    """What the null server at `url` says.

    Raises:
        WorkbenchError: it is none, or doesn't answer.
    """
    import httpx  # noqa: PLC0415 - workers import this room too, and never need it

    try:
        async with (
            asyncio.timeout(patience_s),
            httpx.AsyncClient(timeout=patience_s, trust_env=False) as client,
        ):
            answer = await client.get(url.rstrip("/") + "/truth")
        return msgspec.json.decode(answer.content, type=list[dict[str, Any]])
    except (TimeoutError, httpx.TimeoutException) as error:
        raise WorkbenchError(f"{url}/truth: no answer within {patience_s:g} s") from error
    except (httpx.HTTPError, httpx.InvalidURL, *UNREADABLE) as error:
        said = str(error) or type(error).__name__
        raise WorkbenchError(f"{url}: not a null server of ours ({said}); run there: {_THERE}") from error


class _OwnServer:
    """A null server on this machine for as long as the context lasts; gives its address."""

    async def __aenter__(self) -> str:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(_NULL_SERVER),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        line = await self._first_line()
        if not line.startswith("listening on "):
            await self._end(0.0)
            raise WorkbenchError("calibration: the null server didn't start")
        return line.removeprefix("listening on ").strip()

    async def _first_line(self) -> str:
        """Empty: it never came. Whoever is cancelled here never leaves the context: the process ends now."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(_START_S):
                return (await self._process.stdout.readline()).decode(errors="replace")
        except (TimeoutError, ValueError):
            return ""
        except BaseException:
            await self._end(0.0)
            raise

    async def __aexit__(self, *_: object) -> None:
        await self._end(_END_S)

    async def _end(self, patience_s: float) -> None:
        """It ends with its standard input; one that doesn't, as it hangs, is killed."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), patience_s)
        except BaseException as error:
            if self._process.returncode is None:
                with suppress(ProcessLookupError):
                    self._process.kill()
            await self._process.wait()
            if not isinstance(error, TimeoutError):
                raise
