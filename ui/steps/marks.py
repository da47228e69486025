"""Marks over the pictures: names on bars, tokens, preemptions, what is selected."""

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from ui.language import number_text
from ui.look.theme import Theme, contrast
from ui.steps.bands import Band
from ui.steps.colours import class_colours
from ui.steps.scene import Geometry, Scene
from ui.steps.step_arrays import DECODE, Ints

_MOST_LABELS = 160
MOST_ARROWS = 60
"""Most preemptions in view that get arrows; beyond, each is a mark at the upper edge of the slots."""
_LABEL_EMS = 2.2
_TOKEN_STEP_PX = 26.0


def paint_marks(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    """Paint all marks within the bands."""
    painter.save()
    painter.setClipRect(where.plot.adjusted(0, -2, 0, 2), Qt.ClipOperation.IntersectClip)
    _paint_tokens(painter, scene, where, theme)
    _paint_labels(painter, scene, where, theme)
    _paint_preemptions(painter, scene, where, theme)
    _paint_step(painter, scene, where, theme)
    _paint_request(painter, scene, where, theme)
    _paint_pointer(painter, scene, where, theme)
    painter.restore()


def paint_limits(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    """Draw the sequence limit if there are lanes beyond it, and the present time of a film."""
    slots, lanes = where.band(Band.SLOTS), scene.data.lanes
    if slots is not None and scene.data.arrays.slots < lanes:
        y = round(slots.top() + scene.data.arrays.slots * slots.height() / lanes)
        painter.setPen(QPen(theme.text, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(slots.left(), y), QPointF(slots.right(), y))
    if scene.upto is not None and scene.upto < scene.view.end:
        x = round(where.x(scene.upto, scene.view))
        painter.fillRect(QRectF(x, where.plot.top(), 1, where.plot.height()), theme.axis)


def steps_in_view(scene: Scene) -> range:
    """Return the steps that the view shows."""
    steps, view = scene.data.arrays.steps, scene.view
    first = int(np.searchsorted(steps.end, view.begin, side="right"))
    return range(first, int(np.searchsorted(steps.begin, view.end, side="left")))


def _step_px(scene: Scene, where: Geometry) -> float:
    seen = steps_in_view(scene)
    return where.plot.width() / len(seen) if len(seen) else 0.0


def _paint_tokens(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    """Write the tokens of prefill chunks and recomputations on them, if there is room."""
    if _step_px(scene, where) < _TOKEN_STEP_PX or where.lane_height(scene.data.lanes) < where.line * 0.8:
        return
    data, view = scene.data, scene.view
    entries, steps = data.arrays.entries, data.arrays.steps
    hues = class_colours(theme, len(data.arrays.classes), unknown="" in data.arrays.classes)
    for step in steps_in_view(scene):
        part = data.arrays.entries_of(step)
        left, right = where.x(float(steps.begin[step]), view), where.x(float(steps.end[step]), view)
        for place in np.flatnonzero(entries.kind[part] != DECODE).tolist():
            request = int(entries.request[part][place])
            lane = _lane_of(scene, request, float(steps.begin[step]))
            if lane is None:
                continue
            hue = hues[data.arrays.requests.cls[request]]
            painter.setPen(_readable(hue, theme))
            middle = where.lane_middle(lane, data.lanes)
            area = QRectF(left, middle - where.line / 2, right - left, where.line)
            text = number_text.count(int(entries.tokens[part][place]))
            if painter.fontMetrics().horizontalAdvance(text) + 4 <= area.width():
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)


def _readable(ground: QColor, theme: Theme) -> QColor:
    return max((theme.text, theme.background), key=lambda ink: contrast(ink, ground))


def _lane_of(scene: Scene, request: int, t: float) -> int | None:
    stays = scene.data.stays
    found = np.flatnonzero((stays.request == request) & (stays.begin <= t + 1e-12) & (stays.end >= t))
    return int(stays.lane[found[-1]]) if len(found) else None


def name_of(scene: Scene, request: int) -> str:
    """Return how a request is called in the panels: its number, or its id if it has none."""
    number = int(scene.data.arrays.requests.number[request])
    return f"#{number}" if number >= 0 else str(scene.data.arrays.requests.ids[request])


def class_of(scene: Scene, request: int) -> str:
    """Return a request's class."""
    return scene.data.arrays.classes[int(scene.data.arrays.requests.cls[request])]


def _paint_labels(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    """Write names on bars that have room for them."""
    if where.lane_height(scene.data.lanes) < where.line * 0.8:
        return
    works, view = scene.data.stretches, scene.view
    least_s = _LABEL_EMS * where.line / where.plot.width() * view.span
    begin, end = np.maximum(works.begin, view.begin), np.minimum(works.end, view.end)
    wide = np.flatnonzero((works.kind == DECODE) & (end - begin > least_s))
    if not len(wide) or len(wide) > _MOST_LABELS:
        return
    for at in wide.tolist():
        request = int(works.request[at])
        faint = scene.highlighted and request not in scene.highlighted
        painter.setPen(theme.baseline if faint else theme.text)
        left, right = where.x(float(begin[at]), view), where.x(float(end[at]), view)
        middle = where.lane_middle(int(works.lane[at]), scene.data.lanes)
        area = QRectF(left + 4, middle - where.line / 2, right - left - 6, where.line)
        _paint_fitting(painter, area, name_of(scene, request), class_of(scene, request))


def _paint_fitting(painter: QPainter, area: QRectF, name: str, cls: str) -> None:
    metrics, flags = painter.fontMetrics(), Qt.AlignmentFlag.AlignVCenter
    for text in (f"{name} {cls}", name):
        if metrics.horizontalAdvance(text) <= area.width():
            painter.drawText(area, flags, text)
            return


def _preemptions_in_view(scene: Scene) -> Ints:
    data = scene.data
    times = data.arrays.steps.begin[data.arrays.preempted[:, 0]]
    seen: Ints = np.flatnonzero((times >= scene.view.begin) & (times <= scene.view.end))
    return seen


def _paint_preemptions(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    """Draw an arrow from each preempted request to the one that took its blocks."""
    seen, slots = _preemptions_in_view(scene), where.band(Band.SLOTS)
    if slots is None or not len(seen):
        return
    data = scene.data
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    colour = theme.mark("preemption")
    xs = {}
    for at in seen.tolist():
        step, victim = (int(value) for value in data.arrays.preempted[at, :2])
        t = float(data.arrays.steps.begin[step])
        x = where.x(t, scene.view)
        xs[round(x / 3)] = x
        winner = int(data.winners[at])
        chosen = not scene.highlighted or bool({victim, winner} & scene.highlighted)
        if len(seen) <= MOST_ARROWS and winner >= 0 and winner != victim and chosen:
            from_lane, to_lane = _lane_of(scene, victim, t), _lane_of(scene, winner, t)
            if from_lane is not None and to_lane is not None:
                ends = (where.lane_middle(from_lane, data.lanes), where.lane_middle(to_lane, data.lanes))
                _paint_arrow(painter, x, ends, where.lane_height(data.lanes), colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for x in xs.values():
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(x - 4, slots.top() - 7),
                    QPointF(x + 4, slots.top() - 7),
                    QPointF(x, slots.top() - 1),
                ]
            )
        )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _paint_arrow(painter: QPainter, x: float, ends: tuple[float, float], lane: float, colour: QColor) -> None:
    begin, end = ends
    head = min(4.0, max(2.5, lane * 0.35))
    bulge = min(18.0, 4 + abs(end - begin) * 0.25)
    path = QPainterPath(QPointF(x, begin))
    tip = QPointF(x + head, end)
    path.cubicTo(QPointF(x + bulge, begin), QPointF(x + bulge + 4, end), tip)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 1.2 if head < 4 else 1.6))
    painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(QPointF(x, begin), head * 0.6, head * 0.6)
    painter.drawPolygon(
        QPolygonF([QPointF(x, end), QPointF(x + 1.7 * head, end - head), QPointF(x + 1.7 * head, end + head)])
    )


def _paint_step(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    if scene.step is None:
        return
    steps = scene.data.arrays.steps
    left = where.x(float(steps.begin[scene.step]), scene.view)
    right = where.x(float(steps.end[scene.step]), scene.view)
    area = QRectF(left, where.plot.top(), max(1.0, right - left), where.plot.height())
    veil = QColor(theme.text)
    veil.setAlphaF(0.10)
    painter.fillRect(area, veil)
    painter.setPen(QPen(theme.text, 1, Qt.PenStyle.DotLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(area)


def _paint_request(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    """Outline the selected request's bars, and its waiting in the queue."""
    request, slots = scene.request, where.band(Band.SLOTS)
    if request is None or slots is None:
        return
    data, view = scene.data, scene.view
    height = where.lane_height(data.lanes)
    painter.setPen(QPen(theme.text, 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for at in data.stays.of(request).tolist():
        left, right = where.x(float(data.stays.begin[at]), view), where.x(float(data.stays.end[at]), view)
        top = slots.top() + int(data.stays.lane[at]) * height
        painter.drawRect(QRectF(left, top, max(2.0, right - left), max(2.0, height - 1)))
    queue = where.band(Band.QUEUE)
    if queue is None:
        return
    waits = data.waits
    for at in np.flatnonzero((waits.request == request) & (waits.end > waits.begin)).tolist():
        left, right = where.x(float(waits.begin[at]), view), where.x(float(waits.end[at]), view)
        y = queue.top() + where.line * 0.6
        painter.setPen(QPen(theme.mark("preemption") if waits.again[at] else theme.text, 2))
        painter.drawLine(QPointF(left, y), QPointF(right, y))
        for x in (left, right):
            painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4))
        text = f"{name_of(scene, request)} {_duration(float(waits.end[at] - waits.begin[at]))}"
        visible = min(right, where.plot.right()) - max(left, where.plot.left())
        if painter.fontMetrics().horizontalAdvance(text) + 12 <= visible:
            area = QRectF(max(left, where.plot.left()) + 6, y + 1, visible, where.line)
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft, text)


def _duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{number_text.significant(seconds)} s"
    return f"{number_text.significant(seconds * 1000)} ms"


def _paint_pointer(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    if scene.pointer is None or not where.plot.contains(scene.pointer):
        return
    line = QColor(theme.text)
    line.setAlphaF(0.35)
    x = math.floor(scene.pointer.x())
    painter.fillRect(QRectF(x, where.plot.top(), 1, where.plot.height()), line)
