"""A Debian package of the frozen folder: /opt, two commands, desktop entry, MIME types, manual pages."""

import gzip
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARE = Path(__file__).parent / "share"
APP = "io.github.vllm_workbench.Workbench"
PACKAGE = "vllm-workbench"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# The command line needs the C library alone; the window needs what Qt finds on every desktop.
_WINDOW_NEEDS = (
    "libegl1, libgl1, libxkbcommon-x11-0, libxcb-cursor0, libxcb-icccm4, libxcb-keysyms1, libdbus-1-3, "
    "libfontconfig1, libglib2.0-0t64 | libglib2.0-0, fonts-dejavu-core"
)


def make_deb(frozen: Path, out: Path, version: str, *, level: int = 6) -> Path:
    """Write the package of the frozen folder into `out`, compressed by xz at `level`, and return it."""
    architecture = _ARCHITECTURES.get(platform.machine(), platform.machine())
    target = out / f"{PACKAGE}_{version}_{architecture}.deb"
    with tempfile.TemporaryDirectory(prefix="workbench-deb-") as folder:
        root = Path(folder) / "root"
        _lay_out(root, frozen)
        _write_control(root, version, architecture)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--build", str(root), str(target)],
            check=True,
            stdout=sys.stderr,
        )
    return target


def _lay_out(root: Path, frozen: Path) -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    from man_pages import write_man_pages  # noqa: PLC0415 - it imports the program

    shutil.copytree(frozen, root / "opt" / PACKAGE, symlinks=True)
    commands, share = _folder(root, "usr/bin"), root / "usr/share"
    for name in ("workbench", "vllm-workbench"):
        (commands / name).symlink_to(f"/opt/{PACKAGE}/{name}")
    for source, place in (
        (SHARE / f"{APP}.desktop", f"applications/{APP}.desktop"),
        (SHARE / f"{APP}.metainfo.xml", f"metainfo/{APP}.metainfo.xml"),
        (SHARE / "vllm-workbench.mime.xml", "mime/packages/vllm-workbench.xml"),
        (ROOT / "resources/icons/workbench.svg", f"icons/hicolor/scalable/apps/{APP}.svg"),
        (SHARE / "copyright", f"doc/{PACKAGE}/copyright"),
    ):
        target = share / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    write_man_pages(_folder(share, "man/man1"))
    changes = gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), 9, mtime=0)
    (share / f"doc/{PACKAGE}/changelog.gz").write_bytes(changes)
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or _is_program(path) else 0o644)


def _is_program(path: Path) -> bool:
    """Return whether a file is executed; libraries are only loaded."""
    return bool(path.stat().st_mode & 0o111) and ".so" not in path.name


def _write_control(root: Path, version: str, architecture: str) -> None:
    size = sum(path.lstat().st_size for path in root.rglob("*") if path.is_file()) // 1024
    control = f"""Package: {PACKAGE}
Version: {version}
Section: science
Priority: optional
Architecture: {architecture}
Installed-Size: {size}
Depends: libc6 (>= 2.34)
Recommends: {_WINDOW_NEEDS}
Maintainer: The vLLM Workbench developers <vllm-workbench@users.noreply.github.com>
Description: tuner of continuous batching in vLLM
 Replays your own requests against your own vLLM server, changes one control
 at a time, and shows which setting serves them best. An embedded engine with
 vLLM's scheduling shows the effects without a GPU.
"""
    (_folder(root, "DEBIAN") / "control").write_text(control)
    (root / "DEBIAN").chmod(0o755)


def _folder(root: Path, name: str) -> Path:
    path = root / name
    path.mkdir(parents=True, exist_ok=True)
    return path
