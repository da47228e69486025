"""What a server hasn't is known before it is started, where its vLLM was started once before."""

from pathlib import Path

import pytest

from workbench.controls import CONTROLS
from workbench.servers import find_install, find_missing_controls, flags_of


async def test_that_the_embedded_engine_lacks_what_it_does_not_model() -> None:
    told = await find_missing_controls("embedded")
    assert set(told) == {name for name, control in CONTROLS.items() if not control.modeled}
    assert told["gpu_memory_utilization"].kind == "servers.not_modelled"


async def test_that_a_vllm_here_lacks_the_controls_whose_flags_it_has_not_once_these_are_kept(
    vllm_script: Path,
) -> None:
    assert await find_missing_controls("local", str(vllm_script)) == {}
    await flags_of(await find_install(str(vllm_script)))
    told = await find_missing_controls("local", str(vllm_script))
    assert str(told["watermark"]) == "watermark: vLLM 9.9.0 has no --watermark"
    assert "max_num_seqs" not in told
    # What the load generator does is no vLLM's business.
    assert "max_in_flight" not in told


@pytest.mark.parametrize(
    ("kind", "executable"), [("local", "/nowhere/vllm"), ("ssh", None), ("attached", None)]
)
async def test_that_of_what_can_not_be_looked_at_nothing_is_known(kind: str, executable: str | None) -> None:
    assert await find_missing_controls(kind, executable) == {}
