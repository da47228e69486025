"""What a checkpoint on this machine says of its own size; nothing is downloaded."""

import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workbench.base import InputError, Record

_FLOATS = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8}
_HEADER_LIMIT = 100_000_000
# The format's own limit on a header (safetensors, "Format").


class Checkpoint(Record, frozen=True, kw_only=True):
    """Size of all tensors."""

    size_bytes: float
    """As loaded: floating-point tensors of an unquantised checkpoint take the computing type's size."""
    source: str


def read_checkpoint(
    folder: Path, *, value_bytes: int, stored_bytes: int, quantised: bool
) -> Checkpoint | None:
    """Sizes from the safetensors files in `folder`, else from their index; None: neither lies there.

    Args:
        folder: where config.json lies.
        value_bytes: of the computing type.
        stored_bytes: of the type that config.json names, for an index, which doesn't tell types.
        quantised: tensors stay as they are stored.

    Raises:
        InputError: a file is no safetensors file, or the index can't be read; names it.
    """
    index = next(iter(sorted(folder.glob("*.safetensors.index.json"))), None)
    content = _index(index) if index else {}
    named = {str(name) for name in (content.get("weight_map") or {}).values()}
    files = [file for file in sorted(folder.glob("*.safetensors")) if not named or file.name in named]
    if not named and len(files) > 1:
        # Mistral's own consolidated copy of the same weights.
        files = [file for file in files if not file.name.startswith("consolidated")]
    if files and (not named or len(files) == len(named)):
        size = sum(_tensor_bytes(file, value_bytes, quantised=quantised) for file in files)
        return Checkpoint(size_bytes=size, source=f"{len(files)} safetensors files")
    total = (content.get("metadata") or {}).get("total_size")
    if isinstance(total, (int, float)) and total > 0:
        scale = 1.0 if quantised else value_bytes / stored_bytes
        return Checkpoint(size_bytes=float(total) * scale, source="the safetensors index")
    return None


def _index(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_bytes())
    except OSError as error:
        raise InputError(f"{file}: can't be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: not a safetensors index, which is JSON; load the model anew") from error
    return content if isinstance(content, dict) else {}


def _tensor_bytes(file: Path, value_bytes: int, *, quantised: bool) -> float:
    total = 0.0
    for tensor in _tensors(file):
        begin, end = tensor["data_offsets"]
        size = _FLOATS.get(tensor["dtype"])
        scale = value_bytes / size if size and not quantised else 1.0
        total += (end - begin) * scale
    return total


def _tensors(file: Path) -> Iterable[dict[str, Any]]:
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            header = json.loads(stream.read(min(length, _HEADER_LIMIT)))
        return [value for name, value in header.items() if name != "__metadata__"]
    except (OSError, ValueError, struct.error, AttributeError, RecursionError) as error:
        raise InputError(f"{file}: not a whole safetensors file; load the model anew") from error
