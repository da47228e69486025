"""Finds the parts of a window by their object names."""

from typing import TypeVar

from PySide6.QtWidgets import QWidget

Kind = TypeVar("Kind", bound=QWidget)


def get_child(root: QWidget, kind: type[Kind], name: str) -> Kind:
    """Return the only widget of this kind and object name under `root`."""
    found = root.findChildren(kind, name)
    assert len(found) == 1, f"{len(found)} widgets of the name {name!r} in {type(root).__name__}"
    return found[0]
