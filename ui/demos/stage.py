"""A demo's stage: the scheduler of the variant that plays, up to the present moment."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.demos.player import DemoPlayer
from ui.look.theme import Theme
from ui.steps.legend import Legend
from ui.steps.stage_view import StageView


class DemoStage(QWidget):
    """Shown during a demo, between its banner and its plots."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.view = StageView(theme)
        self._legend = Legend(theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        layout.setSpacing(0)
        layout.addWidget(self._legend)
        layout.addWidget(self.view, 1)
        self.setVisible(False)

    def show_player(self, player: DemoPlayer) -> None:
        """Show the present moment; hide without a demo."""
        reel, name = player.reel, player.current
        self.setVisible(reel is not None)
        if reel is None:
            self.view.show_data(None)
            return
        first = name is None
        data = reel.stages[reel.names[0] if name is None else name]
        self._legend.show_classes(data.arrays.classes)
        self.view.show_film(data, reel.length, 0.0 if first else min(player.t, reel.length))

    def changeEvent(self, event: QEvent) -> None:
        """Qt: fit the legend to the new font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_legend"):
            self._legend.updateGeometry()
