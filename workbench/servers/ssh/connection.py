"""One verified SSH connection that is opened again when it drops. Needs asyncssh, which is optional."""

import asyncio
import contextlib
import getpass
import importlib
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Message, Place, Refusal, message
from workbench.servers.run_command import CommandOutput
from workbench.servers.server import ServerFailedError
from workbench.servers.ssh.configuration import SshConfiguration

_CONNECT_S = 20.0
_KEEPALIVE_S, _KEEPALIVES = 5.0, 3
_CALL_S = 60.0
_COPY_S = 120.0
"""Timeout for copying our few files, in case the other side hangs."""
_CLOSE_S = 5.0
_KNOWN_HOSTS = "~/.ssh/known_hosts"


class SshAddress(msgspec.Struct, frozen=True):
    """An SSH address: an alias of ~/.ssh/config, HOST, USER@HOST or USER@HOST:PORT."""

    host: str
    user: str | None
    port: int | None

    @classmethod
    def parse(cls, text: str) -> "SshAddress":
        """Read an address.

        Raises:
            Refusal: there is no host, or the port is no number.
        """
        user, _, rest = text.rpartition("@")
        host, colon, port = rest.rpartition(":") if rest.count(":") == 1 else (rest, "", "")
        if not host or (colon and not (port.isdigit() and 0 < int(port) < 65536)) or host.startswith("-"):
            raise Refusal("servers.not_a_host", Place(table="target", key="host"), text=text)
        return cls(host, user or None, int(port) if port else None)


class PortForward(msgspec.Struct):
    """A port or socket here that is forwarded to one there."""

    here: int | str
    there: int | str


class SshConnection:
    """An SSH connection. Commands are given as words and quoted for the remote shell."""

    def __init__(self, host: str) -> None:
        self.host = host
        self._address = SshAddress.parse(host)
        self._ssh = _asyncssh()
        self._connection: Any = None
        self._listeners: list[Any] = []
        self._forwards: list[PortForward] = []
        self._opening = asyncio.Lock()
        self._dropped = 0
        self.notes: list[Message] = []
        """The settings of the configuration that were passed over."""
        self._locked: list[str] = []
        """Keys whose passphrase couldn't be asked for without a terminal."""

    @property
    def drops(self) -> int:
        """Return how often the connection has dropped; each time its traffic is lost."""
        return self._dropped + (self._connection is not None and bool(self._connection.is_closed()))

    async def open(self) -> None:
        """Connect unless connected, and open all forwards again.

        Raises:
            Refusal: the host is unknown, its key changed, or it refuses our login.
            ServerFailedError: it can't be reached.
        """
        async with self._opening:
            if self._connection is not None and not self._connection.is_closed():
                return
            self._dropped = self.drops
            await self._disconnect()
            self._connection = await self._connect()
            for forward in self._forwards:
                await self._open_forward(forward)

    async def close(self) -> None:
        """Close the connection and its forwards."""
        async with self._opening:
            self._forwards.clear()
            await self._disconnect()

    async def call(
        self, words: Sequence[str], *, stdin: bytes | None = None, timeout_s: float = _CALL_S
    ) -> CommandOutput:
        """Run a remote command to its end.

        Raises:
            ServerFailedError: the connection dropped, or no answer came in time.
        """
        await self.open()
        try:
            done = await asyncio.wait_for(
                self._connection.run(shlex.join(words), input=stdin or b"", encoding=None), timeout_s
            )
        except TimeoutError as error:
            raise ServerFailedError("servers.ssh_no_answer", host=self.host, seconds=timeout_s) from error
        except (OSError, self._ssh.Error) as error:
            raise self._dropped_by(error) from error
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        code = done.returncode if done.returncode is not None else -1
        return CommandOutput(exit_code=code, output=done.stdout, last_error=last[0] if last else "")

    @contextlib.asynccontextmanager
    async def process(self, words: Sequence[str]) -> Any:
        """Run a remote command during the context; yield asyncssh's process with byte streams.

        The context doesn't wait for its end: sshd closes a channel only when the command has ended.
        """
        await self.open()
        process = None
        try:
            process = await self._begin(words)
            yield process
        except (OSError, self._ssh.Error) as error:
            raise self._dropped_by(error) from error
        finally:
            if process is not None:
                process.close()

    async def start(self, words: Sequence[str]) -> Any:
        """Start a remote command; return asyncssh's process. It ends with the connection.

        Raises:
            ServerFailedError: the connection dropped.
        """
        await self.open()
        try:
            return await self._begin(words)
        except (OSError, self._ssh.Error) as error:
            raise self._dropped_by(error) from error

    async def _begin(self, words: Sequence[str]) -> Any:
        try:
            async with asyncio.timeout(_CALL_S):
                return await self._connection.create_process(shlex.join(words), encoding=None)
        except TimeoutError as error:
            raise ServerFailedError("servers.ssh_no_command", host=self.host, seconds=_CALL_S) from error

    def _dropped_by(self, error: Exception) -> ServerFailedError:
        return ServerFailedError("servers.ssh_dropped", host=self.host, cause=str(error))

    async def put(self, source: Path, folder: str) -> None:
        """Copy a file or folder into the remote `folder` by SFTP."""
        await self.open()
        try:
            async with asyncio.timeout(_COPY_S), self._connection.start_sftp_client() as sftp:
                await sftp.makedirs(folder, exist_ok=True)
                await sftp.put(str(source), f"{folder}/", recurse=True)
        except TimeoutError as error:
            raise ServerFailedError("servers.ssh_copy_hangs", host=self.host, seconds=_COPY_S) from error
        except (OSError, self._ssh.Error) as error:
            raise ServerFailedError("servers.ssh_not_copied", host=self.host, cause=str(error)) from error

    async def forward(self, here: int | str, there: int | str) -> int | str:
        """Forward a port of 127.0.0.1 (0: a free one) or a socket here to one there; reconnects keep it."""
        await self.open()
        forward = PortForward(here, there)
        await self._open_forward(forward)
        self._forwards.append(forward)
        return forward.here

    async def _open_forward(self, forward: PortForward) -> None:
        try:
            if isinstance(forward.here, str):
                # The socket lies in a private folder.
                await asyncio.to_thread(Path(forward.here).unlink, missing_ok=True)
                listener = await self._connection.forward_local_path(forward.here, forward.there)
            else:
                listener = await self._connection.forward_local_port(
                    "127.0.0.1", forward.here, "127.0.0.1", forward.there
                )
                forward.here = listener.get_port()
        except (OSError, self._ssh.Error) as error:
            raise ServerFailedError(
                "servers.ssh_not_forwarded", host=self.host, port=forward.there, cause=str(error)
            ) from error
        self._listeners.append(listener)

    async def _disconnect(self) -> None:
        with contextlib.suppress(TimeoutError, OSError, self._ssh.Error):
            async with asyncio.timeout(_CLOSE_S):
                for listener in self._listeners:
                    listener.close()
                    await listener.wait_closed()
        self._listeners.clear()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
            with contextlib.suppress(TimeoutError, OSError, self._ssh.Error):
                await asyncio.wait_for(connection.wait_closed(), _CLOSE_S)

    async def _connect(self) -> Any:
        with tempfile.TemporaryDirectory(prefix="vllm-workbench-ssh-") as folder:
            configuration = SshConfiguration(Path(folder))
            try:
                return await self._connect_with(configuration)
            except ValueError as error:
                said = configuration.with_original_paths(str(error))
                raise Refusal("servers.ssh_configuration", host=self.host, said=said) from error

    async def _connect_with(self, configuration: SshConfiguration) -> Any:
        ssh, address = self._ssh, self._address
        more = {"username": address.user, "port": address.port}
        options: dict[str, Any] = {name: value for name, value in more.items() if value is not None}
        settings = configuration.host_settings(address.host, address.user, address.port)
        self.notes = [message("servers.ssh_key_missing", file=file) for file in settings.missing_keys]
        if settings.asks_no_host_key_check:
            # The measured server must be the right one: host keys are verified whatever the file says.
            self.notes.append(message("servers.ssh_host_key_checked"))
        try:
            return await asyncio.wait_for(
                ssh.connect(
                    address.host,
                    **options,
                    config=configuration.files,
                    passphrase=self._passphrase,
                    keepalive_interval=_KEEPALIVE_S,
                    keepalive_count_max=_KEEPALIVES,
                ),
                _CONNECT_S,
            )
        except TimeoutError as error:
            raise ServerFailedError(
                "servers.ssh_no_connection", host=self.host, seconds=_CONNECT_S
            ) from error
        except ssh.HostKeyNotVerifiable as error:
            raise self._refused_host_key() from error
        except ssh.PermissionDenied as error:
            raise self._refused_keys(error.reason) from error
        except (ssh.KeyImportError, ssh.KeyEncryptionError) as error:
            raise Refusal("servers.ssh_key_unusable", host=self.host, cause=str(error)) from error
        except (OSError, ssh.Error) as error:
            raise ServerFailedError("servers.ssh_unreachable", host=self.host, cause=str(error)) from error

    def _passphrase(self, path: object) -> str | None:
        """Ask for a key's passphrase at a terminal; never store it. asyncssh asks for unlocked keys too."""
        try:
            self._ssh.read_private_key(str(path))
        except (OSError, self._ssh.KeyImportError, self._ssh.KeyEncryptionError):
            if sys.stdin.isatty():
                return getpass.getpass(f"Passphrase of {path}: ")
            self._locked.append(str(path))
        return None

    def _refused_keys(self, reason: str) -> Refusal:
        if self._locked:
            key = shlex.quote(self._locked[0])
            return Refusal("servers.ssh_key_locked", host=self.host, reason=reason, key=key)
        if self.notes:
            return Refusal("servers.ssh_keys_refused", host=self.host, reason=reason, notes=self.notes)
        return Refusal("servers.ssh_refused", host=self.host, reason=reason)

    def _refused_host_key(self) -> Refusal:
        host, port = self._address.host, self._address.port
        try:
            known = self._ssh.match_known_hosts(str(Path(_KNOWN_HOSTS).expanduser()), host, "", port)[0]
        except (OSError, ValueError):
            known = ()
        if known:
            name = shlex.quote(host if port in (None, 22) else f"[{host}]:{port}")
            return Refusal("servers.ssh_host_key_changed", host=self.host, name=name)
        return Refusal("servers.ssh_host_key_unknown", host=self.host)


def _asyncssh() -> Any:
    try:
        return importlib.import_module("asyncssh")
    except ImportError as error:
        raise Refusal("servers.ssh_needs_asyncssh", Place(table="target", key="kind")) from error
