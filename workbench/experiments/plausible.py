"""Figures of a finished run that can't be right; beyond the card too, where model and card are known."""

from collections.abc import Sequence
from pathlib import Path

from workbench.advice import Roofline, RunView, implausible, roofline
from workbench.advice.sizing import read_model
from workbench.base import InputError
from workbench.profiles import find_card, told_name
from workbench.servers import Effective, TargetSpec


def impossible(view: RunView, target: TargetSpec, effective: Effective) -> list[str]:
    """One sentence for each; empty: nothing found."""
    return implausible(view, _roof(target, effective))


def as_facts(impossible: Sequence[str]) -> dict[str, str]:
    """As the scorecard's column."""
    return {"implausible": " ".join(impossible)} if impossible else {}


def _roof(target: TargetSpec, effective: Effective) -> Roofline | None:
    """None where the model's files aren't on this machine, or its card isn't in the catalogue."""
    folder = Path(effective.model or target.model or "").expanduser()
    # Of several cards the server lists each on a line; they are alike or it could not share a model.
    gpu = told_name(str(effective.system.get("nvidia_gpu_models") or ""))
    if not gpu or not (folder / "config.json").is_file():
        return None
    try:
        shape, card = read_model(folder), find_card(gpu)
        return roofline(card, shape, tp=_size(effective, "tensor"), pp=_size(effective, "pipeline"))
    except InputError:
        return None


def _size(effective: Effective, kind: str) -> int:
    value = effective.arguments.get(f"{kind}_parallel_size")
    return value if isinstance(value, int) and value > 0 else 1
