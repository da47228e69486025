"""How many runs the search for the best value needs, on measured ladders.

    python tests/performance/bench_search.py LADDERS.csv

Columns by name: `ladder`, `max_num_seqs`, `output_throughput_tokens_per_sec`, `p95_itl_ms`, `avg_batch_size`.
Tasks are ladders of at least six points at five limits of ITL p95, if a value is feasible.
The pick must have been measured; an infeasible pick counts as 100 % regret. The last line is JSON.
"""

import csv
import importlib.util
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from workbench.advice import MeasuredValue, next_value

LIMITS_MS = (20, 30, 50, 75, 100)
FEWEST_POINTS = 6


class Point(NamedTuple):
    """One measured value of a ladder."""

    value: float
    throughput: float
    itl_ms: float
    running: float


Strategy = Callable[[Sequence[float], Callable[[int], Point], float], int | None]
"""(values, measure a place, limit) -> the place picked; None: no value is feasible."""


def search(values: Sequence[float], measure: Callable[[int], Point], limit: float) -> int | None:
    """The product's own search."""
    seen: list[MeasuredValue] = []
    while (following := next_value(values, seen, limit)).value is not None:
        point = measure(values.index(following.value))
        seen.append(
            MeasuredValue(
                value=point.value,
                latency=point.itl_ms,
                running=point.running,
                throughput=point.throughput,
            )
        )
    return None if following.best is None else values.index(following.best)


def bisection(values: Sequence[float], measure: Callable[[int], Point], limit: float) -> int | None:
    """Halve the interval between the largest feasible and the smallest infeasible value."""
    low, high = -1, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if measure(middle).itl_ms <= limit else (low, middle)
    return low if low >= 0 else None


def random_three(values: Sequence[float], measure: Callable[[int], Point], limit: float) -> int | None:
    """The best of three random values."""
    places = random.Random(f"{values} {limit}").sample(range(len(values)), 3)
    feasible = [(measure(at).throughput, at) for at in places if measure(at).itl_ms <= limit]
    return max(feasible)[1] if feasible else None


def tpe(values: Sequence[float], measure: Callable[[int], Point], limit: float) -> int | None:
    """Optuna's sampler over a third of the values."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))

    def objective(trial: "optuna.Trial") -> float:
        point = measure(trial.suggest_int("place", 0, len(values) - 1))
        return point.throughput if point.itl_ms <= limit else -point.itl_ms

    study.optimize(objective, n_trials=max(2, round(len(values) / 3)))
    return int(study.best_params["place"]) if study.best_value > 0 else None


def ladders(path: Path) -> Iterator[list[Point]]:
    """The ladders with enough points, sorted by value."""
    found: dict[str, list[Point]] = defaultdict(list)
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            found[row["ladder"]].append(
                Point(
                    float(row["max_num_seqs"]),
                    float(row["output_throughput_tokens_per_sec"]),
                    float(row["p95_itl_ms"]),
                    float(row["avg_batch_size"]),
                )
            )
    for points in found.values():
        if len(points) >= FEWEST_POINTS:
            yield sorted(points)


class Outcome(NamedTuple):
    """How one strategy did on one task."""

    regrets: list[float]
    """Regret of the best feasible value after each run; the last is that of the pick."""
    share: float
    """Measured points of the ladder's."""

    def after(self, runs: int) -> float:
        """Regret if the search is stopped after so many runs."""
        return self.regrets[min(runs, len(self.regrets)) - 1]


def carry_out(strategy: Strategy, points: list[Point], limit: float) -> Outcome:
    """Let a strategy search one ladder."""
    measured: dict[int, Point] = {}
    best = max(point.throughput for point in points if point.itl_ms <= limit)
    regrets = []

    def measure(at: int) -> Point:
        if at not in measured:
            measured[at] = points[at]
            feasible = [point.throughput for point in measured.values() if point.itl_ms <= limit]
            regrets.append(1 - max(feasible) / best if feasible else 1.0)
        return points[at]

    pick = strategy([point.value for point in points], measure, limit)
    holds = pick is not None and pick in measured and points[pick].itl_ms <= limit
    final = 1 - points[pick].throughput / best if holds and pick is not None else 1.0
    return Outcome([*regrets[:-1], final], len(measured) / len(points))


def score(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Mean regret of the picks, share within 2 %, and share of the runs."""
    regrets = [outcome.regrets[-1] for outcome in outcomes]
    return {
        "mean_regret": mean(regrets),
        "within_2pct": sum(regret <= 0.02 for regret in regrets) / len(regrets),
        "share_of_runs": mean(outcome.share for outcome in outcomes),
    }


def print_curves(outcomes: Mapping[str, Sequence[Outcome]]) -> None:
    """Print the mean regret of each strategy if it is stopped after so many runs."""
    most = max(len(outcome.regrets) for of_one in outcomes.values() for outcome in of_one)
    print("\nmean regret after so many runs, without a feasible value 100 %")
    print(f"{'runs':<12}" + "".join(f"{runs:>9}" for runs in range(1, most + 1)))
    for name, of_one in outcomes.items():
        curve = (100 * mean(outcome.after(runs) for outcome in of_one) for runs in range(1, most + 1))
        print(f"{name:<12}" + "".join(f"{regret:>7.2f} %" for regret in curve))


def print_table(scores: Mapping[str, Mapping[str, float]]) -> None:
    """Print the end of each strategy's searches."""
    print(f"{'':<12}{'mean regret':>12}{'within 2 %':>12}{'share of runs':>15}")
    for name, found in scores.items():
        widths = (("mean_regret", 10), ("within_2pct", 10), ("share_of_runs", 13))
        print(f"{name:<12}" + "".join(f"{100 * found[key]:>{width}.2f} %" for key, width in widths))


def main() -> int:
    """Print the table and the curves, then the JSON line."""
    tasks = [
        (points, float(limit))
        for points in ladders(Path(sys.argv[1]))
        for limit in LIMITS_MS
        if any(point.itl_ms <= limit for point in points)
    ]
    strategies: dict[str, Strategy] = {
        "search": search,
        "bisection": bisection,
        "random3": random_three,
        "tpe": tpe,
    }
    if importlib.util.find_spec("optuna") is None:
        print("tpe needs optuna: pip install '.[bench]'")
        del strategies["tpe"]
    outcomes = {
        name: [carry_out(strategy, points, limit) for points, limit in tasks]
        for name, strategy in strategies.items()
    }
    scores: dict[str, dict[str, float] | None] = {name: score(found) for name, found in outcomes.items()}
    print(f"{len(tasks)} tasks")
    print_table({name: found for name, found in scores.items() if found is not None})
    print_curves(outcomes)
    own = scores.pop("search") or {}
    print(json.dumps({"tasks": len(tasks), **own, "peers": {"tpe": None, **scores}}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
