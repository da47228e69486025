"""Service-level objectives, overall and for each class of the trace."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from ui.experiment.editor import Editor
from ui.forms import Form, OptionalNumber
from ui.language import number_text
from ui.language.number_text import plain
from ui.look.theme import Theme


class ObjectivesForm(Form):
    """One optional limit in each row, for all requests or for the chosen class."""

    def __init__(self, editor: Editor, theme: Theme) -> None:
        super().__init__(theme)
        self.editor = editor
        self._classes: tuple[str, ...] = ()
        self._scope = QComboBox()
        self._scope.setEditable(True)
        self._scope.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._scope.setMinimumContentsLength(6)
        self._scope.activated.connect(lambda _index: self.show_draft())
        entry = self._scope.lineEdit()
        assert entry is not None
        entry.returnPressed.connect(self.show_draft)
        self.add("scope", self.tr("&Of"), self._scope, self.tr("All requests, or a class of the trace"))
        self._fields: dict[str, OptionalNumber] = {}
        for name, label, unit, tip in self._limits():
            field = OptionalNumber(unit, self.tr("none"))
            field.edited.connect(lambda value, key=name: self._set(key, value))
            self.add(f"objectives.{name}", label, field, tip)
            self._fields[name] = field
        self._fill_scopes()

    def _limits(self) -> tuple[tuple[str, str, str, str], ...]:
        tr = self.tr
        return (
            (
                "ttft_p95_ms",
                tr("p95 &TTFT"),
                "ms",
                tr("Time from due to the first token that 95 of 100 requests must meet"),
            ),
            ("itl_p95_ms", tr("p95 &ITL"), "ms", tr("Gap between tokens")),
            ("e2e_p95_ms", tr("p95 &E2E"), "ms", tr("Time from due to the end of the request")),
            ("queue_p95_ms", tr("p95 &queue"), "ms", tr("Time in the server's queue until first scheduled")),
            ("error_rate", tr("E&rrors"), "%", tr("Failed, rejected, timed out or unfinished")),
            ("preemptions", tr("Pree&mptions"), "", tr("Over the whole run")),
        )

    def set_classes(self, names: Sequence[str]) -> None:
        """Set the trace's classes."""
        if tuple(names) != self._classes:
            self._classes = tuple(names)
            self._fill_scopes()

    def _scopes(self) -> list[str]:
        """Return the classes to choose from; none if there is only one."""
        offered = self._classes if len(self._classes) > 1 else ()
        return sorted({*offered, *self.editor.draft.class_objectives}, key=number_text.by_number)

    def _fill_scopes(self) -> None:
        wanted = ["", *self._scopes()]
        self.set_row_visible("scope", on=len(wanted) > 1)
        if [self._scope.itemData(at) for at in range(self._scope.count())] == wanted:
            return
        held = self._cls()
        self._scope.clear()
        for name in wanted:
            self._scope.addItem(name or self.tr("All requests"), name)
        self._scope.setCurrentIndex(max(0, self._scope.findData(held)))

    def _cls(self) -> str:
        """Return the class whose limits are shown; empty for all requests. A class may be typed."""
        index = self._scope.findText(self._scope.currentText().strip(), Qt.MatchFlag.MatchFixedString)
        return str(self._scope.itemData(index)) if index >= 0 else self._scope.currentText().strip()

    def show_draft(self) -> bool:
        """Show the editor's draft; return True if a field here has a problem."""
        self._fill_scopes()
        draft, cls = self.editor.draft, self._cls()
        held = draft.class_objectives.get(cls, {}) if cls else draft.objectives
        for name, field in self._fields.items():
            field.show_value(_shown(name, held.get(name)))
            inherited = draft.objectives.get(name) if cls else None
            said = self.tr("none") if inherited is None else plain(_shown(name, inherited))
            field.field.setPlaceholderText(said)
        problems = self.editor.problems
        place = f"objectives.{cls}" if cls else "objectives"
        shown = {
            f"objectives.{name}": problems[f"{place}.{name}"]
            for name in self._fields
            if f"{place}.{name}" in problems
        }
        if cls and len(self._classes) > 1 and cls not in self._classes:
            listed = ", ".join(self._classes)
            shown["scope"] = self.tr("The trace has no class {0}; it has {1}.").format(cls, listed)
        self.show_problems(shown)
        return "scope" in shown or any(id_.startswith("objectives.") for id_ in problems)

    def focus(self, id_: str) -> bool:
        """Give a limit the keyboard focus, also a limit of a class."""
        if not id_.startswith("objectives."):
            return False
        *cls, name = id_.removeprefix("objectives.").rsplit(".", 1)
        self._scope.setCurrentIndex(max(0, self._scope.findData(cls[0] if cls else "")))
        self.show_draft()
        return super().focus(f"objectives.{name}")

    def summary(self) -> str:
        """Return one line for the folded section."""
        draft = self.editor.draft
        said = self._said(draft.objectives)
        said += [f"{cls}: {each}" for cls, own in draft.class_objectives.items() for each in self._said(own)]
        return ", ".join(said) or self.tr("none")

    def _said(self, limits: dict[str, object]) -> list[str]:
        names = {
            "ttft_p95_ms": "TTFT", "itl_p95_ms": "ITL", "e2e_p95_ms": "E2E", "queue_p95_ms": self.tr("queue"),
            "error_rate": self.tr("errors"), "preemptions": self.tr("preemptions"),
        }  # fmt: skip
        units = {"error_rate": " %", "preemptions": ""}
        return [
            f"{names[name]} ≤ {plain(_shown(name, value))}{units.get(name, ' ms')}"
            for name, value in limits.items()
            if name in names
        ]

    def _set(self, name: str, value: object) -> None:
        if name == "error_rate" and isinstance(value, (int, float)):
            value = value / 100
        cls = self._cls()
        said = self.tr("none") if value is None else plain(_shown(name, value))
        label = self.tr("objective {0} {1}").format(f"{cls} {name}".strip(), said)
        draft = self.editor.draft.with_objective(name, value, cls)
        if cls and not draft.class_objectives[cls]:
            draft = draft.without_class(cls)
        self.editor.replace(draft, label)


def _shown(name: str, value: object) -> object:
    """Return the value in the form's unit: error rates in percent."""
    if name == "error_rate" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return round(value * 100, 9)
    return value
