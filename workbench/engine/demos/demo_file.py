"""A demo as one file: its story, its trace and its profile, so that it plays anywhere as it does here."""

import io
import shutil
import weakref
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, mkdtemp

from workbench.base import Place, Refusal, write_atomic
from workbench.engine.demos.demo import Demo, read_demo
from workbench.profiles import load_profile, save_profile

DEMO_SUFFIX = ".wbdemo"
_PROFILE = "profile.json"
_MOST_PARTS = 8
_MOST_BYTES = 64 << 20
"""Size of a part; a damaged file must not fill the memory."""


def save_demo(demo: Demo, path: Path) -> None:
    """Write a demo as one file.

    Raises:
        Refusal: the file has another ending, or can't be written.
    """
    if path.suffix.lower() != DEMO_SUFFIX:
        raise Refusal("engine.demo_suffix", Place(file=str(path)), suffix=DEMO_SUFFIX)
    with TemporaryDirectory() as folder:
        profile = Path(folder) / _PROFILE
        save_profile(load_profile(demo.profile_source), profile)
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as parts:
            for file in (demo.file, demo.trace, profile):
                parts.writestr(zipfile.ZipInfo(file.name), file.read_bytes(), zipfile.ZIP_DEFLATED)
    write_atomic(path, held.getvalue())


def open_demo(path: Path) -> Demo:
    """Open a demo that is one file.

    Raises:
        Refusal: the file can't be read, or holds no demo.
    """
    here = Path(mkdtemp(prefix="workbench-demo-"))
    try:
        _unpack(path, here)
        demo = _demo_in(here, path)
    except BaseException:
        shutil.rmtree(here, ignore_errors=True)
        raise
    weakref.finalize(demo, shutil.rmtree, here, ignore_errors=True)
    return demo


def _unpack(path: Path, folder: Path) -> None:
    place = Place(file=str(path))
    try:
        with zipfile.ZipFile(path) as parts:
            for part in parts.infolist()[:_MOST_PARTS]:
                if part.file_size > _MOST_BYTES:
                    cause = f"{part.filename}: {part.file_size} bytes"
                    raise Refusal("engine.not_a_demo", place, cause=cause)
                # A part's folders are left out, so that nothing is written elsewhere.
                (folder / PurePosixPath(part.filename).name).write_bytes(parts.read(part))
    except OSError as error:
        raise Refusal("base.unreadable_file", place, cause=error.strerror) from error
    except (EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise Refusal("engine.not_a_demo", place, cause=str(error)) from error


def _demo_in(folder: Path, path: Path) -> Demo:
    place = Place(file=str(path))
    stories, profile = list(folder.glob("*.toml")), folder / _PROFILE
    if len(stories) != 1 or not profile.is_file():
        found = sorted(each.name for each in folder.iterdir())
        raise Refusal("engine.not_a_demo", place, cause=", ".join(found))
    demo = read_demo(stories[0], folder, profile=str(profile))
    if not demo.trace.is_file():
        raise Refusal("engine.not_a_demo", place, cause=demo.trace.name)
    return demo
