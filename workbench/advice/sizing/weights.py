"""Weights that one GPU holds: from the checkpoint's own sizes where they lie there, else counted."""

from pathlib import Path

from workbench.advice.sizing.checkpoint import Checkpoint, read_checkpoint
from workbench.advice.sizing.model import VALUE_BYTES, ModelShape, Quantisation
from workbench.advice.sizing.parameters import Weights, stage_weights
from workbench.base import Message, Record, message, shown

GIB = 2**30


class WeightsEstimate(Record, frozen=True, kw_only=True):
    """GiB of one GPU of each pipeline stage; None: can't be known, and why is in the notes."""

    stages_gib: tuple[float, ...] | None
    band: float
    """Share by which it can be off."""
    notes: tuple[Message, ...]


def estimate_weights(
    shape: ModelShape,
    *,
    tp: int,
    pp: int,
    value_bytes: int,
    quantisation: Quantisation | None,
    folder: Path | None,
) -> WeightsEstimate:
    """Weights by the best source there is."""
    counted = _counted_bytes(shape, quantisation, value_bytes, tp=tp, pp=pp)
    stored = quantisation is not None and shape.quantisation is not None
    checkpoint = _checkpoint(shape, folder, value_bytes, stored=stored)
    tables = _rotary_bytes(shape, value_bytes)
    online = quantisation is not None and shape.quantisation is None
    if checkpoint is not None and not online:
        shares = _shares(shape, counted, value_bytes, quantisation, stages=tp * pp, pp=pp)
        sizes = tuple((checkpoint.size_bytes * share + tables) / GIB for share in shares)
        return WeightsEstimate(stages_gib=sizes, band=0.01, notes=(checkpoint.source,))
    if counted is None:
        return WeightsEstimate(stages_gib=None, band=0.0, notes=(_gap(shape, quantisation),))
    sizes = tuple((size + tables) / GIB for size in counted)
    return _judged(sizes, shape, quantisation)


def _checkpoint(
    shape: ModelShape, folder: Path | None, value_bytes: int, *, stored: bool
) -> Checkpoint | None:
    if folder is None:
        return None
    return read_checkpoint(
        folder, value_bytes=value_bytes, stored_bytes=VALUE_BYTES[shape.dtype], quantised=stored
    )


def _judged(
    sizes: tuple[float, ...], shape: ModelShape, quantisation: Quantisation | None
) -> WeightsEstimate:
    notes = [message("sizing.weights_counted")]
    band = 0.01
    if quantisation is not None:
        band = 0.03
        method, bits = quantisation.method, quantisation.bits
        notes.append(message("sizing.weight_bits", method=method, bits=bits))
        if quantisation.partial:
            band = 0.15
            notes.append(quantisation.partial)
    if shape.vision is not None:
        band = max(band, 0.02)
        if not shape.vision.layers:
            band = 0.1
            notes.append(message("sizing.no_vision_size"))
    return WeightsEstimate(stages_gib=sizes, band=band, notes=tuple(notes))


def _gap(shape: ModelShape, quantisation: Quantisation | None) -> Message:
    if quantisation is not None and quantisation.bits is None:
        return message("sizing.no_weight_bits", method=shown(quantisation.method))
    return message("sizing.weights_uncounted", why=shape.uncounted)


def _counted_bytes(
    shape: ModelShape, quantisation: Quantisation | None, value_bytes: int, *, tp: int, pp: int
) -> list[float] | None:
    if shape.uncounted or (quantisation is not None and quantisation.bits is None):
        return None
    return [_size(part, quantisation, value_bytes) for part in stage_weights(shape, tp=tp, pp=pp)]


def _size(part: Weights, quantisation: Quantisation | None, value_bytes: int) -> float:
    if quantisation is None or quantisation.bits is None:
        return (part.quantised + part.experts + part.kept) * value_bytes
    few = part.experts if quantisation.experts_only else part.experts + part.quantised
    rest = part.kept + (part.quantised if quantisation.experts_only else 0.0)
    return few * quantisation.bits / 8 + rest * value_bytes


def _shares(
    shape: ModelShape,
    counted: list[float] | None,
    value_bytes: int,
    quantisation: Quantisation | None,
    *,
    stages: int,
    pp: int,
) -> list[float]:
    """Of the whole checkpoint, on one GPU of each stage."""
    whole = _counted_bytes(shape, quantisation, value_bytes, tp=1, pp=1)
    if counted is None or whole is None:
        return [1 / stages] * pp
    return [size / whole[0] for size in counted]


def _rotary_bytes(shape: ModelShape, value_bytes: int) -> float:
    width = shape.mla.rope_dim if shape.mla else shape.head_dim
    return float(shape.rope_rows * width * value_bytes)
