"""What a checkpoint on this machine says of its own size; nothing is downloaded."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from workbench.base import UNREADABLE, InputError, Message, Record, message

_FLOATS = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8}
_HEADER_LIMIT = 100_000_000
# The format's own limit on a header (safetensors, "Format").


_Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 60)]


class _Metadata(msgspec.Struct):
    total_size: Annotated[float, msgspec.Meta(ge=0, le=1 << 60)] | None = None
    """Some tools write it as a figure with a point."""


class _Index(msgspec.Struct):
    metadata: _Metadata | None = None
    weight_map: dict[str, str] | None = None


class _Tensor(msgspec.Struct):
    dtype: str
    data_offsets: tuple[_Bytes, _Bytes]


class Checkpoint(Record, frozen=True, kw_only=True):
    """Size of all tensors."""

    size_bytes: float
    """As loaded: floating-point tensors of an unquantised checkpoint take the computing type's size."""
    source: Message


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
        raise InputError(f"{file}: can't be read: {error.strerror}") from error
    except UNREADABLE as error:
        raise InputError(f"{file}: not a safetensors index, which is JSON; load the model anew") from error


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
        raise InputError(f"{file}: not a whole safetensors file; load the model anew") from error
