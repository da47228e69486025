"""The way that a load takes from its workers to the server, which a calibration is of."""

from typing import NamedTuple

from workbench.load import Floor
from workbench.servers import TargetSpec

_SSH = "ssh://"


class Way(NamedTuple):
    """As `keep_floor` takes it."""

    url: str | None
    """The server's, or `ssh://HOST` of a tunnel; None: within the workers' machine."""
    machine: str | None
    """Of load workers that run elsewhere; None: they run here."""
    host: str | None = None
    """Over SSH."""

    @property
    def words(self) -> str:
        """For messages, after a verb; nothing within this machine."""
        if self.machine is not None:
            return f" on {self.host}"
        return f" through the tunnel to {self.host}" if self.host is not None else ""


def way_of(target: TargetSpec) -> Way:
    """The way to a target's server."""
    if target.kind != "ssh":
        return Way(target.url, None)
    place = f"{_SSH}{target.host}"
    return Way(place, None, target.host) if target.load_python is None else Way(None, place, target.host)


def reach_of(floor: Floor) -> str:
    """What a floor is of, for people."""
    if floor.machine.startswith(_SSH):
        return f"load workers on {floor.machine.removeprefix(_SSH)}"
    if floor.path is None:
        return "this machine alone"
    through = "through the tunnel to" if floor.path.startswith(_SSH) else "the path to"
    return f"{through} {floor.path.removeprefix(_SSH)}"
