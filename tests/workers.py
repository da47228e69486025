"""How tests are dealt out to workers, so that the end of one worker is the failure of one test."""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController


class PatientScheduling(LoadGroupScheduling):
    """Groups of tests to one worker each, as `--dist loadgroup`, which waits for ever after a crash.

    There (pytest-xdist 3.8, `LoadScopeScheduling.remove_node`) all units the worker ever had go back to the
    queue, those that are done too, and a worker that is sent a unit without tests never asks for another.
    """

    def remove_node(self, node: WorkerController) -> str | None:
        """Deal the rest of a lost worker's tests out again; the one that it fell over is named."""
        left = {scope: unit for scope, unit in self.assigned_work.pop(node).items() if not all(unit.values())}
        if not left:
            return None
        unit = next(iter(left.values()))
        fallen = next(test for test, done in unit.items() if not done)
        unit[fallen] = True
        self.workqueue.update({scope: unit for scope, unit in left.items() if not all(unit.values())})
        for other in self.assigned_work:
            self._reschedule(other)
        return fallen

    def _reschedule(self, node: WorkerController) -> None:
        """One that takes another's place can't be told what to run while it collects; it asks afterwards."""
        if node in self.registered_collections:
            super()._reschedule(node)

    def schedule(self) -> None:
        """Two units for each worker: it runs the last test that it knows of when it knows the next."""
        super().schedule()
        for node in self.nodes:
            self._reschedule(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> PatientScheduling:
    """Pytest-xdist's hook: the scheduling above, whatever `--dist` says."""
    return PatientScheduling(config, log)
