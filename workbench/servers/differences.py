"""What moved besides the control that was changed: a larger token budget shrinks the KV pool."""

from typing import Any

from workbench.servers.server import Effective

_SAID = ("version", "model", "max_model_len", "num_gpu_blocks", "block_size", "kv_cache_tokens")


def moved(baseline: Effective, variant: Effective) -> dict[str, tuple[Any, Any]]:
    """Every effective value that both servers tell and that differs: name to (baseline's, variant's)."""
    before, after = _flat(baseline), _flat(variant)
    return {
        name: (before[name], after[name]) for name in before if name in after and before[name] != after[name]
    }


def _flat(effective: Effective) -> dict[str, Any]:
    said = {name: getattr(effective, name) for name in _SAID}
    return {**effective.arguments, **{name: value for name, value in said.items() if value is not None}}
