"""Where this window keeps what is the user's: settings and geometry, and the results it starts."""

from dataclasses import dataclass
from pathlib import Path

from workbench.base import config_folder, data_folder, require_writable_folder


@dataclass(frozen=True)
class ProfileFolders:
    """The two folders of one user profile."""

    config: Path
    """Settings, window geometry, recent files."""
    data: Path
    """Bench files, and the experiments as they were run."""

    @classmethod
    def of_user(cls) -> "ProfileFolders":
        """By the system's own rules."""
        return cls(config_folder(), data_folder())

    @classmethod
    def under(cls, folder: Path) -> "ProfileFolders":
        """A profile of its own in `folder`, as `--profile-dir` asks."""
        return cls(folder / "config", folder / "data")

    def prepare(self) -> None:
        """Make both.

        Raises:
            InputError: one can't be made or written to.
        """
        require_writable_folder(self.config)
        require_writable_folder(self.data)
