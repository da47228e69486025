"""What people write for TOML is refused with its line and what would be right."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import Refusal, decode_text, read_toml, read_toml_file


def refusal(text: str) -> tuple[int | None, str]:
    with pytest.raises(Refusal) as refused:
        read_toml(text, "a.toml")
    return refused.value.place.line, str(refused.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a = “x”", 'write straight quotes: "text"'),
        ("a = \u2018x\u2019", "is no quote here"),
        ("a = `x`", "is no quote here"),
        ('a = "C:\\Users\\me"', 'write "C:\\Users\\me" with / or \\\\, or in single quotes'),
        ('a = "C:\\folder\\"', "a backslash begins an escape"),
        ("a\u00a0= 1", "U+00A0 can't stand here; write a space"),
        ("a = –1", "U+2013 can't stand here; write -"),
        ("a: 1", "write `a = value`, not `a: value`"),
        ("a 1", "'a' has no value"),
        ("a = True", "write true"),
        ("a = off", "write false"),
        ("a = None", "leave the line out"),
        ("a =", "a value is missing"),
        ("a = text", "'text' needs quotes"),
        ('a = "text', "no closing quote"),
        ("a = 0,5", "a decimal point, and no comma"),
        ("a = 1,000", "a decimal point, and no comma"),
        ("a = 020", "no leading zero"),
        ("a = 500ms", "write the number alone: 500, without ms"),
        ("a = 8k", "without k"),
        ("a = 5 %", "without %"),
        ("a = 1;", "no semicolon"),
        ("a = 1 // x", "a comment begins with #"),
        ("a = [1", "has no end; close it with ]"),
        ("[a", "is no table header"),
        ("a = {\n b = 1\n}", "stays on one line; write [a]"),
        ("<<<<<<< HEAD", "a merge conflict"),
    ],
)
def test_that_a_slip_of_the_pen_is_named_with_its_line(line: str, words: str) -> None:
    number, text = refusal(f'# first\nname = "x" # don’t “mind”\n{line}\nlast = 1\n')
    assert number == 3
    assert text.startswith("a.toml:3: not TOML: ")
    assert words in text


def test_that_what_stands_twice_is_named_with_the_line_of_the_first() -> None:
    assert "'a' stands twice, first in line 2" in refusal("[t]\na = 1\na = 2\n")[1]
    assert "[t] stands twice, first in line 1" in refusal("[t]\na = 1\n[u]\n[t]\n")[1]


def test_that_another_format_is_named() -> None:
    assert "this is JSON" in refusal('{"a": 1}')[1]


def test_that_text_of_windows_editors_is_read(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "a.toml").write_bytes("a = 'ä'\r\nb = 1\r".encode(encoding))
        assert read_toml_file(tmp_path / "a.toml") == {"a": "ä", "b": 1}


def test_that_bytes_which_are_no_text_are_refused_with_their_line() -> None:
    with pytest.raises(Refusal, match=r"a\.toml:2: can't be read: it is not UTF-8 text"):
        decode_text("a = 1\nb = 'ä'".encode("latin-1"), "a.toml")


@given(st.text(alphabet="a=[]{}\"'\\.,:;#\n\t 01x“–\u00a0", max_size=60))
def test_that_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    refused = None
    try:
        read_toml(text, "a.toml")
    except Refusal as error:
        refused = error
    if refused is not None:
        assert "\n" not in str(refused)
        assert refused.kind == "base.not_toml"
