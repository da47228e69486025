from .session_panel import SessionPanel as SessionPanel
