"""The workload to replay, with real prompts where the user chose to replay them.

The prompts live in this process and in the load workers' memory. They are in no file, log, figure or message.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.base import InputError
from workbench.experiments.shapes import LoadShape, TraceChoice
from workbench.experiments.workload import choose_trace, fit, trace_file
from workbench.traces import ImportReport, Trace, import_trace, local_tokenizer


@dataclass(frozen=True, kw_only=True)
class HeldWorkload:
    """A trace, and the prompts of those of its rows that have some."""

    trace: Trace
    title: str
    texts: Mapping[int, str] = field(default_factory=dict, repr=False)
    """By row."""
    notes: tuple[str, ...] = ()
    """What was dropped, cut, assumed or odd, for whoever reads the figures."""
    mild: frozenset[str] = frozenset()
    """Those notes about which nothing is to be done."""


def read_workload(choice: TraceChoice, load: LoadShape, *, base: Path | None = None) -> HeldWorkload:
    """The trace chosen; relative files are sought beside the experiment file, `base`.

    Raises:
        InputError: it can't be read, or holds no text that could be replayed.
    """
    if choice.file is None:
        trace, title = choose_trace(choice, load)
        return HeldWorkload(trace=trace, title=title)
    path = trace_file(choice.file, base)
    imported = import_trace(
        path,
        format=choice.format,
        time_unit=choice.time_unit,
        keep_text=choice.replay_text,
        count_tokens=(
            None if choice.tokenizer is None else local_tokenizer(trace_file(choice.tokenizer, base))
        ),
    )
    texts = {row: _sendable(text) for row, text in enumerate(imported.texts or ()) if text}
    if choice.replay_text and not texts:
        raise InputError(f"{path}: holds no prompt text that could be replayed, only lengths and times")
    report = imported.report
    return HeldWorkload(
        trace=imported.trace,
        title=path.name,
        texts=texts,
        notes=tuple(_noted(report)),
        mild=frozenset(report.warnings).difference(report.to_act_on),
    )


def _noted(report: ImportReport) -> Iterator[str]:
    """What an import says that bears on a measurement; its notes on texts are `trace inspect`'s."""
    if report.rows_dropped:
        reasons = ", ".join(f"{count} {reason}" for reason, count in report.rows_dropped.items())
        yield f"{report.rows_kept} of {report.rows_read} rows kept; dropped: {reasons}"
    yield from report.warnings


def fitted(workload: HeldWorkload, max_model_len: int | None, choice: TraceChoice) -> HeldWorkload:
    """The rows that the server's longest context allows, each still with its own text.

    Raises:
        InputError: a row is too long and the choice is to refuse.
    """
    trace = workload.trace
    suited = fit(trace, workload.title, max_model_len, choice)
    changed = suited.trace
    texts = workload.texts
    if texts and max_model_len is not None and len(changed) < len(trace):
        kept = (trace.input_length + trace.output_length <= max_model_len).nonzero()[0].tolist()
        texts = {new: texts[old] for new, old in enumerate(kept) if old in texts}
    return replace(workload, trace=changed, texts=texts, notes=(*workload.notes, *suited.notes))


def _sendable(text: str) -> str:
    """Text that UTF-8 can carry: a log may hold half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()
