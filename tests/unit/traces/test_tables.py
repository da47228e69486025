"""A table reads the same in every dialect: delimiter, quotes, marks, line ends, encoding, container."""

import bz2
import csv
import gzip
import io
import lzma
import sys
import tempfile
import types
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError, Refusal
from workbench.traces import import_trace, parse_mapping, preview_table
from workbench.traces.importers.decimal_marks import Marks, NumberColumn
from workbench.traces.importers.delimited import Delimited, Dialect, find_dialect
from workbench.traces.io.import_report import ImportReport
from workbench.traces.io.source_file import Source

Write = Callable[..., Path]

# Any text that a cell may hold. A lone surrogate can't be written, a NUL byte isn't text, and a carriage
# return within a cell can't be told from a line end.
TEXTS = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0\r\ufeff"), max_size=12)
DIALECTS = st.tuples(
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["", "\ufeff"]),
)


def read_back(path: Path) -> tuple[list[str], list[list[str]], ImportReport]:
    """The names and cells of a table as the importers get them."""
    with Source(path) as source:
        head = source.open(line_limit=None).read(1 << 16) or b""
        dialect = find_dialect([line.decode() for line in head.split(b"\n")])
        assert dialect is not None
        report = ImportReport(format="columns")
        table = Delimited(source=source, report=report, dialect=dialect)
        labels = dialect.labels()
        pieces = list(table.pieces(labels))
    rows = [
        list(row) for piece in pieces for row in zip(*(piece.cells[name] for name in labels), strict=True)
    ]
    return list(dialect.names), rows, report


@given(
    st.integers(2, 5).flatmap(
        lambda width: st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=1, max_size=8)
    ),
    DIALECTS,
)
def test_any_table_written_in_any_dialect_reads_back_equal(
    rows: list[list[str]], dialect: tuple[str, int, str, bool, str]
) -> None:
    delimiter, quoting, ends, sep, mark = dialect
    names = [f"column {number}" for number in range(len(rows[0]))]
    text = io.StringIO(newline="")
    if sep:
        text.write(f"sep={delimiter}{ends}")
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=ends).writerows([names, *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.csv"
        path.write_bytes((mark + text.getvalue()).encode())
        found_names, found, report = read_back(path)
    assert found_names == names
    assert found == [row for row in rows if any(cell.strip() for cell in row)]
    assert report.rows_read == 0


@given(
    st.lists(st.floats(0, 1e9), min_size=1, max_size=20),
    st.sampled_from([0, 1, 2, 4, 6]),
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
)
def test_any_numbers_in_american_or_german_spelling_read_back_equal(
    values: list[float], digits: int, delimiter: str, german: bool
) -> None:
    cells = [f"{value:,.{digits}f}" for value in values]
    if german:
        cells = [cell.translate(str.maketrans(",.", ".,")) for cell in cells]
    marks = Marks()
    marks.add(["1,5" if german else "1.5"])
    expected = [round(value, digits) for value in values]
    assert NumberColumn(marks, delimiter, whole=False).read(cells) == pytest.approx(
        expected, abs=1e-9, rel=1e-12
    )


BEGIN = datetime(2026, 3, 31, 23, 59, 50, tzinfo=UTC)
ROWS = [(2500 * n, 1000 + 512 * n, 40 + n) for n in range(12)]
"""Milliseconds, prompt and output tokens; a day and a month end among them."""


def german(number: int) -> str:
    return f"{number:,}".replace(",", ".")


def swiss(number: int) -> str:
    return f"{number:,}".replace(",", "’")


def french(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def american(number: int) -> str:
    return f"{number:,}"


def moments(form: str, fraction: str = "") -> list[str]:
    times = [BEGIN + timedelta(milliseconds=ms) for ms, _, _ in ROWS]
    return [
        time.strftime(form) + (f"{fraction}{time.microsecond // 1000:03}" if fraction else "")
        for time in times
    ]


TIMES = {
    "ISO": moments("%Y-%m-%d %H:%M:%S", "."),
    "ISO with T and Z": [f"{text}Z" for text in moments("%Y-%m-%dT%H:%M:%S", ".")],
    "ISO with a zone": [f"{text}+0200" for text in moments("%Y-%m-%dT%H:%M:%S", ",")],
    "German": moments("%d.%m.%Y %H:%M:%S", ","),
    "slashes, day first": moments("%d/%m/%Y %H:%M:%S", "."),
    "slashes, month first": [
        (BEGIN + timedelta(milliseconds=ms)).strftime("%m/%d/%Y %I:%M:%S.%f %p") for ms, _, _ in ROWS
    ],
    "seconds since 1970": [f"{BEGIN.timestamp() + ms / 1000:.3f}" for ms, _, _ in ROWS],
    "milliseconds since 1970": [str(int(BEGIN.timestamp() * 1000) + ms) for ms, _, _ in ROWS],
    "microseconds since 1970": [str((int(BEGIN.timestamp() * 1000) + ms) * 1000) for ms, _, _ in ROWS],
    "nanoseconds since 1970": [str((int(BEGIN.timestamp() * 1000) + ms) * 10**6) for ms, _, _ in ROWS],
    "spreadsheet days": [f"{46112 + 86390 / 86400 + ms / 86_400_000:.11f}" for ms, _, _ in ROWS],
}
NUMBERS = {"plain": str, "German": german, "Swiss": swiss, "French": french, "American": american}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("numbers", NUMBERS)
def test_the_same_requests_are_the_same_trace_in_every_spelling(
    write: Write, delimiter: str, times: str, numbers: str
) -> None:
    if numbers == "German" and delimiter == ",":
        pytest.skip("a table with commas has dots as decimal marks")
    shown = NUMBERS[numbers]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["TIMESTAMP", "ContextTokens", "GeneratedTokens"])
    for when, (_, prompt, output) in zip(TIMES[times], ROWS, strict=True):
        comma = numbers == "German" and when.replace(".", "").isdigit()
        writer.writerow([when.replace(".", ",") if comma else when, shown(prompt), shown(output)])
    trace = import_trace(write(text.getvalue())).trace
    assert trace.input_length.tolist() == [prompt for _, prompt, _ in ROWS]
    assert trace.output_length.tolist() == [output for _, _, output in ROWS]
    assert trace.timestamp_ms.tolist() == pytest.approx([ms for ms, _, _ in ROWS], abs=1.0)


PLAIN = "TIMESTAMP,ContextTokens,GeneratedTokens\n" + "".join(
    f"{when},{prompt},{output}\n" for when, (_, prompt, output) in zip(TIMES["ISO"], ROWS, strict=True)
)


def zipped(data: bytes, *names: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/._trace.csv", b"\0\0")
        for name in names:
            archive.writestr(name, data)
    return held.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["TIMESTAMP", "ContextTokens", "GeneratedTokens"])
    for ms, prompt, output in ROWS:
        sheet.append([(BEGIN + timedelta(milliseconds=ms)).replace(tzinfo=None), prompt, output])
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


FORMS: dict[str, bytes] = {
    "UTF-8 with a mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "UTF-16 of Excel": PLAIN.replace(",", "\t").replace("\n", "\r\n").encode("utf-16"),
    "UTF-16, big end first": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "UTF-16 without a mark": PLAIN.encode("utf-16-le"),
    "UTF-32": PLAIN.encode("utf-32"),
    "old line ends": PLAIN.replace("\n", "\r").encode(),
    "trailing commas": PLAIN.replace("\n", ",,\n").encode(),
    "trailing commas in the rows only": PLAIN.replace("\n", ",\n").replace(",\n", "\n", 1).encode(),
    "blank lines": PLAIN.replace("\n", "\n\n").encode(),
    "rows of commas": (PLAIN + ",,\n,,\n").encode(),
    "a remark before the header": b"# exported by somebody\n" + PLAIN.encode(),
    "joined files": (PLAIN.replace("\n", "\n", 1) + PLAIN.partition("\n")[0] + "\n").encode(),
    "spaces": "\n".join(line.replace(" ", "T").replace(",", "   ") for line in PLAIN.splitlines()).encode(),
    "quoted header": PLAIN.replace(
        "TIMESTAMP,ContextTokens,GeneratedTokens", '"TIMESTAMP","ContextTokens","GeneratedTokens"'
    ).encode(),
    "an index without a name": "\n".join(
        f"{number or ''},{line}" for number, line in enumerate(PLAIN.splitlines())
    ).encode(),
    "Windows-1252": PLAIN.replace("GeneratedTokens", "GeneratedTokens,Größe").encode("cp1252"),
    "gzip": gzip.compress(PLAIN.encode()),
    "zstd": zstandard.compress(PLAIN.encode()),
    "bzip2": bz2.compress(PLAIN.encode()),
    "xz": lzma.compress(PLAIN.encode()),
    "ZIP": zipped(PLAIN.encode(), "data/trace.csv"),
    "gzip in ZIP": zipped(gzip.compress(PLAIN.encode()), "trace.csv.gz"),
    "Excel": workbook(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_read_in_every_encoding_and_container(write: Write, form: str) -> None:
    plain = import_trace(write(PLAIN, "plain.csv")).trace
    found = import_trace(write(FORMS[form], "other"))
    assert found.trace.sha256(1) == plain.sha256(1)
    assert found.report.rows_read == found.report.rows_kept == len(ROWS)


HEADER = b"TIMESTAMP,ContextTokens,GeneratedTokens\n"
REFUSED: dict[str, tuple[bytes, str]] = {
    "several files": (zipped(PLAIN.encode(), "a.csv", "b.csv"), r"holds 2 files \(a.csv, b.csv\)"),
    "no file": (zipped(b""), "the archive holds no file"),
    "a broken ZIP": (zipped(PLAIN.encode(), "a.csv")[:-40], "ZIP file is damaged"),
    "a broken bzip2": (bz2.compress(PLAIN.encode())[:-9], "bzip2 file is damaged"),
    "a broken xz": (lzma.compress(PLAIN.encode())[:-9], "xz file is damaged"),
    "old Excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "Excel 97 spreadsheet: save it as CSV"),
    "no header": (PLAIN.partition("\n")[2].encode(), "add a header line"),
    "day or month": (
        HEADER + b"04/03/2026 10:00:00,5,1\n03/04/2026 10:00:00,5,1\n04/03/2026 10:00:00,5,1\n",
        "day and month can be in either order",
    ),
    "a decimal mark or a thousands mark": (
        HEADER.replace(b",", b";") + b"2026-03-31 10:00:00;1.000;40\n2026-03-31 10:00:01;2.000;40\n",
        "can be a decimal mark or group thousands",
    ),
}


@pytest.mark.parametrize(("data", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_can_t_be_read_for_sure_is_refused_with_what_to_do(
    write: Write, data: bytes, message: str
) -> None:
    path = write(data, "other")
    with pytest.raises(InputError, match=message) as caught:
        import_trace(path)
    assert str(caught.value).startswith(str(path))


def test_what_a_table_s_dialect_is_stands_in_the_notes(write: Write) -> None:
    rows = "".join(f"{n},5;{1000 + n};7\n" for n in range(12))
    imported = import_trace(
        write("sep=;\nwhen;in;out\n" + rows),
        columns=parse_mapping("timestamp=when@s,input_length=in,output_length=out"),
    )
    assert imported.trace.timestamp_ms[1] == 1000
    assert any("';' between its fields" in str(note) for note in imported.report.notes)
    assert any(
        "column when: the comma was read as the decimal mark" in str(note) for note in imported.report.notes
    )


def test_a_stray_quote_costs_its_own_row_only(write: Write) -> None:
    lines = PLAIN.splitlines()
    lines[4] = lines[4].replace(",", ',"', 1)
    imported = import_trace(write("\n".join(lines)))
    assert imported.report.rows_kept == len(ROWS) - 1
    assert any("lines 5 (a quoted field without an end)" in str(each) for each in imported.report.warnings)


def test_a_column_that_is_there_twice_is_named_and_chosen(write: Write) -> None:
    path = write("t,in,out,in\n" + "".join(f"{n},0,7,{400 + n}\n" for n in range(12)))
    asked = "timestamp=t@s,input_length={},output_length=out"
    with pytest.raises(Refusal, match=r"column in is there more than once \(columns 2, 4\)") as caught:
        import_trace(path, columns=parse_mapping(asked.format("in")))
    assert caught.value.place.line == 1
    chosen = import_trace(path, columns=parse_mapping(asked.format("in#2"))).trace
    assert chosen.input_length.tolist() == [400 + n for n in range(12)]
    assert preview_table(path).columns == ("t", "in#1", "out", "in#2")


def test_a_column_that_nobody_reads_may_be_there_twice(write: Write) -> None:
    text = PLAIN.replace("GeneratedTokens\n", "GeneratedTokens,note,note\n")
    assert len(import_trace(write(text)).trace) == len(ROWS)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("a,b\n1,2\n", Dialect(delimiter=",", names=("a", "b"))),
        ("a;b\n1,5;2\n", Dialect(delimiter=";", names=("a", "b"))),
        ("Time (s, UTC);b;c\n1;2;3\n", Dialect(delimiter=";", names=("Time (s, UTC)", "b", "c"))),
        ("sep=|\na|b\n", Dialect(delimiter="|", names=("a", "b"), header_line=2)),
        ('"sep=\t"\na\tb\n', Dialect(delimiter="\t", names=("a", "b"), header_line=2)),
        ("'a','b'\n'1','2'\n", Dialect(delimiter=",", quote="'", names=("a", "b"))),
        ('"a\nb",c\n1,2\n', Dialect(delimiter=",", names=("a\nb", "c"), header_line=2)),
        ("a b c\n1 2 3\n", Dialect(delimiter=" ", names=("a", "b", "c"))),
        ("one word\n", None),
        ("\n\n", None),
    ],
)
def test_the_dialect_is_known_by_the_header_and_the_rows(text: str, dialect: Dialect | None) -> None:
    assert find_dialect(text.split("\n")) == dialect


@pytest.mark.parametrize("second", ["Request tokens.1", "request_tokens", "Request Tokens "])
def test_a_column_of_almost_the_same_name_is_a_choice_too(write: Write, second: str) -> None:
    """So pandas and people call the second of two columns."""
    rows = "".join(f"{n},0,7,{400 + n}\n" for n in range(12))
    path = write(f"Timestamp,Request tokens,Response tokens,{second}\n{rows}")
    with pytest.raises(Refusal, match="several columns have almost the same name"):
        import_trace(path)
    asked = f"timestamp=Timestamp@s,input_length={second.strip()},output_length=Response tokens"
    assert import_trace(path, columns=parse_mapping(asked)).trace.input_length[0] == 400
    assert len(preview_table(path).columns) == 4


def test_a_json_key_that_is_there_twice_is_named(write: Write) -> None:
    row = '{"timestamp": 0, "input_length": 5, "output_length": 7, "input_length": %d}\n'
    with pytest.raises(Refusal, match="has the key input_length twice"):
        import_trace(write(row % 400))
    assert import_trace(write(row % 5)).trace.input_length.tolist() == [5]


def test_a_parquet_file_without_its_library_says_what_is_needed(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(Refusal, match="Parquet file, which needs pyarrow: pip install pyarrow"):
        import_trace(write(b"PAR1" + bytes(40) + b"PAR1"))


def test_a_parquet_file_is_read_as_rows_of_json(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    class Batch:
        def to_pylist(self) -> list[dict[str, object]]:
            times = [BEGIN + timedelta(milliseconds=ms) for ms, _, _ in ROWS]
            return [
                {"arrived_at": time, "num_prefill_tokens": Decimal(prompt), "num_decode_tokens": output}
                for time, (_, prompt, output) in zip(times, ROWS, strict=True)
            ]

    class Module(types.ModuleType):
        class ParquetFile:
            def __init__(self, file: object) -> None:
                del file

            def iter_batches(self, batch_size: int) -> list[Batch]:
                assert batch_size > 0
                return [Batch()]

    monkeypatch.setitem(sys.modules, "pyarrow", types.ModuleType("pyarrow"))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", Module("pyarrow.parquet"))
    trace = import_trace(write(b"PAR1" + bytes(40) + b"PAR1")).trace
    assert trace.timestamp_ms.tolist() == [ms for ms, _, _ in ROWS]
    assert trace.input_length.tolist() == [prompt for _, prompt, _ in ROWS]
