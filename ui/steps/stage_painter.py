"""Paints a scene: the frame's pictures, moved and stretched to the view, and on them marks and text."""

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from ui.language import number_text
from ui.look.theme import Theme, blend
from ui.steps.bands import Band
from ui.steps.frame_maker import ShownFrame
from ui.steps.hints import reason_name
from ui.steps.marks import paint_limits, paint_marks
from ui.steps.scene import Geometry, Scene, ticks
from ui.steps.step_arrays import REASONS

SMALL = 0.88
"""Letters of the stage, of the window's."""


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("stage", text)


def stage_font(font: QFont) -> QFont:
    """Return the font of the stage for a widget's font."""
    small = QFont(font)
    small.setPointSizeF(small.pointSizeF() * SMALL)
    small.setFeature(QFont.Tag("tnum"), 1)
    return small


def paint_stage(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    """Paint everything; the painter has the stage's font."""
    _paint_minimap(painter, scene, where, theme)
    _paint_ruler(painter, scene, where, theme)
    for place in where.places:
        rect = where.rect(place)
        if scene.overview is not None and not _covers(scene.frame, scene):
            _paint_frame(painter, scene, scene.overview, place.band, rect)
        if scene.frame is not None:
            _paint_frame(painter, scene, scene.frame, place.band, rect)
        _paint_name(painter, scene, place.band, rect, theme, where.line)
        if place.band is not Band.WHY:
            painter.fillRect(QRectF(rect.left(), rect.bottom(), rect.width(), 1), theme.axis)
    painter.save()
    if scene.upto is not None:
        # What hasn't happened yet isn't shown, not even by a name or an arrow.
        end = where.x(scene.upto, scene.view)
        painter.setClipRect(QRectF(0, where.plot.top() - 2, end, where.plot.height() + 4))
    _paint_reasons(painter, scene, where, theme)
    paint_marks(painter, scene, where, theme)
    painter.restore()
    paint_limits(painter, scene, where, theme)


def _paint_reasons(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    """Write why the head of the queue waited, where there is room."""
    band, frame = where.band(Band.WHY), scene.frame or scene.overview
    if band is None or frame is None:
        return
    painter.setPen(theme.text)
    for begin, end, code in frame.reasons:
        left = max(band.left(), where.x(begin, scene.view))
        width = min(band.right(), where.x(end, scene.view)) - left
        name = reason_name(REASONS[code])
        if scene.upto is not None and REASONS[code] == "seat" and scene.data.lanes < scene.data.arrays.slots:
            # Slots are free, so it is a static batch, which takes nobody in.
            name = _t("the batch to end")
        if painter.fontMetrics().horizontalAdvance(name) + 8 <= width:
            area = QRectF(left + 4, band.top() - 2, width, band.height() + 2)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, name)


def _covers(frame: ShownFrame | None, scene: Scene) -> bool:
    return frame is not None and frame.window.begin <= scene.view.begin and frame.window.end >= scene.view.end


def _paint_frame(painter: QPainter, scene: Scene, frame: ShownFrame, band: Band, rect: QRectF) -> None:
    """Draw the part of a frame that the view shows, stretched in time if its scale differs."""
    image = frame.images.get(band)
    if image is None:
        return
    view, window = scene.view, frame.window
    begin, end = max(view.begin, window.begin), min(view.end, window.end)
    if scene.upto is not None:
        end = min(end, scene.upto)
    if begin >= end:
        return
    per_s = rect.width() / view.span
    target = QRectF(
        rect.left() + (begin - view.begin) * per_s, rect.top(), (end - begin) * per_s, rect.height()
    )
    source = QRectF((begin - window.begin) * window.per_s, 0, (end - begin) * window.per_s, image.height())
    painter.drawImage(target, image, source)


def _paint_minimap(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    """Draw the whole record, and where in it the view is."""
    area, view = where.minimap, scene.view
    if not area.height():
        return
    painter.fillRect(area, blend(theme.text, theme.background, 0.05))
    overview = scene.overview
    if overview is not None:
        slots, queue = overview.images.get(Band.SLOTS), overview.images.get(Band.QUEUE)
        upper = area.height() * 0.35 if queue is not None else 0.0
        if queue is not None:
            painter.drawImage(QRectF(area.left(), area.top(), area.width(), upper), queue)
        if slots is not None:
            painter.drawImage(area.adjusted(0, upper, 0, 0), slots)
    if view.is_whole:
        return
    per_s = area.width() / (view.whole_end - view.whole_begin)
    left = area.left() + (view.begin - view.whole_begin) * per_s
    width = max(3.0, view.span * per_s)
    veil = QColor(theme.background)
    veil.setAlphaF(0.65)
    painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), veil)
    painter.fillRect(QRectF(left + width, area.top(), area.right() - left - width, area.height()), veil)
    painter.setPen(QPen(theme.text, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(
        QRectF(round(left) + 0.5, area.top() + 0.5, max(2.0, round(width) - 1), area.height() - 1)
    )


def _paint_ruler(painter: QPainter, scene: Scene, where: Geometry, theme: Theme) -> None:
    step, times = ticks(scene.view, where)
    widest = where.tick_width
    mark = f"{number_text.SIMULATED} " if scene.simulated else ""
    painter.setPen(theme.secondary)
    area = where.ruler
    for t in times:
        x = where.x(t, scene.view)
        place = x - widest / 2
        if place + widest / 2 < area.left() or place + widest * 0.75 > area.right() + 8:
            continue
        text = number_text.seconds(t, step)
        painter.drawText(QRectF(place, area.top(), widest, area.height()), Qt.AlignmentFlag.AlignCenter, text)
    name = QRectF(0, area.top(), area.left() - 6, area.height())
    painter.drawText(name.adjusted(8, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, mark + _t("Time"))


def _paint_name(painter: QPainter, scene: Scene, band: Band, rect: QRectF, theme: Theme, line: float) -> None:
    title, scale = _words(scene, band)
    area = QRectF(8, rect.top(), rect.left() - 14, line)
    painter.setPen(theme.text)
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
    painter.setPen(theme.secondary)
    painter.drawText(
        area.translated(0, line if title else -0.1 * line),
        Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
        scale,
    )


def _words(scene: Scene, band: Band) -> tuple[str, str]:
    """Return a band's name and the value at its upper edge."""
    scales, count = scene.data.scales, number_text.count
    match band:
        case Band.QUEUE:
            return _t("Waiting"), _t("up to {0}").format(count(scales.queue))
        case Band.SLOTS:
            used, limit = int(scene.data.stays.lane.max(initial=-1)) + 1, scene.data.arrays.slots
            return _t("Slots"), _t("up to {0} of {1}").format(count(used), count(limit))
        case Band.BUDGET:
            return _t("Budget"), _t("{0} tokens").format(count(scales.budget))
        case Band.TIME:
            return _t("Step time"), _t("up to {0} ms").format(number_text.significant(scales.time_s * 1000))
        case Band.KV:
            return _t("KV blocks"), count(scales.blocks)
        case Band.WHY:
            return "", _t("head waits for")
