"""`make dist`: wheel, sdist, frozen folder as tar.xz, and on Debian's kin a .deb, all into dist/."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from licenses import licenses

ROOT = Path(__file__).parents[1]
DIST, BUILD = ROOT / "dist", ROOT / "build"
FROZEN = DIST / "vllm-workbench"
PARTS = ("wheel", "frozen", "tar", "deb")


def main() -> int:
    """Make the named parts, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help=f"of {', '.join(PARTS)} (all)")
    made = parser.parse_args().parts or PARTS
    DIST.mkdir(exist_ok=True)
    steps = {"wheel": wheel, "frozen": freeze, "tar": pack_frozen, "deb": deb}
    for part in PARTS:
        if part in made:
            steps[part]()
    return 0


def version() -> str:
    """Return the program's version."""
    return re.findall(r'__version__ = "(.*)"', (ROOT / "workbench/__init__.py").read_text())[0]


def wheel() -> None:
    """Make wheel and sdist, and check both."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT)], check=True)
    files = [
        str(path) for path in DIST.glob(f"vllm_workbench-{version()}*") if path.suffix in (".whl", ".gz")
    ]
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *files], check=True)
    wheels = [name for name in files if name.endswith(".whl")]
    # W009: the command line and the window are two packages.
    subprocess.run(["check-wheel-contents", "--ignore", "W009", *wheels], check=True, env=_own_scripts())


def _own_scripts() -> dict[str, str]:
    """Return the environment with this Python's scripts first on the path."""
    return {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


def freeze() -> None:
    """Make the frozen folder, with the licenses of everything in it."""
    spec = ROOT / "packaging/frozen/workbench.spec"
    words = [
        "--noconfirm",
        "--log-level",
        "WARN",
        "--distpath",
        str(DIST),
        "--workpath",
        str(BUILD / "frozen"),
    ]
    # Modules that aren't compressed one by one make the packed folder smaller by a tenth and start faster.
    environment = {**os.environ, "PYINSTALLER_ZLIB_COMPRESSION_LEVEL": "0"}
    subprocess.run([sys.executable, "-m", "PyInstaller", *words, str(spec)], check=True, env=environment)
    if sys.platform != "win32":
        (FROZEN / "vllm-workbench").symlink_to("workbench")
        _strip()
    for folder in (FROZEN, DIST):
        (folder / "LICENSES.txt").write_text(licenses("vllm-workbench", FROZEN), encoding="utf-8")


def _strip() -> None:
    """Remove debug symbols, which no run needs; libraries that auditwheel rewrote don't survive it."""
    if shutil.which("strip") is None:
        return
    inside = FROZEN / "_internal"
    found = [*inside.glob("libpython*.so*"), *inside.glob("uvloop/*.so"), *inside.glob("zstandard/*.so")]
    found += inside.glob("python3*/lib-dynload/*.so")
    subprocess.run(["strip", "--strip-unneeded", *map(str, found)], check=True)


def pack_frozen() -> None:
    """Pack the frozen folder as tar.xz; its large dictionary finds what libraries share."""
    target = DIST / f"vllm-workbench-{version()}-{sys.platform}.tar.xz"
    with tarfile.open(target, "w:xz", preset=9) as archive:
        archive.add(FROZEN, arcname=f"vllm-workbench-{version()}")
    print(f"{target.name}: {target.stat().st_size / 1e6:.0f} MB")


def deb() -> None:
    """Make the Debian package where dpkg-deb is installed."""
    if shutil.which("dpkg-deb") is None:
        print("no .deb: dpkg-deb is not installed")
        return
    sys.path.insert(0, str(ROOT / "packaging/linux"))
    from make_deb import make_deb  # noqa: PLC0415 - one part of several

    target = make_deb(FROZEN, DIST, version())
    print(f"{target.name}: {target.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    raise SystemExit(main())
