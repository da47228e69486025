"""Description of the item under the pointer."""

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF

from ui.language import number_text
from ui.steps.bands import Band
from ui.steps.marks import class_of, name_of
from ui.steps.scene import Geometry, Scene
from ui.steps.step_arrays import DECODE, PREFILL, REASONS


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("stage", text)


def reason_text(reason: str | None) -> str:
    """Return why the head of the queue waits; empty if it doesn't or the record lacks the reason."""
    match reason:
        case "seat":
            return _t("no sequence slot is free")
        case "budget":
            return _t("the token budget is used up")
        case "kv":
            return _t("too few KV blocks are free")
        case "preempted_this_step":
            return _t("this step preempted a request")
        case _:
            return ""


def reason_name(reason: str | None) -> str:
    """Return in few words what the head of the queue waits for."""
    match reason:
        case "seat":
            return _t("a slot")
        case "budget":
            return _t("token budget")
        case "kv":
            return _t("KV blocks")
        case "preempted_this_step":
            return _t("a preemption")
        case _:
            return _t("other")


def kind_text(kind: int, *, again: bool = False) -> str:
    """Return what a step computes of a request."""
    if again:
        return _t("recompute")
    return _t("prefill") if kind == PREFILL else _t("decode") if kind == DECODE else _t("recompute")


def hint_at(scene: Scene, where: Geometry, place: QPointF) -> str:
    """Return the tooltip of a place; empty if nothing is there."""
    band = where.band_at(place.y())
    if band is None or not where.plot.left() <= place.x() <= where.plot.right():
        return ""
    t = where.t(place.x(), scene.view)
    step = scene.data.arrays.step_at(t)
    if step < 0:
        return ""
    if band is Band.SLOTS:
        return _request_hint(scene, where, place, t)
    half = scene.view.span / where.plot.width() / 2
    return _steps_hint(scene, band, t - half, t + half, step)


def _request_hint(scene: Scene, where: Geometry, place: QPointF, t: float) -> str:
    data = scene.data
    lane = where.lane_at(place.y(), data.lanes)
    stays = data.stays
    found = np.flatnonzero((stays.lane == lane) & (stays.begin <= t) & (stays.end >= t))
    if not len(found):
        return _t("free slot")
    request = int(stays.request[found[-1]])
    works = data.stretches
    work = np.flatnonzero((works.request == request) & (works.begin <= t) & (works.end >= t))
    doing = kind_text(int(works.kind[work[-1]])) if len(work) else _t("not scheduled")
    columns = data.arrays.requests
    lines = [
        f"{name_of(scene, request)} {class_of(scene, request)} · {doing}",
        _t("prompt {0} tokens").format(number_text.count(int(columns.prompt[request]))),
        str(columns.ids[request]),
    ]
    return "\n".join(lines)


def _steps_hint(scene: Scene, band: Band, begin: float, end: float, step: int) -> str:
    """Describe the steps of a pixel column: their least, mean and largest value."""
    steps, data = scene.data.arrays.steps, scene.data
    first = int(np.searchsorted(steps.end, begin, side="right"))
    last = max(int(np.searchsorted(steps.begin, end, side="left")), first + 1)
    part = slice(min(first, step), max(last, step + 1)) if last - first <= 1 else slice(first, last)
    count = part.stop - part.start
    number = int(steps.number[part.start])
    head = (
        _t("step {0}").format(number_text.count(number))
        if count == 1
        else _t("{0} steps from {1}").format(number_text.count(count), number_text.count(number))
    )
    tokens = data.work[part].sum(axis=1)
    lines = [f"{head} · {number_text.significant(float(steps.begin[part.start]), 5)} s"]
    lines.append(
        _range(_t("tokens"), tokens, _t("of {0}").format(number_text.count(int(steps.budget[part.start]))))
    )
    lines.append(_range("ms", (steps.end - steps.begin)[part] * 1000))
    if band in {Band.QUEUE, Band.WHY}:
        lines.append(_range(_t("waiting"), steps.waiting[part]))
        why = reason_text(REASONS[int(steps.why[part.start])])
        if why:
            lines.append(_t("the head of the queue waits: {0}").format(why))
    if band is Band.KV:
        used = scene.data.arrays.blocks - steps.free[part]
        lines.append(
            _range(_t("KV blocks"), used, _t("of {0}").format(number_text.count(scene.data.arrays.blocks)))
        )
    return "\n".join(lines)


def _range(unit: str, values: "np.ndarray[tuple[int], np.dtype[np.generic]]", of: str = "") -> str:
    """Return a value, or the least, mean and largest of several."""
    found = np.asarray(values, dtype=np.float64)
    if len(found) == 1:
        text = number_text.significant(float(found[0]))
    else:
        low, mean, high = (
            number_text.significant(float(v)) for v in (found.min(), found.mean(), found.max())
        )
        text = _t("{0} … mean {1} … {2}").format(low, mean, high)
    return f"{text} {unit} {of}".rstrip()
