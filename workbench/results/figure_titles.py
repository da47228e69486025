"""Titles of figures, shown to people in place of column names."""

from collections.abc import Mapping

from workbench.base import Message, Value, message

TITLES: Mapping[str, Message] = {
    "ttft_p95_ms": message("results.title_ttft_p95"),
    "itl_p95_ms": message("results.title_itl_p95"),
    "e2e_p95_ms": message("results.title_e2e_p95"),
    "queue_p95_ms": message("results.title_queue_p95"),
    "error_rate": message("results.title_error_rate"),
    "preemptions": message("results.title_preemptions"),
}
"""Titles by the name of an objective or a column."""


def figure_name(figure: str, cls: str | None = None) -> Message:
    """Return the name of a figure, of one class or of all requests."""
    if cls is None:
        return message("results.figure", figure=figure)
    return message("results.figure_of_class", figure=figure, cls=cls)


def titled(said: Message) -> Message:
    """Return the message with titles and units for the column names in its fields called `figure`."""
    return Message(said.kind, {name: _titled(name, value) for name, value in said.values.items()})


def _titled(name: str, value: Value) -> Value:
    if isinstance(value, Message):
        return titled(value)
    if isinstance(value, list):
        return [titled(each) if isinstance(each, Message) else each for each in value]
    if name == "figure" and isinstance(value, str) and value in TITLES:
        title = TITLES[value]
        return message("results.title_in_ms", title=title) if value.endswith("_ms") else title
    return value
