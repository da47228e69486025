"""An experiment as the text of its file."""

from typing import Any

import msgspec
import tomlkit

from workbench.experiments.spec.experiment import Experiment


def to_toml(experiment: Experiment) -> str:
    """The experiment as TOML that `Experiment.from_toml` reads back equal; defaults are left out."""
    return tomlkit.dumps(_table(experiment))


def _table(record: msgspec.Struct) -> dict[str, Any]:
    """A record's fields that aren't at their defaults, records within as tables; plain values first."""
    plain: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    for field in msgspec.structs.fields(record):
        value = getattr(record, field.name)
        if value is None or _is_default(field, value):
            continue
        converted = _value(value)
        (tables if isinstance(converted, dict) else plain)[field.encode_name] = converted
    return {**plain, **tables}


def _value(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return _table(value)
    if isinstance(value, dict):
        return {str(name): _value(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_value(entry) for entry in value]
    return value


def _is_default(field: Any, value: Any) -> bool:
    if field.default is not msgspec.NODEFAULT:
        return bool(value == field.default)
    if field.default_factory is not msgspec.NODEFAULT:
        return bool(value == field.default_factory())
    return False
