"""The panels around the plots in one list: name, title, first place, maker.

A new panel is one entry in `DOCKS`. Its `make` imports the panel, so that the list itself loads quickly; a
`ui.window.panel.Panel` gets the changes of the plan.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from ui.look import tokens
from ui.window.message_bar import Remedy
from ui.window.panel import Panel
from ui.window.window_parts import WindowParts

Areas = Qt.DockWidgetArea

_SIDES = {Areas.LeftDockWidgetArea: (46, 0), Areas.RightDockWidgetArea: (46, tokens.INSIGHTS_PX)}
"""Initial width in average characters, and its least in pixels."""
_BOTTOM_LINES = 12
_LEAST_BOTTOM_LINES = 7


def _n(text: str) -> str:
    """Mark `text` for translation in the context docks."""
    return str(QT_TRANSLATE_NOOP("docks", text))


@dataclass(frozen=True)
class DockSpec:
    """One panel."""

    name: str
    title: str
    area: Qt.DockWidgetArea
    """Bottom panels become tabs, the first of the list in front; others are stacked."""
    make: Callable[[WindowParts], QWidget]
    """Called once, when the window is made."""


def _requests(window: WindowParts) -> QWidget:
    from ui.requests import RequestsPanel  # noqa: PLC0415 - as said above

    room = RequestsPanel(window.theme)
    window.scorecard.run_chosen.connect(room.show_run)
    return room


def _steps(window: WindowParts) -> QWidget:
    from ui.steps import StepsPanel  # noqa: PLC0415 - as said above

    room = StepsPanel(window.theme)
    window.scorecard.run_chosen.connect(room.show_run)
    room.said.connect(lambda level, text: window.messages.show_message(level, text, key="steps"))
    window.closed.connect(room.forking.cancel)
    return room


def _session(window: WindowParts) -> QWidget:
    from ui.session import SessionPanel  # noqa: PLC0415 - as said above

    room = SessionPanel(window.theme, window.editor, window.settings.path.with_name("tuning.session.json"))
    room.bench_wanted.connect(window.documents.bench_chosen)
    room.said.connect(lambda text: window.messages.show_message("warning", text, key="session"))
    return room


def _server(window: WindowParts) -> QWidget:
    from ui.server.server_panel import ServerPanel  # noqa: PLC0415 - as said above

    room = ServerPanel(window.theme, window.editor, window.settings.path.with_name("servers.json"))

    def offer(text: str) -> None:
        remedies = tuple(Remedy(words, call) for words, call in room.remedies())
        window.messages.show_message("error", text, key="server", remedies=remedies)

    room.failed.connect(offer)
    room.memory.gpu.show_value(window.settings.value.sizing_gpu)
    room.memory.gpu.changed.connect(lambda gpu: window.settings.change(sizing_gpu=gpu))
    room.said.connect(lambda level, text: window.messages.show_message(level, text, key="server"))
    room.control_wanted.connect(window.experiment.show_control)
    window.closed.connect(room.trial.end)
    return room


DOCKS: tuple[DockSpec, ...] = (
    DockSpec("experiment", _n("Experiment"), Areas.LeftDockWidgetArea, attrgetter("experiment")),
    DockSpec("insights", _n("Insights"), Areas.RightDockWidgetArea, attrgetter("insights")),
    DockSpec("scorecard", _n("Scorecard"), Areas.BottomDockWidgetArea, attrgetter("scorecard")),
    DockSpec("requests", _n("Requests"), Areas.BottomDockWidgetArea, _requests),
    DockSpec("steps", _n("Steps"), Areas.BottomDockWidgetArea, _steps),
    DockSpec("session", _n("Session"), Areas.BottomDockWidgetArea, _session),
    DockSpec("server", _n("Server"), Areas.BottomDockWidgetArea, _server),
    DockSpec("log", _n("Log"), Areas.BottomDockWidgetArea, attrgetter("log")),
)


def make_docks(window: WindowParts) -> dict[str, QDockWidget]:
    """Return one dock for each of `DOCKS`, by name."""
    docks: dict[str, QDockWidget] = {}
    bottom: list[QDockWidget] = []
    for spec in DOCKS:
        dock = QDockWidget(QCoreApplication.translate("docks", spec.title), window)
        dock.setObjectName(spec.name)
        content = spec.make(window)
        dock.setWidget(content)
        if isinstance(content, Panel):
            dock.visibilityChanged.connect(content.notify_visible)
        window.addDockWidget(spec.area, dock)
        docks[spec.name] = dock
        if spec.area == Areas.BottomDockWidgetArea:
            bottom.append(dock)
            # The tallest one would take its height from the plots, in front or not.
            content.setMinimumHeight(window.fontMetrics().height() * _LEAST_BOTTOM_LINES)
        else:
            characters, least = _SIDES[spec.area]
            width = max(window.fontMetrics().averageCharWidth() * characters, least)
            window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
    _tab_bottom(window, bottom)
    _link_steps(docks)
    return docks


def _tab_bottom(window: QMainWindow, bottom: list[QDockWidget]) -> None:
    window.setTabPosition(Areas.BottomDockWidgetArea, window.tabPosition(Areas.TopDockWidgetArea))
    for behind in bottom[1:]:
        window.tabifyDockWidget(bottom[0], behind)
    bottom[0].raise_()
    height = window.fontMetrics().height() * _BOTTOM_LINES
    window.resizeDocks(bottom[:1], [height], Qt.Orientation.Vertical)


def _link_steps(docks: dict[str, QDockWidget]) -> None:
    """Connect the panels of requests and steps: what is selected in one is highlighted in the other."""
    from ui.requests import RequestsPanel  # noqa: PLC0415 - as said above
    from ui.steps import StepsPanel  # noqa: PLC0415 - as said above

    requests, steps = docks["requests"].widget(), docks["steps"].widget()
    assert isinstance(requests, RequestsPanel)
    assert isinstance(steps, StepsPanel)
    requests.request_chosen.connect(steps.follow_request)
    steps.request_chosen.connect(requests.choose_request)

    def show(run: str, request: str) -> None:
        docks["steps"].show()
        docks["steps"].raise_()
        steps.show_request(run, request)

    requests.steps_wanted.connect(show)
