"""`vllm-workbench --export OUT FILE`: writes a demo's animation without a window."""

import os
import sys
from pathlib import Path

from PySide6.QtCore import QEventLoop

from ui.app import make_application
from ui.demos.export import DemoExport
from ui.demos.player import filmed
from ui.look.theme import Theme
from workbench.base import WorkbenchError


def export_animation(demo: str, path: Path) -> int:
    """Write the animation of a demo, by its name or from its file; return the exit code.

    Raises:
        InputError: there is no such demo, or the file can't be written.
        WorkFailure: the encoder failed.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = make_application(sys.argv[:1])
    loop, failures = QEventLoop(), []

    def fail(error: object) -> None:
        failures.append(error)
        loop.quit()

    export = DemoExport(application, Theme(application), filmed(demo), path)
    export.progressed.connect(lambda done, of: sys.stderr.write(f"\r{done / of:.0%}"))
    export.done.connect(lambda _path: loop.quit())
    export.failed.connect(fail)
    export.start()
    try:
        loop.exec()
    except KeyboardInterrupt:
        export.cancel()
        return 130
    sys.stderr.write("\n")
    for error in failures:
        raise error if isinstance(error, WorkbenchError) else OSError(str(error))
    sys.stdout.write(f"wrote {path}\n")
    return 0
