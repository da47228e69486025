"""The way that a load takes from its workers to the server, which a calibration is of."""

from typing import NamedTuple

from workbench.base import Message, message
from workbench.load import Floor
from workbench.servers import TargetSpec

_SSH = "ssh://"


class LoadPath(NamedTuple):
    """As `keep_floor` takes it."""

    url: str | None
    """The server's, or `ssh://HOST` of a tunnel; None: within the workers' machine."""
    machine: str | None
    """Of load workers that run elsewhere; None: they run here."""
    host: str | None = None
    """Over SSH."""

    @property
    def words(self) -> Message | None:
        """The place in a message, after a verb; None within this machine."""
        if self.machine is not None:
            return message("experiments.on_host", host=self.host)
        return None if self.host is None else message("experiments.through_tunnel", host=self.host)


def load_path_of(target: TargetSpec) -> LoadPath:
    """The way to a target's server."""
    if target.kind != "ssh":
        return LoadPath(target.url, None)
    place = f"{_SSH}{target.host}"
    return (
        LoadPath(place, None, target.host)
        if target.load_python is None
        else LoadPath(None, place, target.host)
    )


def describe_path(floor: Floor) -> Message:
    """Return which path a resolution was measured on."""
    if floor.machine.startswith(_SSH):
        return message("experiments.path_on_host", host=floor.machine.removeprefix(_SSH))
    if floor.path is None:
        return message("experiments.path_here")
    if floor.path.startswith(_SSH):
        return message("experiments.path_tunnel", host=floor.path.removeprefix(_SSH))
    return message("experiments.path_to", host=floor.path)
