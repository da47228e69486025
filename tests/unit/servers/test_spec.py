"""A target that can't be used is refused in one clear line."""

import msgspec
import pytest

from workbench.base import InputError
from workbench.servers import TargetSpec, check_target, make_server


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (TargetSpec(kind="container", model="m"), "image: missing: kind 'container' needs it"),
        (TargetSpec(kind="container", image="i", model="m", host="h"), "host: means nothing"),
        (TargetSpec(kind="attached", url="http://x", live_limits=True), "live_limits: means nothing"),
        (TargetSpec(kind="ssh", model="m"), "host: missing: kind 'ssh' needs it"),
        (TargetSpec(kind="local"), "model: missing: kind 'local' needs it"),
        (TargetSpec(kind="attached"), "url: missing"),
        (TargetSpec(kind="embedded", url="http://x"), "url: means nothing for kind 'embedded'"),
        (TargetSpec(kind="attached", url="http://x", args=["--x"]), "args: means nothing"),
        (TargetSpec(kind="embedded", time_scale=0.0), "time_scale: .* must be greater than 0"),
    ],
)
def test_that_a_target_without_sense_is_refused(spec: TargetSpec, words: str) -> None:
    with pytest.raises(InputError, match=words) as refusal:
        check_target(spec, where="x.toml")
    assert str(refusal.value).startswith("x.toml: [target] ")


def test_that_an_unknown_key_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `gpu`"):
        msgspec.convert({"kind": "embedded", "gpu": 1}, TargetSpec)


def test_that_a_key_that_is_nowhere_is_refused_by_its_variables_name() -> None:
    spec = TargetSpec(kind="attached", url="http://x", api_key_env="NO_SUCH_KEY")
    assert spec.api_key({"NO_SUCH_KEY": "k"}) == "k"
    with pytest.raises(InputError, match=r"api_key_env: neither .* has NO_SUCH_KEY"):
        spec.api_key({})


@pytest.mark.parametrize("name", ["gpu_memory_utilization", "kv_cache_dtype", "dtype"])
def test_that_the_embedded_engine_refuses_what_it_does_not_model(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} is not modelled by the embedded engine"):
        make_server(TargetSpec(kind="embedded"), {name: 0.9})


@pytest.mark.parametrize("url", ["", "server", "ftp://x", "http://", "http://x:port"])
def test_that_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match=r"\[target\] url"):
        make_server(TargetSpec(kind="attached", url=url), {})
