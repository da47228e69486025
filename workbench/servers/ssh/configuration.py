"""OpenSSH's client configuration in a form that asyncssh can read.

ssh skips missing files and allows comments behind a value; asyncssh raises an error. So asyncssh gets a copy
with such lines mended. The user's and the system's files count, in ssh's order: the first value of a setting
wins.
"""

import getpass
import glob
import importlib
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

_SYSTEM = Path("/etc/ssh/ssh_config")
_MOST_INCLUDES = 16
"""Depth to which OpenSSH follows Include."""
_LINE = re.compile(r"\s*(?P<option>[A-Za-z0-9]+)\s*(?:=\s*|\s)\s*(?P<rest>.*\S)\s*$")
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([^\s"\']+)')
_KEYS = ("identityfile", "certificatefile")
_KNOWN_HOSTS = ("userknownhostsfile", "globalknownhostsfile")
_MISSING = "missingkeyfile"
"""Option in place of a missing key file; asyncssh skips unknown options."""
_STRICT = "StrictHostKeyChecking"
_RAW = ("proxycommand", "remotecommand", "localcommand", "knownhostscommand")
_ALGORITHMS = (
    *("ciphers", "macs", "kexalgorithms", "hostkeyalgorithms", "casignaturealgorithms"),
    *("pubkeyacceptedalgorithms", "gssapikexalgorithms"),
)
"""The system's policy on these names algorithms that asyncssh may lack; the server has the same policy."""


class HostSettings(msgspec.Struct, frozen=True):
    """The settings of one host."""

    missing_keys: tuple[str, ...]
    """Configured key files that don't exist."""
    asks_no_host_key_check: bool
    """True if `StrictHostKeyChecking no` is set; host keys are verified anyway."""


class SshConfiguration:
    """The configuration files for one connection.

    Args:
        folder: where the copies go.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._originals: dict[str, Path] = {}
        self._empty = folder / "empty"
        self._empty.touch()
        user = Path("~/.ssh/config").expanduser()
        copies = [self._copy(path, system=path == _SYSTEM) for path in (user, _SYSTEM)]
        self.files = [str(copy) for copy in copies if copy is not None]
        """The copies, the user's first."""

    def host_settings(self, host: str, user: str | None, port: int | None) -> HostSettings:
        """Return the settings of a host that asyncssh doesn't read.

        Raises:
            ValueError: a line can't be read.
        """
        config: Any = importlib.import_module("asyncssh.config")
        theirs = config.SSHClientConfig
        more = {
            _MISSING: (_MISSING, theirs._append_string),  # noqa: SLF001 - it has no other way in
            "stricthostkeychecking": (_STRICT, theirs._set_string),  # noqa: SLF001 - as above
        }
        reader: Any = type("Reader", (theirs,), {"_handlers": {**theirs._handlers, **more}})  # noqa: SLF001 - as above
        own = (getpass.getuser(), user or (), host, port or ())
        reload = canonical = final = False
        read = reader.load(None, self.files, reload, canonical, final, *own)
        strict = str(read.get(_STRICT, "ask")).lower()
        return HostSettings(tuple(read.get(_MISSING, ())), asks_no_host_key_check=strict in ("no", "off"))

    def with_original_paths(self, text: str) -> str:
        """Return a message of asyncssh with the copies' names replaced by the original files'."""
        for copy, original in self._originals.items():
            text = text.replace(copy, str(original))
        return text

    def _copy(self, path: Path, *, system: bool, depth: int = 0) -> Path | None:
        """Write the mended copy of a file; None where it can't be read."""
        try:
            lines = path.read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return None
        copy = self._folder / f"config{len(self._originals)}"
        self._originals[str(copy)] = path
        mended = [self._mend(line, depth, system=system) for line in lines]
        copy.write_text("".join(f"{line}\n" for line in mended), "utf-8")
        return copy

    def _mend(self, line: str, depth: int, *, system: bool) -> str:
        found = _LINE.match(line)
        if found is None or line.lstrip().startswith("#"):
            return ""
        option, rest = found["option"].lower(), found["rest"]
        if option in _RAW or (option == "match" and re.search(r"\bexec\b", rest, re.IGNORECASE)):
            return f"{option} {rest}"
        words = list(_words(rest))
        if option == "include":
            copies = self._included(words, depth, system=system)
            return f"include {_quoted(copies)}" if copies else ""
        if option in _KEYS and words and words[0].lower() != "none" and not _exists(words[0]):
            return f"{_MISSING} {_quoted(words[:1])}"
        if option in _KNOWN_HOSTS and words and words[0].lower() != "none":
            words = [word if _exists(word) else str(self._empty) for word in words]
        if option in _ALGORITHMS and system:
            return ""
        return f"{option} {_quoted(words)}" if words else ""

    def _included(self, patterns: list[str], depth: int, *, system: bool) -> list[str]:
        if depth >= _MOST_INCLUDES:
            return []
        base = Path("/etc/ssh") if system else Path("~/.ssh").expanduser()
        paths = [path for pattern in patterns for path in _matching(str(base / _expanded(pattern)))]
        copies = [self._copy(Path(path), system=system, depth=depth + 1) for path in paths]
        return [str(copy) for copy in copies if copy is not None]


def _words(rest: str) -> Iterator[str]:
    """Yield the words of a setting, without quotes, up to a comment."""
    for found in _WORD.finditer(rest):
        double, single, bare = found.groups()
        if bare is not None and bare.startswith("#"):
            return
        yield re.sub(r"\\(.)", r"\1", double) if double is not None else single if bare is None else bare


def _quoted(words: list[str]) -> str:
    return " ".join(shlex.quote(word) for word in words)


def _expanded(path: str) -> str:
    """Return the path with `~`, variables and the known OpenSSH tokens expanded."""
    path = re.sub(r"\$\{(\w+)\}", lambda name: os.environ.get(name[1], name[0]), path)
    known = {"%d": str(Path.home()), "%u": getpass.getuser(), "%%": "%"}
    path = re.sub(r"%[du%]", lambda token: known[token[0]], path)
    return str(Path(path).expanduser())


def _exists(path: str) -> bool:
    """Return whether a file exists; tokens for the host match anything."""
    path = _expanded(path)
    if "%" not in path:
        return Path(path).exists() or Path(f"{path}.pub").exists()
    return bool(_matching(re.sub(r"%\w", "*", glob.escape(path))))


def _matching(pattern: str) -> list[str]:
    # A pattern may be absolute, which Path.glob doesn't take.
    return sorted(glob.glob(pattern))  # noqa: PTH207
