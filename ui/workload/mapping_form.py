"""The columns of an unknown file: one choice for each field, and the file's first rows."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from ui.forms import Choice, Form
from ui.look.theme import Theme

if TYPE_CHECKING:
    from workbench.traces import TablePreview

FIELDS = ("timestamp", "input_length", "output_length", "class", "session_id", "turn")
"""Fields that can be mapped here; the command line has more."""
_OBLIGATORY = FIELDS[:3]
_ROWS_SHOWN = 6


class MappingForm(QWidget):
    """`changed` after each choice; `text` is the mapping for the core, None while incomplete."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._form = Form(theme)
        titles = {
            "timestamp": self.tr("&Arrives at"),
            "input_length": self.tr("&Prompt tokens"),
            "output_length": self.tr("&Output tokens"),
            "class": self.tr("&Class"),
            "session_id": self.tr("&Session"),
            "turn": self.tr("&Turn"),
        }
        self.choices = {name: Choice([]) for name in FIELDS}
        self.unit = Choice(
            [
                ("", self.tr("by its values")),
                ("s", self.tr("seconds")),
                ("ms", self.tr("milliseconds")),
                ("us", self.tr("microseconds")),
                ("ns", self.tr("nanoseconds")),
            ]
        )
        for name, choice in self.choices.items():
            self._form.add(name, titles[name], choice)
            choice.chosen.connect(lambda _value: self._announce())
        self._form.add("unit", self.tr("Time &unit"), self.unit)
        self.unit.chosen.connect(lambda _value: self._announce())
        self.table = QTableWidget()
        self.table.setAccessibleName(self.tr("First rows of the file"))
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 4)
        self.table.setFixedHeight(self.fontMetrics().height() * (_ROWS_SHOWN + 2))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table)
        layout.addWidget(self._form)

    def show_table(self, found: "TablePreview") -> None:
        """Show the file's columns and first rows, with the suggested mapping."""
        for name, choice in self.choices.items():
            missing = self.tr("choose") if name in _OBLIGATORY else self.tr("none")
            choice.set_options([("", missing), *((column, column) for column in found.columns)])
            choice.setCurrentIndex(max(0, choice.findData(found.suggestion.get(name, ""))))
        self.unit.show_value("")
        self.table.setColumnCount(len(found.columns))
        self.table.setHorizontalHeaderLabels(list(found.columns))
        self.table.setRowCount(len(found.records))
        for row, record in enumerate(found.records):
            for at, column in enumerate(found.columns):
                value = record.get(column)
                self.table.setItem(row, at, QTableWidgetItem("" if value is None else str(value)))
        self.table.resizeColumnsToContents()
        self._announce()

    def text(self) -> str | None:
        """Return `timestamp=ts@ms,input_length=in,…`; None while a required field has no column."""
        chosen = {name: str(choice.currentData() or "") for name, choice in self.choices.items()}
        if not all(chosen[name] for name in _OBLIGATORY):
            return None
        unit = self.unit.currentData()
        if unit:
            chosen["timestamp"] += f"@{unit}"
        return ",".join(f"{name}={column}" for name, column in chosen.items() if column)

    def _announce(self) -> None:
        asked = self.tr("Choose its column.")
        missing = {name: asked for name in _OBLIGATORY if not self.choices[name].currentData()}
        self._form.show_problems(missing)
        self.changed.emit()
