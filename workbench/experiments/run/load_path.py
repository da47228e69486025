"""The path of a load from its workers to the server; a calibration measures it."""

from typing import NamedTuple

from workbench.base import Message, message
from workbench.load import Resolution
from workbench.servers import TargetSpec

_SSH = "ssh://"


class LoadPath(NamedTuple):
    """Arguments of `store_resolution`."""

    url: str | None
    """URL of the server, or `ssh://HOST` of a tunnel; None within the workers' machine."""
    machine: str | None
    """Machine of remote load workers; None if they run here."""
    host: str | None = None
    """Host over SSH."""

    @property
    def words(self) -> Message | None:
        """The path in a message, after a verb; None within this machine."""
        if self.machine is not None:
            return message("experiments.on_host", host=self.host)
        return None if self.host is None else message("experiments.through_tunnel", host=self.host)


def load_path_of(target: TargetSpec) -> LoadPath:
    """Return the path to a target's server."""
    if target.kind != "ssh":
        return LoadPath(target.url, None)
    place = f"{_SSH}{target.host}"
    return (
        LoadPath(place, None, target.host)
        if target.load_python is None
        else LoadPath(None, place, target.host)
    )


def describe_path(resolution: Resolution) -> Message:
    """Return which path a resolution was measured on."""
    if resolution.machine.startswith(_SSH):
        return message("experiments.path_on_host", host=resolution.machine.removeprefix(_SSH))
    if resolution.path is None:
        return message("experiments.path_here")
    if resolution.path.startswith(_SSH):
        return message("experiments.path_tunnel", host=resolution.path.removeprefix(_SSH))
    return message("experiments.path_to", host=resolution.path)
