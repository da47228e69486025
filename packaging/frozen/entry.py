"""The executables of a frozen build: the command line, the window, and any module with `-m`."""

import os
import runpy
import sys
from pathlib import Path

WINDOW = "vllm-workbench"
"""Name by which the window is started; by any other name it is the command line."""


def main() -> int:
    """Run what the executable's name and first words ask for; return the exit code."""
    _restore_library_path()
    words = sys.argv[1:]
    if len(words) >= 2 and words[0] == "-m":
        sys.argv[1:] = words[2:]
        # Only modules of the build can be found, so this runs nothing that a user could not run anyway.
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return 0
    if Path(sys.argv[0]).stem == WINDOW:
        from ui.__main__ import main as open_window

        return open_window()
    from workbench.cli import main as run_command

    return run_command()


def _restore_library_path() -> None:
    """Give servers that this program starts the user's own libraries, not those of the build."""
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        own = os.environ.pop(f"{name}_ORIG", None)
        if own is not None:
            os.environ[name] = own
        elif getattr(sys, "_MEIPASS", "?") in os.environ.get(name, ""):
            del os.environ[name]
    # A process of the same executable takes its libraries' path from us otherwise, which is gone now.
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"


if __name__ == "__main__":
    raise SystemExit(main())
