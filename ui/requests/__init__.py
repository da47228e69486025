"""The room of single requests: every one of a run, worst first, and what its time went into."""

from ui.requests.widget import RequestsRoom

__all__ = ["RequestsRoom"]
