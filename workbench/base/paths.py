"""Folders for settings, data and caches by each system's rules, and the files of the installation."""

from pathlib import Path

import platformdirs

from workbench.base.errors import MissingResourceError

APPLICATION = "vllm-workbench"


def config_folder() -> Path:
    """Return the folder of settings and remembered targets."""
    return Path(platformdirs.user_config_dir(APPLICATION, appauthor=False))


def data_folder() -> Path:
    """Return the folder of bench files, calibrated profiles and drafts."""
    return Path(platformdirs.user_data_dir(APPLICATION, appauthor=False))


def cache_folder() -> Path:
    """Return the folder of caches: flag lists of installed vLLMs, a test build of vLLM."""
    return Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False))


# The folders of the shipped files: in the wheel, or beside the sources.

_PACKED = Path(__file__).parents[1] / "_resources"
_SOURCES = Path(__file__).parents[2] / "resources"


def resource(*parts: str) -> Path:
    """Return the path of a shipped file or folder, such as `resource("profiles", "h100.json")`.

    Raises:
        MissingResourceError: the installation lacks it.
    """
    for root in (_PACKED, _SOURCES):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise MissingResourceError(f"this installation lacks its resource {'/'.join(parts)}; install it again")
