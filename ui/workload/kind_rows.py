"""Rows of the load form for some kinds of experiment only."""

from typing import Any

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QWidget

from ui.experiment.baseline_model import parse
from ui.experiment.draft import Draft, suggested_values
from ui.experiment.editor import Editor
from ui.forms import Choice, DecimalField, Form, OptionalNumber, PathField, TextField
from ui.language.number_text import plain
from ui.language.translation import translate_control
from workbench.controls import CONTROLS

_OF_KIND = {
    "reproduces": "reproduce",
    "second": "confirm",
    "burst_factor": "burst",
    "burst_s": "burst",
    "burst_at": "burst",
    "block_s": "switchback",
    "washout_s": "switchback",
    "search_gain": "search",
    "search_minutes": "search",
}
"""The kind that each row belongs to."""


class KindRows(QWidget):
    """Adds its rows to a form and fills them; it is never shown itself."""

    def __init__(self, form: Form, editor: Editor) -> None:
        super().__init__(form)
        self.hide()
        self._form, self.editor = form, editor
        self._bench = PathField(self.tr("Open bench file"), self.tr("Bench files (*.bench);;All files (*)"))
        self._second = Choice(
            [(name, translate_control(control.title)) for name, control in CONTROLS.items()]
        )
        self._second_value = TextField(self.tr("value"))
        self._numbers: dict[str, tuple[DecimalField, str]] = {
            "burst_factor": (DecimalField(1.01, 1000, "×"), self.tr("burst {0} ×")),
            "burst_s": (DecimalField(0.1, 1e5, "s"), self.tr("burst for {0} s")),
            "burst_at": (DecimalField(0.1, 1e6, "s"), self.tr("burst at {0} s")),
            "block_s": (DecimalField(1, 1e5, "s"), self.tr("blocks of {0} s")),
            "washout_s": (DecimalField(0, 1e5, "s"), self.tr("wash-out {0} s")),
            "search_gain": (DecimalField(0.1, 1000, "%"), self.tr("gains of {0} %")),
        }
        self._minutes = OptionalNumber(self.tr("min"), self.tr("no limit"))
        self._ladder: dict[str, DecimalField] = {
            "ladder_from": DecimalField(0.001, 1e6),
            "ladder_to": DecimalField(0.001, 1e6),
            "ladder_factor": DecimalField(1, 100, "×"),
        }
        self._adaptive = QCheckBox(self.tr("stop at overload"))
        self._wire()

    def add_first(self) -> None:
        """Add the rows that a kind needs."""
        tr, add = self.tr, self._form.add
        add("reproduces", tr("&Bench file"), self._bench, tr("Its plan is measured again and compared"))
        pair = self._row(self._second, self._second_value)
        self._second.setAccessibleName(tr("Second control"))
        self._second_value.setAccessibleName(tr("Value of the second control"))
        add("second", tr("&With"), pair, tr("The second control: each is tested alone, then both together"))
        for id_, label, tip in (
            ("burst_factor", tr("Burst o&f"), tr("Times the normal rate")),
            ("burst_s", tr("Burst fo&r"), tr("Length of the burst")),
            ("burst_at", tr("Burst a&t"), tr("Seconds from the run's start to the burst's")),
            ("block_s", tr("Bloc&ks of"), tr("Interval at which the value alternates")),
            ("washout_s", tr("&Wash-out"), tr("Requests due this soon after a change are not counted")),
            ("search_gain", tr("Gai&n from"), tr("Smallest expected gain that is worth another run")),
        ):
            add(id_, label, self._numbers[id_][0], tip)
        add("search_minutes", tr("Wit&hin"), self._minutes, tr("Time that all runs may take together"))

    def add_ladder(self) -> None:
        """Add the rows of a ladder of rates."""
        tr = self.tr
        for name, words in (
            ("ladder_from", tr("Lowest rate")),
            ("ladder_to", tr("Highest rate")),
            ("ladder_factor", tr("Factor between rates")),
        ):
            self._ladder[name].setAccessibleName(words)
            self._ladder[name].setToolTip(words)
        ends = self._row(
            self._ladder["ladder_from"], QLabel("–"), self._ladder["ladder_to"], self._ladder["ladder_factor"]
        )
        self._form.add("ladder", tr("Req/s"), ends, tr("Lowest rate, highest rate, factor between rates"))
        self._form.add(
            "ladder_adaptive",
            "",
            self._adaptive,
            tr("Rates rise until one is too much; then the last step is bisected to find the capacity"),
        )
        self._adaptive.setAccessibleName(self._adaptive.text())

    def _row(self, *parts: QWidget) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        for part in parts:
            line.addWidget(part, 0 if isinstance(part, QLabel) else 1)
        row.setFocusProxy(parts[0])
        return row

    def _wire(self) -> None:
        edit, tr = self.editor.edit, self.tr
        self._bench.edited.connect(lambda text: edit(tr("bench file"), reproduces=text.strip()))
        self._second.chosen.connect(self._set_second)
        self._minutes.edited.connect(
            lambda minutes: edit(tr("search within {0} min").format(minutes), search_minutes=minutes)
        )
        self._second_value.edited.connect(self._set_second_value)
        for name, (field, label) in self._numbers.items():
            field.edited.connect(
                lambda value, key=name, said=label: edit(said.format(plain(value)), merge=key, **{key: value})
            )
        for name, field in self._ladder.items():
            field.edited.connect(
                lambda value, key=name: edit(tr("ladder of rates"), merge=key, **{key: value})
            )
        self._adaptive.clicked.connect(
            lambda on: edit(tr("stop at overload") if on else tr("all rates"), ladder_adaptive=on)
        )

    def _set_second(self, name: str) -> None:
        draft = self.editor.draft
        values = suggested_values(name, draft.baseline.get(name))
        label = self.tr("with {0}").format(translate_control(CONTROLS[name].title).lower())
        self.editor.edit(label, second=name, second_value=values[0] if values else None)

    def _set_second_value(self, text: str) -> None:
        control = CONTROLS.get(self.editor.draft.second)
        value: Any = parse(control, text) if control else text
        self.editor.edit(self.tr("with {0}").format(text), second_value=value)

    def show_draft(self, draft: Draft) -> None:
        """Show the draft, and only the rows of its kind."""
        self._bench.show_value(draft.reproduces)
        self._second.show_value(draft.second or None)
        self._second_value.show_value("" if draft.second_value is None else plain(draft.second_value))
        for name, (field, _) in self._numbers.items():
            field.show_value(getattr(draft, name))
        self._minutes.show_value(draft.search_minutes)
        for name, field in self._ladder.items():
            field.show_value(getattr(draft, name))
        self._adaptive.setChecked(draft.ladder_adaptive)
        for id_, kind in _OF_KIND.items():
            self._form.set_row_visible(id_, on=draft.kind == kind)
        for id_ in ("ladder", "ladder_adaptive"):
            self._form.set_row_visible(id_, on=draft.loop == "ladder" and draft.kind != "reproduce")
