"""SELinux: where it is enforced, a container may read only what is labelled for containers."""

from pathlib import Path

_ENFORCE = Path("/sys/fs/selinux/enforce")
_DENIED = ("not_readable", "model_not_found", "weights_missing")
"""Failures that look like it: a folder that may not be entered is none for whoever looks."""


def enforcing() -> bool:
    """Whether this machine enforces it."""
    try:
        return _ENFORCE.read_text().strip() == "1"
    except OSError:
        return False


def about_mounts(kind: str) -> str:
    """What to do where a container failed in this way and that may be why; empty: it isn't."""
    if kind not in _DENIED or not enforcing():
        return ""
    return (
        "; SELinux is enforcing on this machine and hides what is mounted: set"
        ' security_opt = ["label=disable"] in [target], or label the folder for containers'
        " (`:z` at the end of its mount does, for good)"
    )
