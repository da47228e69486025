"""The window: PySide6, pyqtgraph, qasync. It shows the conductor's events and measures nothing itself."""

import os

# qasync and pyqtgraph choose the Qt binding by these variables, which other programs may have set.
os.environ["QT_API"] = "pyside6"
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
