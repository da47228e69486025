"""Which server: the embedded engine with a profile, or one at a URL."""

from PySide6.QtWidgets import QLabel

from ui.experiment.editor import Editor
from ui.forms import Choice, DecimalField, Form, TextField
from ui.theme import Theme
from ui.words import plain
from workbench.profiles import Profile, list_profiles

_ROWS = {
    "profile": ("embedded",),
    "about": ("embedded",),
    "time_scale": ("embedded",),
    "url": ("attached",),
    "model": ("local", "attached"),
    "executable": ("local",),
    "api_key_env": ("local", "attached"),
}
"""Which kinds of server each row is for."""


class ServerForm(Form):
    """The target's fields; those of the other kinds are hidden."""

    def __init__(self, editor: Editor, theme: Theme) -> None:
        super().__init__(theme)
        self._editor = editor
        self._profiles = {profile.name: profile for profile in list_profiles()}
        self._kind = Choice(
            [
                ("embedded", self.tr("Embedded engine (simulated)")),
                ("local", self.tr("vLLM on this machine")),
                ("attached", self.tr("Server at a URL")),
            ]
        )
        self._profile = Choice([(name, name) for name in self._profiles])
        self._about = QLabel()
        self._about.setWordWrap(True)
        self._scale = DecimalField(0.1, 1000, "×")
        self._url = TextField("http://127.0.0.1:8000")
        self._model = TextField()
        self._executable = TextField(self.tr("the vllm on the PATH"))
        self._key = TextField(self.tr("none"))
        self._add_rows()
        self._wire()

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
            tr("A folder or a Hugging Face name; else as listed"),
        )
        add("executable", tr("&vLLM"), self._executable, tr("vLLM's script, or an environment that has it"))
        add("api_key_env", tr("&Key from"), self._key, tr("Name of an environment variable that holds it"))

    def _wire(self) -> None:
        edit = self._editor.edit
        self._kind.chosen.connect(
            lambda kind: edit(self.tr("server {0}").format(self._kind.currentText()), target_kind=kind)
        )
        self._profile.chosen.connect(lambda name: edit(self.tr("profile {0}").format(name), profile=name))
        self._scale.edited.connect(
            lambda value: edit(
                self.tr("time scale {0}").format(plain(value)), merge="time_scale", time_scale=value
            )
        )
        self._url.edited.connect(lambda text: edit(self.tr("URL {0}").format(text), url=text.strip()))
        self._model.edited.connect(lambda text: edit(self.tr("model {0}").format(text), model=text.strip()))
        self._executable.edited.connect(
            lambda text: edit(self.tr("vLLM {0}").format(text), executable=text.strip())
        )
        self._key.edited.connect(
            lambda text: edit(self.tr("key from {0}").format(text), api_key_env=text.strip())
        )

    def show_draft(self) -> bool:
        """Show the editor's draft; returns whether something here is wrong."""
        draft = self._editor.draft
        self._kind.show_value(draft.target_kind)
        self._profile.show_value(draft.profile)
        self._scale.show_value(draft.time_scale)
        self._url.show_value(draft.url)
        self._model.show_value(draft.model)
        self._executable.show_value(draft.executable)
        self._key.show_value(draft.api_key_env)
        at_url = draft.target_kind == "attached"
        self._model.setPlaceholderText(
            self.tr("the server's first model") if at_url else "meta-llama/Llama-3.1-8B"
        )
        profile = self._profiles.get(draft.profile)
        self._about.setText(self._words(profile) if profile else "")
        for id_, kinds in _ROWS.items():
            self.set_row_visible(id_, on=draft.target_kind in kinds)
        return self.show_problems(self._editor.problems)

    def summary(self) -> str:
        """One line for the folded section."""
        draft = self._editor.draft
        if draft.target_kind != "embedded":
            return draft.url if draft.target_kind == "attached" else draft.model
        scale = "" if draft.time_scale == 1 else f" ×{plain(draft.time_scale)}"
        return f"{draft.profile}{scale}"

    def _words(self, profile: Profile) -> str:
        kind = {
            "measured": self.tr("measured in a running vLLM"),
            "fitted_from_kernels": self.tr("fitted to kernel times"),
            "estimated": self.tr("estimated from another card"),
        }[profile.kind]
        if profile.known_error is None:
            return self.tr("Step times {0}; never compared with a real server.").format(kind)
        return self.tr("Step times {0}; off by {1} % in TTFT and {2} % in TPOT where checked.").format(
            kind, plain(profile.known_error.ttft_pct), plain(profile.known_error.tpot_pct)
        )
