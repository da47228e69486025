"""The number of KV blocks that vLLM allocates on a card by default.

    budget = memory * 0.92;  KV = budget - weights - activation - non-torch - CUDA graphs
    bytes per token and card = 2 * layers * ceil(kv_heads / tp) * head_dim * 2 (bf16)

Weights, activation and the other terms are values that vLLM logged on an H100 (see
`resources/profiles/memory.json`).
"""

import msgspec

from workbench.base import Record, message
from workbench.vllm_dialect import MODELLED_VERSION, default_of

GIB = 2**30
BLOCK_SIZE = 16
UTILIZATION = float(str(default_of("gpu_memory_utilization", MODELLED_VERSION)))
"""The default `gpu_memory_utilization` of the modelled vLLM."""
_GRAPHS_GIB = 0.91
_NON_TORCH_GIB = 0.25
_NON_TORCH_NCCL_GIB = 2.1
_LOGGED_BUDGET = 8192
_SMALL_BUDGET = 2048
_SMALL_BUDGET_SHARE = 0.46
"""Activation at a budget of 2,048 divided by activation at 8,192: 0.87 of 1.89 GiB.

Taken from the pool that vLLM logged on an RTX 4090 (23.52 GiB * 0.90 - 14.99 - 0.25 - 2,588 blocks of 2 MiB).
"""


class CardMemory(Record, frozen=True):
    """Memory of one GPU that vLLM sees, and vLLM's defaults for it."""

    gpu: str
    memory_gib: float
    max_num_batched_tokens: int
    max_num_seqs: int
    source: str


class ModelMemory(Record, frozen=True):
    """Sizes of one model in bf16; `activation_gib` at a token budget of 8,192."""

    model: str
    layers: int
    kv_heads: int
    head_dim: int
    weights_gib: float
    activation_gib: float
    max_model_len: int
    source: str


class LoggedPool(Record, frozen=True):
    """A pool size that a server logged; it replaces the calculated one."""

    gpu: str
    model: str
    tp: int
    num_gpu_blocks: int
    source: str


class MemoryTable(Record, frozen=True):
    """The file `resources/profiles/memory.json`."""

    cards: list[CardMemory]
    models: list[ModelMemory]
    logged_pools: list[LoggedPool]


class KvPool(msgspec.Struct, frozen=True):
    """A pool's size in blocks, including the null block, and its source."""

    blocks: int
    source: str


def kv_blocks(card: CardMemory, model: ModelMemory, tensor_parallel: int) -> int:
    """Return the number of 16-token blocks that vLLM allocates by default; 0 if the model doesn't fit."""
    per_token = 2 * model.layers * -(-model.kv_heads // tensor_parallel) * model.head_dim * 2
    taken = (
        model.weights_gib / tensor_parallel
        + _activation(model, card.max_num_batched_tokens)
        + (_NON_TORCH_GIB if tensor_parallel == 1 else _NON_TORCH_NCCL_GIB)
        + _GRAPHS_GIB
    )
    left = card.memory_gib * UTILIZATION - taken
    return max(0, int(left * GIB / (per_token * BLOCK_SIZE)))


def _activation(model: ModelMemory, budget: int) -> float:
    """Return the peak activation in GiB, on a line through the two logged token budgets."""
    slope = (1.0 - _SMALL_BUDGET_SHARE) / (_LOGGED_BUDGET - _SMALL_BUDGET)
    return model.activation_gib * (1.0 + slope * (budget - _LOGGED_BUDGET))


def pool_of(table: MemoryTable, card: CardMemory, model: ModelMemory, tensor_parallel: int) -> KvPool:
    """Return the pool that a server logged for this card and model, else the calculated one."""
    for logged in table.logged_pools:
        if (logged.gpu, logged.model, logged.tp) == (card.gpu, model.model, tensor_parallel):
            return KvPool(logged.num_gpu_blocks, logged.source)
    source = message(
        "profiles.calculated_blocks",
        utilization=UTILIZATION,
        memory=card.memory_gib,
        memory_source=card.source,
        weights=model.weights_gib,
        cards=tensor_parallel,
    )
    return KvPool(kv_blocks(card, model, tensor_parallel), str(source))


def usable_length(model: ModelMemory, blocks: int) -> int:
    """Return the model's length, or the largest power of two that the pool can hold of it.

    vLLM refuses to start with a longer `--max-model-len`.
    """
    tokens = (blocks - 1) * BLOCK_SIZE
    return model.max_model_len if tokens >= model.max_model_len else 1 << (tokens.bit_length() - 1)
