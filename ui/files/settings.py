"""The window's settings: typed, in one strict JSON file that a bad edit doesn't destroy."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from PySide6.QtCore import QCoreApplication

from workbench.base import UNREADABLE, InputError, Record, write_atomic

RECENT_FILES = 10

Appearance = Literal["system", "light", "dark"]
Language = Literal["system", "en", "zh_CN"]

EnginePlots = Literal["off", "lines"]


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("settings file", text)


class Settings(Record, frozen=True, kw_only=True):
    """All settings with their defaults."""

    version: int = 1
    appearance: Annotated[
        Appearance, msgspec.Meta(title="Appearance", description="Light, dark, or as the system")
    ] = "system"
    language: Annotated[
        Language, msgspec.Meta(title="Language", description="Of menus, panels and messages")
    ] = "system"
    demo_seconds: Annotated[
        float,
        msgspec.Meta(
            ge=5, le=600, title="Demo run (s)", description="Simulated seconds of each of the demo's runs"
        ),
    ] = 20.0
    notify: Annotated[
        bool,
        msgspec.Meta(title="At a plan's end", description="Call for attention if the window is not in front"),
    ] = True
    plots: tuple[str, ...] = ()
    """Ids of the shown plots; empty for those of the first start."""
    main_plot: str = ""
    """Id of the main plot; empty for the one that fits the plan's question."""
    engine_plots: EnginePlots = "lines"
    """Display of several engines in the plots: a thin line for each, or all together."""
    recent: tuple[str, ...] = ()
    """Newest first, absolute paths."""
    last_folder: str = ""
    """Folder of the file dialogs."""
    sizing_gpu: str = ""
    """GPU for sizing servers: a card's name or a size; "" for this machine's."""


class SettingsFile:
    """The settings and their file.

    An unreadable file is moved aside as `.bak`, and `complaint` says so.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unread = ""
        self.value = self._load()

    @property
    def complaint(self) -> str | None:
        """The file's fault, if it could not be read; made late: the file names the language."""
        if not self._unread:
            return None
        said = _t("The settings could not be read ({0}). Defaults are used; the old file is kept as {1}.")
        return said.format(self._unread, self._aside)

    @property
    def _aside(self) -> Path:
        return self.path.with_name(f"{self.path.name}.bak")

    def _load(self) -> Settings:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Settings)
        except FileNotFoundError:
            return Settings()
        except (OSError, *UNREADABLE) as error:
            with suppress(OSError):
                self.path.replace(self._aside)
            self._unread = str(error)
            return Settings()

    def change(self, **fields: object) -> Settings:
        """Set some fields and save them, if the folder can be written to."""
        self.value = msgspec.structs.replace(self.value, **fields)
        with suppress(InputError):
            write_atomic(self.path, msgspec.json.format(msgspec.json.encode(self.value)))
        return self.value

    def remember_file(self, path: Path) -> None:
        """Put `path` first among the recent files."""
        text = str(path.absolute())
        others = [known for known in self.value.recent if known != text]
        self.change(recent=(text, *others[: RECENT_FILES - 1]), last_folder=str(path.absolute().parent))
