"""The insights panel: the run, its bottleneck, the head of the queue, the next change, details on demand."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.forms.section import Section
from ui.insights import bottleneck_names
from ui.insights.bottleneck_shares import BottleneckShares
from ui.insights.narration import Narration, narrate
from ui.language import number_text, texts
from ui.live import Changed, LiveState, RunView
from ui.live.bottlenecks import Diagnosed, NextChange, why_head_waits
from ui.look import tokens
from ui.look.badge import Badge
from ui.look.scrolling import scroll
from ui.look.theme import Theme
from ui.window.panel import Panel
from workbench.base import Message, message
from workbench.controls import CONTROLS

_MOSTLY = 0.5
"""Share of the time without a bottleneck above which it is said first."""
_NEXT_LINES = 7
"""Lines of text of the next change and its cost, at most."""
_MAY_BREAK = "\N{ZERO WIDTH SPACE}"
_BRIEF = 3
"""Sentences of a comparison that can be read at a glance."""
_TOUCHES = Changed.PLAN | Changed.RUN | Changed.SERVER | Changed.END | Changed.ROWS | Changed.SNAPSHOT


class InsightsPanel(Panel):
    """Renewed about once a second; `test_wanted` when the user wants to try the next change."""

    test_wanted = Signal(object, object)
    """The diagnosed run (`RunView`) and the change (`NextChange`)."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._state, self._idle = LiveState(), True
        self._chosen: str | None = None
        self._other: LiveState | None = None
        self._said = Narration("", ())
        self.heading = QLabel()
        self.text = QLabel()
        self.bound_by = QLabel()
        self.bars = BottleneckShares(theme)
        self.head = QLabel()
        self.against_title = QLabel(self.tr("Compared with the baseline"))
        self.against = QLabel()
        self.next_title = QLabel(self.tr("Next single change"))
        self.next_text = QLabel()
        self.test = QPushButton(self.tr("Test this next"))
        self.more = QToolButton()
        self.evidence = QLabel()
        self.simulated = Badge(self.tr("simulated"), theme, self.tr("All figures here are simulated"))
        self._sections: list[Section] = []
        self._lay_out()
        self._size_fonts()
        self.more.toggled.connect(self._show_more)
        self.more.clicked.connect(self._go_to_evidence)
        self.test.clicked.connect(self._want_test)
        self.refresh()

    def _lay_out(self) -> None:
        content, texts_ = QWidget(), QWidget()
        column = QVBoxLayout(texts_)
        column.setContentsMargins(tokens.MARGIN, tokens.GAP, tokens.MARGIN, tokens.GAP)
        column.setSpacing(6)
        for label in (
            *(self.heading, self.text, self.bound_by, self.head),
            *(self.against_title, self.against, self.next_title, self.next_text, self.evidence),
        ):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            # One long word must not push the other lines out of sight.
            policy = label.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
            label.setSizePolicy(policy)
        title = QHBoxLayout()
        title.addWidget(self.heading, 1)
        title.addWidget(self.simulated, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(title)
        for widget in (self.text, self.bound_by, self.bars, self.head):
            column.addWidget(widget)
        column.addSpacing(4)
        for widget in (self.against_title, self.against):
            column.addWidget(widget)
        column.addSpacing(4)
        column.addWidget(self.evidence)
        column.addStretch(1)
        for label in (self.text, self.against, self.next_text, self.evidence):
            label.setTextFormat(Qt.TextFormat.RichText)
        self.evidence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._area = scroll(content, texts_)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(content, 1)
        self._column.addLayout(self._next_block())
        self.setAccessibleName(self.tr("Insights"))

    def _next_block(self) -> QVBoxLayout:
        """Return the next change and its action, under the texts that scroll: it is never cut off."""
        block = QVBoxLayout()
        block.setContentsMargins(tokens.MARGIN, tokens.SPACE, tokens.MARGIN, tokens.GAP)
        block.setSpacing(tokens.SPACE)
        self.next_text.setMaximumHeight(_NEXT_LINES * self.fontMetrics().height())
        for widget in (self.next_title, self.next_text):
            block.addWidget(widget)
        row = QHBoxLayout()
        row.addWidget(self.test)
        row.addStretch(1)
        row.addWidget(self.more)
        block.addLayout(row)
        return block

    def add_section(self, section: Section) -> None:
        """Add a section that folds out at the bottom."""
        self._sections.append(section)
        self._column.addWidget(section)

    def unfold(self) -> None:
        """Open all sections."""
        for section in self._sections:
            section.unfold()

    def save_layout(self) -> bytes:
        """Return which sections are unfolded as opaque bytes."""
        return bytes(section.header.isChecked() for section in self._sections)

    def restore_layout(self, state: bytes) -> None:
        """Restore what `save_layout` returned."""
        for section, unfolded in zip(self._sections, state, strict=False):
            section.header.setChecked(bool(unfolded))

    def _size_fonts(self) -> None:
        for label, factor, weight in (
            (self.heading, tokens.HEADING, QFont.Weight.DemiBold),
            (self.bound_by, 1.0, QFont.Weight.DemiBold),
            (self.against_title, 1.0, QFont.Weight.DemiBold),
            (self.next_title, 1.0, QFont.Weight.DemiBold),
            (self.evidence, tokens.SECONDARY, QFont.Weight.Normal),
        ):
            font = QFont(self.font())
            font.setPointSizeF(font.pointSizeF() * factor)
            font.setWeight(weight)
            label.setFont(font)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: scale the headings with the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "evidence"):
            self._size_fonts()

    def show_state(self, state: LiveState) -> None:
        """Show another plan."""
        self._state, self._chosen, self._other = state, None, None
        self.refresh()

    def set_idle(self, *, idle: bool) -> None:
        """Offer the next change only while nothing runs, as the start is offered."""
        if idle != self._idle:
            self._idle = idle
            self.refresh()

    def choose_run(self, name: str | None, of: LiveState | None = None) -> None:
        """Show this run, of another plan if one is given; None for the run that is measured."""
        self._chosen, self._other = name, of
        self.refresh()

    def on_change(self, changed: Changed) -> None:
        """Refresh after a change of the plan."""
        if changed & (_TOUCHES | Changed.DIAGNOSIS):
            self.refresh()

    def run(self) -> RunView | None:
        """Return the run that is shown."""
        state = self._other or self._state
        return state.runs.get(self._chosen) if self._chosen else state.current_run()

    def refresh(self) -> None:
        """Refresh all texts."""
        said, run = narrate(self._other or self._state, self._chosen), self.run()
        self.simulated.set_on(on=run is not None and run.simulated)
        self.heading.setText(said.heading.replace("_", "_" + _MAY_BREAK))
        self._said = said
        found = run.diagnosis() if run else None
        self._show_bound(run, found)
        # The plan's report says the same, with intervals.
        self._show_against(found.against if found and not said.more else ())
        self._show_next(found.change if found else None)
        evidence = [*said.more, *((*found.sentences, *found.against) if found else ())]
        self.evidence.setText(_paragraphs(evidence))
        self.more.setEnabled(bool(evidence))
        self._show_more(self.more.isChecked() and bool(evidence))

    def _show_bound(self, run: RunView | None, found: Diagnosed | None) -> None:
        known = found is not None and bool(found.shares)
        self.bound_by.setVisible(known)
        self.bars.show_shares(found.shares if found else {})
        self.bars.setVisible(known)
        if found is not None:
            going_on = not found.final and run is not None and run.status == "running"
            so_far_ = self.tr(", so far") if going_on else ""
            self.bound_by.setText(_bound_by(found) + so_far_)
        running = run is not None and run.status == "running"
        reason = None
        if run is not None and running:
            reason = why_head_waits(run.series, run.limits, run.moments, run.engine_count)
        self.head.setVisible(reason is not None)
        if reason is not None:
            self.head.setText(bottleneck_names.queue_head_text(reason))

    def _show_against(self, told: tuple[str | Message, ...]) -> None:
        """Show the comparison with the baseline in short; the details have the rest."""
        brief = told if len(told) <= _BRIEF else (*told[1:_BRIEF], told[-1])
        self.against.setText(_paragraphs(brief))
        for widget in (self.against_title, self.against):
            widget.setVisible(bool(brief))

    def _show_next(self, change: NextChange | None) -> None:
        for widget in (self.next_title, self.next_text):
            widget.setVisible(change is not None)
        self.test.setEnabled(self._idle and self._state.testable(change))
        if change is None:
            return
        cost = self.tr("Possible cost: {0}.").format(texts.said(change.cost)) if change.cost else ""
        small = f'<br><span style="font-size:small">{escape(cost)}</span>' if cost else ""
        self.next_text.setText(f"{escape(texts.said(change.text))}{small}")
        if change.control in CONTROLS:
            value = "" if change.value is None else f" = {number_text.plain(change.value)}"
            tip = self.tr("Start the next experiment from this run's settings, with {0} under test")
            self.test.setToolTip(tip.format(f"{change.control}{value}"))

    def _want_test(self) -> None:
        run = self.run()
        found = run.diagnosis() if run else None
        if run is not None and found is not None and found.change is not None:
            self.test_wanted.emit(run, found.change)

    def _go_to_evidence(self) -> None:
        """Scroll to the details once they have their place."""
        QTimer.singleShot(0, self, lambda: self._area.ensureWidgetVisible(self.evidence, 0, 0))

    def _show_more(self, shown: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.evidence.setVisible(shown)
        # The details hold the same sentences in full, so each result shows once.
        sentences = self._said.beside_more() if shown else self._said.sentences
        self.text.setText(_paragraphs(sentences))
        self.text.setVisible(bool(sentences))
        self.more.setText(self.tr("Less") if shown else self.tr("Evidence and details"))
        self.more.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)


def _bound_by(found: Diagnosed) -> str:
    if found.main is None:
        # The diagnosis has more to say, such as an invalid run or queueing between samples.
        told = texts.said(found.headline).rstrip(".。")
        return told or texts.said(message("advice.no_bottleneck"))
    limit, none = bottleneck_names.title(found.main), found.shares.get("none", 0.0)
    if none > _MOSTLY:
        share = found.shares[found.main]
        return texts.said(message("advice.mostly_free_short", none=none, limit=limit, share=share))
    return texts.said(message("advice.bottleneck_short", limit=limit))


def _paragraphs(sentences: Sequence[str | Message]) -> str:
    told = texts.said_all(sentences)
    return "".join(f'<p style="margin:0 0 6px 0">{escape(sentence)}</p>' for sentence in told)
