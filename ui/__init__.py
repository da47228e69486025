"""The window: PySide6, pyqtgraph, qasync. It renders the conductor's events and measures nothing itself."""
