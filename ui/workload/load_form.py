"""The load form: rates or concurrency, for a time or a number of requests."""

from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QWidget

from ui.experiment.editor import Editor
from ui.experiment.kinds import fields_of, kind_of
from ui.forms import ChipsEditor, Choice, DecimalField, Form, OptionalNumber, TextField, WholeField
from ui.forms.fields import number_in
from ui.language.number_text import plain
from ui.look.theme import Theme
from ui.workload.kind_rows import KindRows

MOST_TRIES = 5
"""As in the core, which loads later."""
_PLAIN_ROWS = (
    *("loop", "length", "warmup_s", "max_in_flight", "queue_timeout_s", "request_timeout_s", "max_retries"),
    *("repeats", "disturbed"),
)
"""Rows of every kind except `reproduce`."""


class LoadForm(Form):
    """The load's fields."""

    def __init__(self, editor: Editor, theme: Theme) -> None:
        super().__init__(theme)
        self.editor = editor
        self._kind = self._make_kinds()
        self._kind.setPlaceholderText(self.tr("My own"))
        self._loop = Choice(
            [
                ("open", self.tr("At given rates")),
                ("ladder", self.tr("At rising rates")),
                ("closed", self.tr("At given concurrency")),
                ("trace", self.tr("At the trace's own times")),
            ]
        )
        self._rates = ChipsEditor(theme, self.tr("Rates in requests per second"))
        self._concurrency = ChipsEditor(theme, self.tr("Requests open at once"))
        self._bound = Choice([("duration", self.tr("seconds")), ("requests", self.tr("requests"))])
        self._duration, self._requests = DecimalField(1, 1e6), WholeField(1)
        self._warmup, self._burstiness = DecimalField(0, 1e5, "s"), DecimalField(0.01, 1000)
        self._arrivals = Choice(
            [
                ("poisson", self.tr("Poisson")),
                ("constant", self.tr("evenly spaced")),
                ("gamma", self.tr("bursty (gamma)")),
                ("trace", self.tr("as in the trace, scaled")),
            ]
        )
        self._shape = TextField(self.tr("even"))
        self._cap = OptionalNumber(self.tr("open"), self.tr("no cap"))
        self._timeout = OptionalNumber("s", self.tr("none"))
        self._repeats = WholeField(1, 100)
        self._disturbed = WholeField(0, MOST_TRIES)
        self._request_timeout = OptionalNumber("s", self.tr("none"))
        self._retries = WholeField(0, 100)
        self._more = KindRows(self, editor)
        self._rates.set_parser(number_in)
        self._concurrency.set_parser(number_in)
        self._add_rows()
        self._wire()

    def _make_kinds(self) -> Choice:
        return Choice(
            [
                ("single", self.tr("One rate")),
                ("ladder", self.tr("Ladder of rates")),
                ("burst", self.tr("Burst")),
                ("soak", self.tr("Soak (half an hour)")),
                ("repeats", self.tr("Three repeats")),
                ("confirm", self.tr("Confirm a pair (2 × 2)")),
                ("switchback", self.tr("Switchback on one server")),
                ("search", self.tr("Search for the best value")),
                ("reproduce", self.tr("Repeat a bench file")),
            ]
        )

    def _add_rows(self) -> None:
        tr, add = self.tr, self.add
        add("kind", tr("&Kind"), self._kind, tr("Sets the fields below for this kind of experiment"))
        self._more.add_first()
        add(
            "loop",
            tr("&Arrive"),
            self._loop,
            tr("Requests arrive at these rates even if the server can't keep up"),
        )
        add("rates", tr("Req/&s"), self._rates, tr("Requests per second; one run for each rate"))
        self._more.add_ladder()
        add("concurrency", tr("&Open"), self._concurrency, tr("One run for each number"))
        add("length", tr("&Each run"), self._length(), tr("Requests in progress may end later"))
        add("warmup_s", tr("Warm-&up"), self._warmup, tr("Requests before the measured window"))
        add("arrivals", tr("Spac&ing"), self._arrivals, tr("How arrivals are spread at the given rate"))
        add("burstiness", tr("&Burstiness"), self._burstiness, tr("1 is Poisson, less is burstier"))
        add(
            "rate_profile",
            tr("Sh&ape"),
            self._shape,
            tr("ramp:FROM:TO:SECONDS, steps:RATE@SECONDS,… or bursts:BASE:PEAK:EVERY:FOR"),
        )
        add(
            "max_in_flight",
            tr("Client &cap"),
            self._cap,
            tr("Requests that the client has open at once"),
        )
        add(
            "queue_timeout_s",
            tr("&Give up after"),
            self._timeout,
            tr("Time without a first token after which the client gives up"),
        )
        add(
            "request_timeout_s",
            tr("Ti&meout"),
            self._request_timeout,
            tr("Time after sending at which the client gives up a request"),
        )
        add(
            "max_retries",
            tr("Retr&ies"),
            self._retries,
            tr("Retries of a request that was rejected or failed before its first token"),
        )
        add(
            "repeats",
            tr("Re&peat"),
            self._repeats,
            tr("Repeats are interleaved, so that drift affects all configurations alike"),
        )
        add(
            "disturbed",
            tr("If &disturbed"),
            self._disturbed,
            tr("Retries of a run that this machine disturbed"),
        )

    def _length(self) -> QWidget:
        length = QWidget()
        row = QHBoxLayout(length)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for part in (self._duration, self._requests, self._bound):
            row.addWidget(part, 1)
        length.setFocusProxy(self._duration)
        self._duration.setAccessibleName(self.tr("Duration in seconds"))
        self._requests.setAccessibleName(self.tr("Number of requests"))
        self._bound.setAccessibleName(self.tr("Seconds or requests"))
        return length

    def _wire(self) -> None:
        edit = self.editor.edit
        self._kind.chosen.connect(
            lambda kind: edit(self._kind.currentText().lower(), **fields_of(kind, self.editor.draft))
        )
        self._loop.chosen.connect(lambda loop: edit(self._loop.currentText().lower(), loop=loop))
        self._rates.edited.connect(
            lambda steps: edit(self.tr("rates {0}").format(_listed(steps)), rates=steps)
        )
        self._concurrency.edited.connect(
            lambda steps: edit(self.tr("concurrency {0}").format(_listed(steps)), concurrency=steps)
        )
        self._bound.chosen.connect(
            lambda bound: edit(self.tr("runs bounded by {0}").format(self._bound.currentText()), bound=bound)
        )
        self._duration.edited.connect(
            lambda s: edit(self.tr("duration {0} s").format(plain(s)), merge="duration", duration_s=s)
        )
        self._requests.edited.connect(
            lambda n: edit(self.tr("{0} requests").format(n), merge="requests", requests=n)
        )
        self._warmup.edited.connect(
            lambda s: edit(self.tr("warm-up {0} s").format(plain(s)), merge="warmup", warmup_s=s)
        )
        self._arrivals.chosen.connect(lambda kind: edit(self.tr("arrivals {0}").format(kind), arrivals=kind))
        self._burstiness.edited.connect(
            lambda x: edit(self.tr("burstiness {0}").format(plain(x)), merge="burstiness", burstiness=x)
        )
        self._wire_callers()

    def _wire_callers(self) -> None:
        """Connect the fields of client behavior: changing rate, timeouts, retries."""
        edit = self.editor.edit
        self._shape.edited.connect(
            lambda text: edit(self.tr("shape {0}").format(text), rate_profile=text.strip())
        )
        self._cap.edited.connect(lambda n: edit(self.tr("client cap {0}").format(n), max_in_flight=n))
        self._timeout.edited.connect(
            lambda s: edit(self.tr("give up after {0} s").format(s), queue_timeout_s=s)
        )
        self._request_timeout.edited.connect(
            lambda s: edit(self.tr("timeout {0} s").format(s), request_timeout_s=s)
        )
        self._retries.edited.connect(
            lambda n: edit(self.tr("{0} retries").format(n), merge="retries", max_retries=n)
        )
        self._repeats.edited.connect(
            lambda n: edit(self.tr("repeat {0}").format(n), merge="repeats", repeats=n)
        )
        self._disturbed.edited.connect(
            lambda n: edit(self.tr("if disturbed {0} more").format(n), merge="disturbed", disturbed=n)
        )

    def show_draft(self) -> bool:
        """Show the editor's draft; return True if a field here has a problem."""
        draft = self.editor.draft
        self._kind.show_value(kind_of(draft))
        self._loop.show_value(draft.loop)
        self._rates.show_values(draft.rates)
        self._concurrency.show_values(draft.concurrency)
        self._bound.show_value(draft.bound)
        self._duration.show_value(draft.duration_s)
        self._requests.show_value(draft.requests)
        self._duration.setVisible(draft.bound == "duration")
        self._requests.setVisible(draft.bound == "requests")
        self._warmup.show_value(draft.warmup_s)
        self._arrivals.show_value(draft.arrivals)
        self._burstiness.show_value(draft.burstiness)
        self._shape.show_value(draft.rate_profile)
        self._cap.show_value(draft.max_in_flight)
        self._timeout.show_value(draft.queue_timeout_s)
        self._repeats.show_value(draft.repeats)
        self._disturbed.show_value(draft.disturbed)
        self._request_timeout.show_value(draft.request_timeout_s)
        self._retries.show_value(draft.max_retries)
        for id_ in _PLAIN_ROWS:
            self.set_row_visible(id_, on=draft.kind != "reproduce")
        for id_, on in {
            "rates": draft.loop == "open",
            "concurrency": draft.loop == "closed",
            "arrivals": draft.loop in {"open", "ladder"},
            "rate_profile": draft.loop != "closed" or bool(draft.rate_profile),
            "burstiness": draft.loop in {"open", "ladder"} and draft.arrivals == "gamma",
        }.items():
            self.set_row_visible(id_, on=on and draft.kind != "reproduce")
        self._more.show_draft(draft)
        return self.show_problems(self.editor.problems)

    def summary(self) -> str:
        """Return one line for the folded section."""
        draft = self.editor.draft
        if draft.kind == "reproduce":
            return Path(draft.reproduces).name
        length = (
            f"{plain(draft.duration_s)} s"
            if draft.bound == "duration"
            else self.tr("{0} requests").format(draft.requests)
        )
        steps = {
            "open": self.tr("{0} req/s").format(_listed(draft.rates)),
            "ladder": self.tr("{0} to {1} req/s").format(plain(draft.ladder_from), plain(draft.ladder_to)),
            "closed": self.tr("{0} at once").format(_listed(draft.concurrency)),
        }.get(draft.loop, self.tr("the trace's times"))
        again = f" ×{draft.repeats}" if draft.repeats > 1 else ""
        return f"{steps}, {length}{again}"


def _listed(steps: tuple[object, ...]) -> str:
    return ", ".join(plain(step) for step in steps)
