"""Check values of controls, one by one and together, before a server is started."""

import difflib
import math
from collections.abc import Mapping
from typing import Any

from workbench.base import Message, Refusal, message, shown
from workbench.controls.catalogue import CONTROLS
from workbench.controls.control import Control, Value

_LARGEST = 1e15
"""Far above any useful value; JSON and clocks can't hold more."""


def check_value(name: str, value: object) -> Value:
    """Return `value` if the control `name` takes it.

    Args:
        name: the control.
        value: as read from a file or typed.

    Raises:
        Refusal: no such control, the wrong kind of value, or out of range.
    """
    control = CONTROLS.get(name)
    if control is None:
        near = difflib.get_close_matches(name, CONTROLS, n=1)
        if near:
            raise Refusal("controls.unknown_meant", name=name, meant=near[0])
        raise Refusal("controls.unknown", name=name, known=list(CONTROLS))
    if control.kind in ("integer", "number"):
        return _number(control, value)
    _check_kind(control, value)
    return value  # type: ignore[return-value]  # _check_kind refuses all others


def _check_kind(control: Control, value: object) -> None:
    """Check a switch, a text or a choice."""
    name, given = control.name, _as_text(value)
    if control.kind == "switch" and not isinstance(value, bool):
        raise Refusal("controls.not_a_switch", name=name, value=given)
    if control.kind == "text" and not (isinstance(value, str) and value.strip()):
        raise Refusal("controls.not_a_text", name=name)
    if control.kind == "choice" and value not in control.choices:
        raise Refusal("controls.not_a_choice", name=name, value=given, choices=control.choices)


def _number(control: Control, value: object) -> int | float:
    name, given = control.name, _as_text(value)
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or (isinstance(value, float) and math.isnan(value))
    ):
        raise Refusal("controls.not_a_number", name=name, value=given)
    if control.kind == "integer" and not isinstance(value, int):
        raise Refusal("controls.not_whole", name=name, value=given)
    low = -_LARGEST if control.minimum is None else control.minimum
    high = _LARGEST if control.maximum is None else control.maximum
    if control.maximum is None and value < low:
        raise Refusal("controls.too_small", name=name, value=given, minimum=low)
    if not low <= value <= high:
        raise Refusal("controls.out_of_range", name=name, value=given, minimum=low, maximum=high)
    return value


def _as_text(value: object) -> str:
    """Return the value as Python writes it, at most one line long."""
    try:
        return shown(repr(value), 60)
    except ValueError:  # thousands of digits
        return "a number of thousands of digits"


def check_interplay(values: Mapping[str, Value]) -> None:
    """Check that vLLM accepts these values together; a control that isn't given is not judged.

    Raises:
        Refusal: the first pair that vLLM would refuse.
    """
    budget, sequences = values.get("max_num_batched_tokens"), values.get("max_num_seqs")
    if _below(budget, sequences):
        raise Refusal("controls.budget_below_sequences", budget=budget, sequences=sequences)
    length = values.get("max_model_len")
    if values.get("enable_chunked_prefill") is False and _below(budget, length):
        raise Refusal("controls.budget_below_prompt", budget=budget, length=length)
    active = values.get("max_num_active_seqs")
    if _below(sequences, active):
        raise Refusal("controls.active_above_sequences", active=active, sequences=sequences)
    threshold = values.get("long_prefill_token_threshold")
    if _below(budget, threshold):
        raise Refusal("controls.threshold_above_budget", threshold=threshold, budget=budget)
    blocks, block_size = values.get("num_gpu_blocks_override"), values.get("block_size")
    if blocks is not None and block_size is not None and length is not None:
        usable = (int(blocks) - 1) * int(block_size)
        if usable < int(length):
            raise Refusal("controls.blocks_below_request", blocks=blocks, tokens=usable, length=length)
    _check_states(values)


def _check_states(values: Mapping[str, Value]) -> None:
    """Check the caches of state-space models, as vLLM's `VllmConfig` does."""
    block, mode = values.get("mamba_block_size"), values.get("mamba_cache_mode")
    if block is not None and int(block) % 8:
        raise Refusal("controls.block_no_multiple", name="mamba_block_size", value=block, multiple=8)
    own_block = block is not None and block != values.get("max_model_len")
    if own_block and values.get("enable_prefix_caching") is False:
        setting = f"mamba_block_size ({block})"
        raise Refusal("controls.needs", setting=setting, needed="enable_prefix_caching")
    align = 'mamba_cache_mode "align"'
    if mode == "align" and values.get("enable_chunked_prefill") is False:
        raise Refusal("controls.needs", setting=align, needed="enable_chunked_prefill")
    if mode == "align" and values.get("disable_chunked_mm_input") is True:
        raise Refusal("controls.exclude", first=align, second="disable_chunked_mm_input")
    if values.get("use_replayssm") is True and values.get("kv_offloading_size"):
        raise Refusal("controls.exclude", first="use_replayssm", second="kv_offloading_size")


def _below(value: Value | None, bound: Value | None) -> bool:
    return value is not None and bound is not None and float(value) < float(bound)


def control_flags(values: Mapping[str, Value]) -> list[str]:
    """Return the arguments of `vllm serve` for these values; the load's own controls have none."""
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
"""Second names of a number type, with the name that a server reports."""


def is_as_asked(asked: object, effective: object) -> bool:
    """Return True if a server's value is the requested one; `auto` accepts any value."""
    if isinstance(asked, float | int) and isinstance(effective, float | int):
        return math.isclose(asked, effective, rel_tol=1e-6)
    return asked == "auto" or _SAME_TYPE.get(str(asked), str(asked)) == str(effective)


def effective_mismatches(asked: Mapping[str, Value | None], effective: Mapping[str, Any]) -> list[Message]:
    """Return one message for each control whose value on the server differs from the requested one.

    Skips unknown server values and the caller's own controls. Names unknown here belong to another version.
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
    """Return the values in force by name, without unknown ones.

    - A value that the server reports takes precedence.
    - Without one, the requested value counts if we started the server.
    - On a server of others only the caller's own controls count.
    """
    requested = {
        name: value
        for name, value in asked.items()
        if started_by_us or (name in CONTROLS and not CONTROLS[name].of_server)
    }
    return requested | {name: value for name, value in effective.items() if value is not None}


def _plain(value: Any) -> Value:
    """Return the server's value in a form that a message can hold."""
    return value if isinstance(value, str | int | float | bool) else str(value)
