"""Proves that the tests pass every time: many runs in a fresh clone, in shuffled order, on a busy machine.

    python packaging/test_proof.py                       ten runs of the tests, two whole `make test`
    python packaging/test_proof.py --runs 3 --whole 0    fewer
    python packaging/test_proof.py --seeds 17,4711       these orders again

Two loops keep two processors busy beside the runs of the tests; whole `make test` runs have the machine for
themselves. The number of workers goes through 1, 2 and 3. It prints a table, and exits 1 if anything failed.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
WORKERS = (1, 2, 3)
LONGEST_S = 3600
_SPIN = "import os\nowner = os.getppid()\nwhile os.getppid() == owner:\n    sum(range(100_000))\n"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
_SUMMARY = re.compile(r"^(?:=+ )?((?:\d+ \w+(?:, )?)+) in [\d.]+s.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run."""

    what: str
    workers: int
    seed: str
    seconds: float
    passed: bool
    summary: str
    failed: tuple[str, ...]

    def row(self) -> str:
        """The run as a line of the table."""
        said = "; ".join(self.failed) or ("" if self.passed else "see the log")
        minutes, seconds = divmod(round(self.seconds), 60)
        return (
            f"| {self.what} | {self.workers} | {self.seed or '–'} | {minutes}:{seconds:02} "
            f"| {self.summary} | {said} |"
        )


HEADER = "| run | workers | seed | min:s | outcome | failed |\n| - | - | - | - | - | - |"


def main() -> int:
    """Run all, print the table; the exit status."""
    words = _arguments()
    folder = Path(words.folder or tempfile.mkdtemp(prefix="test-proof-"))
    folder.mkdir(parents=True, exist_ok=True)
    outcomes = [*_runs(words, folder), *_whole(words, folder)]
    print(f"\n{HEADER}")
    for outcome in outcomes:
        print(outcome.row())
    bad = sum(not outcome.passed for outcome in outcomes)
    print(f"\n{len(outcomes) - bad} of {len(outcomes)} runs passed; the logs are in {folder}")
    return 1 if bad else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Prove that the tests pass every time.")
    parser.add_argument("--runs", type=int, default=10, help="runs of the tests (default 10)")
    parser.add_argument(
        "--whole", type=int, default=2, help="whole `make test`, each in a new clone (default 2)"
    )
    parser.add_argument("--seeds", default="", help="orders, separated by commas; the rest is drawn")
    parser.add_argument("--busy", type=int, default=2, help="loops beside the tests (default 2)")
    parser.add_argument("--folder", default="", help="where clones and logs go (default: a temporary folder)")
    return parser.parse_args()


def _runs(words: argparse.Namespace, folder: Path) -> Iterator[Outcome]:
    """Runs of the tests in one clone."""
    if not words.runs:
        return
    seeds = [seed for seed in words.seeds.split(",") if seed]
    clone = _clone(folder / "clone")
    _make(clone, folder / "install.log", ".venv/.installed-test")
    for number in range(words.runs):
        seed = seeds[number] if number < len(seeds) else str(random.SystemRandom().randrange(10**6))
        workers = WORKERS[number % len(WORKERS)]
        with _busy(words.busy):
            yield _timed(
                f"tests {number + 1}", clone, folder / f"tests-{number + 1}.log", workers, seed,
                "tests", f"WORKERS={workers}", f"ARGS=--shuffle {seed}",
            )  # fmt: skip


def _whole(words: argparse.Namespace, folder: Path) -> Iterator[Outcome]:
    """Whole `make test`, installation apart, as a developer has it."""
    for number in range(words.whole):
        clone = _clone(folder / f"whole-{number + 1}")
        _make(clone, folder / f"install-{number + 1}.log", ".venv/.installed-test")
        yield _timed(f"make test {number + 1}", clone, folder / f"whole-{number + 1}.log", 2, "", "test")
        shutil.rmtree(clone)


def _clone(place: Path) -> Path:
    if place.exists():
        shutil.rmtree(place)
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(place)], check=True)
    return place


def _make(folder: Path, log: Path, *words: str) -> int:
    with log.open("w") as file:
        done = subprocess.run(
            ["make", *words],
            cwd=folder,
            stdout=file,
            stderr=subprocess.STDOUT,
            timeout=LONGEST_S,
            check=False,
        )
    return done.returncode


def _timed(what: str, clone: Path, log: Path, workers: int, seed: str, *words: str) -> Outcome:
    began = time.monotonic()
    try:
        passed = _make(clone, log, *words) == 0
    except subprocess.TimeoutExpired:
        passed = False
    text = log.read_text(errors="replace")
    summaries = _SUMMARY.findall(text)
    outcome = Outcome(
        what, workers, seed, time.monotonic() - began, passed,
        summaries[-1] if summaries else "no summary", tuple(dict.fromkeys(_FAILED.findall(text))),
    )  # fmt: skip
    print(outcome.row(), flush=True)
    return outcome


@contextmanager
def _busy(loops: int) -> Iterator[None]:
    """Processes that compute all the time; they end with this one, however it ends."""
    running = [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


if __name__ == "__main__":
    sys.exit(main())
