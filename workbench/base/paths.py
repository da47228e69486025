"""Where the program keeps what is the user's: settings, data, caches, by each system's own rules."""

from pathlib import Path

import platformdirs

APPLICATION = "vllm-workbench"


def config_folder() -> Path:
    """Settings and remembered targets."""
    return Path(platformdirs.user_config_dir(APPLICATION, appauthor=False))


def data_folder() -> Path:
    """Bench files, calibrated profiles, drafts."""
    return Path(platformdirs.user_data_dir(APPLICATION, appauthor=False))


def cache_folder() -> Path:
    """What can be made again: flag lists of installed vLLMs, a test build of vLLM."""
    return Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False))
