"""One control was asked for: what else moved is named, and what only follows from it is not."""

import pytest

from workbench.controls import Value
from workbench.experiments.run.held_constant import ConstantsCheck
from workbench.servers import EffectiveConfig

PREFIXES = {"enable_prefix_caching": True, "mamba_cache_mode": "align", "mamba_block_size": 64}


@pytest.mark.parametrize(
    ("asked", "effective", "moved"),
    [
        (
            {"max_num_batched_tokens": 512},
            {"max_num_batched_tokens": 512, "max_num_scheduled_tokens": 512},
            [],
        ),
        ({"max_num_seqs": 8}, {"max_num_scheduled_tokens": 512}, ["max_num_scheduled_tokens"]),
        (
            {"enable_prefix_caching": False},
            {"enable_prefix_caching": False, "mamba_cache_mode": "none", "mamba_block_size": 4096},
            [],
        ),
        ({"mamba_block_size": 128}, {"mamba_block_size": 128}, []),
        ({"max_num_seqs": 8}, {"mamba_cache_mode": "none"}, ["mamba_cache_mode"]),
    ],
)
def test_that_what_follows_from_the_control_is_no_second_change(
    asked: dict[str, Value], effective: dict[str, Value], moved: list[str]
) -> None:
    held = ConstantsCheck()
    told = {"max_num_batched_tokens": 8192, "max_num_scheduled_tokens": 8192, **PREFIXES}
    assert held.changes({}, EffectiveConfig(arguments=told)) == {}
    assert list(held.changes(asked, EffectiveConfig(arguments={**told, **effective}))) == moved
