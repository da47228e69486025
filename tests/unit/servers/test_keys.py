"""Keys come from the environment, else the keyring, else from whoever sits there; no file has them."""

import getpass
import io
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.base import InputError
from workbench.cli import doctor_checks, main
from workbench.servers import TargetSpec, keys
from workbench.servers.keys import KeyringSilentError, address_of, keep_key, key_at, stored_key

VARIABLE = "SOME_GATEWAY_KEY"


class Keyring:
    """A stand-in for the module `keyring`."""

    def __init__(self, priority: float = 5.0, fails: bool = False) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self._backend = SimpleNamespace(priority=priority, name="stand-in")
        self._fails = fails

    def get_keyring(self) -> Any:
        return self._backend

    def get_password(self, service: str, name: str) -> str | None:
        if self._fails:
            raise RuntimeError("locked")
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, key: str) -> None:
        if self._fails:
            raise RuntimeError("locked")
        self.kept[service, name] = key

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[service, name]


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    found = Keyring()
    monkeypatch.setitem(sys.modules, "keyring", found)
    monkeypatch.setattr(keys, "_typed_in", {})
    monkeypatch.setattr(keys, "_looked_up", {})
    monkeypatch.setattr(keys, "_silent", threading.Event())
    monkeypatch.delenv(VARIABLE, raising=False)
    return found


def attached(**more: Any) -> TargetSpec:
    return TargetSpec(kind="attached", url="https://me@Gate.example:8443/v1", **more)


def test_that_the_environment_comes_before_the_keyring(
    keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring.kept["vllm-workbench", VARIABLE] = "from the keyring"
    assert attached(api_key_env=VARIABLE).api_key() == "from the keyring"
    monkeypatch.setenv(VARIABLE, "from the environment")
    assert attached(api_key_env=VARIABLE).api_key() == "from the environment"


def test_that_an_attached_servers_key_is_sought_by_its_address_once_it_wants_one(keyring: Keyring) -> None:
    keyring.kept["vllm-workbench", "https://gate.example:8443"] = "k"
    assert attached().api_key() is None
    assert key_at("https://me@Gate.example:8443/v1") == "k"
    keyring.kept.clear()
    assert attached().api_key() == "k", "sought once a process"
    assert TargetSpec(kind="attached", url="https://gate.example/v1").api_key() is None
    assert TargetSpec(kind="local", model="m").api_key() is None
    assert attached(headers={"Authorization": "env:X"}).api_key() is None


@pytest.mark.usefixtures("keyring")
def test_that_somebody_who_sits_there_is_asked_once_and_a_pipe_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(InputError, match=f"nor the keyring has {VARIABLE}.*--keep-key {VARIABLE}"):
        attached(api_key_env=VARIABLE).api_key()
    answers = iter(["typed"])
    monkeypatch.setattr(getpass, "getpass", lambda _: next(answers))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    assert [attached(api_key_env=VARIABLE).api_key() for _ in range(3)] == ["typed"] * 3


@pytest.mark.parametrize("broken", [Keyring(priority=0.0), Keyring(fails=True), None])
def test_that_without_a_usable_keyring_nothing_is_found_or_kept(
    broken: Keyring | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", broken)
    assert stored_key("x") is None
    with pytest.raises(InputError, match=r"no keyring of this system is usable|the keyring refuses: locked"):
        keep_key("x", "secret")


class Hanging(Keyring):
    """A keyring whose service never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.let_go = threading.Event()

    def get_keyring(self) -> Any:
        self.asked += 1
        self.let_go.wait(30)
        return super().get_keyring()


@pytest.fixture
def hanging(keyring: Keyring, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    assert keyring is not None
    found = Hanging()
    monkeypatch.setitem(sys.modules, "keyring", found)
    monkeypatch.setattr(keys, "KEYRING_S", 0.05)
    yield found
    found.let_go.set()


def test_that_a_keyring_that_hangs_is_given_up_and_not_asked_again(hanging: Hanging) -> None:
    for _ in range(2):
        with pytest.raises(KeyringSilentError, match="gave no answer within"):
            stored_key("x")
    with pytest.raises(InputError, match=f"no {VARIABLE}, and this system's keyring gave no answer"):
        attached(api_key_env=VARIABLE).api_key()
    with pytest.raises(InputError, match="gave no answer"):
        keep_key("x", "secret")
    assert hanging.asked == 1


def test_that_a_keyring_that_hangs_is_not_asked_where_no_key_is_needed(
    hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert attached().api_key() is None
    monkeypatch.setenv(VARIABLE, "given")
    assert attached(api_key_env=VARIABLE).api_key() == "given"
    assert hanging.asked == 0


@pytest.mark.usefixtures("hanging")
def test_that_doctor_notes_a_keyring_that_hangs() -> None:
    finding = doctor_checks.check_keyring()
    assert "gave no answer" in finding.text
    assert "api_key_env" in (finding.fix or "")


def test_that_doctor_keeps_and_forgets_a_key_without_showing_it(
    keyring: Keyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("sk-secret\n"))
    assert main(["doctor", "--keep-key", "https://gate.example:8443/v1"]) == 0
    assert keyring.kept == {("vllm-workbench", "https://gate.example:8443"): "sk-secret"}
    assert "keeps keys" in doctor_checks.check_keyring().text
    assert main(["doctor", "--forget-key", "https://gate.example:8443"]) == 0
    assert keyring.kept == {}
    assert main(["doctor", "--forget-key", "https://gate.example:8443"]) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    assert main(["doctor", "--keep-key", VARIABLE]) == 2
    assert "sk-secret" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://HOST:1/v1?x=y", "http://host:1"),
        ("https://user:word@host", "https://host"),
        ("http://[half", "http://[half"),
    ],
)
def test_that_a_key_is_kept_by_the_address_alone(url: str, address: str) -> None:
    assert address_of(url) == address
