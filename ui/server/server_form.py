"""The server form: embedded engine, vLLM here, on another machine or in a container, or a URL."""

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit, QMenu, QToolButton

from ui.conductor.background import Background
from ui.connect.first_test import for_attached
from ui.experiment.editor import Editor
from ui.forms import Choice, DecimalField, Form, TextField, beside
from ui.language.number_text import plain
from ui.language.texts import Sayable, said
from ui.look.theme import Theme
from ui.server.command import preview_command
from workbench.profiles import Profile, list_profiles

if TYPE_CHECKING:
    from workbench.servers import FoundInstalls

_STARTED = ("local", "ssh", "container")
_ROWS = {
    "profile": ("embedded",),
    "about": ("embedded",),
    "time_scale": ("embedded",),
    "url": ("attached",),
    "host": ("ssh",),
    "load_python": ("ssh",),
    "image": ("container",),
    "model": (*_STARTED, "attached"),
    "executable": _STARTED,
    "gpus": ("container",),
    "shm_size": ("container",),
    "args": ("embedded", *_STARTED),
    "ca_file": ("attached",),
    "api_key_env": (*_STARTED, "attached"),
    "kv": ("embedded", *_STARTED),
    "record_steps": ("embedded", *_STARTED),
    "record_light": _STARTED,
    "live_limits": ("embedded", *_STARTED),
    "command": ("embedded", *_STARTED),
}
"""Kinds of server that each row is for."""


class ServerForm(Form):
    """The target's fields; those of other kinds are hidden."""

    def __init__(self, editor: Editor, theme: Theme) -> None:
        super().__init__(theme)
        self.editor = editor
        self._profiles = {profile.name: profile for profile in list_profiles()}
        self._kind = Choice(
            [
                ("embedded", self.tr("Embedded engine (simulated)")),
                ("local", self.tr("vLLM on this machine")),
                ("ssh", self.tr("vLLM on another machine (SSH)")),
                ("container", self.tr("vLLM in a container")),
                ("attached", self.tr("Server at a URL")),
            ]
        )
        self._profile = Choice([(name, name) for name in self._profiles])
        self._about = QLabel()
        self._about.setWordWrap(True)
        self._scale = DecimalField(0.1, 1000, "×")
        self._url = TextField("localhost:8000")
        self._model = TextField()
        self._executable = TextField(self.tr("the vllm on the PATH"))
        self._texts = self._make_texts()
        self._kv = Choice(
            [("as_deployed", self.tr("as deployed")), ("pinned", self.tr("pinned to the baseline's blocks"))]
        )
        self._switches = {
            "record_steps": QCheckBox(self.tr("record every step of the scheduler")),
            "live_limits": QCheckBox(self.tr("limits can be changed while it runs")),
        }
        self._light = QCheckBox(self.tr("figures only (less overhead)"))
        self._found = QToolButton()
        self._installs = Background(self)
        self._command = QLineEdit()
        self._copy = QToolButton()
        self._copy.setObjectName("copy")
        self._key = TextField(self.tr("none"))
        self._add_rows()
        self._wire()

    def _make_texts(self) -> dict[str, tuple[TextField, str]]:
        """Return text fields by their name in the draft, each with the label of its undo step."""
        return {
            "host": (TextField("gpu-server"), self.tr("machine {0}")),
            "load_python": (TextField(self.tr("none: the load runs here")), self.tr("load from {0}")),
            "image": (TextField("vllm/vllm-openai:v0.32.0"), self.tr("image {0}")),
            "gpus": (TextField(self.tr("none")), self.tr("GPUs {0}")),
            "shm_size": (TextField("16g"), self.tr("shared memory {0}")),
            "args": (TextField(self.tr("none")), self.tr("more arguments {0}")),
            "ca_file": (TextField(self.tr("the system's")), self.tr("certificates {0}")),
        }

    def _add_rows(self) -> None:
        tr, add = self.tr, self.add
        add("target_kind", tr("&Server"), self._kind)
        add("profile", tr("&Profile"), self._profile, tr("GPU, model and tensor parallelism"))
        add("about", "", self._about)
        add("time_scale", tr("&Time scale"), self._scale, tr("Figures stay in simulated seconds"))
        add("url", tr("&URL"), self._url, tr("A server that is already running; it is never stopped"))
        add(
            "model",
            tr("&Model"),
            self._model,
            tr("A folder, a Hugging Face name, or a name that the server lists"),
        )
        add(
            "host",
            tr("Ma&chine"),
            self._texts["host"][0],
            tr("An alias of ~/.ssh/config, HOST, USER@HOST or USER@HOST:PORT"),
        )
        add(
            "load_python",
            tr("&Load from"),
            self._texts["load_python"][0],
            tr("A Python there with the same version of this program: the figures then exclude the tunnel"),
        )
        add("image", tr("&Image"), self._texts["image"][0], tr("Image with vLLM and its libraries"))
        self._add_rows_of_a_start()

    def _add_rows_of_a_start(self) -> None:
        """Add the rows on a server's start and its recording."""
        tr, add = self.tr, self.add
        add(
            "executable",
            tr("&vLLM"),
            beside(self._executable, self._found),
            tr("vLLM's script, or an environment that has it; for a container docker or podman"),
        )
        add("gpus", tr("&GPUs"), self._texts["gpus"][0], tr("As for docker's --gpus: all, 2"))
        add(
            "shm_size",
            tr("Shared me&mory"),
            self._texts["shm_size"][0],
            tr("Several GPUs need more, such as 16g"),
        )
        add("args", tr("M&ore"), self._texts["args"][0], tr("More arguments of the server's command line"))
        add(
            "ca_file",
            tr("Ce&rtificates"),
            self._texts["ca_file"][0],
            tr("A PEM file, in addition to the system's certificates"),
        )
        add(
            "api_key_env",
            tr("&Key from"),
            self._key,
            tr("Name of the environment variable that holds the key"),
        )
        add(
            "kv",
            tr("KV cac&he"),
            self._kv,
            tr("Pinned: later servers get as many blocks as the baseline's server had"),
        )
        add(
            "record_steps",
            "",
            self._switches["record_steps"],
            tr("Records the scheduler's decisions and their reasons"),
        )
        add("record_light", "", self._light, tr("vLLM's own stat logger, without decisions and reasons"))
        add("live_limits", "", self._switches["live_limits"], tr("Needed for live limits and switchbacks"))
        for switch in (*self._switches.values(), self._light):
            switch.setAccessibleName(switch.text())
        self._add_command_row()

    def _add_command_row(self) -> None:
        tr = self.tr
        self._command.setReadOnly(True)
        self.add(
            "command",
            tr("Comma&nd"),
            beside(self._command, self._copy),
            tr("The start adds the port and the flags for measuring"),
        )
        for button, text, tip in (
            (self._found, tr("find"), tr("Look for vLLM on this machine")),
            (self._copy, tr("copy"), tr("Copy the command")),
        ):
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip)

    def _wire(self) -> None:
        edit = self.editor.edit
        self._kind.chosen.connect(self._choose_kind)
        self._profile.chosen.connect(lambda name: edit(self.tr("profile {0}").format(name), profile=name))
        self._scale.edited.connect(
            lambda value: edit(
                self.tr("time scale {0}").format(plain(value)), merge="time_scale", time_scale=value
            )
        )
        self._url.edited.connect(self._set_address)
        self._model.edited.connect(lambda text: edit(self.tr("model {0}").format(text), model=text.strip()))
        self._executable.edited.connect(
            lambda text: edit(self.tr("vLLM {0}").format(text), executable=text.strip())
        )
        for name, (field, label) in self._texts.items():
            field.edited.connect(
                lambda text, key=name, said=label: edit(said.format(text), **{key: text.strip()})
            )
        self._kv.chosen.connect(
            lambda kv: edit(self.tr("KV cache {0}").format(self._kv.currentText()), kv=kv)
        )
        for name, switch in self._switches.items():
            switch.clicked.connect(
                lambda on, key=name, box=switch: edit(
                    box.text() if on else self.tr("not: {0}").format(box.text()), **{key: on}
                )
            )
        self._light.clicked.connect(self._record_lightly)
        self._copy.clicked.connect(lambda: QApplication.clipboard().setText(self._command.text()))
        self._found.clicked.connect(self.look_for_installs)
        self._key.edited.connect(
            lambda text: edit(self.tr("key from {0}").format(text), api_key_env=text.strip())
        )

    def _choose_kind(self, kind: str) -> None:
        draft = self.editor.draft.with_fields(target_kind=kind)
        label = self.tr("server {0}").format(self._kind.currentText())
        self.editor.replace(for_attached(draft) if kind == "attached" else draft, label)

    def _set_address(self, text: str) -> None:
        from workbench.servers import complete_address  # noqa: PLC0415 - the core room loads when first needed

        url = complete_address(text)
        self.editor.edit(self.tr("URL {0}").format(url), url=url)

    def _record_lightly(self, on: bool) -> None:  # noqa: FBT001  # as the signal gives it
        said = self._light.text() if on else self.tr("not: {0}").format(self._light.text())
        self.editor.edit(said, record_steps="stats" if on else True)

    def show_draft(self) -> bool:
        """Show the editor's draft; return True if a field here has a problem."""
        draft = self.editor.draft
        self._kind.show_value(draft.target_kind)
        self._profile.show_value(draft.profile)
        self._scale.show_value(draft.time_scale)
        self._url.show_value(draft.url)
        self._model.show_value(draft.model)
        self._executable.show_value(draft.executable)
        self._key.show_value(draft.api_key_env)
        self._kv.show_value(draft.kv)
        at_url = draft.target_kind == "attached"
        self._model.setPlaceholderText(
            self.tr("the server's first model") if at_url else "meta-llama/Llama-3.1-8B"
        )
        profile = self._profiles.get(draft.profile)
        self._about.setText(self._words(profile) if profile else "")
        for name, (field, _) in self._texts.items():
            field.show_value(getattr(draft, name))
        for name, switch in self._switches.items():
            on = getattr(draft, name)
            switch.setChecked(draft.target_kind == "embedded" if on is None else bool(on))
        self._light.setChecked(draft.record_steps == "stats")
        self._found.setVisible(draft.target_kind == "local")
        self._executable.setPlaceholderText(
            "docker" if draft.target_kind == "container" else self.tr("the vllm on the PATH")
        )
        command = preview_command(draft)
        if command != self._command.text():
            self._command.setText(command)
            self._command.setCursorPosition(0)
            self._command.setToolTip(command)
        for id_, kinds in _ROWS.items():
            self.set_row_visible(id_, on=draft.target_kind in kinds)
        return self.show_problems(self.editor.problems)

    def look_for_installs(self) -> None:
        """List every vLLM on this machine, found in the background."""
        self._found.setEnabled(False)
        self._installs.run(_find, self._offer, self._say)

    def _offer(self, found: "FoundInstalls") -> None:
        self._found.setEnabled(True)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for install in found.installs:
            text = str(install.script)
            action = menu.addAction(f"vLLM {install.version}  {text}")
            action.triggered.connect(
                lambda _checked=False, path=text: self.editor.edit(
                    self.tr("vLLM {0}").format(path), executable=path
                )
            )
        for problem in found.problems:
            menu.addAction(said(problem)).setEnabled(False)
        if menu.isEmpty():
            menu.addAction(self.tr("No vLLM on the PATH or beside this Python")).setEnabled(False)
        menu.popup(self._found.mapToGlobal(self._found.rect().bottomLeft()))

    def _say(self, error: Sayable) -> None:
        self._found.setEnabled(True)
        self._found.setToolTip(said(error))

    def summary(self) -> str:
        """Return one line for the folded section."""
        draft = self.editor.draft
        if draft.target_kind != "embedded":
            where = {"attached": draft.url, "ssh": draft.host, "container": draft.image}
            return where.get(draft.target_kind, draft.model)
        scale = "" if draft.time_scale == 1 else self.tr(", time ×{0}").format(plain(draft.time_scale))
        return f"{draft.profile}{scale}"

    def _words(self, profile: Profile) -> str:
        kind = {
            "measured": self.tr("measured in a running vLLM"),
            "fitted_from_kernels": self.tr("fitted to kernel times"),
            "estimated": self.tr("estimated from another card"),
        }[profile.kind]
        if profile.known_error is None:
            return self.tr("Step times {0}; never compared with a real server.").format(kind)
        error = profile.known_error
        text = (
            self.tr("Step times {0}; on the run they were fitted to, off by {1} % in TTFT and {2} % in TPOT.")
            if error.in_sample
            else self.tr("Step times {0}; in a check off by {1} % in TTFT and {2} % in TPOT.")
        )
        return text.format(kind, plain(error.ttft_pct), plain(error.tpot_pct))


def _find() -> "FoundInstalls":
    from workbench.servers import find_installs  # noqa: PLC0415 - the core room loads when first needed

    return asyncio.run(find_installs())
