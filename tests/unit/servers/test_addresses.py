"""No secret is stored with a server's address."""

import pytest

from workbench.base import InputError, Place
from workbench.base.masking import is_secret_name
from workbench.servers import TargetSpec, check_target, complete_address, plain_url

_WITH_SECRETS = (
    "http://user:hush@host:8000/v1",
    "http://hush@host",
    "http://host/?token=hush",
    "user:hush@host:8000",
    "http://[bad/?token=hush",
)


@pytest.mark.parametrize("url", _WITH_SECRETS)
def test_that_an_address_with_a_secret_is_refused_without_repeating_it(url: str) -> None:
    for refused in (
        lambda: plain_url(url, Place(key="URL")),
        lambda: check_target(TargetSpec(kind="attached", url=url), where="x.toml"),
    ):
        with pytest.raises(InputError, match="api_key_env") as told:
            refused()
        assert "hush" not in str(told.value)


def test_that_a_plain_address_is_taken() -> None:
    check_target(TargetSpec(kind="attached", url="https://host:8000/a/v1"))
    assert plain_url("https://host:8000/a/v1") == "https://host:8000/a"


@pytest.mark.parametrize("name", ["AWS_CRED", "PG_PASSWD", "X_AUTH", "SESSION_COOKIE", "MYAPIKEY", "API_KEY"])
def test_that_names_of_secrets_are_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["--allow-credentials", "AUTHOR", "X-Api", "--max-num-batched-tokens"])
def test_that_harmless_names_are_not_hidden(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("localhost:8000", "http://localhost:8000"),
        (" localhost ", "http://localhost"),
        ("gpu-server:8000/v1", "http://gpu-server:8000/v1"),
        ("10.0.0.7", "http://10.0.0.7"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("api.example.com", "https://api.example.com"),
        ("api.example.com:8000", "http://api.example.com:8000"),
        ("gateway:443", "https://gateway:443"),
        ("https://host/a", "https://host/a"),
    ],
)
def test_that_an_address_gets_its_scheme(typed: str, whole: str) -> None:
    assert complete_address(typed) == whole
    assert TargetSpec(kind="attached", url=typed).url == whole
    assert plain_url(typed) == whole.removesuffix("/v1")


@pytest.mark.parametrize(
    "text", ["", "sk-abcdef", "server", "user:hush@host:8000", "host:8000?token=hush", "a b:1"]
)
def test_that_what_is_no_address_stays_as_it_is(text: str) -> None:
    assert complete_address(text) == text
