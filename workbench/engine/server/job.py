"""Job of the engine process: one line of JSON on its standard input."""

from workbench.base import Record
from workbench.engine.scheduler import SchedulerConfig
from workbench.profiles import StepModel


class EngineJob(Record, frozen=True):
    """Settings of the engine, and the address of the front."""

    port: int
    """The front's loopback port; the engine connects and sends `secret` first."""
    secret: str
    zero: float
    """Simulated time 0 on the clock of `workbench.base.now`, seconds."""
    time_scale: float
    """Simulated seconds in a second."""
    step_model: StepModel
    model: str
    vocab_size: int
    scheduler: SchedulerConfig
    histogram_edges: dict[str, list[float]]
    log_steps: str | None = None

    def simulated(self, moment: float) -> float:
        """Convert a stamp of `now()` into simulated seconds since zero."""
        return (moment - self.zero) * self.time_scale

    def wall(self, simulated: float) -> float:
        """Convert a simulated second into a stamp of `now()`."""
        return self.zero + simulated / self.time_scale
