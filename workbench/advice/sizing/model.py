"""The shape of a model, as far as its memory depends on it."""

from workbench.base import Message, Record

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
    """Intermediate size of all shared experts together; 0 if there are none."""
    layers: tuple[bool, ...]
    """Layers that have experts; the others have a dense MLP."""


class LinearState(Record, frozen=True, kw_only=True):
    """Gated delta-rule layers: a fixed state a request instead of keys and values."""

    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    convolution: int
    """Kernel width."""
    state_dtype: str | None
    """Type of the recurrent state; None for the computing type."""


class Quantisation(Record, frozen=True, kw_only=True):
    """Storage of the weights."""

    method: str
    bits: float | None
    """Bits a quantised weight takes with its scales; None: unknown."""
    experts_only: bool = False
    partial: Message | None = None
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
    uncounted: Message | None
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
    """Kind of each layer: full, sliding, chunked, linear (a state), both (attention beside a state), none."""
    window: int | None
    """Window of sliding layers, in tokens."""
    chunk: int | None
    """Chunk of chunked-local layers, in tokens."""
    gated_attention: bool = False
    mla: Mla | None = None
    experts: Experts | None = None
    linear: LinearState | None = None
    quantisation: Quantisation | None = None
    vision: Vision | None = None
    attentions: int = 1
    """Attention sublayers of a layer."""
    kv_heads_by_layer: tuple[int, ...] | None = None
    """KV heads by layer; None if all layers with attention have `kv_heads`."""
    kv_stored: str | None = None
    """Type of keys and values that the checkpoint asks for, as `--kv-cache-dtype` names it."""
    kv_unread: Message | None = None
    """Why that isn't known."""
    unread: Message | None = None
    """Fields that may change the KV layout and aren't understood; with any, the layout is unknown."""
    unplanned: Message | None = None
    """Why the layout of blocks isn't known although the bytes of a token are."""
    notes: tuple[Message, ...] = ()
    """Uncertainties about this shape."""

    @property
    def hybrid(self) -> bool:
        """Layers of more than one kind."""
        return len(set(self.kinds)) > 1
