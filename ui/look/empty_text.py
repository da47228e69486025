"""A text in an empty list or table: what will be here, and how it gets here."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QLabel

from ui.look.theme import Theme


class EmptyText(QLabel):
    """Covers the view while it has no rows; the mouse reaches through it."""

    def __init__(
        self, view: QAbstractItemView, theme: Theme, text: str, model: QAbstractItemModel | None = None
    ) -> None:
        """`model` is the source of a filtered view, which may be empty for another reason."""
        super().__init__(text, view.viewport())
        self._view, self._theme = view, theme
        self._model = model or view.model()
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.viewport().installEventFilter(self)
        held = self._model
        for moved in (held.rowsInserted, held.rowsRemoved, held.modelReset, held.layoutChanged):
            moved.connect(self._look)
        theme.changed.connect(self._tint)
        self._tint()
        self._look()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: cover the view."""
        if event.type() == QEvent.Type.Resize:
            self._cover()
        return super().eventFilter(watched, event)

    def _look(self) -> None:
        self._cover()
        self.setVisible(self._model.rowCount() == 0)

    def _cover(self) -> None:
        """Cover the view, with a margin if there is room."""
        line, room = self.fontMetrics().height(), self._view.viewport().size()
        self.setMargin(line if room.height() > 4 * line else 0)
        self.resize(room)

    def _tint(self) -> None:
        palette = self.palette()
        for role in (palette.ColorRole.WindowText, palette.ColorRole.Text):
            palette.setColor(role, self._theme.secondary)
        self.setPalette(palette)
