"""The effective configuration of a server, and its differences from another one's."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.base import UNREADABLE, InputError, Message, Refusal, message
from workbench.servers.server import EffectiveConfig
from workbench.servers.server_api import ModelCard, ServerApi
from workbench.telemetry import MetricsPage

_SAID = ("version", "model", "max_model_len", "num_gpu_blocks", "block_size", "kv_cache_tokens")


def changed_values(baseline: EffectiveConfig, variant: EffectiveConfig) -> dict[str, tuple[Any, Any]]:
    """Return the effective values that both servers report and that differ: name to (baseline's, variant's).

    A changed control moves others: a larger token budget shrinks the KV pool.
    """
    before, after = _flat(baseline), _flat(variant)
    return {
        name: (before[name], after[name]) for name in before if name in after and before[name] != after[name]
    }


def _flat(effective: EffectiveConfig) -> dict[str, Any]:
    said = {name: getattr(effective, name) for name in _SAID}
    return {**effective.arguments, **{name: value for name, value in said.items() if value is not None}}


# The effective configuration is read from /server_info, metric labels and the model card.

_LARGEST_VOCABULARY = 1 << 24
# Section and field of a control in 0.32's /server_info.
_PLACES: dict[str, tuple[str, str]] = {
    **{
        name: ("scheduler_config", name)
        for name in (
            "max_num_seqs",
            "max_num_active_seqs",
            "max_num_batched_tokens",
            "max_num_scheduled_tokens",
            "max_num_queued_reqs",
            "max_num_queued_tokens",
            "enable_chunked_prefill",
            "long_prefill_token_threshold",
            "long_prefill_token_threshold_adaptive",
            "async_scheduling",
            "scheduler_reserve_full_isl",
            "watermark",
            "stream_interval",
            "prefill_schedule_interval",
            "disable_hybrid_kv_cache_manager",
            "disable_chunked_mm_input",
            "static_batching",  # the embedded engine's own
        )
    },
    **{
        name: ("cache_config", name)
        for name in (
            "kv_cache_memory_bytes",
            "prefix_caching_hash_algo",
            "prefix_match_unit",
            "prefix_cache_retention_interval",
            "kv_sharing_fast_prefill",
            "kv_offloading_size",
            "kv_offloading_backend",
            "swa_bounded_replay",
            "mamba_cache_dtype",
            "mamba_ssm_cache_dtype",
            "mamba_block_size",
            "mamba_cache_mode",
            "enable_mamba_shared_prefix_checkpoint",
            "use_replayssm",
            "replayssm_buffer_len",
        )
    },
    "scheduling_policy": ("scheduler_config", "policy"),
    "num_gpu_blocks_override": ("cache_config", "num_gpu_blocks_override"),
    "block_size": ("cache_config", "block_size"),
    "gpu_memory_utilization": ("cache_config", "gpu_memory_utilization"),
    "kv_cache_dtype": ("cache_config", "cache_dtype"),
    "enable_prefix_caching": ("cache_config", "enable_prefix_caching"),
    "max_model_len": ("model_config", "max_model_len"),
    "tensor_parallel_size": ("parallel_config", "tensor_parallel_size"),
    "pipeline_parallel_size": ("parallel_config", "pipeline_parallel_size"),
    "data_parallel_size": ("parallel_config", "data_parallel_size"),
    "tokenizer": ("model_config", "tokenizer"),
    "revision": ("model_config", "revision"),
    "dtype": ("model_config", "dtype"),
    "quantization": ("model_config", "quantization"),
    "enforce_eager": ("model_config", "enforce_eager"),
}
_CACHE_LABELS = {
    "num_gpu_blocks_override": "num_gpu_blocks_override",
    "block_size": "block_size",
    "gpu_memory_utilization": "gpu_memory_utilization",
    "enable_prefix_caching": "enable_prefix_caching",
    "kv_cache_dtype": "cache_dtype",
}
_SYSTEM = ("nvidia_gpu_models", "nvidia_driver_version", "cuda_runtime_version", "torch_version", "os")


async def read_back(api: ServerApi, model: str | None, engines: int = 1) -> EffectiveConfig:
    """Return the server's effective configuration; `model` is the served name, None: its first.

    `engines` is the data-parallel size by its command line, for a server that doesn't report its settings.

    Raises:
        Refusal: the server no longer answers.
    """
    card = choose_model(await api.models(), model, api.url)
    try:
        page = await api.metrics()
    except InputError:
        page = None
    reported = await api.configuration()
    configuration = reported.get("vllm_config")
    stated = {"data_parallel_size": engines} if engines > 1 else {}
    arguments = {**stated, **_from_labels(page), **_from_configuration(configuration)}
    labels = page.cache_config if page else {}
    return EffectiveConfig(
        version=await api.version(),
        model=card.id,
        max_model_len=card.max_model_len,
        num_gpu_blocks=_blocks(labels, arguments.get("data_parallel_size")),
        block_size=_parse_int(labels.get("block_size")),
        kv_cache_tokens=_parse_int(labels.get("kv_cache_size_tokens")),
        arguments={name: value for name, value in arguments.items() if value is not None},
        vocab_size=_reported_vocabulary(configuration) or vocabulary(card.root),
        has_metrics=page is not None,
        system=_system(reported.get("system_env")),
        notes=_unread_note(api.configuration_failed, arguments),
        **_simulation(reported),
    )


def _unread_note(failed: Message | None, arguments: Mapping[str, Any]) -> tuple[Message, ...]:
    """Return a note if the server's configuration could not be read, and what is known without it."""
    if failed is None:
        return ()
    known = sorted(name for name, value in arguments.items() if value is not None)
    said = message("servers.settings_known", known=known) if known else message("servers.no_settings_known")
    return (message("servers.settings_unknown", failed=failed, known=said),)


def choose_model(cards: list[ModelCard], model: str | None, url: str) -> ModelCard:
    """Return the card of `model`, by default the first.

    Raises:
        Refusal: the server has no such model; its models are named.
    """
    if model is None:
        return cards[0]
    found = next((card for card in cards if card.id == model), None)
    if found is None:
        served = [card.id for card in cards[:8]]
        raise Refusal("servers.no_such_model", url=url, model=model, served=served)
    return found


def _reported_vocabulary(configuration: Any) -> int | None:
    """Return the vocabulary size in the embedded engine's answer; vLLM's answer has none."""
    model = configuration.get("model_config") if isinstance(configuration, Mapping) else None
    return _size(model.get("vocab_size") if isinstance(model, Mapping) else None)


def _size(reported: Any) -> int | None:
    """Return a plausible vocabulary size, since prompts are drawn from it; else None."""
    return reported if type(reported) is int and 0 < reported <= _LARGEST_VOCABULARY else None


def vocabulary(root: str | None) -> int | None:
    """Return the vocabulary size of a model in a folder or in Hugging Face's cache; else None."""
    for path in _config_files(root) if root else []:
        try:
            config = json.loads(path.read_bytes())
        except (OSError, *UNREADABLE):
            continue
        if isinstance(config, dict):
            text_part = config.get("text_config")
            inner = text_part.get("vocab_size") if isinstance(text_part, dict) else None
            return _size(config.get("vocab_size") or inner)
    return None


def model_folder(model: str) -> Path | None:
    """Return the folder of the model's config.json: its own folder or Hugging Face's cache."""
    files = _config_files(str(Path(model).expanduser())) + _config_files(model) if model else []
    return next((file.parent for file in files if file.is_file()), None)


def _config_files(root: str) -> list[Path]:
    home = Path(os.environ.get("HF_HOME", "~/.cache/huggingface")).expanduser()
    cache = Path(os.environ.get("HF_HUB_CACHE", home / "hub"))
    snapshots = cache / f"models--{root.replace('/', '--')}" / "snapshots"
    return [Path(root) / "config.json", *sorted(snapshots.glob("*/config.json"))]


def _from_configuration(configuration: Any) -> dict[str, Any]:
    if not isinstance(configuration, Mapping):
        return {}
    found = {}
    for name, (section, field) in _PLACES.items():
        part = configuration.get(section)
        value = part.get(field) if isinstance(part, Mapping) else None
        if isinstance(value, (int, float, str, bool)):
            # vLLM's dump has Python's text of a number type: `torch.bfloat16`.
            found[name] = value.removeprefix("torch.") if isinstance(value, str) else value
    return found


def _from_labels(page: MetricsPage | None) -> dict[str, Any]:
    labels = page.cache_config if page else {}
    return {name: _parse_label(labels[label]) for name, label in _CACHE_LABELS.items() if label in labels}


def _parse_label(text: str) -> Any:
    """Return the value of a label, which is Python's text of it."""
    plain = {"None": None, "True": True, "False": False}
    if text in plain:
        return plain[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _parse_int(text: str | None) -> int | None:
    value = _parse_label(text) if text is not None else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _blocks(labels: Mapping[str, str], engines: Any) -> int | None:
    """Return the KV blocks of one engine; with data parallelism vLLM reports their sum.

    None if the sum can't be split equally.
    """
    reported = _parse_int(labels.get("num_gpu_blocks"))
    if reported is None or not isinstance(engines, int) or engines < 2:
        return reported
    tokens, size = _parse_int(labels.get("kv_cache_size_tokens")), _parse_int(labels.get("block_size"))
    if size is not None and tokens == reported * size:
        return reported
    return None if reported % engines else reported // engines


def _system(reported: Any) -> dict[str, Any]:
    if not isinstance(reported, Mapping):
        return {}
    return {name: reported[name] for name in _SYSTEM if reported.get(name)}


def _simulation(reported: Mapping[str, Any]) -> dict[str, Any]:
    """Return the embedded engine's own fields beside vLLM's."""
    if reported.get("simulated") is not True:
        return {}
    return {"simulated": True, "profile": reported.get("profile"), "time_scale": reported.get("time_scale")}
