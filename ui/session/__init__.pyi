from .session_panel import SessionRoom as SessionRoom
