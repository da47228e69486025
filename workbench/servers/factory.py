"""From a target's description to a server."""

from collections.abc import Iterable, Mapping

from workbench.controls import Value
from workbench.servers.attached import AttachedServer
from workbench.servers.cleanup import RemoteKind
from workbench.servers.container import ContainerServer, end_orphan_containers
from workbench.servers.embedded import EmbeddedServer
from workbench.servers.local import LocalServer
from workbench.servers.server import OnLog, Server
from workbench.servers.ssh import SshServer
from workbench.servers.target_spec import TargetSpec, check_target, with_controls


def make_server(
    spec: TargetSpec, controls: Mapping[str, Value], *, patience_s: float | None = None
) -> Server:
    """The server that `spec` describes, to be started with these controls.

    Controls without a flag are the load generator's own and change nothing here; an attached server takes
    none at all. `patience_s` is what its callers have with a request; an attached server's answers on itself
    are waited for no longer (within reason).

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


async def require_target(spec: TargetSpec, configurations: Iterable[Mapping[str, Value]]) -> None:
    """Whether what the target names is there and what it should be, where asking changes nothing.

    A vLLM that is installed here with the flags and controls it would get, and a server that answers;
    machines and images are asked by the start.

    Raises:
        Refusal: it isn't, says what it is instead.
        ServerFailedError: a server whose engine is dead.
    """
    if spec.kind == "local":
        for controls in configurations:
            await LocalServer(*with_controls(spec, controls)).require()
    elif spec.kind == "attached":
        server = AttachedServer(spec)
        try:
            await server.start(lambda _: None, lambda _, __: None)
        finally:
            await server.stop()


async def end_remote_orphans(kind: RemoteKind, place: str, on_log: OnLog) -> None:
    """End servers of ours in that place, a host or a container engine's command, whose owner here has died.

    Raises:
        Refusal, ServerFailedError: nobody answers there.
    """
    await (SshServer.sweep if kind == "ssh" else end_orphan_containers)(place, on_log)
