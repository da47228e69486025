"""What `quantization_config` says about the size of weights."""

from typing import Any

from workbench.advice.sizing.fields import Fields
from workbench.advice.sizing.model import Quantisation
from workbench.base import Message, message, shown

_GROUP_OVERHEAD = 16
# Each group of integer weights carries one 16-bit scale.


def read_quantisation(fields: Fields) -> Quantisation | None:
    """The scheme; None: weights are stored as they are computed with."""
    config = fields.mapping("quantization_config", "compression_config")
    if config is None:
        return None
    method = str(config.get("quant_method") or config.get("quant_algo") or "unknown").lower()
    if method in {"fp8", "fbgemm_fp8", "ptpc_fp8"}:
        return Quantisation(method=method, bits=8.0, partial=_kept(config))
    if method in {"compressed-tensors", "compressed_tensors"}:
        return _compressed(config)
    if method in {"gptq", "gptq_marlin", "awq", "awq_marlin", "auto-round"}:
        return _grouped(method, config)
    if method == "mxfp4":
        # 32 four-bit values share an 8-bit scale; only experts are quantised.
        return Quantisation(method=method, bits=4.25, experts_only=True)
    if method.startswith("modelopt"):
        return _modelopt(config)
    if method == "bitsandbytes":
        return Quantisation(method=method, bits=4.13 if config.get("load_in_4bit") else 8.0)
    return Quantisation(method=method, bits=None)


def online_quantisation(name: str) -> Quantisation:
    """`--quantization NAME` of a checkpoint that isn't quantised."""
    return Quantisation(method=name, bits=8.0 if "fp8" in name or "int8" in name else None)


def _kept(config: dict[str, Any]) -> Message | None:
    names = config.get("ignore") or config.get("modules_to_not_convert") or config.get("ignored_layers") or []
    own = [name for name in names if isinstance(name, str) and not _outside(name)]
    if not own:
        return None
    return message("sizing.modules_kept", count=len(own), first=shown(own[0]))


def _outside(name: str) -> bool:
    """Whether the module is one that the count keeps in 16 bits anyway."""
    parts = ("lm_head", "embed", "vision", "visual", "projector", "gate", "router", "norm", "indexer")
    return any(part in name for part in parts)


def _compressed(config: dict[str, Any]) -> Quantisation:
    groups = config.get("config_groups") or {}
    bits = [_group_bits(group.get("weights") or {}) for group in groups.values() if isinstance(group, dict)]
    known = [value for value in bits if value is not None]
    if not known or len(set(known)) > 1:
        return Quantisation(method="compressed-tensors", bits=None)
    return Quantisation(method="compressed-tensors", bits=known[0], partial=_kept(config))


def _group_bits(weights: dict[str, Any]) -> float | None:
    bits = weights.get("num_bits")
    if not isinstance(bits, int) or bits < 1:
        return None
    group = weights.get("group_size")
    if not isinstance(group, int) or group < 1:
        return float(bits)
    # nvfp4 scales are 8 bits, integer ones 16.
    scale = 8 if weights.get("type") == "float" and bits == 4 else _GROUP_OVERHEAD
    return bits + scale / group


def _grouped(method: str, config: dict[str, Any]) -> Quantisation:
    bits, group = config.get("bits"), config.get("group_size")
    if not isinstance(bits, int):
        return Quantisation(method=method, bits=None)
    extra = (_GROUP_OVERHEAD + bits) / group if isinstance(group, int) and group > 0 else 0.0
    return Quantisation(method=method, bits=bits + extra, partial=_kept(config))


def _modelopt(config: dict[str, Any]) -> Quantisation:
    algorithm = str(config.get("quant_algo") or "").upper()
    bits = 4.5 if "FP4" in algorithm else 8.0 if "FP8" in algorithm else None
    return Quantisation(method=f"modelopt {algorithm}".strip(), bits=bits, partial=_kept(config))
