"""`vllm-workbench --export OUT FILE`: writes a demo's animation without a window."""

import os
import signal
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
    loop, failures, signals = QEventLoop(), [], []

    def fail(error: object) -> None:
        failures.append(error)
        loop.quit()

    def stop(number: int, _frame: object) -> None:
        signals.append(number)
        loop.quit()

    export = DemoExport(application, Theme(application), filmed(demo), path)
    if sys.stderr.isatty():
        export.progressed.connect(lambda done, of: sys.stderr.write(f"\r{done / of:.0%}"))
    export.done.connect(lambda _path: loop.quit())
    export.failed.connect(fail)
    export.start()
    # An exception in one of Qt's callbacks, as KeyboardInterrupt is, would abort the process.
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    loop.exec()
    for number, handler in before.items():
        signal.signal(number, handler)
    if signals:
        export.cancel()
        sys.stderr.write(f"\nstopped: {path} was not written\n")
        return 1
    for error in failures:
        raise error if isinstance(error, WorkbenchError) else OSError(str(error))
    sys.stdout.write(f"wrote {path}\n")
    return 0
