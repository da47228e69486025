"""A pack: report, scorecard, raw rows and hashes of a bench in one zip file that others can verify."""

import csv
import hashlib
import io
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

from workbench.base import Message, Place, Refusal, encode_line, message, write_atomic
from workbench.results.bench.bench_file import BenchFile
from workbench.results.bench.queries import BenchQueries
from workbench.results.exports.csv_export import csv_text
from workbench.results.exports.html_report import report
from workbench.results.recomputed_figures import other_definitions, verify

_RAW = "raw.bench"
_SUMS = "SHA256SUMS"
_SCORECARD = "scorecard.csv"
_REPORT = "report.html"
_LEAST_ROOM = 1 << 30
_MOST_PRESSED = 100
"""A pack may unpack to a GiB, or to this many times its own size: token times compress to a third, texts to a
twentieth, and a file that is made to fill the memory to a thousandth."""


def write_pack(bench: BenchQueries, path: Path, *, more: Mapping[str, bytes] | None = None) -> None:
    """Write the pack: report, CSV, experiments, what is known of the trace, logs, raw rows, hashes of all.

    Everything is made from one copy of the file, whose writer may still be writing.

    `more` holds further files by their name in the pack.

    Raises:
        Refusal: the folder does not exist or can't be written to.
    """
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-") as folder:
        scratch, copy = Path(folder) / "pack.zip", Path(folder) / "copy" / bench.path.name
        _copy_sealed(bench, copy)
        with BenchFile.open(copy) as copied, zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as archive:
            sums = []
            for name, content in chain(_members(copied, copy), (more or {}).items()):
                archive.writestr(name, content)
                sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
            archive.writestr(_SUMS, "".join(sums))
        write_atomic(path, scratch.read_bytes())


def _copy_sealed(bench: BenchQueries, copy: Path) -> None:
    """Make a copy of the file in which everything is sealed and masked, for files of every build."""
    copy.parent.mkdir()
    bench.copy_to(copy)
    with BenchFile.open(copy, read_only=False) as file:
        file.mask_again()
        file.seal_open_too()


def _members(bench: BenchQueries, copy: Path) -> Iterator[tuple[str, bytes]]:
    page = report(bench).encode()
    yield _REPORT, page
    yield _SCORECARD, csv_text(bench, report_sha256=hashlib.sha256(page).hexdigest()).encode()
    yield from _text_files(bench)
    yield _RAW, copy.read_bytes()


def _text_files(bench: BenchQueries) -> Iterator[tuple[str, bytes]]:
    """Yield experiments and logs as files of their own, readable without SQLite."""
    for entry in bench.experiments():
        yield f"experiments/{entry.id}.toml", entry.toml.encode()
        yield f"experiments/{entry.id}-facts.json", encode_line(entry.facts)
    for run in bench.runs():
        lines = "".join(f"{line.utc} {line.kind}: {line.text}\n" for line in bench.log(run.id))
        yield f"logs/run-{run.id}.txt", lines.encode()


def verify_pack(path: Path) -> list[Message]:
    """Return everything in the pack that does not follow from its raw rows.

    Raises:
        Refusal: not a pack.
    """
    contents = _contents(path)
    return [*_changed(contents), *_not_following(contents)]


def is_pack(path: Path) -> bool:
    """Return whether a file is a pack, by its content."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return {_RAW, _SUMS} <= set(archive.namelist())


def unpack_bench(path: Path, folder: Path) -> Path:
    """Write the pack's bench file into a folder, named after the pack; keep one that is there already.

    Raises:
        Refusal: not a pack, changed, or the folder can't be written to.
    """
    contents = _contents(path)
    changed = list(_changed(contents))
    if changed:
        raise Refusal("exports.pack_is_changed", Place(file=str(path)), found=changed)
    raw = contents[_RAW]
    bench = folder / f"{path.stem}-{hashlib.sha256(raw).hexdigest()[:8]}" / f"{path.stem}.bench"
    if not bench.exists():
        bench.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(bench, raw)
    return bench


def pack_changed(path: Path) -> list[Message]:
    """Return what was changed in the pack: no other definition of a figure explains it.

    Raises:
        Refusal: not a pack.
    """
    contents = _contents(path)
    with _raw(contents) as bench:
        return [*_changed(contents), *bench.broken_seals()]


def pack_other_definitions(path: Path) -> Message | None:
    """Return that the pack's figures were stored under other definitions than this program's; None: no.

    Raises:
        Refusal: not a pack.
    """
    with _raw(_contents(path)) as bench:
        return other_definitions(bench)


def pack_report_differs(path: Path) -> Message | None:
    """Return that the report isn't what this build makes of the raw rows; None: it is, or there is none.

    The report is checked by making it again, because figures can't be read back from its sentences.

    Raises:
        Refusal: not a pack.
    """
    contents = _contents(path)
    page, cells = contents.get(_REPORT), _cells(contents[_SCORECARD].decode(errors="replace"), whole=True)
    if page is None:
        return None
    # The report names its bench file.
    names = {Path(row.get("evidence_path", _RAW)).name for row in cells}
    name = names.pop() if len(names) == 1 else _RAW
    with _raw(contents) as bench:
        with suppress(ValueError):
            bench.path = bench.path.with_name(name)
        same = report(bench).encode() == page
    return None if same else message("exports.report_differs", report=_REPORT, raw=_RAW)


def _contents(path: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            # A pack that was zipped again has empty entries for its folders.
            members = [member for member in archive.infolist() if not member.is_dir()]
            _check_size(members, path)
            contents = {member.filename: archive.read(member) for member in members}
    except (OSError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        raise Refusal("results.pack_unreadable", Place(file=str(path)), cause=str(error)) from error
    missing = [name for name in (_SUMS, _RAW, _SCORECARD) if name not in contents]
    if missing:
        raise Refusal("results.pack_incomplete", Place(file=str(path)), missing=missing)
    return contents


def _check_size(members: Sequence[zipfile.ZipInfo], path: Path) -> None:
    """Check the sizes before anything is unpacked; no more of a member than its stated size is read."""
    packed, unpacked = path.stat().st_size, sum(member.file_size for member in members)
    if unpacked > max(_LEAST_ROOM, _MOST_PRESSED * packed):
        raise Refusal(
            "results.pack_too_dense",
            Place(file=str(path)),
            packed_mb=packed / 1e6,
            unpacked_mb=unpacked / 1e6,
        )


@contextmanager
def _raw(contents: dict[str, bytes]) -> Iterator[BenchFile]:
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-") as folder:
        raw = Path(folder) / _RAW
        raw.write_bytes(contents[_RAW])
        try:
            bench = BenchFile.open(raw)
        except Refusal as error:
            raise error.at(Place(file=f"the pack's {_RAW}")) from error
        with bench:
            yield bench


def _changed(contents: dict[str, bytes]) -> Iterator[Message]:
    """Yield the members that differ from their hash, and those that have none."""
    stated = {}
    for line in contents[_SUMS].decode(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        stated[name] = digest
    for name in sorted(stated.keys() | contents.keys() - {_SUMS}):
        if name not in contents:
            yield message("exports.member_missing", name=name)
        elif stated.get(name) != hashlib.sha256(contents[name]).hexdigest():
            yield message("exports.member_changed", name=name)


def _not_following(contents: dict[str, bytes]) -> Iterator[Message]:
    with _raw(contents) as bench:
        yield from verify(bench)
        for name, content in _text_files(bench):
            if name in contents and contents[name] != content:
                yield message("exports.member_differs", name=name, raw=_RAW)
        written = _cells(contents[_SCORECARD].decode(errors="replace"))
        page = contents.get(_REPORT)
        digest = None if page is None else hashlib.sha256(page).hexdigest()
        again = _cells(csv_text(bench, report_sha256=digest))
    if not _same(written, again):
        yield message("exports.scorecard_differs", name=_SCORECARD)


def _cells(text: str, *, whole: bool = False) -> list[dict[str, str]]:
    """Return the rows by column; unless `whole`, without the bench file's name, which a pack changes."""
    header, *rows = list(csv.reader(io.StringIO(text, newline=""))) or [[]]
    return [
        {name: cell for name, cell in zip(header, row, strict=False) if whole or name != "evidence_path"}
        for row in rows
    ]


def _same(written: Sequence[dict[str, str]], again: Sequence[dict[str, str]]) -> bool:
    """Return whether every cell is reproduced; columns that only `again` has are newer."""
    return len(written) == len(again) and all(
        row and row.items() <= now.items() for row, now in zip(written, again, strict=True)
    )
