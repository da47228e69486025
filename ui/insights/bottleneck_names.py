"""Names and colours of the limits that can bind."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from ui import number_text as words


def _n(text: str) -> str:
    """Marks `text` for translation in the context of bounds."""
    return str(QT_TRANSLATE_NOOP("bounds", text))


TITLES = {
    "seats": _n("sequence limit"),
    "token_budget": _n("token budget"),
    "kv": _n("KV cache"),
    "admission": _n("admission limit"),
    "client": _n("client's own limit"),
    "front_end": _n("front end"),
    "blocked_head": _n("blocked head"),
    "one_request": _n("one request owns the pool"),
    "decode_starved": _n("decode starved"),
    "stuck": _n("stuck"),
    "livelock": _n("livelock"),
    "none": _n("no limit"),
    "idle": _n("idle"),
    "unknown": _n("not seen"),
}
"""By the names of `workbench.advice.Bottleneck`."""

HUES = {
    "seats": "waiting",
    "token_budget": "prefill",
    "kv": "kv",
    "admission": "admission",
    "client": "admission",
    "front_end": "admission",
    "blocked_head": "preemption",
    "one_request": "preemption",
    "decode_starved": "preemption",
    "stuck": "preemption",
    "livelock": "preemption",
}
"""Colour by its meaning in `ui.theme.HUES`; a bound that is no limit has none."""


def title(bound: str) -> str:
    """The limit in the user's language; an unknown name as it is."""
    return QCoreApplication.translate("bounds", TITLES[bound]) if bound in TITLES else bound


def head_words(reason: tuple[str, tuple[float, ...]]) -> str:
    """Why the head of the queue waits, as `ui.live.bottlenecks.head_waits` found it."""
    name, figures = reason
    if name == "seats":
        text = QCoreApplication.translate("bounds", "Head waits: no free seat, {0} of {1} taken.")
        return text.format(words.count(figures[0]), words.count(figures[1]))
    if name == "kv":
        text = QCoreApplication.translate("bounds", "Head waits: no KV blocks, the pool is {0} % full.")
        return text.format(words.significant(figures[0] * 100, 2))
    if name == "blocked_head":
        return QCoreApplication.translate(
            "bounds", "Head waits: the batch is closed until its last member has ended."
        )
    return QCoreApplication.translate(
        "bounds", "Head waits: seats and blocks are free, the step's token budget is spent."
    )
