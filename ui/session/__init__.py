"""The session's room: the chain of experiments, each from what an earlier one found."""

from ui.session.widget import SessionRoom

__all__ = ["SessionRoom"]
