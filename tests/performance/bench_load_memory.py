"""What a long replay keeps: the workers' memory minute by minute, bytes a token, how soon raw bytes are gone.

`python tests/performance/bench_load_memory.py [--minutes 10] [--rate 200]`; needs g++. A record leaves its
worker once every read of its stream has been parsed and dropped, so that its age when it comes here bounds
how long raw bytes were kept after the end of the stream. Memory is judged after the first third, in which
pools and buffers grow.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).parent))
from bench_load import build, serving

from workbench.base import now
from workbench.load import LoadOptions, Target, run_load
from workbench.results import RequestRecord
from workbench.traces import open_loop, synthetic_trace

OUTPUT_TOKENS = 128
MOST_GROWTH_MB = 5.0
"""Of the workers, from the end of the first third to the end."""
MOST_AGE_S = 1.0
MOST_BYTES_A_TOKEN = 32.0


class Watch:
    """Takes records as they come, and looks at the workers' memory once a second."""

    def __init__(self) -> None:
        self.zero = float("inf")
        self.ages_s: list[float] = []
        self.kept_bytes = self.tokens = 0
        self.memory_mb: list[float] = []

    def take(self, records: list[RequestRecord]) -> None:
        """Their ages, and what is kept of their tokens."""
        came = now() - self.zero
        self.ages_s += [came - record.done for record in records if record.done is not None]
        self.kept_bytes += sum(len(record.gaps_ms) + len(record.gap_tokens) for record in records)
        self.tokens += sum(record.tokens or 0 for record in records)

    def begin(self, zero: float) -> None:
        """The schedule's start."""
        self.zero = zero

    async def keep_looking(self, program: Path) -> None:
        """At all processes that this one started but the truth server."""
        while True:
            await asyncio.sleep(1.0)
            workers = [one for one in psutil.Process().children() if program.name not in one.name()]
            self.memory_mb.append(sum(one.memory_info().rss for one in workers) / 1e6)


async def _replay(port: int, program: Path, rate: float, seconds: float) -> Watch:
    count = round(rate * seconds)
    trace = synthetic_trace(64, OUTPUT_TOKENS, count)
    schedule = open_loop(trace, rate=rate, arrivals="poisson", requests=count)
    watch = Watch()
    looking = asyncio.create_task(watch.keep_looking(program))
    try:
        await run_load(
            Target(url=f"http://127.0.0.1:{port}", model="truth"), trace, schedule,
            LoadOptions(workers=1, drain_s=20),
            on_records=watch.take, on_snapshot=lambda _: None, on_start=watch.begin,
        )  # fmt: skip
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
    return watch


def judge(watch: Watch) -> list[str]:
    """Print the figures; those that were missed."""
    # The last looks may find the worker ending.
    memory = np.array([each for each in watch.memory_mb[2:-2] if each > 0])
    settled = memory[len(memory) // 3 :]
    growth = float(np.polyfit(np.arange(len(settled)), settled, 1)[0]) * len(settled)
    for minute, at in enumerate(range(0, len(memory), 60)):
        print(f"minute {minute:3}: worker's memory {memory[at]:.1f} MB")
    a_token = watch.kept_bytes / max(1, watch.tokens)
    ages = np.percentile(watch.ages_s, [50, 99, 100])
    print(f"memory grew by {growth:+.2f} MB after the first third (at most {MOST_GROWTH_MB:g})")
    print(f"{watch.tokens:,} tokens, {a_token:.2f} bytes kept of each (at most {MOST_BYTES_A_TOKEN:g})")
    print(
        f"raw bytes gone after a stream's end: p50 {ages[0]:.2f} s, p99 {ages[1]:.2f} s, "
        f"longest {ages[2]:.2f} s (at most {MOST_AGE_S:g})"
    )
    figures = (
        ("memory", growth, MOST_GROWTH_MB),
        ("bytes a token", a_token, MOST_BYTES_A_TOKEN),
        ("age of raw bytes", float(ages[2]), MOST_AGE_S),
    )
    return [what for what, value, limit in figures if value > limit]


def main(arguments: Sequence[str] = ()) -> int:
    """Run it; 1 with --strict where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0, help="the promise is of ten (2)")
    parser.add_argument("--rate", type=float, default=200.0, help="requests a second of 128 tokens (200)")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a figure is missed")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        if program is None:
            print("skipped: needs g++ and the truth server's source")
            return 0
        with serving(program, (), Path(folder) / "log.csv") as port:
            missed = judge(asyncio.run(_replay(port, program, options.rate, options.minutes * 60)))
    print(f"missed: {', '.join(missed)}" if missed else "ok")
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
