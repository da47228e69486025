"""How far a plan is and how long it will go on, in wall seconds; estimates are corrected by what was seen."""

from workbench.base import now
from workbench.experiments.agenda import Agenda
from workbench.experiments.plan import Plan, Run, expected_run_s, expected_s


class Pace:
    """Time left of a plan, from what is left to run and what starts and drains took so far."""

    def __init__(self, plan: Plan, agenda: Agenda) -> None:
        self._plan = plan
        self._agenda = agenda
        self._run_started = now()
        self._starts: list[float] = []
        self._over: list[float] = []

    def server_took(self, seconds: float) -> None:
        """A server start was measured; later ones are expected to take as long."""
        self._starts.append(seconds)

    def run_begins(self) -> None:
        """A run starts its load."""
        self._run_started = now()

    def run_ended(self, run: Run) -> None:
        """The time beyond the schedule (drain, computing) is expected of later runs too."""
        expected = expected_run_s(self._plan.experiments[run.configuration.experiment], run.rate)
        self._over.append(max(0.0, now() - self._run_started - expected))

    def plan_left(self, run_left: float) -> float:
        """Of the whole plan, with `run_left` of the run that goes on."""
        restart = sum(self._starts) / len(self._starts) if self._starts else None
        left = self._agenda.left
        rest = expected_s(self._plan, left, restart_s=restart, before=self._agenda.last)
        over = sum(self._over) / len(self._over) if self._over else 0.0
        return run_left + sum(rest) + over * (len(left) + 1)
