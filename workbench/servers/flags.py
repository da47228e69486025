"""The flags of one installed vLLM, read once from its own parser and cached."""

import difflib
import hashlib
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from workbench.base import UNREADABLE, InputError, Place, Record, Refusal, cache_folder, message, write_atomic
from workbench.servers.install import Install
from workbench.servers.run_command import run_program

_SCRIPT = Path(__file__).parent / "inside" / "dump_flags.py"
_TIMEOUT_S = 300.0
"""28 s on a small machine, nearly all of it importing torch; cold disks take longer."""
_FORM = 3
_MOST_KEY = 120
_LEAST_BEGINNING = 3
_MISSPELT = 0.9
"""Similarity from which a name counts as a misspelling: a letter or two."""


class Flag(Record, frozen=True, kw_only=True):
    """One flag with all its spellings."""

    flags: tuple[str, ...]
    dest: str
    choices: tuple[object, ...] | None = None
    folds: bool = False
    """True if case and dashes in a choice don't matter."""
    values: Literal["none", "one", "optional", "many"] = "one"
    accepts: tuple[str, ...] | None = None
    """The trial values that its parser took (`inside/dump_flags.py`); None: unknown."""


class FlagList(Record, frozen=True, kw_only=True):
    """All flags of one vLLM."""

    form: int
    flags: tuple[Flag, ...]
    environment: tuple[str, ...] = ()
    """Environment variables that it reads; empty: unknown."""

    def has(self, flag: str) -> bool:
        """Return whether it takes `--flag`; underscores count as dashes."""
        return self.find(flag) is not None

    def find(self, flag: str) -> Flag | None:
        """Return the flag by any spelling."""
        name = "--" + flag[2:].replace("_", "-") if flag.startswith("--") else flag
        return next((one for one in self.flags if name in one.flags), None)

    def find_unique(self, word: str) -> Flag | None:
        """Return the flag by any spelling or by an unambiguous beginning, as argparse does."""
        found = self.find(word)
        if found is not None or not word.startswith("--") or len(word) < _LEAST_BEGINNING:
            return found
        name = "--" + word[2:].replace("_", "-")
        begin = [one for one in self.flags for spelling in one.flags if spelling.startswith(name)]
        return begin[0] if len(begin) == 1 else None

    def require(self, flag: str, *, version: str, place: Place) -> Flag:
        """Return the flag as `find_unique` finds it.

        Raises:
            Refusal: there is none; the nearest is named.
        """
        found = self.find_unique(flag)
        if found is None:
            known = [spelling for one in self.flags for spelling in one.flags]
            near = difflib.get_close_matches(flag, known, n=1)
            if near:
                raise Refusal("servers.no_flag_meant", place, version=version, flag=flag, meant=near[0])
            raise Refusal("servers.no_flag", place, version=version, flag=flag)
        return found

    def check_environment(self, names: Iterable[str], *, version: str, place: Place) -> None:
        """Check that no variable is a misspelling of a known one; plug-ins may read others.

        Raises:
            Refusal: a variable is misspelled; the nearest is named.
        """
        for name in names:
            if name.startswith("VLLM_") and name not in self.environment:
                near = difflib.get_close_matches(name, self.environment, n=1, cutoff=_MISSPELT)
                if near:
                    raise Refusal(
                        "servers.no_variable_meant", place, version=version, variable=name, meant=near[0]
                    )


async def flags_of(install: Install) -> FlagList:
    """Return the flags of this install, from the cache unless the install changed.

    Raises:
        Refusal: its parser can't be read; its last output is named.
    """
    return await load_flags(key_of(install), lambda: _dump(install), place=Place(file=str(install.script)))


async def load_flags(key: str, dump: Callable[[], Awaitable[bytes]], *, place: Place) -> FlagList:
    """Return the flags cached under `key`, which changes with the build; else call `dump` for them.

    Raises:
        Refusal: `dump` returns no list of flags; nothing is cached.
    """
    path = _cache_file(key)
    known = _read_cache(path)
    if known is not None:
        return known
    content = await dump()
    found = _decode(content)
    if found is None:
        raise Refusal("servers.flags_no_list", place)
    # Without a cache they are read again next time.
    with suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
    return found


def cached_flags(install: Install) -> FlagList | None:
    """Return the cached flags; None if the install changed since or was never read."""
    return _read_cache(_cache_file(key_of(install)))


def _cache_file(key: str) -> Path:
    """Return the cache file of a key, which may hold any characters."""
    return cache_folder() / "vllm-flags" / f"{re.sub(r'[^A-Za-z0-9.+-]', '_', key)[:_MOST_KEY]}.json"


def _read_cache(path: Path) -> FlagList | None:
    try:
        return _decode(path.read_bytes())
    except OSError:
        return None


def _decode(content: bytes) -> FlagList | None:
    """Return the list; None if it is unreadable or of another format."""
    try:
        found = msgspec.json.decode(content, type=FlagList)
    except UNREADABLE:
        return None
    return found if found.form == _FORM and found.flags else None


def key_of(install: Install) -> str:
    """Return a key that changes when another build is installed in the same place."""
    records = sorted(install.site_packages.glob("vllm*.dist-info/*"))
    changed = max((record.stat().st_mtime_ns for record in records), default=0)
    identity = f"{install.version} {install.site_packages} {changed}"
    return f"{install.version}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"


async def _dump(install: Install) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "flags.json"
        said = await run_program([str(install.python), str(_SCRIPT), str(target)], timeout_s=_TIMEOUT_S)
        if said.exit_code or not target.is_file():
            words = said.last_error or message("servers.nothing")
            raise Refusal("servers.flags_unreadable", Place(file=str(install.script)), said=words)
        return target.read_bytes()
