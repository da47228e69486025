"""Calibration of the load generator: its own error, measured against a server that only keeps time."""

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import msgspec
import numpy as np

from workbench.base import UNREADABLE, WorkFailure, own_module, start_process
from workbench.load.calibration.rates import (
    TOKENS_A_REQUEST,
    CalibrationRate,
    RateSpan,
    Truth,
    better_of,
    level_of,
    limit_of,
    limited_by,
    path_of,
    rate_spans,
    shaky,
)
from workbench.load.options import LoadOptions
from workbench.load.run import LOCAL_WORKERS, WorkerHost, run_load
from workbench.load.target import Target
from workbench.results.run_records import LoadSnapshot, RequestRecord
from workbench.traces import Schedule, Trace, synthetic_trace

CALIBRATION_RATES = (1_000, 5_000, 10_000, 20_000, 40_000, 80_000)
"""Output tokens per second."""
QUICK_RATES = (1_000, 10_000, 40_000)
QUICK_S = 1.5
QUICK_TAKES_S = 14.0
"""Wall seconds of `calibrate_quickly`, about: its rates, the warm-up, the start of a server and workers."""
_HOPELESS_DELAY_MS = 100.0
_PROMPT_TOKENS = 64
NULL_SERVER = Path(__file__).with_name("null_server.py")
_NULL_SERVER_COMMAND = own_module("workbench.load.calibration.null_server")
_FIRST_LOOK_S, _TRUTH_S = 15.0, 60.0
"""Patience for the first and the last answer; the last is long."""
_DRAIN_S = 5.0
"""Drain after the last rate."""
_START_S, _END_S = 30.0, 3.0
_SELF = "null"


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Measurement resolution of this client, and the rate up to which it holds."""

    client_delay_p99_ms: float | None
    """This and both resolutions: None if the lowest rate had too few answers."""
    ttft_floor_ms: float | None
    """Smaller differences of TTFT are the client's own error (its p99 at the lowest rate)."""
    itl_floor_ms: float | None
    """The same for a request's mean gap."""
    limit_tokens_per_s: float
    """Highest rate up to which all tried rates hold; 0: none does."""
    limited_by: str
    """`client`, `null server`, or `nothing` up to the highest rate tried."""
    workers: int
    cpu_us_per_token: float | None
    """Processor time of all workers; None: too few tokens for the system's clock."""
    remote: bool
    path_ms: float | None = None
    """Time that the path to the null server adds to every TTFT (median at the lowest rate); None: no path."""
    levels: list[CalibrationRate]


async def calibrate(
    *,
    url: str | None = None,
    workers: int | None = None,
    levels: Sequence[float] = CALIBRATION_RATES,
    seconds: float = 3.0,
    on_snapshot: Callable[[LoadSnapshot], None] = lambda _: None,
    worker_host: WorkerHost = LOCAL_WORKERS,
) -> Calibration:
    """Measure a null server at rising token rates, at least `seconds` each, on this machine or at `url`.

    A null server at `url` (see `nullserver`) calibrates the path to it too, tunnel included. `hire` starts
    the load workers, on this machine or another.

    Raises:
        WorkFailure: the null server doesn't start or doesn't answer.
    """
    stairs = rate_spans(sorted(levels), seconds)
    async with AsyncExitStack() as stack:
        address = url if url is not None else await stack.enter_async_context(_OwnServer())
        # Check first that it is a null server: another one must get no load.
        await _truth(address, patience_s=_FIRST_LOOK_S)
        # Load workers elsewhere run beside the null server, as those here run beside our own.
        path = url is not None and worker_host is LOCAL_WORKERS
        run = await _run_rates(address, workers, stairs, on_snapshot, worker_host, path=path)
        found = run.levels
        if shaky(levels, found):
            # A pause of the machine at a low rate is not the client's: measure again.
            run = await _run_rates(address, workers, stairs, on_snapshot, worker_host, path=path)
            found = better_of(found, run.levels)
    if not found:
        raise WorkFailure("load.nothing_answered", url=address)
    return _judged(levels, found, run, remote=url is not None)


def _judged(
    levels: Sequence[float], found: list[CalibrationRate], run: "_RateRun", *, remote: bool
) -> Calibration:
    """Take the resolution from the lowest rate, and the limit from the highest rate that holds."""
    return Calibration(
        client_delay_p99_ms=found[0].client_delay_p99_ms,
        ttft_floor_ms=found[0].ttft_error_p99_ms,
        itl_floor_ms=found[0].itl_error_p99_ms,
        limit_tokens_per_s=limit_of(levels, found),
        limited_by=limited_by(found),
        workers=run.workers,
        cpu_us_per_token=run.cpu_us_per_token,
        remote=remote,
        path_ms=run.path_ms,
        levels=found,
    )


async def calibrate_quickly(url: str | None = None, worker_host: WorkerHost = LOCAL_WORKERS) -> Calibration:
    """Calibrate at fewer rates.

    Raises:
        WorkFailure: as `calibrate`.
    """
    return await calibrate(url=url, levels=QUICK_RATES, seconds=QUICK_S, worker_host=worker_host)


class _RateRun(msgspec.Struct, frozen=True):
    """Result of one load over all rates."""

    levels: list[CalibrationRate]
    workers: int
    cpu_us_per_token: float | None
    path_ms: float | None


async def _run_rates(
    address: str,
    workers: int | None,
    stairs: Sequence[RateSpan],
    on_snapshot: Callable[[LoadSnapshot], None],
    worker_host: WorkerHost,
    *,
    path: bool,
) -> _RateRun:
    schedule, trace = _workload(stairs)
    records: list[RequestRecord] = []
    stop = asyncio.Event()

    def watch(snapshot: LoadSnapshot) -> None:
        if (snapshot.client_delay_p99_ms or 0.0) > _HOPELESS_DELAY_MS:
            stop.set()
        on_snapshot(snapshot)

    options = LoadOptions(workers=workers, continuous_usage=True, drain_s=_DRAIN_S, warmup_s=1.0)
    target = Target(url=address, model=_SELF)
    outcome = await run_load(
        target, trace, schedule, options,
        on_records=records.extend, on_snapshot=watch, stop=stop, worker_host=worker_host,
    )  # fmt: skip
    truth = {entry.id: entry for entry in await _truth(address) if entry.whole}
    measured = sorted((r for r in records if r.phase == "measured"), key=lambda r: r.index)
    path_ms = path_of(stairs[0], measured, truth) if path else None
    found = [level for stair in stairs if (level := level_of(stair, measured, truth, path_ms or 0.0))]
    tokens = sum(record.tokens or 0 for record in records)
    spent = outcome.cpu_s / tokens * 1e6 if tokens and outcome.cpu_s > 0 else None
    return _RateRun(found, outcome.workers, spent, path_ms)


def _workload(stairs: Sequence[RateSpan]) -> tuple[Schedule, Trace]:
    """Return the requests of all rates, one rate after the other."""
    due = [stair.due_s() for stair in stairs]
    outputs = np.repeat([stair.tokens_a_request for stair in stairs], [len(part) for part in due])
    count = len(outputs)
    schedule = Schedule(
        due_s=np.concatenate(due), rows=np.arange(count), length_s=stairs[-1].end_s, trace_rows=count
    )
    trace = synthetic_trace(_PROMPT_TOKENS, TOKENS_A_REQUEST, count)
    return schedule, dataclasses.replace(trace, output_length=outputs.astype(np.int64))


async def _truth(url: str, *, patience_s: float = _TRUTH_S) -> list[Truth]:
    """Return the send times of the null server at `url`.

    Raises:
        WorkFailure: it is not a null server, or doesn't answer.
    """
    import httpx  # noqa: PLC0415 - workers import this room too, and never need it

    try:
        async with (
            asyncio.timeout(patience_s),
            httpx.AsyncClient(timeout=patience_s, trust_env=False) as client,
        ):
            answer = await client.get(url.rstrip("/") + "/truth")
        return msgspec.json.decode(answer.content, type=list[Truth])
    except (TimeoutError, httpx.TimeoutException) as error:
        raise WorkFailure("load.no_truth_in_time", url=url, seconds=patience_s) from error
    except (httpx.HTTPError, httpx.InvalidURL, *UNREADABLE) as error:
        said = str(error) or type(error).__name__
        raise WorkFailure(
            "load.not_a_null_server", url=url, cause=said, file=NULL_SERVER.name, path=str(NULL_SERVER)
        ) from error


class _OwnServer:
    """A null server on this machine while the context lasts; gives its address."""

    async def __aenter__(self) -> str:
        self._process = await start_process(
            *_NULL_SERVER_COMMAND,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        line = await self._first_line()
        if not line.startswith("listening on "):
            await self._end(0.0)
            raise WorkFailure("load.null_server_not_started")
        return line.removeprefix("listening on ").strip()

    async def _first_line(self) -> str:
        """Return its first line, or nothing if none came; on a cancellation end the process at once."""
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
        """Close its standard input, with which it ends; kill it if it hangs."""
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
