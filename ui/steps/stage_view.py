"""The stage as a widget: zoom by wheel and keys, pan by dragging, selection by click."""

import math

from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from ui.conductor.frame_clock import FRAME_MS
from ui.look.theme import Theme
from ui.steps.bands import Band
from ui.steps.colours import stage_colours
from ui.steps.frame import FrameJob
from ui.steps.frame_maker import FrameMaker, ShownFrame
from ui.steps.hints import hint_at
from ui.steps.marks import steps_in_view
from ui.steps.pixels import Window
from ui.steps.scene import Geometry, Scene, geometry_of, ticks
from ui.steps.stage_data import StageData
from ui.steps.stage_painter import paint_stage, stage_font
from ui.steps.viewport import Viewport

_MARGIN = 0.5
"""A frame reaches this share of the view beyond both its ends, for panning."""
_WHEEL_STEP = 1.25
_KEY_STEP = 1.5
_PAN_SHARE = 0.15
_CLICK_PX = 4
_PLAY_S = 20.0
"""Seconds in which the visible time passes when it is played."""
_STRETCH = 1.6
"""A frame is stretched by up to this factor while the view moves."""
_LIVE_S = 20.0
"""The newest seconds of the run's time that a followed record shows."""
_SETTLE_MS = 40
"""After this time without a movement, the frame is made for exactly this view."""


class StageView(QWidget):
    """Paints a record; emits what the user chooses."""

    request_chosen = Signal(object)
    """Place of a request in the record; None: nothing."""
    step_chosen = Signal(object)
    """Place of a step; None: nothing."""
    moved = Signal()
    """The view changed."""
    following_changed = Signal(bool)
    """True: a growing record's newest step stays in view."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.scene: Scene | None = None
        self._message = ""
        self._film = False
        """True for a demo's film, which shows all of its time."""
        self.following = False
        """True while the newest step of a growing record stays in view."""
        self._growing = False
        self._grown: StageData | None = None
        """The same record with more steps, shown once its first frame is made."""
        self._newest_s = _LIVE_S
        self._maker = FrameMaker(self)
        self._maker.made.connect(self._show_frame)
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._want_frame)
        self._play = QTimer(self, interval=FRAME_MS)
        self._play.timeout.connect(self._tick)
        self._ticked = QElapsedTimer()
        self._pressed: QPointF | None = None
        self._dragged = False
        self._grabbed: Viewport | None = None
        self._on_minimap = False
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Scheduler steps over time"))
        theme.changed.connect(self._redraw)

    def show_data(self, data: StageData | None, message: str = "", *, simulated: bool = False) -> None:
        """Show another record, or a message instead."""
        self._maker.forget()
        self._play.stop()
        self._message = message
        self._growing, self._grown = False, None
        if data is None or not len(data.arrays.steps):
            self.scene = None
        else:
            arrays = data.arrays
            view = Viewport.of_whole(arrays.begin, arrays.end, len(arrays.steps))
            self.scene = Scene(data, view, simulated=simulated)
        self._redraw()

    def show_film(self, data: StageData, end: float, upto: float) -> None:
        """Show a record up to a time, on an axis that ends at `end`."""
        if self.scene is None or self.scene.data is not data:
            self._maker.forget()
            self._film = True
            view = Viewport.of_whole(0.0, end, len(data.arrays.steps))
            self.scene = Scene(data, view, simulated=True, upto=upto)
            self._redraw()
        self.scene.upto = upto
        self.update()

    def show_growing(self, data: StageData, *, simulated: bool) -> None:
        """Show a record that is being written, or the same one after it has grown."""
        if self.scene is None or not self._growing:
            self.show_data(data, simulated=simulated)
            assert self.scene is not None
            self._growing, self._newest_s = True, _LIVE_S
            self.follow()
            return
        self._grown = data
        self._want_frame()

    def _take_growth(self) -> None:
        """Show the grown record, of which the first frame is made."""
        scene, data = self.scene, self._grown
        if scene is None or data is None:
            return
        self._grown = None
        scene.view = self._grown_view(scene, data)
        scene.take(data)
        scene.overview_due = True

    def _grown_view(self, scene: Scene, data: StageData) -> Viewport:
        view = scene.view.grown(data.arrays.begin, data.arrays.end, len(data.arrays.steps))
        return view.at_end(self._newest_s) if self.following and not self.playing else view

    def follow(self, *, on: bool = True) -> None:
        """Keep a growing record's newest step in view, or the present time."""
        if not (self._growing and self.scene is not None):
            return
        if on:
            self.set_view(self.scene.view.at_end(self._newest_s))
        self._set_following(on=on)

    def _set_following(self, *, on: bool) -> None:
        if on != self.following:
            self.following = on
            self.following_changed.emit(on)

    @property
    def playing(self) -> bool:
        """True while time runs."""
        return self._play.isActive()

    def play(self) -> None:
        """Let the view's time run from its begin, or stop and go on."""
        scene = self.scene
        if scene is None:
            return
        if self.playing:
            self._play.stop()
            return
        if scene.upto is None or not scene.view.begin <= scene.upto < scene.view.end:
            scene.upto = scene.view.begin
        self._ticked.start()
        self._play.start()

    def play_again(self) -> None:
        """Let the view's time run from its begin."""
        self.stop_playing()
        self.play()

    def stop_playing(self) -> None:
        """Show everything again."""
        self._play.stop()
        if self.scene is not None:
            self.scene.upto = None
        self._redraw()

    def _tick(self) -> None:
        scene = self.scene
        if scene is None or scene.upto is None:
            self._play.stop()
            return
        scene.upto += self._ticked.restart() / 1000 * scene.view.span / _PLAY_S
        if scene.upto >= scene.view.end:
            self.stop_playing()
        self.update()

    def select_request(self, request: int | None, culprits: frozenset[int] = frozenset()) -> None:
        """Highlight a request with its culprits."""
        if self.scene is None or (self.scene.request, self.scene.culprits) == (request, culprits):
            return
        self.scene.request, self.scene.culprits = request, culprits
        self._want_frame()
        self.update()

    def select_step(self, step: int | None) -> None:
        """Mark a step, and bring it into view."""
        if self.scene is None:
            return
        self.scene.step = step
        if step is not None:
            steps, view = self.scene.data.arrays.steps, self.scene.view
            middle = float(steps.begin[step] + steps.end[step]) / 2
            if not view.begin <= middle <= view.end:
                self.set_view(view.centred(middle))
        self.update()

    def show_span(self, begin: float, end: float) -> None:
        """Show a span of time with some room beside it."""
        if self.scene is not None:
            room = (end - begin) * 0.08
            self.set_view(self.scene.view.at(begin - room, end - begin + 2 * room))

    def set_view(self, view: Viewport) -> None:
        """Show another span of time."""
        if self.scene is not None and view != self.scene.view:
            self.scene.view = view
            if not self._maker.busy and not self._will_do():
                self._want_frame()
            self._settle.start()
            self.update()
            self.moved.emit()
            if self._growing:
                at_end = view.end >= view.whole_end - 1e-9
                if at_end:
                    self._newest_s = math.inf if view.is_whole else view.span
                self._set_following(on=at_end)

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Zoom around a place of the widget, or around the selected step or the middle."""
        if self.scene is None:
            return
        view = self.scene.view
        around = (view.begin + view.end) / 2 if x is None else self.geometry_now().t(x, view)
        if self._growing and self.following:
            around = view.end
        self.set_view(view.zoomed(factor, min(max(around, view.begin), view.end)))

    def show_whole(self) -> None:
        """Show the whole record."""
        if self.scene is not None:
            view = self.scene.view
            self.set_view(view.at(view.whole_begin, view.whole_end - view.whole_begin))

    def go_to_step(self, by: int) -> None:
        """Select the next step, or the one before; the first in view if none is selected."""
        if self.scene is None:
            return
        count = len(self.scene.data.arrays.steps)
        seen = steps_in_view(self.scene)
        at = self.scene.step
        step = (seen.start if len(seen) else 0) if at is None else min(max(at + by, 0), count - 1)
        self.select_step(step)
        self.step_chosen.emit(step)

    def geometry_now(self) -> Geometry:
        """Return where everything is."""
        scene = self.scene
        metrics = QFontMetricsF(stage_font(self.font()))
        return geometry_of(QRectF(self.rect()), metrics, scene.data if scene else None, film=self._film)

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        line = self.fontMetrics().height()
        return QSize(50 * line, 20 * line)

    def minimumSizeHint(self) -> QSize:
        """Qt: return the minimum size."""
        line = self.fontMetrics().height()
        return QSize(16 * line, 6 * line)

    def _redraw(self) -> None:
        """Make all frames anew."""
        if self.scene is not None:
            self.scene.frame = self.scene.overview = None
            self._want_frame()
        self.update()

    def _want_frame(self, *, overview: bool = False) -> None:
        """Make a frame of the view, or of everything, which comes first."""
        scene = self.scene
        if scene is None or self.width() < 50:
            return
        overview = overview or scene.overview is None
        data, view = scene.data, scene.view
        if self._grown is not None and not overview:
            data, view = self._grown, self._grown_view(scene, self._grown)
        where, ratio = self.geometry_now(), self.devicePixelRatioF()
        width = round(where.plot.width() * ratio)
        if overview:
            window = Window(view.whole_begin, width / (view.whole_end - view.whole_begin), width)
        else:
            per_s = width / view.span
            begin = max(view.whole_begin, view.begin - _MARGIN * view.span)
            end = min(view.whole_end, view.end + _MARGIN * view.span)
            # On a whole pixel of the view, so that an unstretched frame stays sharp.
            begin = view.begin - round((view.begin - begin) * per_s) / per_s
            window = Window(begin, per_s, max(1, round((end - begin) * per_s)))
        self._maker.want(
            FrameJob(
                data=data,
                window=window,
                places=where.places,
                ratio=ratio,
                colours=stage_colours(
                    self._theme, len(data.arrays.classes), unknown="" in data.arrays.classes
                ),
                overview=overview,
                grid=() if overview else self._grid(window),
                highlighted=frozenset() if overview else scene.highlighted,
            )
        )

    def _grid(self, window: Window) -> tuple[float, ...]:
        """Return the times of the ruler, continued over a frame that is wider than the view."""
        assert self.scene is not None
        step, _ = ticks(self.scene.view, self.geometry_now())
        count = math.floor(window.end / step) - math.ceil(window.begin / step) + 1
        return tuple((math.ceil(window.begin / step) + nth) * step for nth in range(count))

    def _show_frame(self, frame: ShownFrame) -> None:
        scene = self.scene
        if scene is None:
            return
        if self._grown is not None and frame.data is self._grown:
            self._take_growth()
        if frame.overview:
            scene.overview, scene.overview_due = frame, False
            if scene.frame is None or not self._fits(scene.frame):
                self._want_frame()
        else:
            scene.frame = frame
            if scene.overview_due:
                self._want_frame(overview=True)
            elif not self._fits(frame):
                self._settle.start()
        self.update()

    def _will_do(self) -> bool:
        """Return True if the frame, stretched a little, serves until the view rests."""
        scene = self.scene
        if scene is None or scene.frame is None:
            return False
        window, view = scene.frame.window, scene.view
        per_s = self.geometry_now().plot.width() * self.devicePixelRatioF() / view.span
        covers = window.begin <= view.begin and window.end >= view.end
        return covers and 1 / _STRETCH <= window.per_s / per_s <= _STRETCH

    def _fits(self, frame: ShownFrame) -> bool:
        """Return True if a frame is of this scale and covers the view."""
        assert self.scene is not None
        view, window = self.scene.view, frame.window
        per_s = self.geometry_now().plot.width() * self.devicePixelRatioF() / view.span
        covers = window.begin <= view.begin + 1 / per_s and window.end >= view.end - 1 / per_s
        return covers and abs(window.per_s / per_s - 1) < 1e-6

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.background)
        painter.setFont(stage_font(self.font()))
        if self.scene is None:
            painter.setPen(self._theme.secondary)
            area = self.rect().adjusted(24, 0, -24, 0)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(area, flags, self._message)
        else:
            paint_stage(painter, self.scene, self.geometry_now(), self._theme)
        if self.hasFocus():
            painter.setPen(self._theme.axis)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: make frames of the new size."""
        super().resizeEvent(event)
        self._redraw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: zoom at the pointer; with Shift or sideways, pan."""
        scene = self.scene
        if scene is None:
            return
        delta = event.angleDelta()
        sideways = delta.x() or (delta.y() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0)
        if sideways:
            self.set_view(scene.view.moved(-sideways / 120 * _PAN_SHARE * scene.view.span))
        elif delta.y():
            self.zoom(_WHEEL_STEP ** (delta.y() / 120), event.position().x())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: zoom, pan and step with keys."""
        scene = self.scene
        keys = Qt.Key
        pan = {
            keys.Key_Left: -_PAN_SHARE,
            keys.Key_Right: _PAN_SHARE,
            keys.Key_PageUp: -0.9,
            keys.Key_PageDown: 0.9,
        }
        key = keys(event.key())
        if scene is None:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier and key in {
            keys.Key_Left,
            keys.Key_Right,
        }:
            self.go_to_step(-1 if key == keys.Key_Left else 1)
        elif key in pan:
            self.set_view(scene.view.moved(pan[key] * scene.view.span))
        elif key in {keys.Key_Up, keys.Key_Plus, keys.Key_Equal}:
            self.zoom(_KEY_STEP)
        elif key in {keys.Key_Down, keys.Key_Minus}:
            self.zoom(1 / _KEY_STEP)
        elif key in {keys.Key_Home, keys.Key_0}:
            self.show_whole()
        elif key == keys.Key_End:
            self.set_view(scene.view.at_end(scene.view.span))
        elif key == keys.Key_Space:
            self.play()
        elif key == keys.Key_Escape and scene.upto is not None:
            self.stop_playing()
        elif key == keys.Key_Escape and (scene.request is not None or scene.step is not None):
            self.choose(None, None)
        else:
            super().keyPressEvent(event)

    def choose(self, request: int | None, step: int | None) -> None:
        """Select as if by a click."""
        self.select_step(step)
        self.select_request(request)
        self.request_chosen.emit(request)
        self.step_chosen.emit(step)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: begin a click or a drag."""
        if self.scene is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._pressed, self._dragged = event.position(), False
        self._grabbed = self.scene.view
        self._on_minimap = self.geometry_now().minimap.contains(event.position())
        if self._on_minimap:
            self._go_by_minimap(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: pan while a button is held; else follow the pointer."""
        scene = self.scene
        if scene is None:
            return
        scene.pointer = event.position()
        if self._pressed is not None and self._grabbed is not None:
            if self._on_minimap:
                self._go_by_minimap(event.position().x())
            elif self._dragged or (event.position() - self._pressed).manhattanLength() > _CLICK_PX:
                self._dragged = True
                seconds = (self._pressed.x() - event.position().x()) / self.geometry_now().plot.width()
                self.set_view(self._grabbed.moved(seconds * self._grabbed.span))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: end a drag, or select what was clicked."""
        pressed, self._pressed = self._pressed, None
        if self.scene is not None and pressed is not None and not self._dragged and not self._on_minimap:
            self.choose(*self.found_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt: zoom to the request or the step."""
        if self.scene is None:
            return
        request, step = self.found_at(event.position())
        data = self.scene.data
        if request is not None:
            stays = data.stays.of(request)
            self.show_span(float(data.stays.begin[stays[0]]), float(data.stays.end[stays[-1]]))
        elif step is not None:
            steps = data.arrays.steps
            span = float(steps.end[step] - steps.begin[step])
            self.show_span(float(steps.begin[step]) - 2 * span, float(steps.end[step]) + 2 * span)

    def leaveEvent(self, _event: QEvent) -> None:
        """Qt: the pointer is gone."""
        if self.scene is not None:
            self.scene.pointer = None
            self.update()

    def event(self, event: QEvent) -> bool:
        """Qt: say what is under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.scene is not None:
            text = hint_at(self.scene, self.geometry_now(), QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def found_at(self, place: QPointF) -> tuple[int | None, int | None]:
        """Return the request and the step at a place of the widget."""
        scene, where = self.scene, self.geometry_now()
        assert scene is not None
        band = where.band_at(place.y())
        if band is None or not where.plot.left() <= place.x() <= where.plot.right():
            return None, None
        t = where.t(place.x(), scene.view)
        if band is Band.SLOTS:
            slack = 2 * scene.view.span / where.plot.width()
            request = request_at(scene, where.lane_at(place.y(), scene.data.lanes), t, slack)
            if request is not None:
                return request, scene.step
        step = scene.data.arrays.step_at(t)
        return None, step if step >= 0 else None

    def _go_by_minimap(self, x: float) -> None:
        assert self.scene is not None
        minimap, view = self.geometry_now().minimap, self.scene.view
        share = (x - minimap.left()) / minimap.width()
        self.set_view(view.centred(view.whole_begin + share * (view.whole_end - view.whole_begin)))


def request_at(scene: Scene, lane: int, t: float, slack: float) -> int | None:
    """Return the request in a lane at a time, or the nearest one within `slack` seconds."""
    stays = scene.data.stays
    away = (stays.begin - t).clip(0) + (t - stays.end).clip(0)
    away[stays.lane != lane] = float("inf")
    if not len(away):
        return None
    nearest = int(away.argmin())
    return int(stays.request[nearest]) if away[nearest] <= slack else None
