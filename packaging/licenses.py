"""The licenses of everything in a build, as one text: Python, the libraries, and what the system gave."""

import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

EXTRAS = ("ssh", "gpu", "tokenizer")
"""Extras that a build contains."""
_TEXT = re.compile(r"(licen[cs]e|copying|notice|authors)[^/]*$", re.IGNORECASE)
_RULE = "=" * 78


def licenses(program: str, build: Path) -> str:
    """Return a table of what `program` needs and of the system's libraries in `build`, then the texts."""
    lines = ["Python and the libraries in this folder, with their licenses.", ""]
    texts: list[tuple[str, str]] = [("Python", _python_license())]
    for name in sorted(needed(program, set()), key=str.lower):
        about = metadata.metadata(name)
        lines.append(f"{about['Name']} {about['Version']}: {_stated(about)}")
        texts += [(f"{about['Name']}: {file}", text) for file, text in _texts(name)]
    lines += [f"Python {sys.version.split()[0]}: PSF-2.0", ""]
    for package, files in sorted(system_packages(build).items()):
        lines.append(f"{', '.join(sorted(files))}: from the Debian package {package}")
        copyright_file = Path("/usr/share/doc", package, "copyright")
        if copyright_file.is_file():
            texts.append((package, copyright_file.read_text("utf-8", errors="replace")))
    for title, text in texts:
        lines += ["", _RULE, title, _RULE, text.rstrip()]
    return "\n".join([*lines, ""])


def needed(name: str, seen: set[str]) -> set[str]:
    """Return the installed distributions that a distribution needs, with the extras of a build."""
    for requirement in metadata.requires(name) or []:
        extra = re.search(r"extra == .([\w-]+).", requirement)
        if extra is not None and extra[1] not in EXTRAS:
            continue
        found = re.split(r"[^A-Za-z0-9._-]", requirement)[0]
        try:
            metadata.version(found)
        except metadata.PackageNotFoundError:
            continue
        if found.lower() not in {each.lower() for each in seen}:
            seen.add(found)
            needed(found, seen)
    return seen


def system_packages(build: Path) -> dict[str, list[str]]:
    """Return the Debian packages that the build's libraries came from, each with its files."""
    names = [path.name for path in (build / "_internal").glob("*.so*") if not path.is_symlink()]
    if shutil.which("dpkg-query") is None or not names:
        return {}
    words = ["dpkg-query", "--search", *(f"*/{name}" for name in names)]
    # Libraries that no package has, such as Python's own, make the exit code 1.
    said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    packages: dict[str, list[str]] = {}
    for line in said.splitlines():
        package, _, path = line.partition(": ")
        files = packages.setdefault(package.partition(":")[0], [])
        if Path(path).name not in files:
            files.append(Path(path).name)
    return packages


def _stated(about: metadata.PackageMetadata) -> str:
    stated = about.get("License-Expression") or about.get("License") or ""
    classified = [
        each.rpartition(" :: ")[2] for each in about.get_all("Classifier") or [] if "License ::" in each
    ]
    return (stated.splitlines() or [""])[0] or ", ".join(classified) or "see its project"


def _texts(name: str) -> list[tuple[str, str]]:
    found = []
    for file in metadata.files(name) or []:
        path = Path(str(file.locate()))
        if "dist-info" in str(file) and _TEXT.search(str(file)) and path.is_file():
            found.append((file.name, path.read_text("utf-8", errors="replace")))
    return found


def _python_license() -> str:
    path = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    return path.read_text("utf-8") if path.is_file() else "PSF-2.0"
