"""Memory of a start-up besides weights and KV cache: activations, libraries, CUDA graphs.

vLLM measures the activation peak in a dry run. Fitted to 25 start-up logs of 0.19 on H100 (error at most
0.3 GiB): with small MLPs and large vocabularies the peak is the sampler's warm-up, max_num_seqs rows of
logits; else it is the forward pass of one full token budget. Fused experts add their workspace.
"""

from typing import Any

from workbench.advice.sizing.config_fields import Fields
from workbench.advice.sizing.model import ModelShape
from workbench.advice.sizing.versions import MemoryVersion
from workbench.base import Place, Record, Refusal, shown

GIB = 2**30
_LOGIT_BYTES = 14.94
_LOGIT_BYTES_BEFORE = 37.9


class Overhead(Record, frozen=True, kw_only=True):
    """GiB on one GPU."""

    activation: tuple[float, ...]
    """Activation memory of each pipeline stage."""
    non_torch: float
    graphs: float
    """CUDA graphs taken out of the KV cache; 0: not planned for."""
    band: float
    """Possible error of the sum, GiB."""


def estimate_overhead(
    shape: ModelShape,
    *,
    tp: int,
    pp: int,
    max_sequences: int,
    step_tokens: int,
    value_bytes: int,
    version: MemoryVersion,
    eager: bool,
) -> Overhead:
    """Return the overhead of one GPU of each stage."""
    forward = _forward(shape, tp, step_tokens, value_bytes)
    hidden = step_tokens * shape.hidden * value_bytes
    logit = _LOGIT_BYTES if version.lean_sampler else _LOGIT_BYTES_BEFORE
    sampler = logit * max_sequences * shape.vocabulary + hidden
    workspace = _workspace(shape, tp, step_tokens, value_bytes)
    # Between stages two hidden states travel; logits come into being on the last one only.
    between = 2 * hidden if pp > 1 else 0
    stages = [forward + workspace + between] * (pp - 1) + [max(forward, sampler) + workspace + between]
    planned = version.plans_graphs and not eager
    graphs = 0.25 + 0.019 * shape.layers + (0.3 if shape.experts else 0.0)
    return Overhead(
        activation=tuple(size / GIB for size in stages),
        non_torch=_non_torch(tp, pp, version),
        graphs=graphs if planned else 0.0,
        band=_band(shape, version, planned=planned),
    )


def _forward(shape: ModelShape, tp: int, step_tokens: int, value_bytes: int) -> float:
    width = shape.experts.shared_intermediate if shape.experts else shape.intermediate
    return step_tokens * value_bytes * (3 * width / tp + 4 * shape.hidden)


def _workspace(shape: ModelShape, tp: int, step_tokens: int, value_bytes: int) -> float:
    experts = shape.experts
    if experts is None or (shape.quantisation is not None and shape.quantisation.method == "mxfp4"):
        return 0.0
    width = experts.intermediate / tp
    rows = step_tokens * experts.per_token * value_bytes
    return rows * (max(2 * width, shape.hidden) + width)


def _non_torch(tp: int, pp: int, version: MemoryVersion) -> float:
    if tp > 1:
        return 2.1
    if pp > 1:
        return 0.07
    return 0.25 if version.lean_sampler else 0.13


def _band(shape: ModelShape, version: MemoryVersion, *, planned: bool) -> float:
    band = 0.5 if version.measured else 1.0
    if not version.lean_sampler:
        band = 1.5 if version.one_engine else 3.0
    return band + (0.6 if planned else 0.0) + (0.5 if shape.vision else 0.0)


# Rows of the rotary tables that vLLM builds at load time and keeps on each GPU.
#
# They are not small for models of long context: 2.5 GiB for Llama 4 Scout (10,485,760 positions). Read from
# vLLM's rotary_embedding: linear and dynamic scaling lengthen the table by their factor, the others don't.

_MOST_FACTOR = 10_000
"""Largest plausible multiple of the length that a model was trained on."""


def rotary_rows(fields: Fields, max_positions: int | None) -> int:
    """Return the rows of all rotary tables; each row is head_dim (or its rotary part) values wide.

    Raises:
        Refusal: an impossible factor.
    """
    if max_positions is None:
        return 0
    scaling = fields.mapping("rope_scaling", "rope_parameters") or {}
    nested = [value for value in scaling.values() if isinstance(value, dict)]
    tables = [_rows(entry, max_positions, fields.where) for entry in nested or [scaling]]
    local = fields.has("rope_local_base_freq") and not nested
    return sum(tables) + (max_positions if local else 0)


def _rows(scaling: dict[str, Any], max_positions: int, where: str) -> int:
    kind = str(scaling.get("rope_type") or scaling.get("type") or "default")
    factor = scaling.get("factor")
    if kind not in {"linear", "dynamic"} or factor is None:
        return max_positions
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor <= _MOST_FACTOR:
        given = shown(repr(factor), 60)
        raise Refusal("sizing.rope_factor", Place(file=where), value=given, maximum=_MOST_FACTOR)
    return int(max_positions * factor)
