from .widget import SessionRoom as SessionRoom
