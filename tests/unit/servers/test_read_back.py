"""What a server's own configuration says of the controls."""

import pytest

from workbench.controls import CONTROLS
from workbench.servers.read_back import _PLACES, _blocks, _from_configuration

NOT_TOLD = {
    "cpu_offload_gb",  # nested deeper, by backend
    "static_batching",  # the embedded engine's
}


def test_that_every_control_of_a_server_is_read_back() -> None:
    served = {name for name, control in CONTROLS.items() if control.flag is not None}
    assert served - set(_PLACES) - NOT_TOLD == set()


def test_that_a_number_type_is_told_as_it_is_asked_for() -> None:
    """vLLM 0.32 dumps its configuration with Python's text of what JSON can't hold."""
    told = {
        "model_config": {"dtype": "torch.bfloat16", "quantization": None, "enforce_eager": True},
        "cache_config": {"mamba_cache_mode": "align", "use_replayssm": False, "mamba_block_size": 64},
    }
    assert _from_configuration(told) == {
        "dtype": "bfloat16",
        "enforce_eager": True,
        "mamba_cache_mode": "align",
        "use_replayssm": False,
        "mamba_block_size": 64,
    }


@pytest.mark.parametrize(
    ("blocks", "tokens", "engines", "expected"),
    [
        ("60", "1920", None, 60),
        ("60", "1920", 1, 60),
        ("120", "1920", 2, 60),
        ("60", "1920", 2, 60),
        ("120", None, 2, 60),
        ("121", None, 2, None),
        (None, "1920", 2, None),
    ],
)
def test_that_the_blocks_told_are_those_of_one_engine(
    blocks: str | None, tokens: str | None, engines: int | None, expected: int | None
) -> None:
    """vLLM 0.32 with two engines of 60 blocks of 32 tokens tells 120 blocks and 1,920 tokens."""
    told = {"num_gpu_blocks": blocks, "kv_cache_size_tokens": tokens, "block_size": "32"}
    labels = {name: value for name, value in told.items() if value is not None}
    assert _blocks(labels, engines) == expected
