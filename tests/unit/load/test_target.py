import pytest

from workbench.base import InputError
from workbench.load import LoadOptions, Target


@pytest.mark.parametrize(
    ("url", "host", "port", "secure", "path", "header"),
    [
        ("http://a:8000", "a", 8000, False, "/v1/completions", "a:8000"),
        ("http://a", "a", 80, False, "/v1/completions", "a"),
        ("https://a/", "a", 443, True, "/v1/completions", "a"),
        ("https://a/v1", "a", 443, True, "/v1/completions", "a"),
        ("https://a/team/x/v1/", "a", 443, True, "/team/x/v1/completions", "a"),
        ("http://[::1]:8000", "::1", 8000, False, "/v1/completions", "[::1]:8000"),
        ("http://10.0.0.1:80/base", "10.0.0.1", 80, False, "/base/v1/completions", "10.0.0.1"),
    ],
)
def test_that_a_url_is_taken_apart(
    url: str, host: str, port: int, secure: bool, path: str, header: str
) -> None:
    target = Target(url=url, model="m")
    address = target.address()
    assert (address.host, address.port, address.secure, address.host_header) == (host, port, secure, header)
    assert target.path() == path


@pytest.mark.parametrize("url", ["a:8000", "ftp://a", "http://", "http://a:99999", "http://[::1", ""])
def test_that_a_url_that_cannot_work_is_refused_by_what_it_should_look_like(url: str) -> None:
    with pytest.raises(InputError, match=r"\[target\] url"):
        Target(url=url, model="m")


def test_that_an_unknown_endpoint_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="completions, chat"):
        Target(url="http://a", model="m", endpoint="embeddings")


@pytest.mark.parametrize(
    "fields", [{"api_key": "a\r\nX: 1"}, {"headers": {"X\n": "1"}}, {"headers": {"X": "1\n"}}]
)
def test_that_nothing_can_slip_a_line_into_the_head(fields: dict[str, object]) -> None:
    with pytest.raises(InputError, match="can't carry"):
        Target(url="http://a", model="m", **fields)  # type: ignore[arg-type] # parametrized


def test_that_the_error_does_not_repeat_the_key() -> None:
    with pytest.raises(InputError) as caught:
        Target(url="http://a", model="m", api_key="sk-secret\n")
    assert "sk-secret" not in str(caught.value)


def test_that_plain_http_needs_no_certificates_and_a_missing_file_is_named() -> None:
    assert Target(url="http://a", model="m").tls() is None
    with pytest.raises(InputError, match=r"nowhere\.pem"):
        Target(url="https://a", model="m", ca_file="nowhere.pem").tls()


def test_that_a_header_is_sent_once_however_it_is_written() -> None:
    target = Target(url="http://a", model="m", api_key="k", headers={"authorization": "Basic x", "X": "1"})
    assert target.all_headers({"User-Agent": "us", "x": "0"}) == {
        "User-Agent": "us",
        "authorization": "Basic x",
        "X": "1",
    }
    assert Target(url="http://a", model="m", api_key="k").all_headers() == {"Authorization": "Bearer k"}


@pytest.mark.parametrize(
    "fields",
    [
        {"workers": 0},
        {"max_in_flight": 0},
        {"queue_timeout_s": 0.0},
        {"request_timeout_s": -1.0},
        {"warmup_s": -1.0},
        {"drain_s": float("nan")},
        {"time_scale": 0.0},
        {"input_mode": "tokens"},
        {"max_retries": -1},
    ],
)
def test_that_an_option_out_of_its_range_is_refused_by_name(fields: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(fields))):
        LoadOptions(**fields)  # type: ignore[arg-type] # parametrized
