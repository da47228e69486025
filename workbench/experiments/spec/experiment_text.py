"""An experiment as the text of its file, new or written into an existing text."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
import tomlkit

from workbench.experiments.spec.experiment import Experiment


def to_toml(experiment: Experiment) -> str:
    """Return the experiment as TOML; defaults are left out. `Experiment.from_toml` reads it back equal."""
    return tomlkit.dumps(to_tables(experiment))


def write_into(
    original: str, tables: Mapping[str, Mapping[str, Any] | None], replaced: Collection[str] = ()
) -> str:
    """Return TOML text with these values set; comments and all other keys stay.

    Args:
        original: the text to start from; "" for none.
        tables: values by table (`load`, `load.ladder`; "" for the top level) and key. None removes a key
            or a table.
        replaced: tables whose other keys are removed.
    """
    document: Any = tomlkit.parse(original)
    for path, entries in tables.items():
        *parents, name = path.split(".")
        holder: Any = document
        for parent in parents:
            holder = holder.get(parent, {})
        if entries is None:
            holder.pop(name, None)
            continue
        table = holder if not path else holder.get(name)
        if table is None:
            if all(value is None for value in entries.values()):
                continue
            table = holder[name] = tomlkit.table()
        if path in replaced:
            for key in [key for key in table if key not in entries]:
                del table[key]
        for key, value in entries.items():
            _set(table, key, value)
    return tomlkit.dumps(document)


def _set(table: Any, key: str, value: Any) -> None:
    """Set a key only if its value changes: tomlkit drops the comment of a key that is set."""
    present = table.get(key)
    if value is None:
        table.pop(key, None)
    elif present != value or isinstance(present, bool) != isinstance(value, bool):
        table[key] = value


def to_tables(record: msgspec.Struct) -> dict[str, Any]:
    """Return a record's fields that differ from their defaults, plain values before tables."""
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
        return to_tables(value)
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
