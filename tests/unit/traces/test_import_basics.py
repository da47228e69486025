"""The three first formats: what they keep, and one clear line for everything that can be wrong."""

import os

import pytest

from workbench.base import InputError
from workbench.traces import ImportStoppedError, import_trace, read_trace

AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
MOONCAKE = (
    '{"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 18446744073709551615]}\n'
)
CANONICAL = '{"workbench_trace": 1, "block_tokens": 16, "source": "by hand", "transforms": []}\n'


def test_that_azure_times_keep_all_seven_digits(write):
    trace = read_trace(write(AZURE + "2023-11-16 18:17:03.9799600,48,10\n2023-11-16 18:17:04.0319601,31,8\n"))
    assert trace.timestamp_ms.tolist() == [0, 52.0001]
    assert trace.row(1).input_length == 31
    assert trace.row(1).cls == "in 1-512"


def test_that_azure_2024_times_have_a_zone(write):
    trace = read_trace(
        write(AZURE + "2024-05-10 00:00:00.009930+00:00,48,10\n2024-05-10 02:00:00.009930+02:00,4,1\n")
    )
    assert trace.timestamp_ms.tolist() == [0, 0]


def test_that_byte_order_mark_windows_line_ends_and_gzip_change_nothing(write):
    text = AZURE + "2023-11-16 18:17:03.9799600,48,10\n2023-11-16 18:17:04.0319600,31,8\n"
    plain = read_trace(write(text)).sha256(1)
    assert read_trace(write(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())).sha256(1) == plain
    assert read_trace(write(text, gzipped=True)).sha256(1) == plain
    assert read_trace(write(text + "\n\n")).sha256(1) == plain


def test_that_mooncake_ids_stay_exact(write):
    trace = read_trace(write(MOONCAKE))
    assert trace.row(0).hash_ids == (1, 2**64 - 1)
    assert trace.header.block_tokens == 512


def test_that_rows_without_tokens_are_counted_as_dropped(write):
    imported = import_trace(
        write(AZURE + "2023-11-16 18:17:03,0,1\n2023-11-16 18:17:04,5,0\n2023-11-16 18:17:05,5,1\n")
    )
    report = imported.report
    assert (report.rows_read, report.rows_kept) == (3, 1)
    assert report.rows_dropped == {"no input tokens": 1, "no output tokens": 1}


def test_that_a_misspelt_field_of_a_canonical_row_is_warned_of(write):
    row = '{"timestamp": 0, "input_length": 1, "output_length": 1, "sesion_id": "a"}\n'
    report = import_trace(write(CANONICAL + row)).report
    assert any("sesion_id" in str(warning) for warning in report.warnings)


ROW = "2023-11-16 18:17:03,5,1\n"
BAD = {
    "empty": ("", "is empty"),
    "only a header": (AZURE, "has a header but no rows"),
    "missing column": ("TIMESTAMP,ContextTokens\n2023-11-16 18:17:03,5\n", "no column GeneratedTokens"),
    "duplicate column": (
        "TIMESTAMP,ContextTokens,ContextTokens,GeneratedTokens\n",
        ":1: column ContextTokens is there more than once \\(columns 2, 3\\): .*ContextTokens#2",
    ),
    "negative length": (
        AZURE + ROW + "2023-11-16 18:17:03,-5,1\n",
        r":3: field ContextTokens: a negative number of tokens \(-5\) \(1 of 2 rows\)",
    ),
    "fraction of a token": (
        AZURE + "2023-11-16 18:17:03,5,1.5\n",
        r":2: field GeneratedTokens: not a whole number of tokens \(1.5\)",
    ),
    "not a number": (
        AZURE + ROW * 3 + "2023-11-16 18:17:03,abc,1\n" * 3,
        r":5: 3 of 6 rows can't be read \(lines 5, 6, 7\); the first: field ContextTokens: not a finite",
    ),
    "NaN": (AZURE + "2023-11-16 18:17:03,5,NaN\n", ":2: field GeneratedTokens: not a finite number"),
    "huge": (
        AZURE + "2023-11-16 18:17:03,5,99999999999999999999999\n",
        ":2: field GeneratedTokens: more than 16777216 tokens",
    ),
    "infinite": (
        AZURE + "2023-11-16 18:17:03,5,1e999\n",
        ":2: field GeneratedTokens: not a finite number",
    ),
    "no date": (AZURE + "yesterday,5,1\n", ":2: field TIMESTAMP: neither a date with a time nor a number"),
    "blank field": (AZURE + "2023-11-16 18:17:03,,1\n", ":2: field ContextTokens: not a finite number"),
    "short row": (
        AZURE + ROW + "2023-11-16 18:17:03,5\n",
        ":3: field GeneratedTokens: not a finite number",
    ),
    "long row": (AZURE + ROW + "2023-11-16 18:17:03,5,1,7\n", ":3: more fields than the header has columns"),
    "binary": (b"\x7fELF\x00\x01\x02\x00" * 100, ":1: a NUL byte: not a text file"),
    "another encoding": (
        AZURE.encode() + b"2023-11-16 18:17:03,5,\xff\n",
        ":2: field GeneratedTokens: not a finite",
    ),
    "no format": ("hello\nworld\n", "not a known trace format"),
    "blank lines": ("\n\n \n", "has no text"),
    "JSON of another kind": ('{"a": 1}\n', "not a known trace format \\(keys a\\)"),
    "JSON cut short": (MOONCAKE + '{"timestamp": 1, "inp\n', ":2: not JSON"),
    "missing field": (
        MOONCAKE + '{"timestamp": 1, "input_length": 5}\n',
        ":2: .*missing field output_length",
    ),
    "wrong type": (
        MOONCAKE + '{"timestamp": 1, "input_length": "5", "output_length": 1}\n',
        ":2: field input_length: expected int, got str",
    ),
    "JSON negative length": (
        MOONCAKE + '{"timestamp": 1, "input_length": -5, "output_length": 1}\n',
        ":2: field input_length: -5 is not",
    ),
    "JSON huge": (MOONCAKE + '{"timestamp": 1, "input_length": 1e400, "output_length": 1}\n', ":2: "),
    "every row too long": (AZURE + ROW[:-1] + ",7\n", ":2: more fields than the header"),
    "JSON NaN": (
        MOONCAKE + '{"timestamp": NaN, "input_length": 5, "output_length": 1}\n',
        ":2: not JSON",
    ),
    "id above 64 bits": (
        MOONCAKE
        + '{"timestamp": 1, "input_length": 5, "output_length": 1, "hash_ids": [18446744073709551616]}\n',
        ":2: field hash_ids",
    ),
    "id as a fraction": (
        MOONCAKE + '{"timestamp": 1, "input_length": 5, "output_length": 1, "hash_ids": [1.5]}\n',
        ":2: field hash_ids",
    ),
    "endless nesting": (MOONCAKE + "[" * 100_000 + "\n", ":2: "),
    "newer version": (
        '{"workbench_trace": 2}\n',
        ":1: field workbench_trace: version 2 is unknown",
    ),
    "block of zero": (
        '{"workbench_trace": 1, "block_tokens": 0}\n',
        ":1: field block_tokens: 0 is out of range: must be from 1 to 65536",
    ),
    "scaled by zero": (
        '{"workbench_trace": 1, "transforms": [{"name": "speedup", "factor": 0}]}\n',
        ":1: field transforms",
    ),
    "canonical without rows": (CANONICAL, "no request is left of 0 rows"),
    "cancelled twice": (
        CANONICAL
        + '{"timestamp": 0, "input_length": 1, "output_length": 1, '
        + '"cancel_after_ms": 1, "cancel_after_tokens": 1}\n',
        ":2: fields cancel_after",
    ),
    "huge time": (
        CANONICAL + '{"timestamp": 1e300, "input_length": 1, "output_length": 1}\n',
        ":2: field timestamp: not a finite time",
    ),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD.keys())
def test_that_bad_input_gets_one_clear_line(write, content, message):
    path = write(content, "bad.trace")
    with pytest.raises(InputError, match=message) as caught:
        read_trace(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_that_a_truncated_archive_is_named(write):
    path = write(AZURE + ROW * 1000, gzipped=True)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="gzip file ends too early"):
        read_trace(path)


def test_that_a_damaged_archive_is_named(write):
    with pytest.raises(InputError, match="gzip file is damaged"):
        read_trace(write(b"\x1f\x8b\x08\x00" + b"\x55" * 200))
    with pytest.raises(InputError, match="zstd file is damaged"):
        read_trace(write(b"\x28\xb5\x2f\xfd" + b"\x55" * 200))


def test_that_a_zstd_archive_is_read_and_a_truncated_one_named(write):
    zstandard = pytest.importorskip("zstandard")
    packed = zstandard.compress((AZURE + ROW * 1000).encode())
    assert len(read_trace(write(packed + packed[:0]))) == 1000
    with pytest.raises(InputError, match="zstd file ends too early"):
        read_trace(write(packed[:-9]))


def test_that_a_folder_a_missing_file_and_a_pipe_are_named(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        read_trace(tmp_path)
    with pytest.raises(InputError, match="No such file"):
        read_trace(tmp_path / "none.csv")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(InputError, match="is a pipe or a device"):
            read_trace(tmp_path / "pipe")


def test_that_an_endless_line_is_refused_in_bounded_memory(write):
    path = write(AZURE + ROW + "7" * (66 << 20))
    with pytest.raises(InputError, match=":3: longer than 64 MiB"):
        read_trace(path)


def test_that_an_unknown_format_name_lists_the_known_ones(write):
    with pytest.raises(
        InputError, match=r"format: 'parquet' is unknown: must be one of canonical, .*mooncake"
    ):
        read_trace(write(AZURE + ROW), format="parquet")


def test_that_progress_is_told_and_an_import_can_be_stopped(write):
    path = write(AZURE + ROW * 100_000)
    shares: list[float] = []
    import_trace(path, progress=shares.append)
    assert shares[-1] == 1.0
    assert shares == sorted(shares) or len(shares) > 1
    with pytest.raises(ImportStoppedError, match="import stopped"):
        import_trace(path, cancelled=lambda: True)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("azure2023_code.first3000.csv", 3000),
        ("azure2023_conv.first1500.csv", 1500),
        ("mooncake_conversation.first700.jsonl", 700),
        ("mooncake_arxiv_mixed.sample.jsonl", 52),
    ],
)
def test_that_the_shared_samples_import_whole(shared, name, kept):
    report = import_trace(shared(f"traces/{name}")).report
    assert (report.rows_read, report.rows_kept, sum(report.rows_dropped.values())) == (kept, kept, 0)
