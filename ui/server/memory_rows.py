"""The estimate of a server's memory and the figures in its log, as lines of text. No widgets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

from ui.language import number_text


def _t(text: str) -> str:
    return QCoreApplication.translate("server memory", text)


@dataclass(frozen=True)
class MemoryRow:
    """One figure: the estimate, the server's figure, and the difference."""

    title: str
    estimated: str
    server: str = ""
    difference: str = ""


def headline(estimate: Mapping[str, Any]) -> tuple[str, bool | None]:
    """Return a sentence on whether the longest request fits, and True, False, or None if unknown."""
    length, fits = estimate.get("max_model_len"), estimate.get("fits")
    if fits is None or length is None:
        return "", None
    if fits:
        said = _t("✓ {0} requests of {1} tokens fit at once").format(
            number_text.significant(estimate["max_concurrency"]), number_text.count(length)
        )
        return said, True
    longest = estimate.get("max_model_len_fits") or 0
    said = _t("✗ One request of {0} tokens doesn't fit").format(number_text.count(length))
    return said + (_t("; {0} do").format(number_text.count(longest)) if longest else ""), False


def rows(estimate: Mapping[str, Any] | None, server: Mapping[str, Any] | None = None) -> Sequence[MemoryRow]:
    """Return the known figures, the most important first."""
    ours, theirs = estimate or {}, server or {}
    found = [
        _row(_t("KV cache"), _gib(ours.get("kv_gib"), ours.get("band_pct")), ours, theirs, "kv_gib"),
        _row(_t("Tokens"), _tokens(ours), ours, theirs, "kv_tokens"),
        _row(_t("Blocks"), _blocks(ours), ours, theirs, "kv_blocks"),
        _row(_t("At once"), _at_once(ours), ours, theirs, "max_concurrency"),
        _plain(_t("Longest that fits"), ours.get("max_model_len_fits"), _t("{0} tokens")),
        _row(_t("Weights"), _gib(ours.get("weights_gib")), ours, theirs, "weights_gib"),
        _row(_t("Activation"), _gib(ours.get("activation_gib")), ours, theirs, "activation_gib"),
        MemoryRow(_t("Overhead"), _gib(ours.get("overhead_gib"))),
        MemoryRow(_t("Budget"), _gib(ours.get("budget_gib"))),
        _plain(_t("KV of a token"), ours.get("kv_bytes_per_token"), _t("{0} bytes")),
    ]
    return [row for row in found if row.estimated or row.server]


def _row(
    title: str, estimated: str, ours: Mapping[str, Any], theirs: Mapping[str, Any], name: str
) -> MemoryRow:
    value, guess = theirs.get(name), ours.get(name)
    if value is None:
        return MemoryRow(title, estimated)
    off = None if guess is None else number_text.signed_percent(float(guess), float(value))
    whole = isinstance(value, int)
    shown = (
        number_text.count(value)
        if whole
        else number_text.significant(value)
        if name == "max_concurrency"
        else _gib(value)
    )
    return MemoryRow(title, estimated, shown, off or "")


def _plain(title: str, value: float | None, form: str) -> MemoryRow:
    return MemoryRow(title, "" if value is None else form.format(number_text.count(value)))


def _gib(value: float | None, band: float | None = None) -> str:
    if value is None:
        return ""
    said = f"{number_text.significant(value)} GiB"
    return said if band is None else f"{said} ±{number_text.significant(band, 2)} %"


def _tokens(estimate: Mapping[str, Any]) -> str:
    tokens = estimate.get("kv_tokens")
    if tokens is None:
        return ""
    low, high = estimate.get("kv_tokens_low"), estimate.get("kv_tokens_high")
    if low is None or high is None:
        return number_text.count(tokens)
    span = _t("({0} to {1})").format(number_text.count(low), number_text.count(high))
    return f"{number_text.count(tokens)} {span}"


def _blocks(estimate: Mapping[str, Any]) -> str:
    blocks, size = estimate.get("kv_blocks"), estimate.get("block_size")
    if blocks is None or size is None:
        return ""
    return _t("{0} of {1} tokens").format(number_text.count(blocks), number_text.count(size))


def _at_once(estimate: Mapping[str, Any]) -> str:
    concurrency, length = estimate.get("max_concurrency"), estimate.get("max_model_len")
    if concurrency is None or length is None:
        return ""
    return _t("{0} requests of {1} tokens").format(
        number_text.significant(concurrency), number_text.count(length)
    )
