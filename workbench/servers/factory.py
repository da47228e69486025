"""Make the server that a target describes; check a target without starting a server."""

from collections.abc import Callable, Iterable, Mapping

from workbench.base import InputError, Refusal
from workbench.controls import CONTROLS, Value
from workbench.servers.attached import AttachedServer
from workbench.servers.cleanup import RemoteKind
from workbench.servers.command import require_control
from workbench.servers.container import ContainerServer, end_orphan_containers
from workbench.servers.embedded import EmbeddedServer, check_modelled
from workbench.servers.flags import cached_flags
from workbench.servers.install import find_install
from workbench.servers.local import LocalServer
from workbench.servers.server import EffectiveConfig, OnLog, Server
from workbench.servers.ssh import SshServer
from workbench.servers.target_spec import TargetSpec, check_target, with_controls


def make_server(
    spec: TargetSpec, controls: Mapping[str, Value], *, patience_s: float | None = None
) -> Server:
    """Return the server that `spec` describes, to be started with these controls.

    Controls without a flag are the load generator's own and change nothing here; an attached server takes
    none at all. `patience_s` is the callers' request timeout; it also bounds the questions to an attached
    server (within reason).

    Raises:
        Refusal: the target can't be used as it stands.
    """
    check_target(spec)
    spec, controls = with_controls(spec, controls)
    if spec.kind == "embedded":
        return EmbeddedServer(spec, controls)
    if spec.kind == "local":
        return LocalServer(spec, controls)
    if spec.kind == "container":
        return ContainerServer(spec, controls)
    if spec.kind == "ssh":
        return SshServer(spec, controls)
    return AttachedServer(spec, patience_s)


async def require_target(
    spec: TargetSpec, configurations: Iterable[Mapping[str, Value]]
) -> EffectiveConfig | None:
    """Check, without changing anything, that the target exists and can be used.

    Return what an attached server uses; None for a server that isn't running.

    This checks a vLLM installed here with its flags and controls, and an attached server's answers. Other
    machines and images are checked at the start.

    Raises:
        Refusal: it doesn't exist or can't be used.
        ServerFailedError: a server whose engine is dead.
    """
    if spec.kind == "local":
        for controls in configurations:
            await LocalServer(*with_controls(spec, controls)).require()
    elif spec.kind == "attached":
        server = AttachedServer(spec)
        try:
            await server.start(lambda _: None, lambda _, __: None)
            return await server.effective()
        finally:
            await server.stop()
    return None


async def end_remote_orphans(kind: RemoteKind, place: str, on_log: OnLog) -> None:
    """End servers whose owner here died; `place` is a host or a container engine's command.

    Raises:
        Refusal, ServerFailedError: the place doesn't answer.
    """
    await (SshServer.sweep if kind == "ssh" else end_orphan_containers)(place, on_log)


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
