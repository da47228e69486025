"""Write files without losing the old one or leaving a half-written one."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from workbench.base.refusals import Place, Refusal


def write_atomic(path: Path, content: bytes | str) -> None:
    """Replace `path` in one step with `content` (text as UTF-8); on failure the old file stays.

    Raises:
        Refusal: the folder does not exist or can't be written to.
    """
    data = content.encode() if isinstance(content, str) else content
    path = path.resolve()
    if path.exists() and not path.is_file():
        _write_through(path, data)
        return
    mode = _mode_for(path)
    try:
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(scratch).chmod(mode)
        Path(scratch).replace(path)
    except OSError as error:
        with suppress(OSError):
            Path(scratch).unlink()
        raise _unwritable(path, error) from error


def _write_through(path: Path, data: bytes) -> None:
    """Write into a device or a pipe, which a regular file must never replace."""
    try:
        with path.open("wb") as file:
            file.write(data)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> Refusal:
    return Refusal("base.unwritable_file", Place(file=str(path)), cause=error.strerror or str(error))


def _mode_for(path: Path) -> int:
    """Return the old file's permissions, else those of this user's new files."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def require_writable_folder(folder: Path) -> None:
    """Make `folder` if it is missing and check that a file can be made in it.

    Raises:
        Refusal: it can't be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (FileExistsError, NotADirectoryError) as error:
        raise Refusal("base.file_for_folder", Place(file=str(folder))) from error
    except OSError as error:
        cause = error.strerror or str(error)
        raise Refusal("base.unwritable_folder", Place(file=str(folder)), cause=cause) from error


def require_writable_file(path: Path) -> None:
    """Check that `write_atomic` will be able to write `path`, before there is anything to lose.

    Raises:
        Refusal: a folder has that name, or the folder around it can't be made or written to.
    """
    if path.is_dir():
        raise Refusal("base.is_folder", Place(file=str(path)))
    require_writable_folder(path.absolute().parent)
