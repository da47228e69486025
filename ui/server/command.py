"""The command that starts a server, as far as it is known before the start. No Qt."""

import shlex

from ui.experiment.draft import Draft
from workbench.base import InputError, mask_arguments
from workbench.controls import Value, check_value, control_flags


def preview_command(draft: Draft) -> str:
    """Return the command as one would type it; empty for a server that is not started here.

    The start adds the port and the flags for measuring.
    """
    return shlex.join(mask_arguments(_words(draft)))


def _words(draft: Draft) -> list[str]:
    flags = control_flags(sound_baseline(draft))
    try:
        more = shlex.split(draft.args)
    except ValueError:
        more = [draft.args]
    model = draft.model or "MODEL"
    match draft.target_kind:
        case "embedded":
            scale = [] if draft.time_scale == 1 else ["--time-scale", f"{draft.time_scale:g}"]
            profile = ["--profile", draft.profile]
            return ["python", "-m", "workbench", "engine", "serve", *profile, *scale, *flags, *more]
        case "local":
            return [draft.executable or "vllm", "serve", model, *flags, *more]
        case "ssh":
            there = shlex.join(mask_arguments([draft.executable or "vllm", "serve", model, *flags, *more]))
            return ["ssh", draft.host or "HOST", there]
        case "container":
            card = ["--gpus", draft.gpus] if draft.gpus else []
            memory = ["--shm-size", draft.shm_size] if draft.shm_size else []
            engine = draft.executable or "docker"
            return [engine, "run", *card, *memory, draft.image or "IMAGE", "--model", model, *flags, *more]
    return []


def sound_baseline(draft: Draft) -> dict[str, Value]:
    """Return the valid values of the baseline; the others are reported elsewhere."""
    sound: dict[str, Value] = {}
    for name, value in draft.baseline.items():
        try:
            check_value(name, value)
        except InputError:
            continue
        sound[name] = value
    return sound
