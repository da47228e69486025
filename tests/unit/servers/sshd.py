"""A real sshd on 127.0.0.1 with keys and a configuration of its own; nothing of the user's is touched."""

import shutil
import socket
import subprocess
import time
from pathlib import Path

import asyncssh
import psutil

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")


def make_key(path: Path, passphrase: str | None = None) -> str:
    """A key pair; returns the public one."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    # OpenSSH's own format encrypts with bcrypt, which asyncssh has only where that package is.
    path.write_bytes(key.export_private_key("pkcs8-pem" if passphrase else "openssh", passphrase=passphrase))
    path.chmod(0o600)
    public = key.export_public_key().decode().strip()
    path.with_name(f"{path.name}.pub").write_text(public + "\n")
    return public


class Sshd:
    """The daemon; `home` is the home of the user here and there."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.home = folder / "home"
        (self.home / ".ssh").mkdir(parents=True)
        self._folder = folder
        self._authorized = folder / "authorized_keys"
        self._authorized.write_text(make_key(self.home / ".ssh" / "id_ed25519") + "\n")
        self._host_key = make_key(folder / "host_key")
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = int(listener.getsockname()[1])
        self._settings = " ".join(f'"{name}={value}"' for name, value in environment.items())
        self._daemon: subprocess.Popen[bytes] | None = None
        self.know(self._host_key)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def know(self, public: str | None) -> None:
        """What known_hosts says of this daemon."""
        text = "" if public is None else f"[127.0.0.1]:{self.port} {public}\n"
        (self.home / ".ssh" / "known_hosts").write_text(text)

    def start(self) -> None:
        assert SSHD is not None
        Path("/run/sshd").mkdir(exist_ok=True)  # Debian's wants it for its separation of privileges
        config = self._folder / "sshd_config"
        config.write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self._folder / 'host_key'}\n"
            f"AuthorizedKeysFile {self._authorized}\nPidFile none\nStrictModes no\nUsePAM no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n"
            f"Subsystem sftp internal-sftp\nSetEnv {self._settings}\n"
        )
        log = self._folder / "sshd.log"
        self._daemon = subprocess.Popen([SSHD, "-D", "-f", str(config), "-E", str(log)])
        deadline = time.monotonic() + 60
        while True:
            with socket.socket() as caller:
                if caller.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self._daemon.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)

    def drop(self) -> None:
        """Cut all connections that stand; new ones are welcome."""
        assert self._daemon is not None
        for session in psutil.Process(self._daemon.pid).children(recursive=True):
            if session.name() == "sshd":
                session.kill()

    def stop(self) -> None:
        if self._daemon is not None:
            self.drop()
            self._daemon.terminate()
            try:
                self._daemon.wait(10)
            except subprocess.TimeoutExpired:  # seen on a machine with much else to do; it is none of ours
                self._daemon.kill()
                self._daemon.wait()
            self._daemon = None
