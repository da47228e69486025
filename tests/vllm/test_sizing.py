"""The KV layout that vLLM itself lays out beside the one that is counted from config.json."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.advice.public_layouts import COMMAND_R7B, DBRX, FALCON_7B, JAMBA, LLAMA, LLAMA_4
from workbench.advice.sizing import SizingEstimate, SizingRequest, size_model
from workbench.experiments import size_by_vllm

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(600)]
NAMES = {
    "dbrx": "DbrxForCausalLM",
    "falcon": "FalconForCausalLM",
    "cohere2": "Cohere2ForCausalLM",
    "jamba": "JambaForCausalLM",
    "llama": "LlamaForCausalLM",
    "llama4_text": "Llama4ForCausalLM",
}


def _both(
    build: Path, folder: Path, content: dict[str, Any], **more: Any
) -> tuple[SizingEstimate, SizingEstimate]:
    architecture = NAMES[content["model_type"]]
    (folder / "config.json").write_text(json.dumps({**content, "architectures": [architecture]}))
    request = SizingRequest(config=folder, **{"gpu": "h200", "vllm_version": "0.32.0", **more})
    told = asyncio.run(size_by_vllm(request, str(build / "venv")))
    (note,) = [note for note in told.notes if note.kind.startswith(("sizing.layout_by", "sizing.vllm_"))]
    assert note.kind == "sizing.layout_by_vllm", str(note)
    return size_model(request), told


@pytest.mark.parametrize(
    ("content", "tp"),
    [(LLAMA, 4), (DBRX, 8), ({**FALCON_7B, "multi_query": True}, 1), (COMMAND_R7B, 2), (LLAMA_4, 1)],
    ids=["plain", "nested", "one KV head", "windows", "chunks"],
)
def test_the_count_agrees_with_what_vllm_lays_out(
    build: Path, tmp_path: Path, content: dict[str, Any], tp: int
) -> None:
    counted, told = _both(build, tmp_path, content, tp=tp)
    assert counted.kv_bytes_per_token == told.kv_bytes_per_token
    assert counted.weights_gib == pytest.approx(told.weights_gib, rel=0.02)
    assert counted.kv_tokens == pytest.approx(told.kv_tokens, rel=0.05)
    assert not [note for note in told.notes if note.kind == "sizing.layout_differs"]


def test_what_is_not_counted_of_a_model_with_states_vllm_tells(build: Path, tmp_path: Path) -> None:
    counted, told = _both(build, tmp_path, {**JAMBA, "intermediate_size": 14_336})
    assert counted.kv_tokens is None
    assert counted.kv_bytes_per_token == told.kv_bytes_per_token == 16_384
    assert told.kv_tokens
    assert told.max_concurrency
