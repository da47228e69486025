"""Read TOML that people write; refuse errors with the line, the problem and the fix.

The parser gives a line and a column; the text of the line shows the kind of mistake.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.base.messages import Message, message
from workbench.base.records import UNREADABLE
from workbench.base.refusals import Place, Refusal
from workbench.base.terminal_text import shown

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u2018\u2019\u201a\u201b`\u00b4\uff02\uff07"
_LOOKALIKES = {
    "\u00a0": "a space",
    "\u2007": "a space",
    "\u202f": "a space",
    "\u3000": "a space",
    "\u200b": "nothing",
    "\ufeff": "nothing",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\uff1d": "=",
    "\uff0c": ",",
    "\uff3b": "[",
    "\uff3d": "]",
    "\u2026": "...",
}
"""Characters that word processors and input methods insert in place of plain ones."""
_SHOWN = 60


def decode_text(data: bytes, where: str) -> str:
    """Return a file's text: UTF-8 with or without a byte order mark, or UTF-16 with one.

    Raises:
        Refusal: it is neither; names the line.
    """
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            text = data.decode("utf-16")
            return text if "\0" not in text else data.decode("utf-8")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        good = data[: error.start].count(b"\n") + 1 if error.encoding == "utf-8" else None
        raise Refusal("base.not_utf8", Place(file=where, line=good)) from error


def read_toml_file(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        Refusal: it can't be read, isn't text, or isn't TOML; names the line.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(path)), cause=error.strerror or "") from error
    return read_toml(decode_text(data, str(path)), str(path))


def read_toml(text: str, where: str) -> dict[str, Any]:
    """Read TOML text; a lone carriage return ends a line too.

    Raises:
        Refusal: it isn't TOML; names the line, the problem and the fix.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        return tomllib.loads(text)
    except UNREADABLE as error:
        deep = isinstance(error, RecursionError)
        line, said = (None, message("base.toml_deep")) if deep else _explain(text, str(error))
        raise Refusal("base.not_toml", Place(file=where, line=line), why=said) from error


def _explain(text: str, problem: str) -> tuple[int | None, Message]:
    """Return the number of the wrong line and the problem."""
    lines = text.split("\n")
    found = _PLACE.search(problem)
    reason = shown(problem[: found.start()] if found else problem, 200)
    if text.lstrip().startswith("{"):
        return 1, message("base.toml_json")
    for number, line in enumerate(lines, 1):
        if re.match(r"(<{7}|={7}|>{7})(\s|$)", line):
            return number, message("base.toml_conflict")
    if found is None:
        return None, message("base.toml_other", problem=reason)
    number = int(found[1]) if found[1] else len(lines)
    column = int(found[2]) if found[2] else 1
    return _at(lines, number, column, reason)


def _at(lines: list[str], number: int, column: int, reason: str) -> tuple[int, Message]:
    line = lines[number - 1] if number <= len(lines) else ""
    if reason.startswith("Unclosed array"):
        number = _last_opened(lines, number)
        return number, message("base.toml_unclosed_array", text=shown(lines[number - 1].strip(), _SHOWN))
    for look in (_by_character, _by_key, _by_value):
        said = look(line, column, reason)
        if said is not None:
            return number, said
    if "Cannot overwrite a value" in reason or "Cannot declare" in reason or "Cannot mutate" in reason:
        return number, _twice(lines, number)
    return number, message("base.toml_other", problem=reason)


def _by_character(line: str, column: int, reason: str) -> Message | None:
    """Find quotes, spaces and signs of word processors, and backslashes in double quotes."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"' + r"|'[^']*'|#.*", "", line)
    for character in bare:
        if character in _QUOTES:
            return message("base.toml_quotes", character=character)
        if character in _LOOKALIKES:
            code = f"U+{ord(character):04X}"
            return message("base.toml_character", code=code, right=_LOOKALIKES[character])
    escapes = ("Invalid hex value", "Unescaped '\\' in a string", "Escaped character is not")
    ends_in_backslash = reason.startswith("Illegal character '\\n'") and re.search(r'\\"\s*$', line)
    if reason.startswith(escapes) or ends_in_backslash:
        return message("base.toml_backslash", text=_string_at(line, column))
    return None


def _string_at(line: str, column: int) -> str:
    """Return the double-quoted text around a column, as it is written."""
    start = line.rfind('"', 0, max(column - 1, 1))
    while start > 0 and line[start - 1] == "\\":
        start = line.rfind('"', 0, start)
    end = line.find('"', column)
    return shown(line[start + 1 : end if end > 0 else len(line)].rstrip('"'), _SHOWN)


def _by_key(line: str, column: int, reason: str) -> Message | None:
    """Find a mistake before the value."""
    if reason.startswith("Expected '=' after a key"):
        found = re.match(r"\s*([\w.-]+)\s*:\s*(.*)", line)
        if found:
            return message("base.toml_colon", key=found[1])
        key = re.match(r"\s*([\w.-]+)", line)
        return message("base.toml_no_equal", text=shown(key[1] if key else line.strip(), _SHOWN))
    if reason.startswith(("Expected ']'", "Expected ']]'")):
        return message("base.toml_table_header", text=shown(line.strip(), _SHOWN))
    inline = re.match(r"\s*([\w.-]+)\s*=\s*\{\s*(#.*)?$", line)
    if inline and column > len(line.rstrip()):
        return message("base.toml_inline_table", key=inline[1])
    return None


_WORDS = {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}
_NOTHING = ("none", "null", "nil", "undefined", "n/a", "~")


def _by_value(line: str, column: int, reason: str) -> Message | None:
    """Find a mistake in a value or a list."""
    rest = line[column - 1 :]
    word = re.split(r"[\s,\]}#;]", rest, maxsplit=1)[0]
    if reason.startswith("Illegal character '\\n'"):
        return message("base.toml_unclosed_string", text=shown(line.strip(), _SHOWN))
    if reason.startswith("Invalid value"):
        if word.lower() in _WORDS:
            return message("base.toml_boolean", word=word, right=_WORDS[word.lower()])
        if word.lower() in _NOTHING:
            return message("base.toml_nothing", word=word)
        if not word:
            return message("base.toml_no_value")
        if re.match(r"[^\W\d]", word):
            return message("base.toml_unquoted", text=shown(word, _SHOWN))
        return None
    if not reason.startswith(("Expected newline", "Unclosed inline table", "Expected ','")):
        return None
    return _behind_value(line, column)


def _behind_value(line: str, column: int) -> Message | None:
    """Find extra text behind a complete value."""
    before, rest = line[: column - 1], line[column - 1 :]
    number = re.search(r"[-+]?\d[\d_.]*$", before.rstrip())
    if rest.startswith(("//", "/*", "--")):
        return message("base.toml_comment")
    if rest.startswith(";"):
        return message("base.toml_semicolon")
    if number and re.match(r",\s*\d", rest):
        return message("base.toml_comma")
    if number and number[0] in ("0", "-0", "+0") and rest[:1].isdigit():
        return message("base.toml_leading_zero")
    unit = re.match(r"\s*([^\W\d_]\w*|%)", rest)
    if number and unit:
        return message("base.toml_unit", number=number[0], unit=unit[1])
    return message("base.toml_rest", text=shown(rest.strip(), _SHOWN))


def _last_opened(lines: list[str], number: int) -> int:
    """Return the line of the last list that begins before a line and has no end."""
    for place in range(min(number, len(lines)), 0, -1):
        line = re.sub(r'"(?:[^"\\]|\\.)*"' + r"|'[^']*'|#.*", "", lines[place - 1])
        if "=" in line and line.count("[") > line.count("]"):
            return place
    return number


def _twice(lines: list[str], number: int) -> Message:
    """Return which table or key is repeated there, and the line of its first use."""
    line = lines[number - 1].strip()
    header = re.match(r"\[+\s*([^\]]+?)\s*\]+", line)
    if header:
        first = next((at for at, name in _headers(lines) if name == header[1] and at < number), None)
        return message("base.toml_table_twice", table=header[1], first=first or number)
    key = line.partition("=")[0].strip()
    table = max((at for at, _ in _headers(lines) if at < number), default=0)
    for at in range(table + 1, number):
        if lines[at - 1].partition("=")[0].strip().partition(".")[0] == key.partition(".")[0]:
            return message("base.toml_key_twice", key=key, first=at)
    return message("base.toml_key_twice", key=key, first=number)


def _headers(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the tables' headers with their lines."""
    for number, line in enumerate(lines, 1):
        found = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+\s*(?:#.*)?$", line)
        if found:
            yield number, found[1]
