"""The workload form: synthetic requests, a mix, or a trace file with a preview."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from ui.conductor.background import Background
from ui.experiment.editor import Editor
from ui.forms import Choice, DecimalField, Form, PathField, WholeField
from ui.language import number_text, texts
from ui.language.remarks import remark
from ui.language.texts import Sayable
from ui.look.theme import Theme
from ui.workload.mix_form import MixSliders
from ui.workload.preview import TracePreview, preview, preview_mix
from ui.workload.sketch import TraceSketch
from workbench.base import Message

_FURTHER_ENDINGS = "*.tsv *.txt *.log *.ndjson *.bz2 *.xz *.zip *.xlsx *.parquet"


_SATURATION_LINES = 3


class WorkloadForm(Form):
    """The trace's fields; those of other kinds are hidden."""

    previewed = Signal()
    """A preview is ready: `summary` may have changed."""

    def __init__(self, editor: Editor, theme: Theme) -> None:
        super().__init__(theme)
        self.editor = editor
        self._warned = False
        """True if the trace had a warning or could not be read."""
        self._background = Background(self)
        self._previewed: str | None = None
        self._kind = Choice(
            [
                ("synthetic", self.tr("Synthetic requests")),
                ("mix", self.tr("A mix of chat, documents, agents")),
                ("file", self.tr("Trace file")),
            ]
        )
        self._mix = MixSliders()
        self._sketch = TraceSketch(theme)
        self._sketch.setObjectName("sketch")
        self._sketch.setVisible(False)
        self._prepare = QPushButton(self.tr("Prepare the trace…"))
        kinds = self.tr("Traces (*.jsonl *.csv *.json *.gz *.zst);;All files (*)")
        self._file = PathField(
            self.tr("Open trace file"), kinds.replace("*.zst", f"*.zst {_FURTHER_ENDINGS}")
        )
        self._preview = QLabel()
        self._preview.setWordWrap(True)
        self._input, self._output = WholeField(1), WholeField(1)
        self._saturation = QLabel()
        self._saturation.setWordWrap(True)
        self._saturation.setAlignment(Qt.AlignmentFlag.AlignTop)
        # The prediction comes late and must not move the sections below.
        self._saturation.setMinimumHeight(_SATURATION_LINES * self.fontMetrics().height())
        self._max_len = Choice(
            [
                ("refuse", self.tr("refuse the trace")),
                ("drop", self.tr("drop them")),
                ("clamp", self.tr("truncate them")),
            ]
        )
        self._speedup = DecimalField(0.01, 10_000, "×")
        self._seed = WholeField(0)
        self._add_rows()
        self._wire()

    def _add_rows(self) -> None:
        tr, add = self.tr, self.add
        add("trace_kind", tr("&Requests"), self._kind)
        add("trace_file", tr("&File"), self._file, tr("It can also be dropped on the window"))
        add("mix", tr("&Mix"), self._mix, tr("Weight of each kind of request"))
        add("preview", "", self._preview)
        self.add_wide(self._sketch)
        add("prepare", "", self._prepare, tr("Columns of an unknown file, and steps that change a trace"))
        add("lengths", tr("T&okens"), self._token_counts(), tr("Prompt and output tokens of each request"))
        add("saturation", "", self._saturation)
        add("max_len", tr("Too &long"), self._max_len, tr("Requests longer than the model's context"))
        add("speedup", tr("S&peed-up"), self._speedup, tr("Compresses the trace's times: more load"))
        add("seed", tr("See&d"), self._seed, tr("The same seed gives the same requests"))

    def _token_counts(self) -> QWidget:
        counts = QWidget()
        row = QHBoxLayout(counts)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        counts.setFocusProxy(self._input)
        self._input.setAccessibleName(self.tr("Input tokens"))
        self._output.setAccessibleName(self.tr("Output tokens"))
        for field, words_ in ((self._input, self.tr("in")), (self._output, self.tr("out"))):
            row.addWidget(field, 1)
            row.addWidget(QLabel(words_))
        return counts

    def _wire(self) -> None:
        edit = self.editor.edit
        self._kind.chosen.connect(
            lambda kind: edit(
                self._kind.currentText().lower(),
                trace_kind=kind,
                loop="open" if kind != "file" else self.editor.draft.loop,
            )
        )
        self._mix.edited.connect(
            lambda text: edit(self.tr("mix {0}").format(text), merge="mix", trace_mix=text)
        )
        self._prepare.clicked.connect(self.prepare)
        self._file.edited.connect(
            lambda text: edit(self.tr("trace {0}").format(Path(text).name), trace_file=text.strip())
        )
        self._input.edited.connect(
            lambda n: edit(self.tr("input {0} tokens").format(n), merge="input", input_tokens=n)
        )
        self._output.edited.connect(
            lambda n: edit(self.tr("output {0} tokens").format(n), merge="output", output_tokens=n)
        )
        self._max_len.chosen.connect(lambda how: edit(self.tr("too long: {0}").format(how), max_len=how))
        self._speedup.edited.connect(
            lambda x: edit(self.tr("speed-up {0}").format(number_text.plain(x)), merge="speedup", speedup=x)
        )
        self._seed.edited.connect(lambda n: edit(self.tr("seed {0}").format(n), merge="seed", seed=n))

    def show_draft(self) -> bool:
        """Show the editor's draft; return True if a field here has a problem."""
        draft = self.editor.draft
        self._kind.show_value(draft.trace_kind)
        self._file.show_value(draft.trace_file)
        self._input.show_value(draft.input_tokens)
        self._output.show_value(draft.output_tokens)
        self._max_len.show_value(draft.max_len)
        self._speedup.show_value(draft.speedup)
        self._seed.show_value(draft.seed)
        self._mix.show_mix(draft.trace_mix)
        for id_ in ("trace_file", "speedup", "prepare"):
            self.set_row_visible(id_, on=draft.trace_kind == "file")
        for id_ in ("preview", "max_len"):
            self.set_row_visible(id_, on=draft.trace_kind != "synthetic")
        self.set_row_visible("mix", on=draft.trace_kind == "mix")
        self.set_row_visible("lengths", on=draft.trace_kind == "synthetic")
        self._look_inside()
        return self.show_problems(self.editor.problems)

    def show_saturation(self, sentences: Sequence[Sayable], too_few: Sequence[Message] = ()) -> None:
        """Show where the load saturates the baseline, and which figures need longer runs."""
        told = texts.said_all(sentences)
        short = texts.said_all(too_few)
        self._saturation.setText(" ".join([*told[:1], *short[:1]]))
        self._saturation.setToolTip("\n".join([*told, *short]))

    def summary(self) -> str:
        """Return one line for the folded section."""
        draft = self.editor.draft
        if draft.trace_kind == "file":
            name = Path(draft.trace_file).name
            return f"⚠ {name}" if self._warned else name
        if draft.trace_kind == "mix":
            return draft.trace_mix
        return self.tr("{0} in, {1} out").format(draft.input_tokens, draft.output_tokens)

    def trace_path(self) -> Path:
        """Return the absolute path of the chosen trace file."""
        path, base = Path(self.editor.draft.trace_file).expanduser(), self.editor.base
        return path if path.is_absolute() or base is None else base / path

    def prepare(self) -> None:
        """Open the dialog that maps columns and transforms the trace."""
        self.prepare_file(self.trace_path())

    def prepare_file(self, path: Path, problem: str = "") -> None:
        """As `prepare`, for a file outside the experiment; `problem` is the reason to ask."""
        from ui.workload.trace_dialog import TraceDialog  # noqa: PLC0415 - seldom opened

        dialog = TraceDialog(self, self._theme, path, problem)
        dialog.made.connect(
            lambda made: self.editor.edit(
                self.tr("trace {0}").format(made.name), trace_kind="file", trace_file=str(made)
            )
        )
        dialog.open()

    def _look_inside(self) -> None:
        """Read the chosen file, or make the mix, once in the background."""
        draft = self.editor.draft
        unread = draft.trace_kind == "file" and "trace_file" in self.editor.problems
        if draft.trace_kind == "synthetic" or unread:
            self._previewed = None
            self._warned = False
            self._background.forget()
            self._preview.setText("")
            self._draw(None)
            return
        whole = self.trace_path()
        rates = [rate for rate in draft.steps() if isinstance(rate, (int, float)) and rate > 0]
        rate = float(max(rates, default=1.0))
        wanted = str(whole) if draft.trace_kind == "file" else f"{draft.trace_mix} {rate} {draft.seed}"
        if wanted == self._previewed:
            return
        self._previewed = wanted
        self._warned = False
        if self._sketch.isHidden():
            self._preview.setText(self.tr("Reading …"))
        if draft.trace_kind == "file":
            self._background.run(lambda: preview(whole), self._show_preview, self._say)
        else:
            self._background.run(
                lambda: preview_mix(draft.trace_mix, rate, draft.seed), self._show_preview, self._say
            )

    def _say(self, error: Sayable) -> None:
        self._preview.setText(texts.said(error))
        self._draw(None)
        self._warned = True
        self.previewed.emit()

    def _draw(self, found: TracePreview | None) -> None:
        self._sketch.setVisible(found is not None)
        self._sketch.show_preview(found)

    def _show_preview(self, found: TracePreview) -> None:
        rate = self.tr(", {0} req/s").format(number_text.significant(found.rate)) if found.rate else ""
        said = self.tr("{0} requests{1}. Input mean {2}, p95 {3} tokens; output mean {4}, p95 {5}.").format(
            number_text.count(found.requests),
            rate,
            number_text.count(found.input_mean),
            number_text.count(found.input_p95),
            number_text.count(found.output_mean),
            number_text.count(found.output_p95),
        )
        if found.hit_ideal:
            said += " " + self.tr("{0} % of the prompt tokens repeat earlier ones.").format(
                number_text.significant(found.hit_ideal * 100, 2)
            )
        self._preview.setText(" ".join([said, *map(remark, found.notes)]))
        self._draw(found)
        self._warned = found.warned
        self.previewed.emit()
