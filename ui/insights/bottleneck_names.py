"""Names and colors of bottlenecks."""

from PySide6.QtCore import QCoreApplication

from ui.language import number_text
from ui.language.texts import said
from workbench.advice import Bottleneck

HUES = {
    "seats": "waiting",
    "token_budget": "prefill",
    "kv": "kv",
    "admission": "admission",
    "client": "admission",
    "front_end": "admission",
    "uneven_engines": "admission",
    "blocked_head": "preemption",
    "one_request": "preemption",
    "decode_starved": "preemption",
    "stuck": "preemption",
    "livelock": "preemption",
}
"""Keys of `ui.look.theme.HUES`; idle states have no color."""


def title(name: str) -> str:
    """Return the bottleneck's title in the user's language; an unknown name as it is."""
    return said(Bottleneck(name).phrase) if name in set(Bottleneck) else name


def queue_head_text(reason: tuple[str, tuple[float, ...]]) -> str:
    """Return why the head of the queue waits, from `ui.live.bottlenecks.why_head_waits`."""
    name, figures = reason
    if name == "seats":
        text = QCoreApplication.translate(
            "bottlenecks", "Head of the queue waits for a sequence slot: {0} of {1} in use."
        )
        return text.format(number_text.count(figures[0]), number_text.count(figures[1]))
    if name == "kv":
        text = QCoreApplication.translate(
            "bottlenecks", "Head of the queue waits for KV blocks: the pool is {0} % full."
        )
        return text.format(number_text.significant(figures[0] * 100, 2))
    if name == "blocked_head":
        return QCoreApplication.translate(
            "bottlenecks", "Head of the queue waits: the batch is closed until its last request has ended."
        )
    if name == "client":
        text = QCoreApplication.translate(
            "bottlenecks", "{0} requests wait in the client: it keeps at most {1} open (max_in_flight)."
        )
        return text.format(number_text.count(figures[0]), number_text.count(figures[1]))
    return QCoreApplication.translate(
        "bottlenecks", "Head of the queue waits for the next step: this step's token budget is spent."
    )
