"""The window: PySide6, pyqtgraph, qasync. It renders the conductor's events and measures nothing itself."""

import os

# Other programs choose other bindings by these variables; qasync and pyqtgraph obey them.
os.environ["QT_API"] = "pyside6"
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
