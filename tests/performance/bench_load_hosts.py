"""Two load hosts against one: the same requests, in turns, at the truth server.

    python tests/performance/bench_load_hosts.py [--seconds 30] [--strict]

Two hosts are two workers of this machine, one with a clock that is 250 ms ahead. All of them are behind a
round trip of 20 ms: of orders and reports, and of connecting. Arms alternate (one, two, two, one), so that a
slow drift of the machine affects both alike. Requests are paired by their number: same prompt, same due time.
At 20 requests/s a p99 of 30 s is the sixth slowest request, so it is stated with its
bootstrap interval over blocks of requests. TTFT counts from the due time. The truth server logs when each
request came and when its first token left, so TTFT splits into the server's own and what the load generator
and the way added (*ours*). On a busy machine the server itself is late now and then, in one arm more than in
the other; *same arm again* shows by how much two runs of the same arm differ.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.performance.bench_load import build, serving
from tests.unit.load.hosts import Machine
from workbench.experiments.run.load_hosts import LoadWorkers
from workbench.load import LoadOptions, Target, run_load
from workbench.results import RequestRecord
from workbench.traces import open_loop, synthetic_trace

RATE = 20.0
AHEAD_S = 0.25
ROUND_TRIP_S = 0.02
ORDER = ("one", "two", "two", "one")
QUANTILES = (0.5, 0.99)
LIMITS_MS = {0.5: 1.0, 0.99: 3.0}
"""Largest difference between the arms' quantiles of TTFT."""
REPLICATES = 2000
BLOCK = 20
"""Requests drawn together: a second of the load."""

Floats = NDArray[np.float64]


def machines(arm: str) -> list[Machine]:
    """Return the arm's hosts."""
    here = Machine("near", round_trip_s=ROUND_TRIP_S)
    return [here] if arm == "one" else [here, Machine("far", AHEAD_S, ROUND_TRIP_S)]


async def replay(arm: str, port: int, requests: int) -> list[RequestRecord]:
    """Send the load from the arm's hosts; return the records by request number."""
    trace = synthetic_trace(50, 10, requests)
    records: list[RequestRecord] = []
    workers = LoadWorkers(machines(arm))
    await run_load(
        Target(url=f"http://127.0.0.1:{port}", model="truth"),
        trace,
        open_loop(trace, rate=RATE, arrivals="poisson", requests=requests),
        LoadOptions(workers=len(machines(arm)), continuous_usage=True, drain_s=20),
        on_records=records.extend,
        on_snapshot=lambda _: None,
        worker_host=workers.host,
    )
    for host in workers.outcome().hosts:
        off_ms = (host.clock_ahead_s - (AHEAD_S if host.name == "far" else 0)) * 1e3
        print(
            f"{arm}: clock of {host.name} off by {off_ms:+.2f} ms, stated ±{host.clock_error_ms or 0:.2f} ms"
        )
    return sorted((each for each in records if each.phase != "warmup"), key=lambda each: each.index)


def parts_ms(records: Sequence[RequestRecord], log: Path) -> dict[str, Floats]:
    """Return by request TTFT, the delay of its sending, the server's own TTFT, and what the client added."""
    rows = (line.split(",") for line in log.read_text().splitlines()[1:])
    own = {row[0]: (float(row[2]) - float(row[1])) * 1e3 for row in rows}
    ttft = np.array([((each.first_token or np.nan) - each.due) * 1e3 for each in records])
    client = np.array([((each.sent or np.nan) - each.due) * 1e3 for each in records])
    server = np.array([own.get(each.request_id, np.nan) for each in records])
    cold = np.array([np.nan if each.connect_ms is None else each.connect_ms for each in records])
    return {"TTFT": ttft, "client": client, "server": server, "ours": ttft - server, "cold": cold}


def difference(one: Floats, two: Floats, q: float) -> tuple[float, float, float]:
    """Return the difference of the arms' quantiles with its 95 % interval.

    The arms have the shape (repeats, requests).
    """
    rng = np.random.default_rng(0)
    blocks = one.shape[1] // BLOCK
    found = []
    for _ in range(REPLICATES):
        # The same requests are drawn for both arms.
        drawn = (rng.integers(0, blocks, blocks)[:, None] * BLOCK + np.arange(BLOCK)).ravel()
        found.append(np.nanquantile(two[:, drawn], q) - np.nanquantile(one[:, drawn], q))
    low, high = np.quantile(found, [0.025, 0.975])
    return float(np.nanquantile(two, q) - np.nanquantile(one, q)), float(low), float(high)


def compare(runs: Sequence[tuple[str, dict[str, Floats]]]) -> int:
    """Print both arms and their difference by part; return how many limits are missed for sure."""
    missed = 0
    print(f"{'':8}{'':>6}" + "".join(f"{each:>12}" for each in ("one", "two")) + "   two - one [95 %], ms")
    for part in ("TTFT", "ours", "client", "server"):
        arms = [np.array([run[part] for arm, run in runs if arm == name]) for name in ("one", "two")]
        for q in QUANTILES:
            levels = "".join(f"{np.nanquantile(values, q):12.2f}" for values in arms)
            found, low, high = difference(arms[0], arms[1], q)
            # Two runs of the same arm differ by the machine alone.
            noise = [float(np.ptp([np.nanquantile(row, q) for row in values])) for values in arms]
            print(
                f"{part:8}{f'p{q * 100:.0f}':>6}{levels}   {found:+.2f} [{low:+.2f}, {high:+.2f}]"
                f"   same arm again: {noise[0]:.2f}, {noise[1]:.2f}"
            )
            missed += part in ("TTFT", "ours") and max(low, -high) > LIMITS_MS[q]
    for name in ("one", "two"):
        cold = np.concatenate([run["cold"] for arm, run in runs if arm == name])
        print(f"{name}: {np.isfinite(cold).sum()} of {len(cold)} requests were the first of their connection")
    return missed


def main(arguments: Sequence[str] = ()) -> int:
    """Run all arms and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="of each run")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a figure is missed")
    options = parser.parse_args(arguments)
    runs: list[tuple[str, dict[str, Floats]]] = []
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        if program is None:
            print("skipped: needs g++ and the truth server's source")
            return 0
        for number, arm in enumerate(ORDER):
            log = Path(folder) / f"{number}.csv"
            with serving(program, (), log) as port:
                records = asyncio.run(replay(arm, port, int(RATE * options.seconds)))
            runs.append((arm, parts_ms(records, log)))
    missed = compare(runs)
    print(f"load average {os.getloadavg()[0]:.1f}")
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
