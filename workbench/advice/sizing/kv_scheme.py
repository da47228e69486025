"""The type in which a checkpoint stores keys and values, which vLLM uses if `--kv-cache-dtype` is auto."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.advice.sizing.config_fields import Fields
from workbench.advice.sizing.unread_fields import named
from workbench.base import Message, message

_MODELOPT = {
    "FP8": "fp8",
    "FP8_E4M3": "fp8",
    "FP8_E5M2": "fp8_e5m2",
    "NVFP4": "nvfp4",
    "NONE": None,
    "AUTO": None,
}
_READ = frozenset({
    "quant_method", "quant_algo", "bits", "num_bits", "group_size", "desc_act", "sym", "static_groups",
    "true_sequential", "damp_percent", "model_name_or_path", "model_file_base_name", "checkpoint_format",
    "meta", "pack_dtype", "lm_head", "modules_to_not_convert", "ignore", "ignored_layers",
    "exclude_modules", "zero_point", "version", "backend", "activation_scheme", "weight_block_size", "fmt",
    "config_groups", "format", "global_compression_ratio", "quantization_status", "sparsity_config",
    "transform_config", "producer", "load_in_4bit", "load_in_8bit", "quant_type",
    "include_input_output_embeddings", "untie_embedding_weights", "dynamic", "autoround_version", "iters",
    "low_gpu_mem_usage", "nsamples", "scale_dtype", "seqlen", "to_quant_block_names", "train_bs",
    "batch_size", "amp", "block_name_to_quantize", "data_type", "enable_minmax_tuning",
    "enable_norm_bias_tuning", "enable_quanted_input", "gradient_accumulate_steps", "lr", "minmax_lr",
    "packing_format", "extra_config", "quantization", "dtype", "scale_fmt", "use_cuda_fp16",
    "weight_format", "quantization_format", "checkpoint_version", "tokenizer", "dataset",
    "max_input_length", "cache_examples_on_gpu", "model_seqlen", "use_exllama", "exllama_config",
    "max_fused_len", "fuse_max_seq_len", "modules_to_fuse", "do_fuse", "disable_exllama", "hf_quantizer",
    "moe_quantization_format", "packed", "weight_dtype", "pre_quantized",
})  # fmt: skip
"""Keys of `quantization_config` that are read, or that change neither weights nor keys and values."""
_PREFIXES = ("_load_in_", "bnb_", "llm_int8_", "quant_type_")


class KvScheme(NamedTuple):
    """Storage of keys and values by `quantization_config`."""

    stored: str | None = None
    """As `--kv-cache-dtype` names it; None: the computing type."""
    unread: Message | None = None
    """A scheme that isn't known here."""
    notes: tuple[Message, ...] = ()


def kv_scheme(fields: Fields) -> KvScheme:
    """Return how keys and values are stored where nothing else is asked for."""
    config = fields.mapping("quantization_config", "compression_config")
    if config is None:
        return KvScheme()
    inner = config.get("quantization")
    whole = {**inner, **config} if isinstance(inner, Mapping) else dict(config)
    notes = _unread_keys(config)
    method = str(config.get("quant_method") or config.get("quant_algo") or "").lower()
    for name in ("kv_cache_scheme", "kv_cache_quant_algo", "kv_cache_dtype"):
        scheme = whole.get(name)
        if scheme:
            return _scheme(name, scheme, method, notes)
    other = [name for name, value in whole.items() if "kv_cache" in name and value]
    if other:
        return KvScheme(unread=message("sizing.unknown_kv_scheme", field=other[0]), notes=notes)
    return KvScheme(notes=notes)


def _scheme(name: str, scheme: Any, method: str, notes: tuple[Message, ...]) -> KvScheme:
    unknown = KvScheme(unread=message("sizing.unknown_kv_scheme", field=name), notes=notes)
    if isinstance(scheme, str):
        algorithm = scheme.upper()
        if algorithm not in _MODELOPT:
            return unknown
        stored = _MODELOPT[algorithm]
    elif isinstance(scheme, Mapping):
        size = f"{scheme.get('type')} {scheme.get('num_bits')}"
        named = {"float 8": "fp8"} | ({"float 4": "nvfp4"} if method.startswith("modelopt") else {})
        if size not in named:
            return unknown
        stored = named[size]
    else:
        return unknown
    if stored is None:
        return KvScheme(notes=notes)
    said = message("sizing.kv_by_checkpoint", field=name, type=stored)
    return KvScheme(stored=stored, notes=(*notes, said))


def _unread_keys(config: Mapping[str, Any]) -> tuple[Message, ...]:
    names = [
        name
        for name, value in config.items()
        if name not in _READ and "kv_cache" not in name and not name.startswith(_PREFIXES) and value
    ]
    if not names:
        return ()
    return (message("sizing.unread_quantization", **named(names)),)
