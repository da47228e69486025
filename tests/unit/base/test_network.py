"""Addresses of this machine, and proxies that nothing of ours uses."""

import pytest

from workbench.base import ignored_proxy, is_loopback


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST.", "a.localhost", "::1", "[::1]"]
)
def test_that_an_address_of_this_machine_is_known_as_one(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["10.0.0.1", "gpu-7", "localhost.example", "0.0.0.0", "", None])
def test_that_every_other_address_is_none(host: str | None) -> None:
    assert not is_loopback(host)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("settings", "url", "setting"),
    [
        ({}, "http://gpu-7:8000", None),
        ({"HTTP_PROXY": "http://p:3128"}, "http://gpu-7:8000", "HTTP_PROXY"),
        ({"http_proxy": "http://p:3128"}, "http://gpu-7:8000", "HTTP_PROXY"),
        ({"HTTP_PROXY": "http://p:3128"}, "https://gpu-7:8000", None),
        ({"ALL_PROXY": "socks5://p:1080"}, "https://gpu-7:8000", "ALL_PROXY"),
        ({"HTTP_PROXY": "http://p:3128", "NO_PROXY": "gpu-7"}, "http://gpu-7:8000", None),
        ({"HTTP_PROXY": "http://p:3128"}, "http://127.0.0.1:8000", None),
    ],
)
def test_that_a_proxy_which_is_not_used_is_named(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], url: str, setting: str | None
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert ignored_proxy(url) == setting
