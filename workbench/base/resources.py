"""Where the files that ship with the program lie: in the wheel, or beside the sources."""

from pathlib import Path

from workbench.base.errors import MissingResourceError

_PACKED = Path(__file__).parents[1] / "_resources"
_SOURCES = Path(__file__).parents[2] / "resources"


def resource(*parts: str) -> Path:
    """The path of a shipped file or folder, such as `resource("profiles", "h100.json")`.

    Raises:
        MissingResourceError: the installation lacks it.
    """
    for root in (_PACKED, _SOURCES):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise MissingResourceError(f"this installation lacks its resource {'/'.join(parts)}; install it again")
