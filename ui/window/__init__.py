"""The main window: its parts, arrangement, bars and life from start to close."""
