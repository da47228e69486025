"""What is still wrong with a draft, field by field, in sentences. No Qt here.

The rules are the core's own; this only asks them one field at a time, so that all problems show at once and
each beside its field.
"""

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ui.experiment.draft import Draft, same
from workbench.base import InputError
from workbench.controls import CONTROLS, check_interplay, check_value

EDITABLE_TARGETS = ("embedded", "local", "attached")


def find_problems(draft: Draft, base: Path | None = None) -> dict[str, str]:
    """By field id, such as `url`, `values`, `baseline.max_num_seqs`; empty when all is fine.

    `base` is the folder that a trace's relative path starts from.
    """
    problems: dict[str, str] = {}
    for look in (_target, _baseline, _control, lambda d: _trace(d, base), _load, _objectives, _cost):
        problems.update(look(draft))
    if not draft.name.strip():
        problems["name"] = "Give the experiment a name."
    return problems


def _target(draft: Draft) -> Iterable[tuple[str, str]]:
    if draft.target_kind not in EDITABLE_TARGETS:
        yield "target_kind", f"A target of kind {draft.target_kind} can be run, but not be edited here."
    if draft.target_kind == "local" and not draft.model:
        yield "model", "Give the model: a folder, or its name on Hugging Face."
    if draft.target_kind == "attached":
        parts = urlsplit(draft.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            yield "url", "Give the server's address, such as http://127.0.0.1:8000."


def _said(check: Callable[[], object]) -> str | None:
    """The core's own sentence on why a value can't be."""
    try:
        check()
    except InputError as error:
        text = str(error)
        return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
    return None


def _baseline(draft: Draft) -> Iterable[tuple[str, str]]:
    sound = True
    for name, value in draft.baseline.items():
        if said := _said(lambda name=name, value=value: check_value(name, value)):  # type: ignore[misc]  # bound now
            sound = False
            yield f"baseline.{name}", said
    if sound and (said := _said(lambda: check_interplay(draft.baseline))):
        yield "baseline", said


def _control(draft: Draft) -> Iterable[tuple[str, str]]:
    name, values = draft.control, draft.values
    if name not in CONTROLS:
        yield "control", "Choose one control to test."
        return
    if draft.target_kind == "attached" and CONTROLS[name].flag is not None:
        ours = " or ".join(control.title for control in CONTROLS.values() if control.flag is None)
        yield (
            "control",
            f"A server that isn't ours can't be restarted. Test {ours}, or start the server here.",
        )
    if not values:
        yield "values", "Give at least one value to compare with the baseline."
    for value in values:
        if said := _said(lambda value=value: check_value(name, value)):  # type: ignore[misc]  # bound now
            yield "values", said
            return
    if name in draft.baseline and any(same(draft.baseline[name], value) for value in values):
        yield "values", f"{draft.baseline[name]} is the baseline's own value: nothing would change."
        return
    for value in values:
        if said := _said(lambda value=value: check_interplay({**draft.baseline, name: value})):  # type: ignore[misc]  # bound now
            yield "values", said
            return


def _trace(draft: Draft, base: Path | None) -> Iterable[tuple[str, str]]:
    if draft.trace_kind != "file":
        return
    if not draft.trace_file.strip():
        yield "trace_file", "Choose a trace file, or use synthetic requests."
        return
    path = Path(draft.trace_file).expanduser()
    whole = path if path.is_absolute() or base is None else base / path
    if not whole.is_file():
        yield "trace_file", f"There is no file {whole}."


def _load(draft: Draft) -> Iterable[tuple[str, str]]:
    if draft.loop == "open":
        yield from _ladder("rates", draft.rates, "rate, in requests a second")
    elif draft.loop == "closed":
        yield from _ladder("concurrency", draft.concurrency, "number of requests open at once", whole=True)
    elif draft.trace_kind == "synthetic":
        yield "loop", "Synthetic requests have no times of their own; give a rate."
    for field in ("max_in_flight", "queue_timeout_s"):
        value = getattr(draft, field)
        if value is not None and (said := _said(lambda name=field, given=value: check_value(name, given))):  # type: ignore[misc]  # bound now
            yield field, said


def _ladder(
    field: str, steps: tuple[Any, ...], words: str, *, whole: bool = False
) -> Iterable[tuple[str, str]]:
    if not steps:
        yield field, f"Give at least one {words}."
    kinds = (int,) if whole else (int, float)
    wrong = [step for step in steps if isinstance(step, bool) or not isinstance(step, kinds) or not step > 0]
    if wrong:
        yield field, f"{wrong[0]} is no {words}: give a number above 0."


def _objectives(draft: Draft) -> Iterable[tuple[str, str]]:
    for name, value in draft.objectives.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            yield f"objectives.{name}", f"{value} is no number."
        elif value < 0 or (name == "error_rate" and value > 1):
            span = "between 0 and 100 %" if name == "error_rate" else "0 or more"
            yield f"objectives.{name}", f"Must be {span}."


def _cost(draft: Draft) -> Iterable[tuple[str, str]]:
    price = draft.cost_per_hour
    if price is None:
        return
    if isinstance(price, bool) or not isinstance(price, (int, float)) or not price > 0:
        yield "cost_per_hour", f"{price} is no price: give a number above 0, or nothing."
    if not draft.cost_currency.strip():
        yield "cost_currency", "Name the currency, such as EUR."
    try:
        date.fromisoformat(draft.cost_date)
    except ValueError:
        yield "cost_date", "Say when the price was seen, as 2026-11-01."
    if not draft.cost_source.strip():
        yield "cost_source", "Say where the price comes from."
