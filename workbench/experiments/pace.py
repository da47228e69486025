"""How far a plan is and how long it will go on, in wall seconds; estimates are corrected by what was seen."""

from workbench.base import now
from workbench.experiments.plan import Plan, Run, expected_run_s


class Pace:
    """Time left of a plan, from what is planned and what starts and drains took so far."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._planned = [described.expected_s for described in plan.described()]
        self._index = 0
        self._run_started = now()
        self._starts: list[float] = []
        self._over: list[float] = []

    def server_took(self, seconds: float) -> None:
        """A server start was measured; later ones are expected to take as long."""
        self._starts.append(seconds)
        mean = sum(self._starts) / len(self._starts)
        self._planned = [described.expected_s for described in self._plan.described(restart_s=mean)]

    def run_begins(self, index: int) -> None:
        """Run `index` (from 1) starts its load."""
        self._index = index
        self._run_started = now()

    def run_ended(self, run: Run) -> None:
        """The time beyond the schedule (drain, computing) is expected of later runs too."""
        expected = expected_run_s(self._plan.experiments[run.configuration.experiment], run.rate)
        self._over.append(max(0.0, now() - self._run_started - expected))

    def elapsed(self) -> float:
        """Of this run."""
        return now() - self._run_started

    def run_left(self, length_s: float) -> float:
        """Of this run's `length_s` wall seconds, without its drain."""
        return max(0.0, length_s - self.elapsed())

    def plan_left(self, run_left: float) -> float:
        """Of the whole plan."""
        over = sum(self._over) / len(self._over) if self._over else 0.0
        rest = self._planned[self._index :]
        return run_left + sum(rest) + over * (len(rest) + 1)
