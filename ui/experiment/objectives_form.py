"""Service-level objectives: what a run must hold to count as good."""

from ui.experiment.editor import Editor
from ui.forms import Form, OptionalNumber
from ui.theme import Theme
from ui.words import plain


class ObjectivesForm(Form):
    """One optional bound a row."""

    def __init__(self, editor: Editor, theme: Theme) -> None:
        super().__init__(theme)
        self._editor = editor
        rows = (
            (
                "ttft_p95_ms",
                self.tr("p95 &TTFT"),
                "ms",
                self.tr("First token after the request was due; 95 of 100 requests must be quicker"),
            ),
            ("itl_p95_ms", self.tr("p95 &ITL"), "ms", self.tr("Gap between tokens")),
            ("e2e_p95_ms", self.tr("p95 &E2E"), "ms", self.tr("End of the request after it was due")),
            (
                "queue_p95_ms",
                self.tr("p95 &queue"),
                "ms",
                self.tr("Time in the server's queue until first scheduled"),
            ),
            ("error_rate", self.tr("E&rrors"), "%", self.tr("Failed, rejected, timed out or unfinished")),
            ("preemptions", self.tr("Pree&mptions"), "", self.tr("Over the whole run")),
        )
        self._fields: dict[str, OptionalNumber] = {}
        for name, label, unit, tip in rows:
            field = OptionalNumber(unit, self.tr("none"))
            field.edited.connect(lambda value, key=name: self._set(key, value))
            self.add(f"objectives.{name}", label, field, tip)
            self._fields[name] = field

    def show_draft(self) -> bool:
        """Show the editor's draft; returns whether something here is wrong."""
        for name, field in self._fields.items():
            field.show_value(_shown(name, self._editor.draft.objectives.get(name)))
        return self.show_problems(self._editor.problems)

    def summary(self) -> str:
        """One line for the folded section."""
        held = self._editor.draft.objectives
        names = {
            "ttft_p95_ms": "TTFT", "itl_p95_ms": "ITL", "e2e_p95_ms": "E2E", "queue_p95_ms": self.tr("queue"),
            "error_rate": self.tr("errors"), "preemptions": self.tr("preemptions"),
        }  # fmt: skip
        units = {"error_rate": " %", "preemptions": ""}
        said = [
            f"{names[name]} ≤ {plain(_shown(name, value))}{units.get(name, ' ms')}"
            for name, value in held.items()
            if name in names
        ]
        return ", ".join(said) or self.tr("none")

    def _set(self, name: str, value: object) -> None:
        if name == "error_rate" and isinstance(value, (int, float)):
            value = value / 100
        said = self.tr("none") if value is None else plain(_shown(name, value))
        self._editor.replace(
            self._editor.draft.with_objective(name, value), self.tr("objective {0} {1}").format(name, said)
        )


def _shown(name: str, value: object) -> object:
    """Error rates are typed in percent."""
    if name == "error_rate" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return round(value * 100, 9)
    return value
