"""Sizing against what real servers printed; the figures lie beside the project, and tests skip without."""

import csv
import json
from pathlib import Path

import pytest

from workbench.advice.sizing import (
    SizingEstimate,
    SizingRequest,
    differences,
    estimate,
    read_server_memory,
    shape_of,
)

CONFIGS = json.loads((Path(__file__).parents[2] / "data" / "advice" / "model_configs.json").read_text())
SHARED = Path(__file__).parents[4] / "shared" / "data"
POINTS = SHARED / "sizing" / "kvpoints.csv"
LOGS = SHARED / "vllm-logs"
ROWS = list(csv.DictReader(POINTS.read_text("utf-8").splitlines())) if POINTS.exists() else []
ONE_OF_FOUR_RANKS = "K075"
# Its GiB are of one of four ranks and its tokens of the smallest: 1.1 % apart in the source.
pytestmark = pytest.mark.skipif(not ROWS, reason="the folder of real inputs is not here")


def _request(row: dict[str, str], **more: object) -> SizingRequest:
    version = row["vllm_version"].split("/")[0].replace("x", "0")
    return SizingRequest(
        tp=int(row["tp"] or 1),
        pp=int(row["pp"] or 1),
        dtype=row["dtype"].split("/")[0],
        kv_cache_dtype=row["kv_cache_dtype"],
        quantization="fp8" if row["quantization"] == "fp8" else None,
        gpu_gib=float(row["gpu_total_gib"].split()[0]) if row["gpu_total_gib"] else None,
        gpu_memory_utilization=float(row["gpu_memory_utilization"] or 0.9),
        max_model_len=int(row["max_model_len"]) if row["max_model_len"] else None,
        vllm_version=version if version.startswith("0.") else "0.28",
        **more,  # type: ignore[arg-type]  # the test names fields that exist
    )


def _sized(row: dict[str, str], **more: object) -> SizingEstimate:
    return estimate(shape_of(CONFIGS[row["model"]], where=row["model"]), _request(row, **more))


def _rows(*needed: str) -> list[pytest.param]:  # type: ignore[valid-type]  # pytest.param is a function
    fits = [row for row in ROWS if row["model"] in CONFIGS and all(row[name] for name in needed)]
    return [pytest.param(row, id=f"{row['id']}-{row['model'].split('/')[-1]}") for row in fits]


@pytest.mark.parametrize("row", _rows("kv_available_gib_per_gpu", "kv_cache_tokens_logged"))
def test_that_known_kv_gib_give_the_tokens_that_the_server_printed(row: dict[str, str]) -> None:
    sized = _sized(row, kv_gib=float(row["kv_available_gib_per_gpu"]))
    truth = int(row["kv_cache_tokens_logged"])
    assert sized.kv_tokens is not None
    assert sized.kv_tokens_low is not None
    assert sized.kv_tokens_high is not None
    assert sized.kv_tokens_low <= truth <= sized.kv_tokens_high
    if "hybrid" in row["note"] or "full-attention" in row["note"]:
        return
    allowed = 0.015 if int(row["pp"]) > 1 or row["id"] == ONE_OF_FOUR_RANKS else 0.005
    assert abs(sized.kv_tokens / truth - 1) <= allowed


@pytest.mark.parametrize("row", _rows("weights_gib_per_gpu"))
def test_that_counted_weights_are_within_two_percent(row: dict[str, str]) -> None:
    sized = _sized(row)
    assert sized.weights_gib == pytest.approx(float(row["weights_gib_per_gpu"]), rel=0.02)


@pytest.mark.parametrize("row", _rows("weights_gib_per_gpu", "kv_available_gib_per_gpu", "gpu_total_gib"))
def test_that_the_kv_estimate_from_the_card_alone_holds_its_band(row: dict[str, str]) -> None:
    if row["vllm_version"].startswith(("0.6", "0.11")) and "Vision" in row["model"]:
        pytest.skip("an encoder-decoder of the time before chunked prefill: activations of 36 GiB")
    sized = _sized(row)
    truth = float(row["kv_available_gib_per_gpu"])
    if row["id"] == "K025":
        truth -= 2.01 - 1.1  # the row gives the first stage's GiB; the last stage's peak is larger
    assert sized.kv_gib is not None
    assert sized.band_pct is not None
    assert abs(sized.kv_gib / truth - 1) * 100 <= sized.band_pct


@pytest.mark.parametrize("row", _rows("max_concurrency_logged", "kv_available_gib_per_gpu", "max_model_len"))
def test_that_concurrency_is_what_the_server_printed(row: dict[str, str]) -> None:
    sized = _sized(row, kv_gib=float(row["kv_available_gib_per_gpu"]))
    logged = float(row["max_concurrency_logged"])
    assert sized.max_concurrency == pytest.approx(logged, rel=0.015 if row["pp"] == "2" else 0.005)


def test_that_a_hybrid_row_of_the_file_pads_layers_as_the_server_did() -> None:
    sized = estimate(
        shape_of(CONFIGS["google/gemma-3-27b-it"], where="gemma"),
        SizingRequest(kv_gib=19.53, max_model_len=8192, vllm_version="0.19.0"),
    )
    assert sized.kv_bytes_per_token == 573_440
    assert sized.kv_tokens == pytest.approx(36_560, rel=0.005)
    assert sized.max_concurrency == pytest.approx(4.46, abs=0.01)


def test_that_the_length_that_fits_is_the_one_that_vllm_proposes() -> None:
    shape = shape_of(CONFIGS["Qwen3-Coder-480B-A35B-FP8"], where="qwen")
    for gib, proposed in ((48.66, 205_728), (55.65, 235_296)):
        sized = estimate(shape, SizingRequest(kv_gib=gib, max_model_len=262_144))
        assert sized.max_model_len_fits == pytest.approx(proposed, abs=32)
        assert sized.fits is False


def test_that_the_servers_log_corrects_the_estimate() -> None:
    log = LOGS / "meta-llama-llama-3-1-8b---h100-80gb--tp1pp1dp1--4096.log"
    memory = read_server_memory(log.read_text(errors="replace").splitlines())
    assert (memory.weights_gib, memory.kv_gib, memory.kv_tokens) == (14.99, 58.11, 476_016)
    shape = shape_of(CONFIGS["meta-llama/Llama-3.1-8B-Instruct"], where="llama")
    sized = estimate(
        shape, SizingRequest(gpu="h100", gpu_memory_utilization=0.95, vllm_version="0.19", max_model_len=4096)
    )
    said = list(map(str, differences(sized, memory)))
    assert "KV cache: estimated 58.10 GiB, server 58.11 GiB (-0.0 %)" in said
    assert not any("outside" in sentence for sentence in said)


def test_that_of_two_pipeline_stages_the_smaller_cache_counts() -> None:
    log = LOGS / "meta-llama-llama-3-1-8b---h100-80gb--tp1pp2dp1--8192.log"
    memory = read_server_memory(log.read_text(errors="replace").splitlines())
    assert memory.kv_tokens == 1_075_312
    assert memory.activation_gib == 2.01


def test_that_an_old_log_without_room_for_a_cache_is_read() -> None:
    text = (SHARED / "cases" / "07.txt").read_text()
    memory = read_server_memory(text.splitlines())
    assert (memory.weights_gib, memory.activation_gib, memory.kv_gib) == (5.2, 1.42, -1.05)
    assert memory.kv_blocks == 0


@pytest.mark.parametrize(
    "words", ["Model loading took 14.9595 GB and 3.5 seconds", "Loading model weights took 14.9595 GB"]
)
def test_that_the_gigabytes_of_older_versions_are_gib(words: str) -> None:
    """They divided by 2^30 and wrote GB."""
    memory = read_server_memory(
        [f"INFO 01-02 10:00:00 [m.py:1] {words}", "Available KV cache memory: 4.25 GB"]
    )
    assert (memory.weights_gib, memory.kv_gib) == (14.9595, 4.25)
