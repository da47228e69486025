"""Messages between a driver and the process that carries out one experiment on a node."""

import hashlib
import itertools
import struct
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, BinaryIO

import msgspec

from workbench.base import Message, Place, Record, Refusal, mask_value
from workbench.experiments.spec.experiment import Experiment

_LENGTH = struct.Struct(">Q")


class NodeOrder(Record, frozen=True, kw_only=True):
    """One experiment to carry out on a node."""

    name: str
    """Name of its bench file, without the suffix."""
    experiment: Experiment
    """Its relative paths start at the node's work folder."""
    files: dict[str, bytes]
    """Contents of its trace and its prompts, by their paths in the work folder."""
    calibrated: bool = True
    """Measure the load generator's own error first, unless that was done within a day."""

    def digest(self) -> str:
        """Return a hash of the experiment and its files; secrets count as their masks."""
        masked = mask_value(msgspec.to_builtins(self.experiment))
        digest = hashlib.sha256(msgspec.json.encode(masked, order="sorted"))
        for name, content in sorted(self.files.items()):
            digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class OrderOrigin:
    """The experiment behind an order, with its folder; it stays on this machine."""

    experiment: Experiment
    """With the user's own paths."""
    base: Path
    """Folder of its relative paths."""


def order_of(name: str, experiment: Experiment, base: Path, *, calibrated: bool) -> NodeOrder:
    """Return the order of an experiment whose relative paths start at `base`.

    Raises:
        Refusal: its trace or its prompts can't be read, or it reproduces a bench file.
    """
    if experiment.reproduces is not None:
        raise Refusal("experiments.cluster_no_reproduction", Place(file=name, key="kind"))
    files: dict[str, bytes] = {}
    if experiment.trace.file is not None:
        there = _take(experiment.trace.file, base, files)
        experiment = msgspec.structs.replace(
            experiment, trace=msgspec.structs.replace(experiment.trace, file=there)
        )
    if experiment.quality is not None:
        there = _take(experiment.quality.prompts, base, files)
        experiment = msgspec.structs.replace(
            experiment, quality=msgspec.structs.replace(experiment.quality, prompts=there)
        )
    return NodeOrder(name=name, experiment=experiment, files=files, calibrated=calibrated)


def _take(path: str, base: Path, files: dict[str, bytes]) -> str:
    """Add the file and return its path in the work folder: the same, or a free name for one from outside."""
    inside = not Path(path).expanduser().is_absolute() and ".." not in Path(path).parts
    wanted = PurePath(path).as_posix() if inside else Path(path).name
    names = itertools.chain([wanted], (f"{number}-{Path(path).name}" for number in itertools.count(2)))
    there = next(name for name in names if name not in files)
    try:
        files[there] = (base / Path(path).expanduser()).read_bytes()
    except OSError as error:
        cause = error.strerror or str(error)
        raise Refusal("base.unreadable_file", Place(file=str(base / path)), cause=cause) from error
    return there


class NodeEvent(msgspec.Struct, frozen=True, kw_only=True, tag="event"):
    """One event of the conductor, as its line."""

    line: bytes


class NodeFilePart(msgspec.Struct, frozen=True, kw_only=True, tag="file"):
    """The next bytes of a result file."""

    name: str
    """Its path, relative to the folder of results."""
    data: bytes
    last: bool


class NodeEnded(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """The experiment has ended and all its files are sent."""

    status: str
    """done, stopped or failed."""
    why: Message | str | None = None
    """Reason that nothing could be measured."""


FromNode = NodeEvent | NodeFilePart | NodeEnded

_encoder = msgspec.msgpack.Encoder()
_from_node: msgspec.msgpack.Decoder[FromNode] = msgspec.msgpack.Decoder(FromNode)


def framed(message: NodeOrder | FromNode) -> bytes:
    """Encode a message with its length before it."""
    body = _encoder.encode(message)
    return _LENGTH.pack(len(body)) + body


def read_node_order(stream: BinaryIO) -> NodeOrder | None:
    """Read the order from a blocking stream; None if it closed before."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    return msgspec.msgpack.decode(body, type=NodeOrder) if len(body) == length else None


async def read_from_node(stream: Any) -> FromNode:
    """Read the next message from a stream with `readexactly`.

    Raises:
        asyncio.IncompleteReadError: the process or its node is gone.
    """
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return _from_node.decode(await stream.readexactly(length))
