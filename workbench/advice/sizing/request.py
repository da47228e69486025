"""Request for a sizing, and its checks."""

from pathlib import Path

from workbench.advice.sizing.config_fields import LARGEST
from workbench.advice.sizing.model import VALUE_BYTES, ModelShape
from workbench.advice.sizing.versions import NEWEST
from workbench.base import Place, Record, Refusal
from workbench.profiles import Card, find_card

KV_BYTES = {
    "float32": 4.0,
    "float16": 2.0,
    "bfloat16": 2.0,
    "fp8": 1.0,
    "fp8_e4m3": 1.0,
    "fp8_e5m2": 1.0,
    "fp8_inc": 1.0,
    "nvfp4": 0.5625,
}
"""Bytes of one stored value; nvfp4 with the scale that 16 values share."""
_TYPES = {"half": "float16", "float": "float32", "fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}


class SizingRequest(Record, frozen=True, kw_only=True):
    """One configuration. None: vLLM's default, or unknown."""

    config: Path | None = None
    """config.json or its folder; None: `estimate` gets the shape directly."""
    gpu: str | None = None
    gpu_gib: float | None = None
    count: int | None = None
    """Number of GPUs; None: tp x pp."""
    tp: int = 1
    pp: int = 1
    dtype: str = "auto"
    kv_cache_dtype: str = "auto"
    quantization: str | None = None
    """Quantization at start, for a checkpoint without its own."""
    gpu_memory_utilization: float | None = None
    max_model_len: int | None = None
    block_size: int | None = None
    max_num_batched_tokens: int | None = None
    max_num_seqs: int | None = None
    enforce_eager: bool = False
    weights_gib: float | None = None
    """Known size on one GPU."""
    kv_gib: float | None = None
    """Known size on one GPU."""
    vllm_version: str = NEWEST

    def card(self) -> Card | None:
        """Return the named card.

        Raises:
            Refusal: the card is unknown.
        """
        return None if self.gpu is None else find_card(self.gpu)


def check_request(request: SizingRequest) -> None:
    """Check that the numbers are possible.

    Raises:
        Refusal: the first impossible one.
    """
    for name in (
        "tp",
        "pp",
        "count",
        "max_model_len",
        "block_size",
        "max_num_batched_tokens",
        "max_num_seqs",
    ):
        value = getattr(request, name)
        if value is not None and value < 1:
            raise Refusal("base.too_small", Place(key=name), value=value, minimum=1)
        if value is not None and value > LARGEST:
            raise Refusal("sizing.too_large", Place(key=name), maximum=LARGEST)
    for name in ("gpu_gib", "weights_gib", "kv_gib"):
        value = getattr(request, name)
        if value is not None and not 0 < value < 1e6:
            raise Refusal("sizing.no_size", Place(key=name), value=value)
    share = request.gpu_memory_utilization
    if share is not None and not 0 < share <= 1:
        raise Refusal("sizing.no_share", Place(key="gpu_memory_utilization"), value=share)
    if request.count is not None and request.count < request.tp * request.pp:
        needed = request.tp * request.pp
        raise Refusal(
            "sizing.too_few_gpus",
            Place(key="count"),
            tp=request.tp,
            pp=request.pp,
            needed=needed,
            count=request.count,
        )


def check_division(shape: ModelShape, tp: int, pp: int) -> None:
    """Check that the model divides by tp and pp.

    Raises:
        Refusal: vLLM would refuse; lists possible values.
    """
    if shape.heads % tp:
        possible = _divisors(shape.heads)
        raise Refusal("sizing.heads_undivided", Place(key="tp"), tp=tp, heads=shape.heads, possible=possible)
    if shape.mla is None and tp > shape.kv_heads and tp % shape.kv_heads:
        raise Refusal(
            "sizing.no_multiple_of_kv_heads",
            Place(key="tp"),
            tp=tp,
            heads=shape.kv_heads,
            possible=_possible(shape),
        )
    if shape.mla is None and tp <= shape.kv_heads and shape.kv_heads % tp:
        raise Refusal(
            "sizing.kv_heads_undivided",
            Place(key="tp"),
            tp=tp,
            heads=shape.kv_heads,
            possible=_possible(shape),
        )
    if pp > shape.layers:
        raise Refusal("sizing.more_stages_than_layers", Place(key="pp"), pp=pp, layers=shape.layers)


def value_type(shape: ModelShape, dtype: str) -> str:
    """Return the computing type: `auto` is the checkpoint's, and float16 for float32, as in vLLM.

    Raises:
        Refusal: not a computing type of vLLM.
    """
    name = _TYPES.get(dtype, dtype)
    if name == "auto":
        return "float16" if shape.dtype == "float32" else shape.dtype
    if name not in VALUE_BYTES:
        choices = ["auto", *VALUE_BYTES]
        raise Refusal("base.not_one_of", Place(key="dtype"), value=dtype, choices=choices)
    return name


def kv_type(shape: ModelShape, computing: str, kv_cache_dtype: str) -> str | None:
    """Return the type of stored keys and values: `auto` is the checkpoint's, else the computing type.

    None: the checkpoint has an unknown one.

    Raises:
        Refusal: an unknown type.
    """
    name = _TYPES.get(kv_cache_dtype, kv_cache_dtype)
    if name == "auto":
        return None if shape.kv_unread is not None else shape.kv_stored or computing
    if name not in KV_BYTES:
        choices = ["auto", *KV_BYTES]
        raise Refusal("base.not_one_of", Place(key="kv_cache_dtype"), value=kv_cache_dtype, choices=choices)
    return name


def _divisors(number: int) -> list[str]:
    return [str(value) for value in range(1, number + 1) if number % value == 0 and value <= 64]


def _possible(shape: ModelShape) -> list[str]:
    kept = shape.kv_heads
    return [
        str(tp)
        for tp in range(1, 65)
        if shape.heads % tp == 0 and (kept % tp == 0 if tp <= kept else tp % kept == 0)
    ]
