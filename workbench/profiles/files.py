"""Profiles as files: those that calibration writes, and those a user was given."""

from pathlib import Path

import msgspec

from workbench.base import InputError, decode_json, write_atomic
from workbench.profiles.profile import Profile


def read_profile(path: Path) -> Profile:
    """Read one profile.

    Raises:
        InputError: the file can't be read or is no profile; the message names the file and the field.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error
    return decode_json(data, Profile, where=str(path))


def save_profile(profile: Profile, path: Path) -> None:
    """Write one profile as JSON, replacing the file in one step.

    Raises:
        InputError: the folder can't be written to.
    """
    write_atomic(path, msgspec.json.format(msgspec.json.encode(profile), indent=2) + b"\n")
