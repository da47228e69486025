"""Importers against damaged files: one clear line or a counted drop, never anything else."""

import copy
import gzip
import json
import random
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from workbench.base import InputError
from workbench.traces import IMPORTERS, ColumnMapping, import_trace, preview_table

MADE = Path(__file__).parents[2] / "data" / "traces"
FILES = sorted(path for path in MADE.glob("synthetic_*"))
FORMATS = [importer.name for importer in IMPORTERS]

STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    -(10**30),
    2**63,
    1.5,
    1e308,
    -1e308,
    "",
    "x",
    "NaN",
    "-5",
    "1e999",
    "2026-99-99T99:99:99Z",
    "2026-01-01T00:00:00+25:00",
    "0001-01-01T00:00:00Z",
    "٣",
    "²",
    "\ud800",
    "=1+1",
    [],
    [[]],
    {},
    {"a": {"b": {}}},
    "y" * 5000,
)


def attempt(path: Path, **options: Any) -> None:
    """An import ends well, with its counts adding up, or with one line that begins with the file."""
    try:
        imported = import_trace(path, **options)
    except InputError as error:
        text = str(error)
        assert "\n" not in text
        assert len(text) < 700
        assert text.startswith((str(path), "format", "columns"))
        return
    report = imported.report
    assert report.rows_read == report.rows_kept + sum(report.rows_dropped.values())
    assert report.rows_kept == len(imported.trace) > 0
    assert len(imported.trace.sha256(1)) == 64


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all members of a JSON value, inner ones included."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from leaves(inner, (*path, key))


def with_strange(value: Any, path: tuple[Any, ...], strange: Any, *, remove: bool) -> Any:
    changed = copy.deepcopy(value)
    place = changed
    for key in path[:-1]:
        place = place[key]
    if remove:
        del place[path[-1]]
    else:
        place[path[-1]] = strange
    return changed


def strange_rows(text: str, rng: random.Random, count: int) -> Iterator[str]:
    """A JSON file with one member of one of its values removed or replaced."""
    is_lines = text.startswith("{") and "\n{" in text.strip()
    values = (
        [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        if is_lines and "{not" not in text
        else None
    )
    for _ in range(count):
        if values is None:
            whole = None if "{not" in text else json.loads(text)
            if whole is None:
                return
            path = rng.choice(list(leaves(whole)))
            yield json.dumps(with_strange(whole, path, rng.choice(STRANGE), remove=rng.random() < 0.2))
            continue
        row = rng.randrange(len(values))
        path = rng.choice(list(leaves(values[row])))
        changed = with_strange(values[row], path, rng.choice(STRANGE), remove=rng.random() < 0.2)
        yield "\n".join(json.dumps(changed if i == row else value) for i, value in enumerate(values)) + "\n"


def strange_cells(text: str, rng: random.Random, count: int) -> Iterator[str]:
    """A CSV with one cell replaced or removed, or one added."""
    lines = text.splitlines()
    for _ in range(count):
        row = rng.randrange(len(lines))
        cells = lines[row].split(",")
        column = rng.randrange(len(cells))
        strange = rng.choice(STRANGE)
        kind = rng.random()
        if kind < 0.1:
            del cells[column]
        elif kind < 0.2:
            cells.insert(column, "7")
        else:
            cells[column] = "" if strange is None else str(strange).encode("utf-8", "replace").decode()
        yield "\n".join([*lines[:row], ",".join(cells), *lines[row + 1 :]]) + "\n"


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut, doubled or put in."""
    kind = rng.randrange(5)
    at, other = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + data[other:]
    if kind == 2:
        return data[:other] + data[at:]
    if kind == 3:
        return (
            data[:at]
            + rng.choice([b"\0", b"\xff", b"\r", b'"', b",", b"\n\n", b"\xef\xbb\xbf", b"[" * 999])
            + data[at:]
        )
    flipped = bytearray(data)
    for _ in range(3):
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
    return bytes(flipped)


def check_strange_values(file: Path, write: Callable[..., Path], count: int) -> None:
    rng = random.Random(file.name)
    make = strange_cells if file.suffix in {".csv", ".log"} else strange_rows
    for text in make(file.read_text(), rng, count):
        attempt(write(text.encode("utf-8", "surrogatepass"), "strange.trace"))


def check_damage(file: Path, write: Callable[..., Path], count: int) -> None:
    rng = random.Random(file.name)
    for round_ in range(count):
        data = damaged(file.read_bytes(), rng)
        packed = (data, gzip.compress(data), zstandard.compress(data))[round_ % 3]
        if packed:
            attempt(write(packed, "damaged.trace"), format=rng.choice([None, *FORMATS]))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_that_a_strange_value_anywhere_is_one_line_or_a_counted_drop(file, write):
    check_strange_values(file, write, 12)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_that_damaged_bytes_are_one_line_or_a_counted_drop(file, write):
    check_damage(file, write, 9)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_that_a_thousand_strange_values_are_one_line_or_a_counted_drop(file, write):
    check_strange_values(file, write, 1000)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_that_six_hundred_damages_are_one_line_or_a_counted_drop(file, write):
    check_damage(file, write, 600)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("name", FORMATS)
def test_that_a_format_forced_on_any_file_is_one_line_or_an_import(file, name):
    attempt(file, format=name)


@pytest.mark.parametrize("strange", STRANGE, ids=lambda value: repr(value)[:20])
def test_that_mapped_columns_take_any_value(strange, write):
    mapping = ColumnMapping(
        columns={"timestamp": "t", "input_length": "i", "output_length": "o", "session_id": "s"}
    )
    good = {"t": 5, "i": 5, "o": 5, "s": "a"}
    for field in good:
        rows = [good, {**good, field: strange}, good]
        text = "\n".join(json.dumps(row) for row in rows)
        attempt(write(text, "mapped.jsonl"), columns=mapping)
        preview_table(write(text, "mapped.jsonl"))


def test_that_memory_is_bounded_while_a_bomb_unpacks(write):
    packed = zstandard.compress(b"x" * (1 << 30))
    path = write(packed, "bomb.zst")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=":1: not a table"):
            import_trace(path, format="azure")
        assert tracemalloc.get_traced_memory()[1] < 300 << 20
    finally:
        tracemalloc.stop()
