"""Whether values are possible, one by one and together, in words, before anything is started."""

import difflib
import math
from collections.abc import Mapping
from typing import Any

from workbench.base import InputError, Message, Place, Refusal, message, shown
from workbench.controls.catalogue import CONTROLS
from workbench.controls.control import Control, Value

_LARGEST = 1e15
"""No control's use comes near it, and what is larger fits neither JSON nor a clock."""


def check_value(name: str, value: object, *, where: str = "") -> Value:
    """`value` as the control `name` takes it.

    Raises:
        InputError: no such control (the nearest names are said), wrong kind, or out of range.
    """
    place = f"{where}: " if where else ""
    control = CONTROLS.get(name)
    if control is None:
        near = difflib.get_close_matches(name, CONTROLS, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(CONTROLS)}"
        raise InputError(f"{place}unknown control {name!r}{hint}")
    return _of_kind(control, value, place)


def _of_kind(control: Control, value: object, place: str) -> Value:
    if control.kind == "switch":
        if isinstance(value, bool):
            return value
        raise InputError(f"{place}{control.name} must be true or false, not {_told(value)}")
    if control.kind == "text":
        if isinstance(value, str) and value.strip():
            return value
        raise Refusal("controls.not_a_text", Place(file=place.removesuffix(": ") or None, key=control.name))
    if control.kind == "choice":
        if isinstance(value, str) and value in control.choices:
            return value
        raise InputError(
            f"{place}{control.name} must be one of {', '.join(control.choices)}, not {_told(value)}"
        )
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or (isinstance(value, float) and math.isnan(value))
    ):
        raise InputError(f"{place}{control.name} must be a number, not {_told(value)}")
    if control.kind == "integer" and not isinstance(value, int):
        raise InputError(f"{place}{control.name} must be a whole number, not {_told(value)}")
    low = -_LARGEST if control.minimum is None else control.minimum
    high = _LARGEST if control.maximum is None else control.maximum
    if not low <= value <= high:
        open_above = control.maximum is None and value < low
        span = f"at least {low:g}" if open_above else f"between {low:g} and {high:g}"
        raise InputError(f"{place}{control.name} must be {span}, not {_told(value)}")
    return value


def _told(value: object) -> str:
    """As in Python, and no longer than a line."""
    try:
        return shown(repr(value), 60)
    except ValueError:  # thousands of digits
        return "a number of thousands of digits"


def check_interplay(values: Mapping[str, Value], *, where: str = "") -> None:
    """Whether these values can stand together; values not given are vLLM's defaults and not judged.

    Raises:
        InputError: the first pair that vLLM would refuse, with its reason.
    """
    place = f"{where}: " if where else ""
    budget, seats = values.get("max_num_batched_tokens"), values.get("max_num_seqs")
    if _below(budget, seats):
        raise InputError(
            f"{place}max_num_batched_tokens ({budget}) must be at least max_num_seqs ({seats}):"
            " each running sequence needs one token of a step"
        )
    length = values.get("max_model_len")
    if values.get("enable_chunked_prefill") is False and _below(budget, length):
        raise InputError(
            f"{place}max_num_batched_tokens ({budget}) must be at least max_model_len ({length})"
            " without chunked prefill: a prompt must fit one step"
        )
    active = values.get("max_num_active_seqs")
    if _below(seats, active):
        raise InputError(f"{place}max_num_active_seqs ({active}) must not be above max_num_seqs ({seats})")
    if _below(budget, values.get("long_prefill_token_threshold")):
        raise InputError(
            f"{place}long_prefill_token_threshold ({values['long_prefill_token_threshold']})"
            f" must not be above max_num_batched_tokens ({budget}): it would never be reached"
        )
    blocks, block_size = values.get("num_gpu_blocks_override"), values.get("block_size")
    if blocks is not None and block_size is not None and length is not None:
        usable = (int(blocks) - 1) * int(block_size)
        if usable < int(length):
            raise InputError(
                f"{place}num_gpu_blocks_override ({blocks}) holds {usable} tokens, less than one request"
                f" of max_model_len ({length}) needs"
            )
    _check_states(values, place)


def _check_states(values: Mapping[str, Value], place: str) -> None:
    """What vLLM's `VllmConfig` refuses of state-space models' caches."""
    block, mode = values.get("mamba_block_size"), values.get("mamba_cache_mode")
    if block is not None and int(block) % 8:
        raise InputError(f"{place}mamba_block_size ({block}) must be a multiple of 8: its kernel needs that")
    own_block = block is not None and block != values.get("max_model_len")
    if own_block and values.get("enable_prefix_caching") is False:
        raise InputError(f"{place}mamba_block_size ({block}) needs enable_prefix_caching")
    if mode == "align" and values.get("enable_chunked_prefill") is False:
        raise InputError(f'{place}mamba_cache_mode "align" needs enable_chunked_prefill')
    if mode == "align" and values.get("disable_chunked_mm_input") is True:
        raise InputError(f'{place}mamba_cache_mode "align" and disable_chunked_mm_input exclude each other')
    if values.get("use_replayssm") is True and values.get("kv_offloading_size"):
        raise InputError(f"{place}use_replayssm and kv_offloading_size exclude each other")


def _below(value: Value | None, bound: Value | None) -> bool:
    return value is not None and bound is not None and float(value) < float(bound)


def control_flags(values: Mapping[str, Value]) -> list[str]:
    """The command-line words of `vllm serve` for these values; the load's own controls have none."""
    words: list[str] = []
    for name, value in values.items():
        flag = CONTROLS[name].flag
        if flag is None:
            continue
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag.removeprefix('--')}")
        else:
            words += [flag, str(value)]
    return words


_SAME_TYPE = {"half": "float16", "float": "float32"}
"""Names of one number type; the second is the one that a server tells."""


def is_as_asked(asked: object, effective: object) -> bool:
    """Whether a server's value is the one that was asked for; what `auto` comes to is the server's choice."""
    if isinstance(asked, float | int) and isinstance(effective, float | int):
        return math.isclose(asked, effective, rel_tol=1e-6)
    return asked == "auto" or _SAME_TYPE.get(str(asked), str(asked)) == str(effective)


def effective_mismatches(asked: Mapping[str, Value | None], effective: Mapping[str, Any]) -> list[Message]:
    """Controls whose value on the server is known and differs from the one that was asked for.

    The caller's own controls are none of the server's; names that aren't known here are another version's.
    """
    known = {
        name: (value, effective[name])
        for name, value in asked.items()
        if value is not None and effective.get(name) is not None
    }
    return [
        message("controls.effective_differs", name=name, asked=value, effective=_plain(used))
        for name, (value, used) in known.items()
        if (name not in CONTROLS or CONTROLS[name].of_server) and not is_as_asked(value, used)
    ]


def values_in_force(
    asked: Mapping[str, Any], effective: Mapping[str, Any], *, started_by_us: bool
) -> dict[str, Any]:
    """Return the values that hold, by name; what isn't known is left out.

    - What the server reports wins.
    - What was asked of a server that we started holds where the server reports nothing.
    - What was asked of another server says nothing about it; only the caller's own controls hold.
    """
    held = {
        name: value
        for name, value in asked.items()
        if started_by_us or (name in CONTROLS and not CONTROLS[name].of_server)
    }
    return held | {name: value for name, value in effective.items() if value is not None}


def _plain(value: Any) -> Value:
    """The server's value as a message holds it."""
    return value if isinstance(value, str | int | float | bool) else str(value)
