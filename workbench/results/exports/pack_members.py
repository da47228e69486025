"""The members of a pack: a zip file whose parts have hashes, and whose hashes may be signed."""

import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from workbench.base import Message, Place, Refusal, message, write_atomic

SUMS = "SHA256SUMS"
SIGNATURE = f"{SUMS}.minisig"
PUBLIC_KEY = "signer.pub"
"""The signer's public key; it has a hash as all other members."""
_UNSUMMED = frozenset({SUMS, SIGNATURE})
_LEAST_ROOM = 1 << 30
_MOST_PRESSED = 100
"""A pack may unpack to a GiB, or to this many times its own size: token times compress to a third, texts to a
twentieth, and a file that is made to fill the memory to a thousandth."""
_MOST_MEMBERS = 10_000

Sign = Callable[[bytes], bytes]


def write_members(
    path: Path,
    members: Iterable[tuple[str, bytes]],
    *,
    public_key: bytes | None = None,
    sign: Sign | None = None,
) -> None:
    """Write the members with their hashes; `sign` makes the signature of the hashes.

    Raises:
        Refusal: the folder does not exist or can't be written to.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        sums = []
        for name, data in [*members, *([] if public_key is None else [(PUBLIC_KEY, public_key)])]:
            archive.writestr(name, data)
            sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
        stated = "".join(sums).encode()
        archive.writestr(SUMS, stated)
        if sign is not None:
            archive.writestr(SIGNATURE, sign(stated))
    write_atomic(path, content.getvalue())


def read_members(path: Path, required: Sequence[str] = ()) -> dict[str, bytes]:
    """Read all members into memory, by their names; nothing is unpacked to a path that the file names.

    Raises:
        Refusal: no pack; a member is missing, is there twice, or has a name that leads out of a folder; or
            the file would unpack to more than a pack does.
    """
    place = Place(file=str(path))
    try:
        with zipfile.ZipFile(path) as archive:
            # A pack that was zipped again has empty entries for its folders.
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check_size(entries, path)
            _check_names([entry.filename for entry in entries], place)
            contents = {entry.filename: archive.read(entry) for entry in entries}
    except (OSError, EOFError, RuntimeError, NotImplementedError, zlib.error, zipfile.BadZipFile) as error:
        raise Refusal("results.pack_unreadable", place, cause=str(error)) from error
    missing = [name for name in required if name not in contents]
    if missing:
        raise Refusal("results.pack_incomplete", place, missing=missing)
    return contents


def _check_size(entries: Sequence[zipfile.ZipInfo], path: Path) -> None:
    """Check the sizes before anything is unpacked; no more of a member than its stated size is read."""
    packed, unpacked = path.stat().st_size, sum(entry.file_size for entry in entries)
    if unpacked > max(_LEAST_ROOM, _MOST_PRESSED * packed) or len(entries) > _MOST_MEMBERS:
        raise Refusal(
            "results.pack_too_dense",
            Place(file=str(path)),
            packed_mb=packed / 1e6,
            unpacked_mb=unpacked / 1e6,
        )


def _check_names(names: Sequence[str], place: Place) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Refusal("results.pack_member_twice", place, name=name)
        seen.add(name)
        pure = PurePosixPath(name)
        if pure.is_absolute() or ".." in pure.parts or "\\" in name or ":" in pure.parts[0]:
            raise Refusal("results.pack_member_outside", place, name=name)


def changed_members(contents: Mapping[str, bytes]) -> Iterator[Message]:
    """Yield the members that differ from their hash, and those that have none."""
    stated = {}
    for line in contents[SUMS].decode(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        stated[name] = digest
    for name in sorted(stated.keys() | contents.keys() - _UNSUMMED):
        if name not in contents:
            yield message("exports.member_missing", name=name)
        elif stated.get(name) != hashlib.sha256(contents[name]).hexdigest():
            yield message("exports.member_changed", name=name)
