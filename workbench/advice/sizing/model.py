"""The shape of a model, as far as its memory depends on it."""

from workbench.base import Record

VALUE_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}


class Mla(Record, frozen=True, kw_only=True):
    """Multi-head latent attention: one latent row a token in place of keys and values."""

    kv_rank: int
    rope_dim: int
    nope_dim: int
    value_dim: int
    query_rank: int | None


class Experts(Record, frozen=True, kw_only=True):
    """A mixture of experts."""

    count: int
    per_token: int
    intermediate: int
    shared_intermediate: int
    """Of all shared experts together; 0: none."""
    layers: tuple[bool, ...]
    """Which layers have experts; the others have a dense MLP."""


class LinearState(Record, frozen=True, kw_only=True):
    """Gated delta-rule layers: a fixed state a request instead of keys and values."""

    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    convolution: int
    """Kernel width."""
    state_dtype: str | None
    """Of the recurrent state; None: the computing type."""


class Quantisation(Record, frozen=True, kw_only=True):
    """How the weights are stored."""

    method: str
    bits: float | None
    """Bits a quantised weight takes with its scales; None: unknown."""
    experts_only: bool = False
    partial: str | None = None
    """Why the share of quantised weights isn't certain."""


class Vision(Record, frozen=True, kw_only=True):
    """A vision tower, by its configuration."""

    hidden: int
    intermediate: int
    layers: int
    """Global layers included."""
    gated: bool
    projector_weights: int


class ModelShape(Record, frozen=True, kw_only=True):
    """A decoder. Layers are counted from 0; sizes are of the whole model, not of one GPU."""

    where: str
    architecture: str
    model_type: str
    uncounted: str | None
    """Why its weights can't be counted; None: they can."""
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    gated: bool
    vocabulary: int
    """0: unknown."""
    tied: bool
    dtype: str
    """float32, float16 or bfloat16; as stored."""
    max_positions: int | None
    rope_rows: int
    """Rows of all rotary tables together, which vLLM keeps on each GPU."""
    kinds: tuple[str, ...]
    """Of each layer: full, sliding, chunked, linear, none."""
    window: int | None
    """Of sliding layers."""
    chunk: int | None
    """Of chunked-local layers."""
    gated_attention: bool = False
    mla: Mla | None = None
    experts: Experts | None = None
    linear: LinearState | None = None
    quantisation: Quantisation | None = None
    vision: Vision | None = None
    uneven: str | None = None
    """Why layers differ in the size of their keys and values, where they do."""
    notes: tuple[str, ...] = ()
    """What isn't certain about this shape."""

    @property
    def hybrid(self) -> bool:
        """Layers of more than one kind."""
        return len(set(self.kinds)) > 1
