"""Which controls a server hasn't, as far as that is known without a start and without waiting."""

from collections.abc import Callable

from workbench.base import InputError, Refusal
from workbench.controls import CONTROLS
from workbench.servers.command import require_control
from workbench.servers.embedded import check_modelled
from workbench.servers.flags import cached_flags
from workbench.servers.install import find_install


async def find_missing_controls(kind: str, executable: str | None = None) -> dict[str, Refusal]:
    """The controls that such a target's server lacks, by name, each with the reason.

    The flags of a vLLM here are known once it was started: to ask it for them takes half a minute. Nothing is
    known of one elsewhere.
    """
    if kind == "embedded":
        return _refused(lambda name: check_modelled([name]))
    if kind != "local":
        return {}
    try:
        install = await find_install(executable)
    except InputError:
        # Whoever starts it is told.
        return {}
    flags = cached_flags(install)
    return {} if flags is None else _refused(lambda name: require_control(name, flags, install.version))


def _refused(require: Callable[[str], None]) -> dict[str, Refusal]:
    found = {}
    for name in CONTROLS:
        try:
            require(name)
        except Refusal as refusal:
            found[name] = refusal
    return found
