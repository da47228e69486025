"""Make the server that a target describes."""

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


async def require_target(spec: TargetSpec, configurations: Iterable[Mapping[str, Value]]) -> None:
    """Check, without changing anything, that the target exists and can be used.

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
        finally:
            await server.stop()


async def end_remote_orphans(kind: RemoteKind, place: str, on_log: OnLog) -> None:
    """End servers whose owner here died; `place` is a host or a container engine's command.

    Raises:
        Refusal, ServerFailedError: the place doesn't answer.
    """
    await (SshServer.sweep if kind == "ssh" else end_orphan_containers)(place, on_log)
