"""OpenSSH's configuration is read as ssh reads it; what ssh skips is skipped."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.unit.servers.sshd import Sshd
from tests.unit.servers.there import Watch, needs_sshd, start
from tests.unit.servers.there import target as target_there
from workbench.base import InputError
from workbench.servers.ssh.configuration import SshConfiguration

config: Any = pytest.importorskip("asyncssh.config")

MAIN = """
# a comment
Include {folder}/first {folder}/none

Host=alias-a
    HostName 192.0.2.10   # the old machine
    Port = 2222
    User "some body"

Host alias-b *.lab !no.lab
    HostName %h.example
    ProxyJump hop,other@192.0.2.3:2200
    IdentitiesOnly yes

Match originalhost alias-m exec "true"
    User matched
Match host 192.0.2.10
    ServerAliveInterval 7

HOST *
    User fallback
    ServerAliveInterval 30
"""
FIRST = """
Host elsewhere
    User nobody
Host alias-a
    ProxyJump jump.example.net
    Include {folder}/second
"""
SECOND = "Compression yes\nHost alias-b\n    Compression yes\n"
KEYS = {
    "hostname": "Hostname", "port": "Port", "user": "User", "proxyjump": "ProxyJump",
    "identitiesonly": "IdentitiesOnly", "serveraliveinterval": "ServerAliveInterval",
    "compression": "Compression",
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("workbench.servers.ssh.configuration._SYSTEM", tmp_path / "none")
    (tmp_path / ".ssh").mkdir()
    return tmp_path


def write(home: Path, **files: str) -> Path:
    for name, text in files.items():
        (home / ".ssh" / name).write_text(text.replace("{folder}", str(home / ".ssh")))
    return home / ".ssh" / "config"


def read(host: str, folder: Path) -> tuple[dict[str, object], SshConfiguration]:
    folder.mkdir()
    found = SshConfiguration(folder)
    loaded = config.SSHClientConfig.load(None, found.files, False, False, False, "me", (), host, ())
    return loaded.get_options(False), found


def as_ssh_says(file: Path, host: str) -> dict[str, object]:
    done = subprocess.run(["ssh", "-G", "-F", file, host], capture_output=True, text=True, check=True)
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)


@pytest.mark.skipif(shutil.which("ssh") is None, reason="no ssh here to compare with")
@pytest.mark.parametrize("host", ["alias-a", "alias-b", "alias-m", "x.lab", "no.lab", "elsewhere", "other"])
def test_that_it_says_what_ssh_itself_says(home: Path, host: str) -> None:
    file = write(home, config=MAIN, first=FIRST, second=SECOND)
    ours, _ = read(host, home / "copies")
    theirs = as_ssh_says(file, host)
    for name, key in KEYS.items():
        said = str(ours.get(key, {"Hostname": host, "Port": 22, "Compression": False}.get(key, "")))
        plain = {"True": "yes", "False": "no"}.get(said, said)
        expected = str(theirs.get(name, "")).replace("[192.0.2.3]", "192.0.2.3")
        assert plain == expected or (not plain and expected == "no"), key


def test_that_missing_keys_are_left_out_and_named_for_their_host_only(home: Path) -> None:
    (home / ".ssh" / "there").touch()
    (home / ".ssh" / "a host").touch()
    write(
        home,
        config=(
            'Host a\n IdentityFile ~/.ssh/none\n IdentityFile "~/.ssh/there"\n'
            ' IdentityFile "~/.ssh/%r host"\n'
            "Host b\n IdentityFile %d/.ssh/gone\n CertificateFile /none-cert.pub\n"
        ),
    )
    options, found = read("a", home / "copies")
    assert options["IdentityFile"] == ["~/.ssh/there", "~/.ssh/me host"]
    assert found.host_settings("a", None, None).missing_keys == ("~/.ssh/none",)
    assert found.host_settings("b", None, None).missing_keys == ("%d/.ssh/gone", "/none-cert.pub")
    assert found.host_settings("c", None, None).missing_keys == ()


def test_that_files_of_known_hosts_that_are_not_there_are_empty(home: Path) -> None:
    (home / ".ssh" / "kh").touch()
    write(home, config="UserKnownHostsFile ~/.ssh/kh ~/.ssh/none\n")
    options, _ = read("a", home / "copies")
    known, empty = options["UserKnownHostsFile"]  # type: ignore[misc]  # a list of two
    assert known == "~/.ssh/kh"
    assert Path(empty).read_text() == ""


def test_that_a_wish_for_no_host_key_check_is_noticed(home: Path) -> None:
    write(home, config="Host a\n StrictHostKeyChecking no\nHost *\n StrictHostKeyChecking yes\n")
    _, found = read("a", home / "copies")
    assert found.host_settings("a", None, None).asks_no_host_key_check
    assert not found.host_settings("b", None, None).asks_no_host_key_check


def test_that_a_folder_which_includes_itself_ends(home: Path) -> None:
    write(home, config="Include config\nUser me\n")
    assert read("a", home / "copies")[0]["User"] == "me"


def test_that_what_cant_be_read_is_named_by_the_users_file(home: Path) -> None:
    file = write(home, config="Host a\n  Port none-such\n")
    (home / "copies").mkdir()
    found = SshConfiguration(home / "copies")
    with pytest.raises(ValueError, match="Port") as error:
        found.host_settings("a", None, None)
    assert found.with_original_paths(str(error.value)).startswith(f"{file} line 2: ")


@needs_sshd
async def test_that_a_missing_key_is_skipped_and_the_next_one_lets_us_in(
    there: Sshd, vllm_script: Path
) -> None:
    (there.home / ".ssh" / "config").write_text(
        f"Host gpu-a\n HostName 127.0.0.1 # here\n Port {there.port}\n"
        " IdentityFile ~/.ssh/missing\n IdentityFile ~/.ssh/id_ed25519\n"
    )
    spec = target_there(there, vllm_script)
    watch = Watch()
    server = await start(type(spec)(kind="ssh", host="gpu-a", model="ok", executable=spec.executable), watch)
    await server.stop()
    assert "gpu-a: IdentityFile ~/.ssh/missing isn't there and was skipped" in watch.lines


@needs_sshd
async def test_that_a_configuration_that_cant_be_read_is_refused_in_one_line(
    there: Sshd, vllm_script: Path
) -> None:
    (there.home / ".ssh" / "config").write_text("Host *\n Port none-such\n")
    with pytest.raises(InputError, match=r"the ssh configuration can't be used: .*/\.ssh/config line 2"):
        await start(target_there(there, vllm_script), Watch())
