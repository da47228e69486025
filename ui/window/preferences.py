"""The preferences dialog, made from the settings' schema."""

import typing
from typing import Annotated, Any, get_args, get_origin

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from ui.files.settings import Settings, SettingsFile
from ui.forms import Choice, DecimalField, Form
from ui.language.translation import translate_setting
from ui.look.theme import Theme


class PreferencesDialog(QDialog):
    """Changes take effect at once; Defaults reverts all of them."""

    changed = Signal()

    def __init__(self, parent: QWidget, file: SettingsFile, theme: Theme) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Preferences"))
        self._file = file
        self.form = Form(theme)
        self.fields: dict[str, QWidget] = {}
        for name, kind in shown_settings().items():
            self._add(name, kind)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        defaults = buttons.addButton(self.tr("Defaults"), QDialogButtonBox.ButtonRole.ResetRole)
        defaults.clicked.connect(self._defaults)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        note = QLabel(self.tr("Changes take effect at once."))
        layout.addWidget(self.form)
        layout.addWidget(note)
        layout.addWidget(buttons)
        self._show()

    def _add(self, name: str, kind: Any) -> None:
        inner, meta = unwrapped(kind)
        field: QWidget
        if inner is bool:
            field = QCheckBox(translate_setting(meta.description or ""))
            field.toggled.connect(lambda on, key=name: self._set(key, on))
        elif get_origin(inner) is typing.Literal:
            field = Choice(
                [(value, translate_setting(CHOICES.get(value, str(value)))) for value in get_args(inner)]
            )
            field.chosen.connect(lambda value, key=name: self._set(key, value))
        else:
            field = DecimalField(float(meta.ge or 0), float(meta.le or 1e9))
            field.edited.connect(lambda value, key=name: self._set(key, value))
        self.fields[name] = field
        self.form.add(
            name, translate_setting(meta.title or name), field, translate_setting(meta.description or "")
        )

    def _show(self) -> None:
        for name, field in self.fields.items():
            value = getattr(self._file.value, name)
            if isinstance(field, QCheckBox):
                field.setChecked(value)
            elif isinstance(field, (Choice, DecimalField)):
                field.show_value(value)

    def _set(self, name: str, value: object) -> None:
        if getattr(self._file.value, name) != value:
            self._file.change(**{name: value})
            self.changed.emit()

    def _defaults(self) -> None:
        plain = Settings()
        self._file.change(**{name: getattr(plain, name) for name in self.fields})
        self._show()
        self.changed.emit()


def shown_settings() -> dict[str, Any]:
    """Return the settings with a title, by name; the others are internal."""
    hints = typing.get_type_hints(Settings, include_extras=True)
    return {name: kind for name, kind in hints.items() if unwrapped(kind)[1].title}


CHOICES = {
    "system": "as the system",
    "light": "light",
    "dark": "dark",
    "en": "English",
    "zh_CN": "简体中文",
}
"""Labels of setting values; languages by their own names."""


def choices_of(kind: Any) -> list[str]:
    """Return the labels of a setting's choices; empty for another kind."""
    values = get_args(kind) if get_origin(kind) is typing.Literal else ()
    return [CHOICES.get(value, str(value)) for value in values]


def unwrapped(kind: Any) -> tuple[Any, msgspec.Meta]:
    """Return a setting's type, and its title, description and bounds."""
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        return inner, next((note for note in notes if isinstance(note, msgspec.Meta)), msgspec.Meta())
    return kind, msgspec.Meta()
