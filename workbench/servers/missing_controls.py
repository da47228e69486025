"""The controls that a server lacks, as far as known without starting it."""

from collections.abc import Callable

from workbench.base import InputError, Refusal
from workbench.controls import CONTROLS
from workbench.servers.command import require_control
from workbench.servers.embedded import check_modelled
from workbench.servers.flags import cached_flags
from workbench.servers.install import find_install


async def find_missing_controls(kind: str, executable: str | None = None) -> dict[str, Refusal]:
    """Return the controls that a target's server lacks, by name, each with the reason.

    The flags of a local vLLM are known after its first start, since reading them takes half a minute. For
    remote servers nothing is known.
    """
    if kind == "embedded":
        return _refused(lambda name: check_modelled([name]))
    if kind != "local":
        return {}
    try:
        install = await find_install(executable)
    except InputError:
        # The start reports it.
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
