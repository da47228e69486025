"""What a server would refuse is refused before the first run, where it can be known."""

import pytest

from workbench.base import InputError
from workbench.experiments import Experiment, make_plan
from workbench.experiments.run.execute import check_servers

TABLES = """
name = "x"
[target]
kind = "embedded"
[baseline]
{baseline}
[control]
name = "{control}"
values = [{value}]
[trace]
synthetic = "20:10"
[load]
rates = [1]
requests = 5
"""


def check(baseline: str, control: str, value: str) -> None:
    text = TABLES.format(baseline=baseline, control=control, value=value)
    check_servers(make_plan([Experiment.from_toml(text, where="x.toml")]))


def test_that_a_pool_too_small_for_one_request_is_refused_with_what_would_fit() -> None:
    with pytest.raises(InputError, match=r"^baseline: .*131072.*maximum model length is 4784"):
        check("num_gpu_blocks_override = 300", "max_num_seqs", "8")
    with pytest.raises(InputError, match=r"^num_gpu_blocks_override = 20: .*304"):
        check("max_model_len = 2048", "num_gpu_blocks_override", "20")


def test_that_what_the_engine_takes_is_let_pass() -> None:
    check("max_model_len = 2048\nnum_gpu_blocks_override = 300", "max_num_active_seqs", "8")
    check("", "max_num_batched_tokens", "2048")
