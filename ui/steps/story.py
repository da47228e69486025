"""One request's time as a paragraph, and one step as a table, in words."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from ui.language import number_text
from ui.language.texts import said
from ui.steps.hints import kind_text, reason_text
from ui.steps.marks import class_of, name_of
from ui.steps.scene import Scene
from ui.steps.step_arrays import REASONS, RECOMPUTE
from workbench.base import Message

if TYPE_CHECKING:
    from workbench.advice.blame import Culprit, Part, RequestBlame

_LEAST_SHARE = 0.03
_MOST_PARTS = 5
_MOST_NAMED = 2
_MOST_WAITING = 24


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("stage", text)


def duration(ms: float) -> str:
    """Return a length of time in the unit that suits it."""
    return f"{number_text.significant(ms / 1000)} s" if ms >= 1000 else f"{number_text.significant(ms)} ms"


def paragraph(name: str, cls: str, ledger: "RequestBlame", names: dict[str, str]) -> str:
    """Return where a request's time went, the largest parts first; `names` by request id."""
    assert ledger.e2e_ms is not None
    parts = sorted(ledger.parts, key=lambda part: -part.ms)[:_MOST_PARTS]
    told = [_part(part, names) for part in parts if part.ms >= _LEAST_SHARE * ledger.e2e_ms]
    who = f"{name} {cls}".strip()
    return _t("{0} took {1}: {2}.").format(who, duration(ledger.e2e_ms), "; ".join(told))


def _part(part: "Part", names: dict[str, str]) -> str:
    text = f"{duration(part.ms)} {said(Message(kind=f'blame.{part.cause}'))}"
    return f"{text} ({_by(part.culprits, names)})" if part.culprits else text


def _by(culprits: "Sequence[Culprit]", names: dict[str, str]) -> str:
    named = ", ".join(
        f"{names.get(one.request, one.request)} {one.cls}".strip() for one in culprits[:_MOST_NAMED]
    )
    more = len(culprits) - _MOST_NAMED
    return _t("behind {0} and {1} more").format(named, more) if more > 0 else _t("behind {0}").format(named)


def step_page(scene: Scene, step: int) -> str:
    """Return a step as HTML: every request with tokens, blocks, and why it was or wasn't scheduled."""
    steps, data = scene.data.arrays.steps, scene.data
    classes = len(data.arrays.classes)
    work = data.work[step]
    head = _t("Step {0} at {1} s, {2} ms").format(
        number_text.count(int(steps.number[step])),
        number_text.significant(float(steps.begin[step]), 5),
        number_text.significant(float(steps.end[step] - steps.begin[step]) * 1000),
    )
    tokens = _t("{0} of {1} tokens: prefill {2}, decode {3}, recomputed {4}").format(
        *(
            number_text.count(int(value))
            for value in (
                work.sum(), steps.budget[step], work[:classes].sum(), work[classes:-1].sum(), work[-1],
            )
        )
    )  # fmt: skip
    blocks = _t("{0} of {1} KV blocks in use").format(
        number_text.count(data.arrays.blocks - int(steps.free[step])), number_text.count(data.arrays.blocks)
    )
    rows = [*_scheduled(scene, step), *_preempted(scene, step), *_idle(scene, step), *_waiting(scene, step)]
    header = "".join(f"<th align='left'>{escape(text)}&nbsp;&nbsp;</th>" for text in _columns())
    body = "".join("<tr>" + "".join(f"<td>{cell}&nbsp;&nbsp;</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f"<b>{escape(head)}</b><br>{escape(tokens)}<br>{escape(blocks)}"
        f"<table cellspacing='0' cellpadding='1'><tr>{header}</tr>{body}</table>"
    )


def _columns() -> tuple[str, ...]:
    return _t("Request"), _t("Tokens"), _t("Blocks"), _t("Why")


Row = tuple[str, str, str, str]


def _link(scene: Scene, request: int) -> str:
    words = f"{name_of(scene, request)} {class_of(scene, request)}".strip()
    return f"<nobr><a href='{request}'>{escape(words)}</a></nobr>"


def _scheduled(scene: Scene, step: int) -> list[Row]:
    arrays = scene.data.arrays
    entries, part = arrays.entries, arrays.entries_of(step)
    rows = []
    for at in range(part.start, part.stop):
        request, kind = int(entries.request[at]), int(entries.kind[at])
        context, prompt = int(entries.context[at]), int(arrays.requests.prompt[request])
        why = kind_text(kind)
        if kind == RECOMPUTE:
            why = _t("recomputes what its preemption lost")
        elif context < prompt:
            why = _t("prefill, {0} of {1} tokens so far").format(
                number_text.count(context), number_text.count(prompt)
            )
        blocks = -(-context // arrays.block_size)
        row = (
            _link(scene, request),
            number_text.count(int(entries.tokens[at])),
            number_text.count(blocks),
            escape(why),
        )
        rows.append(row)
    return rows


def _preempted(scene: Scene, step: int) -> list[Row]:
    data = scene.data
    rows = []
    for at in np.flatnonzero(data.arrays.preempted[:, 0] == step).tolist():
        winner = int(data.winners[at])
        why = _t("preempted: KV blocks ran out")
        if winner >= 0:
            why = _t("preempted: {0} took its KV blocks").format(name_of(scene, winner))
        rows.append((_link(scene, int(data.arrays.preempted[at, 1])), "–", "0", escape(why)))
    return rows


def _idle(scene: Scene, step: int) -> list[Row]:
    """Return requests that hold a slot and were given no token."""
    data = scene.data
    stays, steps, entries = data.stays, data.arrays.steps, data.arrays.entries
    inside = (stays.first <= step) & (stays.left > step)
    held = np.setdiff1d(stays.request[inside], entries.request[data.arrays.entries_of(step)])
    full = int(data.work[step].sum()) >= int(steps.budget[step])
    why = _t("the token budget is used up") if full else _t("its last output is still being computed")
    return [(_link(scene, int(request)), "–", "", escape(why)) for request in held.tolist()]


def _waiting(scene: Scene, step: int) -> list[Row]:
    data = scene.data
    steps, waits = data.arrays.steps, data.waits
    t = float(steps.begin[step])
    found = np.flatnonzero((waits.begin <= t) & (waits.end > t))
    # The head of the queue first, then the preempted, then by arrival.
    head = int(steps.head[step])
    found = found[np.lexsort((waits.begin[found], ~waits.again[found], waits.request[found] != head))]
    reason = reason_text(REASONS[int(steps.why[step])]) or _t("waits")
    rows = []
    for nth, at in enumerate(found[:_MOST_WAITING].tolist()):
        request = int(waits.request[at])
        first = request == head if head >= 0 else nth == 0
        why = reason if first else _t("behind the head")
        if waits.again[at]:
            why = _t("{0}; preempted before").format(why)
        rows.append((_link(scene, request), "–", "", escape(why)))
    if len(found) > _MOST_WAITING:
        rows.append(
            (escape(_t("{0} more wait").format(number_text.count(len(found) - _MOST_WAITING))), "", "", "")
        )
    return rows
