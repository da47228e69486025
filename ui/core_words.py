"""The core's texts in the user's language; files keep their English.

Messages and refusals are rendered by their kind. A bare English sentence is matched against the templates in
`resources/translations/core.json`, the parts that fill a template's holes are translated in turn, and the
reading with the fewest English words left is used. A text without a template, such as a server's own, stays.
"""

import logging
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

import msgspec
from PySide6.QtCore import QCoreApplication

from ui.translation import current_language, translate_control
from workbench.base import (
    UNREADABLE,
    Message,
    Refusal,
    WorkbenchError,
    WorkFailure,
    render,
    resource,
    templates,
)
from workbench.controls import CONTROLS

LONGEST = 2500
"""Characters; a longer text is a server's log."""
_KEPT = 8192
_MOST_READ = 100_000
"""Characters read for one text, repeated parts included: some tenths of a second. Our texts need 1,000."""
_FORMATTER = string.Formatter()
_log = logging.getLogger(__name__)
_HOLE = re.compile(r"\{(\d+)\}")
_WORD = re.compile(r"(?<![A-Za-z0-9_./`=-])[A-Za-z]?[a-z]+(?:-[a-z]+)*(?![A-Za-z0-9_/`=-])")
_NUMBER = re.compile(r"\d+")
_TIGHT = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef]) (?=[\u3000-\u9fff\uff00-\uffef(])")
"""A space between Chinese characters, or before a bracket after one, is removed."""
_WIDE = re.compile(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9%])(?=[\u4e00-\u9fff])")
"""A space is inserted between a Chinese character and a Latin letter or a digit."""
_UNITS = frozenset({"h", "min", "ms", "req", "s"})
_CLOSING = "。？：；，…"
_LEADING, _LEADING_WORDS = "; , ", "；，、 "
_WHERE, _WHERE_WORDS = "{0}: ", "{0}："
_WEAK = 9
"""Letters of a template that is trusted with short texts only."""
_SHORT = 80
"""Characters of the texts that such a template may match."""
_DOUBT = 0.5
"""Penalty, in words, for a hole filled with a whole list or several sentences."""


Sayable: TypeAlias = str | Message | WorkbenchError
"""Input of `said`; a `str` is a stored text or another program's."""


def said(what: Sayable) -> str:
    """Return the text of a message, an error or a stored sentence in the language of the window."""
    if isinstance(what, Refusal | WorkFailure):
        return what.text(current_language())
    if isinstance(what, Message):
        return render(what, current_language())
    text = str(what)
    if current_language() == "en" or not text:
        return text
    return phrases_of(current_language()).said(text)


def said_all(texts: Iterable[Sayable]) -> list[str]:
    """Return `said` of each."""
    return [said(text) for text in texts]


@cache
def phrases_of(_language: str) -> "Phrases":
    """Return the sentences of the core and their translations."""
    pairs = [(template, QCoreApplication.translate("core", template)) for template in _templates()]
    for control in CONTROLS.values():
        pairs += [
            (text, translate_control(text)) for text in (control.title, control.limits, control.watch) if text
        ]
    pairs += _of_messages(_language)
    return Phrases((source, words) for source, words in pairs if words != source or not _words(source))


def _of_messages(language: str) -> list[tuple[str, str]]:
    """Return the templates of messages with numbered holes: stored rows and logs hold their texts."""
    pairs = []
    for path in sorted(resource("messages", "en").glob("*.toml")):
        translated = templates(language, path.stem)
        for name, english in templates("en", path.stem).items():
            fields = list(dict.fromkeys(field for _, field, _, _ in _FORMATTER.parse(english) if field))
            if fields and name in translated:
                pairs.append((_numbered(english, fields), _numbered(translated[name], fields)))
            elif name in translated:
                pairs.append((english, translated[name]))
    return pairs


def _numbered(template: str, fields: list[str]) -> str:
    """Return a message's template with numbered holes for its fields."""
    parts = _FORMATTER.parse(template)
    return "".join(text + (f"{{{fields.index(field)}}}" if field else "") for text, field, _, _ in parts)


def _templates() -> list[str]:
    """Return the English templates; empty if the installation lacks them."""
    try:
        return msgspec.json.decode(resource("translations", "core.json").read_bytes(), type=list[str])
    except (OSError, *UNREADABLE) as error:
        _log.warning("the core's sentences stay English: core.json can't be read: %s", error)
        return []


@dataclass(frozen=True)
class _Template:
    """A template: the text before, between and after its holes."""

    literals: tuple[str, ...]
    holes: tuple[int, ...]
    words: str
    weight: int

    @property
    def weak(self) -> bool:
        """True if its fixed text is so short, as in `{0} of {1}`, that it may match short texts only."""
        return self.weight < _WEAK and not self.literals[0][:1].isupper()

    @property
    def ends_open(self) -> bool:
        """True if it ends like `Runners-up: {0}`, with a possible list."""
        return not self.literals[-1] and self.literals[-2].endswith(": ")

    def match(self, text: str) -> list[str] | None:
        """Return the shortest texts that fill the holes; None if the text is not from this template."""
        first, last = self.literals[0], self.literals[-1]
        end = len(text) - len(last)
        if end < len(first) or not text.endswith(last) or not _begins(text, first):
            return None
        at, found = len(first), list[str]()
        for literal in self.literals[1:-1]:
            place = text.find(literal, at, end)
            if place < 0:
                return None
            found.append(text[at:place])
            at = place + len(literal)
        return [*found, text[at:end]]


def _begins(text: str, literal: str) -> bool:
    """Return True if `text` starts with `literal`, ignoring the case of the first letter."""
    return text[1:].startswith(literal[1:]) and text[:1].lower() == literal[:1].lower() if literal else True


class Phrases:
    """Templates with their translations."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._whole: dict[str, str] = {}
        self._by_letter: dict[str, list[_Template]] = {}
        """Templates by their first letter."""
        self._inside: list[tuple[str, _Template]] = []
        """Templates that start with a hole, with their longest fixed text."""
        for source, words in ((source.rstrip("\n"), words.rstrip("\n")) for source, words in pairs):
            self._add(*_without_stop(source, words))
            for part in _clauses(source, words):
                # Several reasons in one text are split at semicolons.
                self._add(*_without_stop(*part))
            if (bare := source.lstrip(_LEADING)) != source:
                # An appended clause also occurs alone after a split.
                self._add(*_without_stop(bare, words.lstrip(_LEADING_WORDS)))
            if source.startswith(_WHERE) and words.startswith(_WHERE_WORDS):
                # Beside a field, a refusal has no file name.
                self._add(*_without_stop(source.removeprefix(_WHERE), words.removeprefix(_WHERE_WORDS)))
        self._read = lru_cache(_KEPT)(self._best)
        self._may_read = 0
        """Characters left to read before the text stays as it is."""

    def _add(self, source: str, words: str) -> None:
        holes = tuple(int(number) for number in _HOLE.findall(source))
        if not holes:
            self._whole.setdefault(_small(source), words)
            return
        literals = tuple(_HOLE.split(source)[::2])
        weight = sum(letter.isalpha() for literal in literals for letter in literal)
        if not weight:
            # Without any letter a template would match every text.
            return
        template = _Template(literals, holes, words, weight)
        if literals[0]:
            self._by_letter.setdefault(literals[0][0].lower(), []).append(template)
        else:
            self._inside.append((max(literals, key=len), template))

    def said(self, text: str) -> str:
        """Return `text` translated as far as possible."""
        if len(text) > LONGEST:
            return text
        self._may_read = _MOST_READ
        words = "\n".join(self._read(line)[0] if line else "" for line in text.split("\n"))
        if self._may_read < 0:
            # An incomplete reading must not stay in the cache.
            self._read.cache_clear()
            return text
        if words == text:
            return text
        words = _WIDE.sub(" ", _TIGHT.sub("", words))
        # A translation with different figures is wrong; English is better.
        return words if Counter(_NUMBER.findall(words)) == Counter(_NUMBER.findall(text)) else text

    def left(self, text: str) -> float:
        """Return the number of English words that stay untranslated."""
        self._may_read = _MOST_READ
        return self._read(text)[1]

    def _best(self, text: str) -> tuple[str, float]:
        """Return the reading with the fewest English words, and their number."""
        best: tuple[str, float] = (text, _words(text))
        self._may_read -= len(text)
        if not best[1] or self._may_read < 0:
            return best
        for reading in self.readings(text):
            if reading[1] < best[1]:
                best = reading
            if not best[1]:
                break
        return best

    def readings(self, text: str) -> Iterator[tuple[str, float]]:
        """Generate translations of a text, each with the number of words left in English."""
        if (whole := self._whole.get(_small(text))) is not None:
            yield whole, 0
        if text.endswith(".") and not text.endswith(".."):
            words, left = self._read(text[:-1])
            if words != text[:-1]:
                yield (words if words.endswith(tuple(_CLOSING)) else f"{words}。"), left
        yield from self._joined(_parts(text, _places(text, _SENTENCES)), "")
        for template, filled in self._matches(text):
            yield from self._filled(template, filled)
        if figure := _FIGURE.fullmatch(text):
            words, left = self._read(figure[1])
            yield f"{words} {figure[2]}", left
        for separator, words_for_it in _SEPARATORS:
            places = _places(text, separator)
            yield from self._joined(_parts(text, places), words_for_it)
            for place in places if 1 < len(places) < _MOST_PARTS else ():
                # The other places may belong to nested sentences.
                yield from self._joined(_parts(text, [place]), words_for_it)
        if (bracket := _BRACKETS.fullmatch(text)) and bracket[1].strip():
            (before, rest), (within, more) = self._read(bracket[1]), self._read(bracket[2])
            yield f"{before}{_gap(before)}({within})", rest + more

    def _matches(self, text: str) -> list[tuple[_Template, list[str]]]:
        """Return the templates that match `text`, with the texts in their holes, the most specific first."""
        near = self._by_letter.get(text[0].lower(), [])
        candidates = [*near, *(template for literal, template in self._inside if literal in text)]
        found = [
            (template, filled) for template in candidates if (filled := template.match(text)) is not None
        ]
        sure = [
            each
            for each in found
            if text not in each[1] and not (each[0].weak and max(map(len, each[1])) > _SHORT)
        ]
        return sorted(sure, key=lambda each: -each[0].weight)

    def _joined(self, parts: list[str], by: str) -> Iterator[tuple[str, float]]:
        readings = [self._read(part) for part in parts] if len(parts) > 1 else []
        left = sum(reading[1] for reading in readings)
        # A server's own text must not be split at "and".
        if readings and left < sum(map(_words, parts)):
            words = [reading[0] for reading in readings]
            listed = by == _COMMA and not left and all(map(_NAME.fullmatch, words))
            yield (_LISTED if listed else by).join(words), left + bool(left and by.strip() == _AND)

    def _filled(self, template: _Template, filled: list[str]) -> Iterator[tuple[str, float]]:
        readings = [self._read(part) for part in filled]
        unsure = any(left and " " in part for part, (_words, left) in zip(filled, readings, strict=True))
        if template.weak and unsure:
            return
        by_number = {hole: words for hole, (words, _left) in zip(template.holes, readings, strict=True)}
        words = _HOLE.sub(lambda hole: by_number[int(hole[1])], template.words)
        told = filled[:-1] if template.ends_open else filled
        doubt = _DOUBT * any(_places(part, _LISTS) for part in told)
        yield words, doubt + sum(left for _words, left in readings)


_AND, _COMMA, _LISTED = "与", "，", "、"
_NAME = re.compile(r"[^，；：。→<>]{1,16}")
"""An item of a list, as opposed to a part of a sentence."""
_SENTENCES = re.compile(r"(?<=[.?…]) (?=[A-Z\"“\[{a-z])")
_SEPARATORS = (
    (re.compile(r" \| "), " | "),
    (re.compile(r"; "), "；"),
    (re.compile(r": "), "："),
    (re.compile(r"："), "："),
    (re.compile(r", "), _COMMA),
    (re.compile(r" → "), " → "),
    (re.compile(r" and "), f" {_AND} "),
)
_FIGURE = re.compile(r"(.*[^\W\d].*?) ([-+−±×]?\d[\d.,]*(?: (?:%|ms|s|GiB))?(?: (?:>|<=) [\d.,]+)?)")
"""A name followed by its figure."""
_LISTS = re.compile(r"[,;:] |(?<=[.?]) (?=[A-Z])")
_MOST_PARTS = 8
_BRACKETS = re.compile(r"([^()]*?) ?\(((?:[^()]|\([^()]*\))*)\)")


def _places(text: str, separator: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the spans of the separator outside brackets."""
    found = [place.span() for place in separator.finditer(text)]
    return [span for span in found if _closed(text[: span[0]])]


def _closed(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def _parts(text: str, places: list[tuple[int, int]]) -> list[str]:
    """Return the texts between these spans."""
    begins, ends = [0, *(end for _, end in places)], [*(begin for begin, _ in places), len(text)]
    return [text[begin:end] for begin, end in zip(begins, ends, strict=True)]


def _words(text: str) -> int:
    return sum(word not in _UNITS for word in _WORD.findall(text))


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _clauses(source: str, words: str) -> list[tuple[str, str]]:
    """Return the clauses of a sentence whose translation has the same clauses with the same holes."""
    parts = list(zip(source.split("; "), words.split("；"), strict=False))
    alike = source.count("; ") == words.count("；") and all(
        sorted(_HOLE.findall(part)) == sorted(_HOLE.findall(said_so)) and _closed(part)
        for part, said_so in parts
    )
    return parts if alike and len(parts) > 1 else []


def _without_stop(source: str, words: str) -> tuple[str, str]:
    """Return both texts without the final full stop."""
    if source.endswith(".") and not source.endswith(".."):
        return source[:-1], words.removesuffix("。")
    return source, words


def _gap(text: str) -> str:
    return " " if text[-1:].isascii() else ""
