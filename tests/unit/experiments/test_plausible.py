"""A finished run is held against its card where the model's files are here and the card is known."""

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.advice import RunView
from workbench.experiments.run.run_figures import implausible_column, implausible_figures
from workbench.servers import EffectiveConfig, TargetSpec

CONFIGS = json.loads((Path(__file__).parents[2] / "data" / "advice" / "model_configs.json").read_text())
TOO_QUICK = RunView(samples=[], figures={"tpot_ms": {"p50": 3.0}})


@pytest.fixture
def model(tmp_path: Path) -> str:
    config = CONFIGS["meta-llama/Llama-3.1-8B-Instruct"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    return str(tmp_path)


def said(model: str, gpu: str | None, **arguments: Any) -> list[str]:
    effective = EffectiveConfig(
        model=model, arguments=arguments, system={} if gpu is None else {"nvidia_gpu_models": gpu}
    )
    return implausible_figures(TOO_QUICK, TargetSpec(kind="local", model=model), effective)


def test_that_a_step_quicker_than_reading_the_weights_is_named(model: str) -> None:
    (sentence,) = said(model, "GPU 0: NVIDIA H100 80GB HBM3")
    assert str(sentence).startswith("Impossible: 3.00 ms a token, but reading the weights once takes 4.79")
    assert implausible_column([sentence]) == {"implausible": str(sentence)}


def test_that_two_cards_read_the_weights_in_half_the_time(model: str) -> None:
    two = "GPU 0: NVIDIA H100 80GB HBM3\nGPU 1: NVIDIA H100 80GB HBM3"
    assert said(model, two, tensor_parallel_size=2) == []


@pytest.mark.parametrize("gpu", [None, "", "GPU 0: A card nobody knows"])
def test_that_without_a_known_card_nothing_is_claimed(model: str, gpu: str | None) -> None:
    assert said(model, gpu) == []
    assert implausible_column([]) == {}


def test_that_without_the_models_files_nothing_is_claimed(tmp_path: Path) -> None:
    assert said(str(tmp_path / "elsewhere"), "GPU 0: NVIDIA H100 80GB HBM3") == []
    (tmp_path / "config.json").write_text("{")
    assert said(str(tmp_path), "GPU 0: NVIDIA H100 80GB HBM3") == []
