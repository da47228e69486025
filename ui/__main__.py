"""`vllm-workbench [FILE]` and `python -m ui`: the window."""

import argparse
import sys
from pathlib import Path

from workbench import __version__
from workbench.base import InputError, WorkFailure


def main() -> int:
    """Open the window; return the exit code (2: bad usage or input)."""
    arguments = parse(sys.argv[1:])
    if problem := unsafe_qt():
        _complain(problem)
        return 2
    try:
        from ui.app import run  # noqa: PLC0415 - --help and --version need no Qt
        from ui.files.folders import ProfileFolders  # noqa: PLC0415 - as above

        if arguments.export is not None:
            from ui.demos.export_animation import export_animation  # noqa: PLC0415 - as above

            return export_animation(str(arguments.file), arguments.export)
        folder = arguments.profile_dir
        folders = ProfileFolders.under(folder) if folder else ProfileFolders.of_user()
        return run(folders, arguments.file, play=arguments.play)
    except ImportError as error:
        _complain(explain_missing_library(error))
        return 1
    except InputError as error:
        _complain(str(error))
        return 2
    except (WorkFailure, OSError) as error:
        _complain(str(error))
        return 1


def parse(words: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="vllm-workbench",
        description="Tunes continuous batching in vLLM on your own requests and your own GPU.",
    )
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="experiment, bench file, trace or demo to open"
    )
    parser.add_argument(
        "--play", action="store_true", help="play FILE full screen: a demo, or the steps of a bench file"
    )
    parser.add_argument(
        "--export",
        type=Path,
        metavar="OUT",
        help="write the demo FILE (or its name) as GIF or MP4",
    )
    parser.add_argument("--profile-dir", type=Path, metavar="DIR", help="keep settings and results in DIR")
    parser.add_argument("--version", action="version", version=f"vLLM Workbench {__version__}")
    arguments = parser.parse_args(words)
    if arguments.play and arguments.file is None:
        parser.error("--play needs a demo or a bench file")
    if arguments.export is not None and arguments.file is None:
        parser.error("--export needs a demo: its file or its name")
    return arguments


def _complain(text: str) -> None:
    sys.stderr.write(f"error: {text}\n")


def unsafe_qt() -> str | None:
    """Return why this Qt is unsafe with this Python, or None.

    PySide6 6.12 drops references to None on Python before 3.12 and aborts after some 5,000 calls.
    """
    if sys.version_info >= (3, 12):
        return None
    from importlib import metadata  # noqa: PLC0415 - only needed on 3.11

    try:
        version = metadata.version("PySide6-Essentials")
    except metadata.PackageNotFoundError:
        return None
    if tuple(int(part) for part in version.split(".")[:2]) < (6, 12):
        return None
    python = sys.version.split()[0]
    return f"PySide6 {version} is unsafe on Python {python}; install PySide6-Essentials below 6.12"


def explain_missing_library(error: ImportError) -> str:
    """Explain a missing system library, with the packages to install."""
    text = str(error)
    if ".so" not in text:
        return text
    return (
        f"{text}. Qt needs system libraries that are missing here; on Debian and Ubuntu:"
        " apt install libegl1 libgl1 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1"
        " libdbus-1-3 libfontconfig1 libglib2.0-0"
    )


if __name__ == "__main__":
    raise SystemExit(main())
