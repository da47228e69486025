"""The KV cache pinned to the baseline's: what servers are started with, and where that can't be."""

import pytest

from workbench.base import InputError
from workbench.experiments import Experiment, make_plan
from workbench.experiments.run.kv_memory import KvPinning
from workbench.servers import EffectiveConfig

TABLES = """
name = "x"
kind = "{kind}"
[target]
kind = "{target}"
{model}
kv = "pinned"
[baseline]
max_num_seqs = 4
{baseline}
[control]
name = "{control}"
values = [{value}]
[trace]
synthetic = "20:10"
[load]
rates = [1]
duration_s = 60
"""


def experiment(**changes: str) -> Experiment:
    told = {"kind": "ladder", "target": "local", "model": 'model = "m"', "baseline": "", "value": "8192"}
    text = TABLES.format(**{**told, "control": "max_num_batched_tokens", **changes})
    return Experiment.from_toml(text, where="x.toml")


def test_that_later_servers_have_the_blocks_that_the_baseline_had() -> None:
    baseline, variant = (run.configuration for run in make_plan([experiment()]).runs)
    pinning = KvPinning("pinned")
    assert pinning.controls(baseline) == {"max_num_seqs": 4}
    pinning.record_server(baseline, EffectiveConfig(num_gpu_blocks=7210))
    assert pinning.controls(variant) == {
        "max_num_seqs": 4,
        "max_num_batched_tokens": 8192,
        "num_gpu_blocks_override": 7210,
    }
    pinning.record_server(variant, EffectiveConfig(num_gpu_blocks=7000))
    assert pinning.controls(baseline)["num_gpu_blocks_override"] == 7210


def test_that_as_deployed_nothing_is_added() -> None:
    _, variant = (run.configuration for run in make_plan([experiment()]).runs)
    pinning = KvPinning("as_deployed")
    pinning.record_server(variant, EffectiveConfig(num_gpu_blocks=7000))
    assert "num_gpu_blocks_override" not in pinning.controls(variant)


@pytest.mark.parametrize("blocks", [None, 0])
def test_that_a_variant_without_a_measure_is_refused(blocks: int | None) -> None:
    baseline, variant = (run.configuration for run in make_plan([experiment()]).runs)
    pinning = KvPinning("pinned")
    if blocks is None:
        pinning.record_server(baseline, EffectiveConfig())
    with pytest.raises(InputError, match="no server of the baseline has reported"):
        pinning.controls(variant)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"control": "gpu_memory_utilization", "value": "0.8"},
            "so does the control under test, gpu_memory_utilization",
        ),
        ({"baseline": "num_gpu_blocks_override = 500"}, "so does num_gpu_blocks_override in"),
        ({"target": "attached", "model": 'url = "http://127.0.0.1:1"'}, "kv: means nothing for kind"),
    ],
)
def test_that_pinning_which_contradicts_the_experiment_is_refused(
    changes: dict[str, str], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        experiment(**changes)
