"""Headers and certificates of an attached server: secrets stay in variables, TLS is always verified."""

import ssl
from pathlib import Path

import httpx
import pytest

from tests.unit.load.certificate import make_certificate
from tests.unit.load.playing import Request, Server
from workbench.base import InputError, mask_text, ssl_context_for
from workbench.results.bench.mask_stored import mask_toml
from workbench.servers import TargetSpec, check_target
from workbench.telemetry import open_client


def spec(**headers: str) -> TargetSpec:
    return TargetSpec(kind="attached", url="http://a", headers=headers)


def test_that_a_secret_header_comes_out_of_its_variable() -> None:
    given = spec(**{"X-Team": "search", "Authorization": "env:GATEWAY"})
    check_target(given)
    assert given.all_headers({"GATEWAY": "Basic abc"}) == {"X-Team": "search", "Authorization": "Basic abc"}
    with pytest.raises(InputError, match="Authorization: the environment has no GATEWAY"):
        given.all_headers({})


@pytest.mark.parametrize("name", ["Authorization", "Cookie", "X-Api-Key", "x-auth-token"])
def test_that_a_secret_written_out_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(InputError, match="env:VARIABLE") as caught:
        check_target(spec(**{name: "hunter2"}))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("X Y", "1", "not a header's name"),
        ("", "1", "not a header's name"),
        ("X", "a\r\nY: 1", "can't carry"),
        ("Content-Length", "1", "this program sets it"),
    ],
)
def test_that_a_header_that_cannot_be_sent_is_refused(name: str, value: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_target(spec(**{name: value}))


def test_that_one_header_written_in_two_ways_is_refused() -> None:
    with pytest.raises(InputError, match="the same header stands twice"):
        check_target(spec(**{"X-Team": "a", "x-team": "b"}))


def test_that_only_an_attached_server_takes_headers() -> None:
    with pytest.raises(InputError, match="headers: means nothing for kind 'local'"):
        check_target(TargetSpec(kind="local", model="m", headers={"X": "1"}))


def test_that_a_file_without_certificates_is_named(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing of the kind")
    with pytest.raises(InputError, match=r"ca\.pem: holds no certificate in PEM form"):
        ssl_context_for(str(tmp_path / "ca.pem"))


async def test_that_a_private_authority_is_trusted_where_its_file_is_named(tmp_path: Path) -> None:
    async def unasked(_: Request) -> None:
        raise AssertionError

    certificate, key = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    async with Server(unasked, tls=context, version=True) as server:
        headers = {"X-Team": "search", "authorization": "Basic x"}
        client = open_client(server.url, api_key="k", headers=headers, ca_file=str(certificate))
        answer = await client.get("/version")
        await client.aclose()
        strict = open_client(server.url)
        with pytest.raises(httpx.ConnectError, match="certificate"):
            await strict.get("/version")
        await strict.aclose()
    assert answer.json() == {"version": "0.32.0"}
    assert answer.request.headers["x-team"] == "search"
    assert answer.request.headers.get_list("authorization") == ["Basic x"]


def test_that_a_stored_experiment_names_the_variable_and_holds_no_secret() -> None:
    text = 'headers = { X-Api-Key = "env:KEY_OF_A", Authorization = "env:KEY_OF_B", X-Team = "a" }\n'
    assert mask_toml(f"[target]\n{text}") == f"[target]\n{text}"
    written_out = mask_toml(f"[target]\n{text}".replace("env:", "hunter2 "))
    assert "hunter2" not in written_out
    assert mask_text("Authorization: Bearer hunter2") == "Authorization: Bearer ••••"
