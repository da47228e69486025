"""A pack: report, scorecard, raw rows and hashes of a bench in one zip file that others can verify."""

import csv
import hashlib
import io
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

from workbench.base import Message, Place, Refusal, encode_line, message, write_atomic
from workbench.results.bench.bench_file import BenchFile
from workbench.results.bench.queries import BenchQueries
from workbench.results.exports.csv_export import csv_text
from workbench.results.exports.html_report import report
from workbench.results.exports.pack_members import SUMS, changed_members, read_members, write_members
from workbench.results.exports.signature import PackKey
from workbench.results.recomputed_figures import other_definitions, verify

RAW = "raw.bench"
_SCORECARD = "scorecard.csv"
_REPORT = "report.html"
REQUIRED = (SUMS, RAW, _SCORECARD)
"""Members that every pack of results has."""


def write_pack(
    bench: BenchQueries, path: Path, *, more: Mapping[str, bytes] | None = None, key: PackKey | None = None
) -> None:
    """Write the pack: report, CSV, experiments, what is known of the trace, logs, raw rows, hashes of all.

    Everything is made from one copy of the file, whose writer may still be writing.

    Args:
        bench: the bench file.
        path: the pack to write.
        more: further files by their name in the pack.
        key: signs the hashes.

    Raises:
        Refusal: the folder does not exist or can't be written to.
    """
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-") as folder:
        copy = Path(folder) / "copy" / bench.path.name
        _copy_sealed(bench, copy)
        with BenchFile.open(copy) as copied:
            members = chain(_members(copied, copy), (more or {}).items())
            if key is None:
                write_members(path, members)
            else:
                write_members(path, members, public_key=key.public_file(), sign=key.sign)


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
    yield RAW, copy.read_bytes()


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
    return verify_contents(read_members(path, REQUIRED))


def verify_contents(contents: Mapping[str, bytes]) -> list[Message]:
    """Return everything in a pack's members that does not follow from its raw rows."""
    return [*changed_members(contents), *_not_following(contents)]


def is_pack(path: Path) -> bool:
    """Return whether a file is a pack, by its content."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return {RAW, SUMS} <= set(archive.namelist())


def unpack_bench(path: Path, folder: Path) -> Path:
    """Write the pack's bench file into a folder, named after the pack; keep one that is there already.

    Raises:
        Refusal: not a pack, changed, or the folder can't be written to.
    """
    contents = read_members(path, REQUIRED)
    changed = list(changed_members(contents))
    if changed:
        raise Refusal("exports.pack_is_changed", Place(file=str(path)), found=changed)
    raw = contents[RAW]
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
    contents = read_members(path, REQUIRED)
    with raw_rows(contents) as bench:
        return [*changed_members(contents), *bench.broken_seals()]


def pack_other_definitions(path: Path) -> Message | None:
    """Return that the pack's figures were stored under other definitions than this program's; None: no.

    Raises:
        Refusal: not a pack.
    """
    with raw_rows(read_members(path, REQUIRED)) as bench:
        return other_definitions(bench)


def pack_report_differs(path: Path) -> Message | None:
    """Return that the report isn't what this build makes of the raw rows; None: it is, or there is none.

    The report is checked by making it again, because figures can't be read back from its sentences.

    Raises:
        Refusal: not a pack.
    """
    contents = read_members(path, REQUIRED)
    page, cells = contents.get(_REPORT), _cells(contents[_SCORECARD].decode(errors="replace"), whole=True)
    if page is None:
        return None
    # The report names its bench file.
    names = {Path(row.get("evidence_path", RAW)).name for row in cells}
    name = names.pop() if len(names) == 1 else RAW
    with raw_rows(contents) as bench:
        with suppress(ValueError):
            bench.path = bench.path.with_name(name)
        same = report(bench).encode() == page
    return None if same else message("exports.report_differs", report=_REPORT, raw=RAW)


@contextmanager
def raw_rows(contents: Mapping[str, bytes]) -> Iterator[BenchFile]:
    """Open the raw rows of a pack for reading.

    Raises:
        Refusal: they are no bench file.
    """
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-") as folder:
        raw = Path(folder) / RAW
        raw.write_bytes(contents[RAW])
        try:
            bench = BenchFile.open(raw)
        except Refusal as error:
            raise error.at(Place(file=f"the pack's {RAW}")) from error
        with bench:
            yield bench


def _not_following(contents: Mapping[str, bytes]) -> Iterator[Message]:
    with raw_rows(contents) as bench:
        yield from verify(bench)
        for name, content in _text_files(bench):
            if name in contents and contents[name] != content:
                yield message("exports.member_differs", name=name, raw=RAW)
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
