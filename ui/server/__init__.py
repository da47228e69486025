"""The server's room."""

from ui.server.widget import ServerForm

__all__ = ["ServerForm"]
