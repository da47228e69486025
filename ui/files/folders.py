"""The user's folders: settings and layout, and results."""

from dataclasses import dataclass
from pathlib import Path

from workbench.base import config_folder, data_folder, require_writable_folder


@dataclass(frozen=True)
class ProfileFolders:
    """The two folders of one user profile."""

    config: Path
    """Settings, window geometry, recent files."""
    data: Path
    """Bench files, and copies of the experiments that were run."""

    @classmethod
    def of_user(cls) -> "ProfileFolders":
        """Return the system's standard folders."""
        return cls(config_folder(), data_folder())

    @classmethod
    def under(cls, folder: Path) -> "ProfileFolders":
        """Return a profile inside `folder`, for `--profile-dir`."""
        return cls(folder / "config", folder / "data")

    def prepare(self) -> None:
        """Create both folders.

        Raises:
            InputError: a folder can't be made or written to.
        """
        require_writable_folder(self.config)
        require_writable_folder(self.data)
