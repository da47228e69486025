"""Size of weights by `quantization_config` and the checkpoint's files."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from workbench.advice.sizing.config_fields import Fields
from workbench.advice.sizing.model import Quantisation
from workbench.base import UNREADABLE, Message, Place, Record, Refusal, message, shown

_GROUP_OVERHEAD = 16
# Each group of integer weights carries one 16-bit scale.


def read_quantisation(fields: Fields) -> Quantisation | None:
    """Return the quantization scheme; None: weights are stored in the computing type."""
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
    """Return the scheme of `--quantization NAME` for a checkpoint that isn't quantized."""
    return Quantisation(method=name, bits=8.0 if "fp8" in name or "int8" in name else None)


def _kept(config: dict[str, Any]) -> Message | None:
    names = config.get("ignore") or config.get("modules_to_not_convert") or config.get("ignored_layers") or []
    own = [name for name in names if isinstance(name, str) and not _outside(name)]
    if not own:
        return None
    return message("sizing.modules_kept", count=len(own), first=shown(own[0]))


def _outside(name: str) -> bool:
    """Return True for a module that the count keeps in 16 bits anyway."""
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


# What a checkpoint on this machine says of its own size; nothing is downloaded.

_FLOATS = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8}
_HEADER_LIMIT = 100_000_000
# The format's own limit on a header (safetensors, "Format").


_Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 60)]


class _Metadata(msgspec.Struct):
    total_size: Annotated[float, msgspec.Meta(ge=0, le=1 << 60)] | None = None
    """Some tools write it with a decimal point."""


class _Index(msgspec.Struct):
    metadata: _Metadata | None = None
    weight_map: dict[str, str] | None = None


class _Tensor(msgspec.Struct):
    dtype: str
    data_offsets: tuple[_Bytes, _Bytes]


class Checkpoint(Record, frozen=True, kw_only=True):
    """Size of all tensors."""

    size_bytes: float
    """Bytes as loaded: floating-point tensors of an unquantized checkpoint take the computing type's size."""
    source: Message


def read_checkpoint(
    folder: Path, *, value_bytes: int, stored_bytes: int, quantised: bool
) -> Checkpoint | None:
    """Return sizes from the safetensors files in `folder`, else from their index; None: it has neither.

    Args:
        folder: the folder of config.json.
        value_bytes: bytes of the computing type.
        stored_bytes: bytes of config.json's type; used for an index, which has no types.
        quantised: tensors keep their stored size.

    Raises:
        Refusal: a file is no safetensors file, or the index can't be read; names it.
    """
    index = next(iter(sorted(folder.glob("*.safetensors.index.json"))), None)
    content = _index(index) if index else _Index()
    named = set((content.weight_map or {}).values())
    files = [file for file in sorted(folder.glob("*.safetensors")) if not named or file.name in named]
    if not named and len(files) > 1:
        # Mistral's own consolidated copy of the same weights.
        files = [file for file in files if not file.name.startswith("consolidated")]
    if files and (not named or len(files) == len(named)):
        size = sum(_tensor_bytes(file, value_bytes, quantised=quantised) for file in files)
        return Checkpoint(size_bytes=size, source=message("sizing.weights_from_files", count=len(files)))
    total = content.metadata.total_size if content.metadata else None
    if total:
        scale = 1.0 if quantised else value_bytes / stored_bytes
        return Checkpoint(size_bytes=total * scale, source=message("sizing.weights_from_index"))
    return None


def _index(file: Path) -> _Index:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Index)
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(file)), cause=error.strerror) from error
    except UNREADABLE as error:
        raise Refusal("sizing.not_an_index", Place(file=str(file))) from error


def _tensor_bytes(file: Path, value_bytes: int, *, quantised: bool) -> float:
    total = 0.0
    for tensor in _tensors(file):
        begin, end = tensor.data_offsets
        size = _FLOATS.get(tensor.dtype)
        scale = value_bytes / size if size and not quantised else 1.0
        total += (end - begin) * scale
    return total


def _tensors(file: Path) -> Iterator[_Tensor]:
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            header = stream.read(min(length, _HEADER_LIMIT))
        for name, tensor in msgspec.json.decode(header, type=dict[str, msgspec.Raw]).items():
            if name != "__metadata__":
                found = msgspec.json.decode(tensor, type=_Tensor)
                if found.data_offsets[0] > found.data_offsets[1]:
                    raise ValueError(name)
                yield found
    except (OSError, struct.error, *UNREADABLE) as error:
        raise Refusal("sizing.broken_safetensors", Place(file=str(file))) from error
