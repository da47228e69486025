"""The catalogue of controls: every scheduler and KV-cache setting of vLLM, and the load's own admission.

`resources/controls.toml` holds one table a control.
"""

import tomllib

import msgspec

from workbench.base import resource
from workbench.controls.control import Control
from workbench.vllm_dialect import defaults_of


def _load() -> dict[str, Control]:
    tables = tomllib.loads(resource("controls.toml").read_text("utf-8"))
    return {name: _control(name, table) for name, table in tables.items()}


def _control(name: str, table: dict[str, object]) -> Control:
    control = msgspec.convert({"name": name, **table}, Control)
    if "{" not in control.default:
        return control
    return msgspec.structs.replace(control, default=control.default.format_map(_Defaults()))


class _Defaults(dict[str, str]):
    """Default values by version in words, such as `0.92 (0.9 before 0.20)`."""

    def __missing__(self, name: str) -> str:
        *earlier, (since, newest) = defaults_of(name)
        before = "".join(f" ({_in_words(value)} before {since})" for _, value in earlier)
        return f"{_in_words(newest)}{before}"


def _in_words(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


CONTROLS: dict[str, Control] = _load()
"""By name, in the order in which an editor shows them."""

ECHOES = {name: each.default_from for name, each in CONTROLS.items() if each.default_from is not None}
"""Controls that by vLLM's default have another control's value: a change of both is one change."""

FOLLOWS = {
    **{name: each.default_depends_on for name, each in CONTROLS.items() if each.default_depends_on},
    "version": ("executable",),
}
"""Settings that vLLM derives from other controls, without having their value."""

ADMISSION = frozenset(name for name, each in CONTROLS.items() if each.rejects)
"""Limits at which a server rejects requests: with one of them set, rejections are expected."""

NOT_CONTROLS = {
    "--scheduler-cls": "a program, not a value: our own class goes there to record steps and change limits",
    "--kv-cache-dtype-skip-layers": "a list of layers, not a value: put it in [target] args",
}
"""Flags of vLLM's scheduler and cache that are not controls, with the reason."""
