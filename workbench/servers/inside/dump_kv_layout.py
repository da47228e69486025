"""Writes this vLLM's KV-cache layout of a model and the size of its weights as JSON to the named file.

Runs with the Python of a vLLM, not with ours. Self-contained: it imports nothing of this program. It builds
the model without weights, on PyTorch's meta device, and asks each layer what it keeps, as a worker does.
vLLM's own planner then makes groups and blocks of it. vLLM's output goes wherever it likes; the file counts.
"""

import gc
import importlib
import json
import math
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

_FORM = 1
_POOL = 1 << 54
"""Bytes of the planned pool: enough that a block's share is exact to a byte."""
_POINTS = 64
"""Number of lengths at which a request's blocks are computed."""
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_CPU_KVCACHE_SPACE": "1",
}
_BLOCK_SIZE = 16
"""Tokens of a block on a GPU where nothing else is asked for."""
_LARGE = 1 << 20
"""Values of a tensor from which on it stays without memory in the second try."""


def _find(modules: "tuple[str, ...]", name: str) -> Any:
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise SystemExit(f"this vLLM has no {name} where it is known to be: {', '.join(modules)}")


def _configuration(asked: "dict[str, Any]") -> Any:
    """Build vLLM's configuration for one GPU; tensor parallelism is set afterwards and needs no other GPU."""
    arguments = _find(("vllm.engine.arg_utils",), "EngineArgs")
    context = _find(("vllm.usage.usage_lib",), "UsageContext").OPENAI_API_SERVER
    words = {name: value for name, value in asked["words"].items() if value is not None}
    for_card = asked["for_card"] and _find(("vllm.platforms",), "current_platform").is_cpu()
    if for_card:
        # A vLLM that was built for CPUs has other defaults than one for the card that is meant.
        words.setdefault("block_size", _BLOCK_SIZE)
    made = arguments(
        model=asked["folder"],
        tokenizer=asked["folder"],
        skip_tokenizer_init=True,
        load_format="dummy",
        enforce_eager=True,
        **words,
    )
    configuration = made.create_engine_config(usage_context=context)
    configuration.parallel_config.tensor_parallel_size = asked["tp"]
    if for_card:
        configuration.scheduler_config.async_scheduling = True
    return configuration


def _be_alone(tp: int) -> None:
    """Set up a group of one process that claims to be one of `tp`; nothing is ever sent to the others."""
    torch = importlib.import_module("torch")
    state = importlib.import_module("vllm.distributed.parallel_state")
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    state.init_distributed_environment(1, 0, "env://", 0, "gloo")
    state.ensure_model_parallel_initialized(1, 1)
    state._TP.world_size = tp  # noqa: SLF001  # there is no public way to it


def _built(configuration: Any) -> Any:
    """Build the model without weights; if a class reads its constants, make those alone."""
    torch = importlib.import_module("torch")
    initialize = _find(("vllm.model_executor.model_loader.utils",), "initialize_model")
    context = configuration.compilation_config.static_forward_context
    default = torch.get_default_dtype()
    torch.set_default_dtype(configuration.model_config.dtype)
    try:
        try:
            with torch.device("meta"):
                return initialize(vllm_config=configuration)
        except (NotImplementedError, RuntimeError) as error:
            if "meta" not in str(error):
                raise
        context.clear()
        gc.collect()
        with _large_on_meta():
            return initialize(vllm_config=configuration)
    finally:
        torch.set_default_dtype(default)


def _large_on_meta() -> Any:
    torch = importlib.import_module("torch")
    mode = importlib.import_module("torch.overrides").TorchFunctionMode
    made = {torch.empty, torch.zeros, torch.ones, torch.empty_strided}

    class LargeOnMeta(mode):  # type: ignore[misc,valid-type]  # our Python has no torch to tell types
        """Makes large uninitialized tensors without memory, and all else as usual."""

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            given = dict(kwargs or {})
            if func in made and "out" not in given:
                tried = func(*args, **{**given, "device": "meta"})
                if tried.numel() >= _LARGE:
                    return tried
                given.setdefault("device", "cpu")
            return func(*args, **given)

    return LargeOnMeta()


def _specs(configuration: Any) -> "tuple[dict[str, Any], int]":
    """Return the cache spec of each layer by name, and the number of layers that share another one's."""
    kept: dict[str, Any] = {}
    shared = 0
    for name, layer in configuration.compilation_config.static_forward_context.items():
        if not hasattr(layer, "get_kv_cache_spec"):
            continue
        if getattr(layer, "kv_sharing_target_layer_name", None):
            shared += 1
            continue
        spec = layer.get_kv_cache_spec(configuration)
        if spec is not None:
            kept[name] = spec
    return kept, shared


def _settle_order(configuration: Any, kept: "dict[str, Any]") -> None:
    """Choose the order of the cache's values as the engine does; versions before have but one."""
    try:
        resolve = importlib.import_module("vllm.v1.attention.backends.utils").resolve_kv_cache_layout
        worker = importlib.import_module("vllm.v1.worker.worker_base").WorkerBase
    except (ImportError, AttributeError):
        return
    supported = worker.get_supported_kv_cache_layouts(SimpleNamespace(vllm_config=configuration))
    resolve(configuration, [supported], list(kept.values()))


def _planned(configuration: Any, kept: "dict[str, Any]") -> Any:
    _settle_order(configuration, kept)
    plan = _find(("vllm.v1.core.kv_cache_utils",), "get_kv_cache_configs")
    return plan(configuration, [dict(kept)], [_POOL])[0]


def _request_blocks(configuration: Any, planned: Any) -> "list[tuple[int, float]]":
    """Return the most blocks of one request, by its length; the plan is for the longest."""
    ask = _find(("vllm.v1.core.kv_cache_utils",), "get_max_concurrency_for_kv_cache_config")
    model = configuration.model_config
    whole, found = model.max_model_len, []
    for point in range(1, _POINTS + 1):
        length = max(1, math.ceil(whole * point / _POINTS))
        model.max_model_len = length
        found.append((length, planned.num_blocks / ask(configuration, planned)))
    model.max_model_len = whole
    return sorted(set(found))


def _row(spec: Any) -> float:
    """Return the bytes of one token; 0 for a state."""
    return 0.0 if hasattr(spec, "shapes") else spec.page_size_bytes / spec.block_size


def main(request: str, path: str) -> None:
    """Build the model and write what it keeps."""
    asked = json.loads(Path(request).read_text())
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    platform = _find(("vllm.platforms",), "current_platform")
    current = _find(("vllm.config",), "set_current_vllm_config")
    configuration = _configuration(asked)
    with current(configuration):
        _be_alone(asked["tp"])
        model = _built(configuration)
        fit = getattr(platform, "update_block_size_for_backend", None)
        if fit is not None:
            fit(configuration)
        kept, shared = _specs(configuration)
        layout: dict[str, Any] = {"groups": [], "bytes_per_block": 0, "blocks": [], "block_size": 0}
        if kept:
            planned = _planned(configuration, kept)
            layout = {
                "groups": [
                    {
                        "kind": type(group.kv_cache_spec).__name__,
                        "layers": len(group.layer_names),
                        "block_size": group.kv_cache_spec.block_size,
                    }
                    for group in planned.kv_cache_groups
                ],
                "bytes_per_block": round(_POOL / planned.num_blocks),
                "blocks": _request_blocks(configuration, planned),
                "block_size": min(group.kv_cache_spec.block_size for group in planned.kv_cache_groups),
            }
    values = [*model.parameters(), *model.buffers()]
    layout |= {
        "form": _FORM,
        "platform": str(platform.device_name),
        "architecture": type(model).__name__,
        "bytes_per_token": round(sum(_row(spec) for spec in kept.values())),
        "state_bytes": sum(spec.page_size_bytes for spec in kept.values() if hasattr(spec, "shapes")),
        "shared_layers": shared,
        "max_model_len": configuration.model_config.max_model_len,
        "kv_cache_dtype": str(configuration.cache_config.cache_dtype),
        "weights_bytes": sum(one.numel() * one.element_size() for one in values),
    }
    Path(path).write_text(json.dumps(layout))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
