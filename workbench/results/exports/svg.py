"""Small plots as SVG text: lines over time or rate, bars by configuration. No scripts, no references."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape

from workbench.base import short_number

WIDTH, HEIGHT = 620, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 150, 28, 40
_MOST_POINTS = 400
_BAR, _NAMES = 24, 220
_STYLES = 6
"""Line styles `s0` to `s5` of the page's style sheet, each with a color and a dash."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a plot; None breaks it."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Maps values to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def line_plot(title: str, x_title: str, y_title: str, lines: Sequence[Line]) -> str:
    """Return lines over a common x, from 0 up; empty without any value."""
    xs = [value for line in lines for value in line.x]
    ys = [value for line in lines for value in line.y if value is not None]
    if not xs or not ys:
        return ""
    x = _Scale(min(0.0, *xs), max(xs) or 1.0, _LEFT, WIDTH - _RIGHT)
    y = _Scale(0.0, _top(ys), HEIGHT - _BOTTOM, _TOP)
    parts = [_frame(title, x_title, y_title, y), _x_ticks(x)]
    for index, line in enumerate(lines):
        parts.append(_path(_thinned(line), x, y, index))
        parts.append(_legend(line.name, index))
    return _svg(title, parts)


def bar_plot(
    title: str,
    unit: str,
    bars: Sequence[tuple[str, float | None]],
    *,
    limit: float | None = None,
    invalid: Collection[str] = (),
) -> str:
    """Return a bar for each name, one below the other; a missing value leaves its place empty.

    Those named in `invalid` are outlined and labeled.
    """
    known = [value for _, value in bars if value is not None]
    if not known:
        return ""
    height = _TOP + _BAR * len(bars) + 14
    x = _Scale(0.0, _top([*known, limit or 0.0]), _NAMES, WIDTH - (110 if invalid else 70))
    parts = [f'<text class="title" x="8" y="16">{escape(title)}, {escape(unit)}</text>']
    for index, (name, value) in enumerate(bars):
        middle = _TOP + _BAR * (index + 0.5)
        parts.append(_text(_NAMES - 8, middle + 4, _fitted(name, _NAMES - 10), "end"))
        if value is not None:
            size = f'y="{middle - 8:.1f}" width="{x(value) - _NAMES:.1f}" height="16"'
            bad = name in invalid
            parts.append(f'<rect class="bar{" invalid" if bad else ""}" x="{_NAMES}" {size}/>')
            label = f"{short_number(value)} invalid" if bad else short_number(value)
            parts.append(_text(x(value) + 5, middle + 4, label, "start"))
    if limit is not None:
        parts.append(f'<path class="limit" d="M{x(limit):.1f} {_TOP - 4}V{height - 14}"/>')
        parts.append(_text(x(limit), height - 3, f"objective {short_number(limit)}", "middle"))
    return _svg(title, parts, height)


def _fitted(name: str, width: float) -> str:
    room = max(6, int(width / 6.2))
    return name if len(name) <= room else name[: room - 1] + "…"


_SMALLEST = 1e-9
"""A smaller series is drawn as zero."""


def _top(values: Sequence[float]) -> float:
    """Return the upper end of the axis: a tick a little above the largest value."""
    largest = max(values)
    if largest < _SMALLEST:
        largest = 1.0
    step = _tick(largest)
    return math.ceil(largest * 1.05 / step) * step


def _tick(largest: float) -> float:
    """Return a round distance that gives four to ten ticks."""
    rough = largest / 5
    power = 10 ** math.floor(math.log10(rough))
    return float(next(step for step in (1, 2, 5, 10) if step * power >= rough) * power)


def _ticks(scale: _Scale) -> list[float]:
    step = _tick(scale.high - min(scale.low, 0.0))
    first = math.ceil(scale.low / step)
    return [index * step for index in range(first, int(scale.high / step + 1e-9) + 1)]


def _frame(title: str, x_title: str, y_title: str, y: _Scale) -> str:
    parts = [f'<text class="title" x="{_LEFT}" y="16">{escape(title)}</text>']
    for value in _ticks(y):
        parts.append(f'<path class="grid" d="M{_LEFT} {y(value):.1f}H{WIDTH - _RIGHT}"/>')
        parts.append(_text(_LEFT - 6, y(value) + 4, short_number(value), "end"))
    parts.append(_text((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 4, x_title, "middle"))
    middle = (_TOP + HEIGHT - _BOTTOM) / 2
    parts.append(
        f'<text text-anchor="middle" transform="translate(13 {middle:.0f}) rotate(-90)">'
        f"{escape(y_title)}</text>"
    )
    return "".join(parts)


def _x_ticks(x: _Scale) -> str:
    return "".join(
        _text(x(value), HEIGHT - _BOTTOM + 16, short_number(value), "middle") for value in _ticks(x)
    )


def _path(line: Line, x: _Scale, y: _Scale, index: int) -> str:
    commands, pen = [], "M"
    for place, value in zip(line.x, line.y, strict=True):
        if value is None:
            pen = "M"
            continue
        commands.append(f"{pen}{x(place):.1f} {y(value):.1f}")
        pen = "L"
    marker = _dot(commands[0]) if len(commands) == 1 else ""
    return f'<path class="line s{index % _STYLES}" d="{"".join(commands)}"/>{marker}'


def _dot(command: str) -> str:
    cx, cy = command[1:].split(" ")
    return f'<circle class="dot" cx="{cx}" cy="{cy}" r="3"/>'


def _legend(name: str, index: int) -> str:
    left, height = WIDTH - _RIGHT + 10, _TOP + 8 + index * 18
    mark = f'<path class="line s{index % _STYLES}" d="M{left} {height - 4}h18"/>'
    return mark + _text(left + 24, height, _fitted(name, _RIGHT - 36), "start")


def _thinned(line: Line) -> Line:
    """Return every k-th point and every peak in between, so that no spike is lost."""
    size = len(line.x)
    if size <= _MOST_POINTS:
        return line
    step = math.ceil(size / (_MOST_POINTS // 2))
    kept: set[int] = set()
    for first in range(0, size, step):
        block = range(first, min(first + step, size))
        kept.add(first)
        kept.add(
            max(block, key=lambda place: -math.inf if line.y[place] is None else float(line.y[place] or 0))
        )
    order = sorted(kept)
    return Line(line.name, [line.x[place] for place in order], [line.y[place] for place in order])


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(title: str, parts: Sequence[str], height: int = HEIGHT) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title, quote=True)}">'
        f"{''.join(parts)}</svg>"
    )
