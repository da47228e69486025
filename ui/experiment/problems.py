"""Problems of a draft, field by field, as sentences. No widgets.

The core's rules are applied one field at a time, so that all problems show at once, each beside its field.
"""

import re
import shlex
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from ui.experiment.core_refusals import core_refusal
from ui.experiment.draft import Draft, same
from ui.language.remarks import remark
from ui.language.translation import translate_control
from workbench.base import InputError, Refusal
from workbench.controls import CONTROLS, check_interplay, check_value
from workbench.results import MOST_MONEY, Limits


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("problems", text)


def _n(text: str) -> str:
    """Mark `text` for translation in the context problems."""
    return str(QT_TRANSLATE_NOOP("problems", text))


_FIRST_DRAFT = Draft()


def find_problems(draft: Draft, base: Path | None = None) -> dict[str, str]:
    """Return sentences by field id, such as `url`, `values`, `baseline.max_num_seqs`; empty without problems.

    `base` is the folder of relative trace paths.
    """
    problems: dict[str, str] = {}
    if draft.kind == "reproduce":
        problems.update(_reproduction(draft))
    else:
        for look in (_target, _baseline, _control, lambda d: _trace(d, base), _load, _objectives, _cost):
            problems.update(look(draft))
        # The first draft is valid; skipping its check lets the window open before the core loads.
        if not problems and draft != _FIRST_DRAFT:
            problems.update(core_refusal(draft))
    if not draft.name.strip():
        problems["name"] = _t("Give the experiment a name.")
    return problems


def _reproduction(draft: Draft) -> Iterable[tuple[str, str]]:
    if not draft.reproduces.strip():
        yield "reproduces", _t("Choose the bench file whose plan is to be measured again.")
    elif not Path(draft.reproduces).expanduser().is_file():
        yield "reproduces", _t("There is no file {0}.").format(draft.reproduces)


_NEEDED = {
    "model": ("local", "ssh", "container"),
    "host": ("ssh",),
    "image": ("container",),
}
"""Required fields, and the kinds of target that require them."""

_ASKED = {
    "model": _n("Give the model: a folder, or its name on Hugging Face."),
    "host": _n("Give the machine: an alias of ~/.ssh/config, HOST, or USER@HOST:PORT."),
    "image": _n("Give the image, such as vllm/vllm-openai:v0.32.0."),
}


def _target(draft: Draft) -> Iterable[tuple[str, str]]:
    for field, kinds in _NEEDED.items():
        if draft.target_kind in kinds and not getattr(draft, field).strip():
            yield field, _t(_ASKED[field])
    if draft.target_kind == "attached":
        yield from _address(draft)
    else:
        yield from _start(draft)
    if draft.target_kind != "embedded" and draft.api_key_env and not _NAME.fullmatch(draft.api_key_env):
        yield (
            "api_key_env",
            _t("Give the name of a variable, not the key itself: drafts are stored."),
        )


_NAME = re.compile(r"(?!sk-|hf_)[\w.:/@-]{1,100}")
"""A variable's name or a keyring's entry; the usual API keys don't match."""


def _address(draft: Draft) -> Iterable[tuple[str, str]]:
    if not _is_address(draft.url):
        yield "url", _t("Give the server's address, such as http://127.0.0.1:8000.")
    if draft.ca_file and not Path(draft.ca_file).expanduser().is_file():
        yield "ca_file", _t("There is no file {0}.").format(draft.ca_file)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 0) >= 0
    except ValueError:
        return False


def _start(draft: Draft) -> Iterable[tuple[str, str]]:
    """Yield problems of a server's start command."""
    kind = draft.target_kind
    try:
        shlex.split(draft.args)
    except ValueError as error:
        yield "args", _t("These arguments can't be split: {0}.").format(error)
    program = Path(draft.executable).expanduser()
    if kind == "local" and "/" in draft.executable and not program.exists():
        yield "executable", _t("There is no file {0}.").format(draft.executable)
    if kind == "ssh" and draft.host.strip() and not _HOST.fullmatch(draft.host):
        yield "host", _t(_ASKED["host"])
    if kind == "container":
        if re.search(r"\s", draft.image):
            yield "image", _t(_ASKED["image"])
        if draft.shm_size and not re.fullmatch(r"\d+(\.\d+)? ?[bkmgBKMG]?[bB]?", draft.shm_size):
            yield "shm_size", _t("Give a size such as 16g.")


_HOST = re.compile(r"([^\s@]+@)?([^\s@:-][^\s@:]*(:\d{1,5})?|[\da-fA-F:]+)")
"""An alias, HOST or USER@HOST, optionally with a port; an IPv6 address has none."""


def _said(check: Callable[[], object]) -> str | None:
    """Return the core's refusal of a value as a sentence; None if it accepts the value."""
    try:
        check()
    except InputError as error:
        # Beside its own field an error needs no place.
        return remark(error.message if isinstance(error, Refusal) else str(error))
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
    if not name and draft.kind == "ladder":
        # A ladder without a control asks for the baseline's capacity.
        return
    if name not in CONTROLS:
        yield "control", _t("Choose one control to test.")
        return
    if draft.target_kind == "attached" and CONTROLS[name].of_server:
        own = [control for control in CONTROLS.values() if not control.of_server]
        ours = ", ".join(translate_control(control.title) for control in own)
        yield (
            "control",
            _t("An attached server can't be restarted. Test {0}, or start the server here.").format(ours),
        )
    if not values and draft.kind not in {"burst", "soak"}:
        yield "values", _t("Give at least one value to compare with the baseline.")
    if draft.kind == "confirm" and (draft.second not in CONTROLS or draft.second_value is None):
        yield "second", _t("Choose the second control and give its value.")
    for value in values:
        if said := _said(lambda value=value: check_value(name, value)):  # type: ignore[misc]  # bound now
            yield "values", said
            return
    if name in draft.baseline and any(same(draft.baseline[name], value) for value in values):
        yield (
            "values",
            _t("{0} is the baseline's own value: nothing would change.").format(draft.baseline[name]),
        )
        return
    if any(_said(lambda held=held, key=key: check_value(key, held)) for key, held in draft.baseline.items()):  # type: ignore[misc]  # bound now
        # A problem of the baseline shows at its own field.
        return
    for value in values:
        if said := _said(lambda value=value: check_interplay({**draft.baseline, name: value})):  # type: ignore[misc]  # bound now
            yield "values", said
            return


def _trace(draft: Draft, base: Path | None) -> Iterable[tuple[str, str]]:
    if draft.trace_kind != "file":
        return
    if not draft.trace_file.strip():
        yield "trace_file", _t("Choose a trace file, or use synthetic requests.")
        return
    path = Path(draft.trace_file).expanduser()
    whole = path if path.is_absolute() or base is None else base / path
    if not whole.is_file():
        yield "trace_file", _t("There is no file {0}.").format(whole)


def _load(draft: Draft) -> Iterable[tuple[str, str]]:
    if draft.loop == "open":
        yield from _ladder("rates", draft.rates, _t("rate, in requests per second"))
    elif draft.loop == "closed":
        yield from _ladder(
            "concurrency", draft.concurrency, _t("number of requests open at once"), whole=True
        )
    elif draft.loop == "ladder":
        yield from _factors(draft)
    elif draft.trace_kind == "synthetic" and not draft.rate_profile:
        yield "loop", _t("Synthetic requests have no times of their own; give a rate.")
    if draft.rate_profile:
        yield from _rate_profile(draft)
    if draft.request_timeout_s is not None and not _above_0(draft.request_timeout_s):
        yield (
            "request_timeout_s",
            _t("{0} is not a time: give seconds above 0, or nothing.").format(draft.request_timeout_s),
        )
    for field in ("max_in_flight", "queue_timeout_s"):
        value = getattr(draft, field)
        if value is not None and (said := _said(lambda name=field, given=value: check_value(name, given))):  # type: ignore[misc]  # bound now
            yield field, said


def _rate_profile(draft: Draft) -> Iterable[tuple[str, str]]:
    from workbench.traces import parse_profile  # noqa: PLC0415 - numpy; few experiments have one

    if said := _said(lambda: parse_profile(draft.rate_profile)):
        yield "rate_profile", said
    elif draft.loop == "closed":
        yield "rate_profile", _t("A load at given concurrency has no rate to change.")


def _above_0(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _factors(draft: Draft) -> Iterable[tuple[str, str]]:
    if draft.ladder_to < draft.ladder_from:
        yield "ladder", _t("The highest rate must not be below the lowest.")
    elif draft.ladder_factor < _LEAST_FACTOR:
        yield "ladder", _t("The factor must be {0} or more.").format(_LEAST_FACTOR)
    if draft.ladder_adaptive and draft.kind != "ladder":
        yield "ladder", _t("An experiment of kind {0} can't stop early.").format(draft.kind)


_LEAST_FACTOR = 1.01
"""The core's least factor."""


def _ladder(
    field: str, steps: tuple[Any, ...], words: str, *, whole: bool = False
) -> Iterable[tuple[str, str]]:
    if not steps:
        yield field, _t("Give at least one {0}.").format(words)
    kinds = (int,) if whole else (int, float)
    wrong = [step for step in steps if isinstance(step, bool) or not isinstance(step, kinds) or not step > 0]
    if wrong:
        yield field, _t("{0} is not a {1}: give a number above 0.").format(wrong[0], words)


def _objectives(draft: Draft) -> Iterable[tuple[str, str]]:
    yield from _limits("objectives", draft.objectives)
    for cls, own in draft.class_objectives.items():
        yield from _limits(f"objectives.{cls}", own)


def _limits(place: str, limits: dict[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            yield f"{place}.{name}", _t("{0} is not a number.").format(value)
        elif value < 0 or (name == "error_rate" and value > 1):
            span = _t("between 0 and 100 %") if name == "error_rate" else _t("0 or more")
            yield f"{place}.{name}", _t("Must be {0}.").format(span)
        elif value == 0 and name not in {"error_rate", "preemptions"}:
            yield f"{place}.{name}", _t("Must be above 0 ms: no request can meet 0.")
        elif value > Limits.most(name):
            yield f"{place}.{name}", _t("Must be at most {0}.").format(f"{Limits.most(name):,.0f}")


def _cost(draft: Draft) -> Iterable[tuple[str, str]]:
    price = draft.cost_per_hour
    if price is None:
        return
    if isinstance(price, bool) or not isinstance(price, (int, float)) or not price > 0:
        yield "cost_per_hour", _t("{0} is not a price: give a number above 0, or nothing.").format(price)
    elif price > MOST_MONEY:
        yield "cost_per_hour", _t("Must be at most {0}.").format(f"{MOST_MONEY:,.0f}")
    if not draft.cost_currency.strip():
        yield "cost_currency", _t("Name the currency, such as EUR.")
    try:
        date.fromisoformat(draft.cost_date)
    except ValueError:
        yield "cost_date", _t("Give the date of the price, such as 2026-11-01.")
    if not draft.cost_source.strip():
        yield "cost_source", _t("Give the source of the price.")
