"""KV cache of one token in one layer: heads and their sizes, or one latent row."""

from typing import Any, NamedTuple

from workbench.advice.sizing.config_fields import Fields
from workbench.advice.sizing.layer_kinds import ATTENTION
from workbench.advice.sizing.model import Mla
from workbench.base import Message, Place, Refusal, message

_HEADS = (
    "num_attention_heads",
    "n_head",
    "n_heads",
    "num_heads",
    "num_query_heads",
    "decoder_attention_heads",
    "attn_cfg.num_heads",
)
_KV_HEADS = (
    "num_key_value_heads",
    "num_kv_heads",
    "n_head_kv",
    "n_kv_heads",
    "multi_query_group_num",
    "num_attention_groups",
    "num_query_groups",
    "attn_config.kv_n_heads",
    "attn_cfg.num_heads_kv",
)
_HEAD_DIMS = ("head_dim", "kv_channels", "attention_head_dim", "hidden_size_per_head", "attn_cfg.head_dim")
_KV_LISTS = ("num_key_value_heads", "num_kv_heads", "num_key_value_heads_per_layer")
_LATENT = frozenset({
    "axk1", "deepseek_v2", "deepseek_v3", "deepseek_v32", "deepseek_vl_v2", "dots3_note", "glm4_moe_lite",
    "glm_moe_dsa", "kimi_k2", "kimi_linear", "longcat_flash", "pangu_ultra_moe", "bailing_hybrid",
})  # fmt: skip
"""Architectures for which vLLM keeps latent rows (its `is_deepseek_mla`)."""
_EXPANDED = frozenset({"minicpm3"})
"""Architectures with latent projections for which vLLM keeps whole keys and values."""
_OTHER_SIZES = {
    "global_head_dim": "head_dim",
    "num_global_key_value_heads": "num_key_value_heads",
    "swa_num_key_value_heads": "num_key_value_heads",
    "swa_head_dim": "head_dim",
    "v_head_dim": "head_dim",
    "per_layer_config": None,
    "attention_other_setting": None,
}
"""Fields that may give layers of one kind, or values, another size than the field beside them."""


class Attention(NamedTuple):
    """Sizes of attention layers."""

    heads: int
    kv_heads: int
    head_dim: int
    kv_heads_by_layer: tuple[int, ...] | None = None
    """KV heads by layer; None if all layers have `kv_heads`."""
    unread: Message | None = None
    """Why not even the bytes of a token are known."""
    uneven: Message | None = None
    """Why they are known and the tokens aren't."""


def attention(
    fields: Fields, model_type: str, hidden: int, kinds: tuple[str, ...], mla: Mla | None
) -> Attention:
    """Read the sizes of attention layers.

    Raises:
        Refusal: a required size is missing or impossible.
    """
    if not ATTENTION & set(kinds):
        fields.understood(*_HEADS, *_HEAD_DIMS, *_KV_HEADS)
        return Attention(heads=1, kv_heads=1, head_dim=1)
    listed_heads = fields.by_layer("num_query_heads")
    heads = max(listed_heads) if listed_heads else fields.whole(*_HEADS)
    kept = _kv_heads(fields, model_type, heads, len(kinds))
    differs = message("sizing.differs_by_layer", field=kept.field) if kept.field else None
    if mla is not None:
        fields.understood(*_HEAD_DIMS)
        return Attention(heads, kept.most, head_dim=mla.kv_rank + mla.rope_dim, unread=differs)
    if model_type in _EXPANDED:
        head_dim = fields.whole("qk_nope_head_dim") + fields.whole("qk_rope_head_dim")
        fields.understood(*_HEAD_DIMS, "kv_lora_rank", "q_lora_rank", "v_head_dim")
        return Attention(heads, heads, head_dim)
    head_dim = _head_dim(fields, model_type, hidden, heads)
    return Attention(
        heads,
        kept.most,
        head_dim,
        kv_heads_by_layer=kept.by_layer,
        unread=(differs if kept.unread else None)
        or _latent_unread(fields)
        or _other_values(fields, head_dim, kept.most),
        uneven=differs,
    )


def latent(fields: Fields, model_type: str) -> Mla | None:
    """Return the latent row, where vLLM keeps one for this architecture.

    Raises:
        Refusal: an impossible size.
    """
    if not fields.switch("use_mla", default=True):
        fields.understood("kv_lora_rank", "q_lora_rank", "v_head_dim", "qk_nope_head_dim", "qk_rope_head_dim")
        return None
    if not fields.has("kv_lora_rank") or model_type not in _LATENT:
        return None
    rope, nope = fields.whole("qk_rope_head_dim"), fields.whole("qk_nope_head_dim", default=0, minimum=0)
    value = fields.whole("v_head_dim", default=0, minimum=0)
    return Mla(
        kv_rank=fields.whole("kv_lora_rank"),
        rope_dim=rope,
        nope_dim=nope,
        value_dim=value,
        query_rank=fields.maybe("q_lora_rank"),
    )


def indexed(fields: Fields) -> Message | None:
    """Return why the index of sparse attention leaves the tokens unknown; None: there is no index."""
    named = [name for name in ("index_head_dim", "index_topk", "index_n_heads") if fields.is_on(name)]
    return message("sizing.sparse_index") if named else None


class _KvHeads(NamedTuple):
    """KV heads of a layer."""

    most: int
    by_layer: tuple[int, ...] | None = None
    """KV heads by layer, if layers differ."""
    field: str = ""
    """That lists them."""
    unread: bool = False
    """The list isn't understood."""


def _kv_heads(fields: Fields, model_type: str, heads: int, layers: int) -> _KvHeads:
    if _is_multi_query(fields, model_type):
        fields.understood(*_KV_HEADS)
        return _KvHeads(1)
    if model_type == "chatglm" and not fields.switch("multi_query_attention", default=False):
        fields.understood(*_KV_HEADS)
        return _KvHeads(heads)
    for name in _KV_LISTS:
        if listed := fields.by_layer(name, minimum=0):
            return _by_layer(name, listed, heads, layers)
    if blocks := fields.numbers("block_configs"):
        return _by_layer("block_configs", [_heads_of(block, heads) for block in blocks], heads, layers)
    return _KvHeads(fields.whole(*_KV_HEADS, default=heads))


def _is_multi_query(fields: Fields, model_type: str) -> bool:
    """Return True if all query heads share one KV head."""
    of_class = model_type in {"falcon", "refinedweb", "refinedwebmodel", "gpt_bigcode"}
    several = fields.switch("new_decoder_architecture", default=False)
    shared = fields.switch("multi_query", default=of_class)
    return (shared and not several) or fields.text("attn_config.attn_type") == "multiquery_attention"


def _by_layer(field: str, listed: list[int], heads: int, layers: int) -> _KvHeads:
    if min(listed) < 0 or len(listed) != layers:
        return _KvHeads(heads, field=field, unread=True)
    most = max(1, *listed)
    return _KvHeads(most) if set(listed) == {most} else _KvHeads(most, tuple(listed), field)


def _heads_of(block: Any, heads: int) -> int:
    """Return the KV heads of one of DeciLM's blocks; -1: it isn't understood."""
    attends = block.get("attention") if isinstance(block, dict) else None
    if not isinstance(attends, dict):
        return -1
    if attends.get("no_op") or attends.get("replace_with_linear"):
        return 0
    group = attends.get("n_heads_in_group")
    if isinstance(group, bool) or not isinstance(group, int) or group < 1 or heads % group:
        return -1
    return heads // group


def _head_dim(fields: Fields, model_type: str, hidden: int, heads: int) -> int:
    # Some configurations write a head size that is missing as 0.
    given = next((fields.whole(name) for name in _HEAD_DIMS if fields.is_on(name)), None)
    if model_type == "zamba2":
        # Its attention sees the hidden state beside the embedding.
        hidden, given = 2 * hidden, fields.maybe("attention_head_dim")
    if given is not None:
        return given
    if hidden % heads:
        raise Refusal("sizing.no_head_size", Place(file=fields.where), hidden=hidden, heads=heads)
    return hidden // heads


def _latent_unread(fields: Fields) -> Message | None:
    """Return a note on a latent rank in an architecture whose latent cache is unknown."""
    if fields.is_on("kv_lora_rank") and fields.switch("use_mla", default=True):
        return message("sizing.latent_of_unknown")
    return None


def _other_values(fields: Fields, head_dim: int, kv_heads: int) -> Message | None:
    usual_sizes = {"head_dim": head_dim, "num_key_value_heads": kv_heads}
    unused = () if fields.switch("use_mla", default=True) else ("v_head_dim",)
    for name, usual in _OTHER_SIZES.items():
        differs = usual is None or fields.value(name) != usual_sizes[usual]
        if fields.is_on(name) and differs and name not in unused:
            return message("sizing.other_sizes", field=name)
    return None
