"""SQL statements from this room's own table and field names; values always travel as parameters."""

from collections.abc import Iterable, Sequence


def select(fields: Iterable[str], table: str, rest: str = "") -> str:
    """SELECT of fields (names or expressions), with WHERE and ORDER BY in `rest`."""
    return f"SELECT {', '.join(fields)} FROM {table} {rest}"  # noqa: S608  # names only, see above


def insert(table: str, fields: Sequence[str], *, replace: bool = False) -> str:
    """INSERT of one row with a parameter a field."""
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    names, marks = ", ".join(f'"{name}"' for name in fields), ", ".join("?" * len(fields))
    return f"{verb} INTO {table} ({names}) VALUES ({marks})"


def update(table: str, fields: Iterable[str]) -> str:
    """UPDATE of one row by its id, the last parameter."""
    changes = ", ".join(f'"{name}" = ?' for name in fields)
    return f"UPDATE {table} SET {changes} WHERE id = ?"  # noqa: S608  # names only, see above
