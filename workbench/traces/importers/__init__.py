"""Importers of all trace and log formats.

A format is one file: a table of columns in `resources/trace_formats`, or a module in `formats` with
`IMPORTERS`. No other file lists the formats.
"""

from importlib import import_module
from pkgutil import iter_modules

from workbench.traces.importers import formats
from workbench.traces.importers.column_formats import column_formats
from workbench.traces.importers.importer import Importer


def _all_importers() -> tuple[Importer, ...]:
    """Return all importers by rank."""
    found = [each.importer() for each in column_formats()]
    for module in iter_modules(formats.__path__):
        found += import_module(f"{formats.__name__}.{module.name}").IMPORTERS
    return tuple(sorted(found, key=lambda importer: (importer.rank, importer.name)))


IMPORTERS = _all_importers()
"""All importers, in the order in which they are tried."""

__all__ = ["IMPORTERS"]
