"""Memory estimate with the KV layout that an installed vLLM computes for the model."""

from typing import Any

import msgspec

from workbench.advice import SizingEstimate, SizingRequest, size_model
from workbench.advice.sizing import VllmLayout, step_limits
from workbench.base import InputError, Message, message
from workbench.experiments.run.events import as_data
from workbench.servers import Install, VllmKvLayout, find_install, kv_layout_of


async def size_by_vllm(
    request: SizingRequest, executable: str | None, *, version_given: bool = False
) -> SizingEstimate:
    """Size a model with the layout of an installed vLLM; without its answer, with our own.

    Args:
        request: model, GPU and settings.
        executable: a script, a Python or an environment's folder; None: the nearest.
        version_given: whether the request's version is kept instead of that vLLM's.

    Raises:
        InputError: there is no such vLLM, or the requested sizes are impossible.
    """
    install = await find_install(executable)
    if not version_given:
        request = msgspec.structs.replace(request, vllm_version=install.version)
    size_model(request)  # refuse impossible sizes before vLLM is asked
    if request.pp > 1:
        return _with(size_model(request), message("sizing.vllm_one_stage"))
    try:
        reported = await _reported_layout(install, request)
    except InputError as error:
        return _with(size_model(request), message("sizing.vllm_cannot_tell", why=as_data(error)))
    return size_model(request, _layout(install, reported))


async def _reported_layout(install: Install, request: SizingRequest) -> VllmKvLayout:
    assert request.config is not None
    config = request.config / "config.json" if request.config.is_dir() else request.config
    budget, seats = step_limits(request)
    words: dict[str, Any] = {
        "max_model_len": request.max_model_len,
        "dtype": None if request.dtype == "auto" else request.dtype,
        "kv_cache_dtype": None if request.kv_cache_dtype == "auto" else request.kv_cache_dtype,
        "quantization": request.quantization,
        "block_size": request.block_size,
        "max_num_batched_tokens": budget,
        "max_num_seqs": seats,
    }
    for_card = request.gpu is not None or request.gpu_gib is not None
    return await kv_layout_of(install, config, tp=request.tp, words=words, for_card=for_card)


def _layout(install: Install, reported: VllmKvLayout) -> VllmLayout:
    return VllmLayout(
        version=install.version,
        platform=reported.platform,
        architecture=reported.architecture,
        kinds=tuple(group.kind for group in reported.groups),
        block_size=reported.block_size,
        bytes_per_block=reported.bytes_per_block,
        blocks=reported.blocks,
        bytes_per_token=reported.bytes_per_token,
        kv_cache_dtype=reported.kv_cache_dtype,
        weights_bytes=reported.weights_bytes,
    )


def _with(estimate: SizingEstimate, note: Message) -> SizingEstimate:
    return msgspec.structs.replace(estimate, notes=[note, *estimate.notes])
