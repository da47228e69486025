"""Importers: every format that a trace or a log of requests may come in."""

from workbench.traces.importers import azure, canonical, mooncake

IMPORTERS = (canonical.IMPORTER, mooncake.IMPORTER, azure.IMPORTER)
"""In the order in which they are tried: the most particular first."""

__all__ = ["IMPORTERS"]
