"""`make run` where there is no screen: the demo, then a picture of the window that shows its results."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OUT = Path("out/demo")
PICTURE = OUT / "window.png"
SECONDS = "20"
"""Simulated seconds of each run, as in the window: all three take about a minute."""
SETTLE_S = 6.0
"""The window reads a bench file in the background and draws one plot a tick."""
OPEN_WITHIN_S = 60.0


def main() -> int:
    """Run the demo and say where scorecard, CSV and picture are."""
    print("No screen here: running the demo on the embedded engine (about a minute).")
    words = ["-m", "workbench", "demo", "--seconds", SECONDS, "--out", str(OUT)]
    done = subprocess.run([sys.executable, *words], check=False)
    if done.returncode:
        return done.returncode
    bench = max(OUT.glob("*.bench"), key=lambda path: path.stat().st_mtime)
    photograph(bench, PICTURE)
    print(f"picture:    {PICTURE}")
    print("With a screen, `make run` opens the window.")
    return 0


def photograph(bench: Path, picture: Path) -> None:
    """A picture of the window with a bench file open."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import qInstallMessageHandler  # noqa: PLC0415 - after the platform is chosen
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415 - as above

    from ui.app import make_application, make_window  # noqa: PLC0415 - as above
    from ui.files.folders import ProfileFolders  # noqa: PLC0415 - as above

    with tempfile.TemporaryDirectory() as profile:
        # The offscreen platform says with each window what it doesn't support.
        qInstallMessageHandler(lambda *_: None)
        application = make_application(sys.argv[:1])
        window = make_window(application, ProfileFolders.under(Path(profile)))
        window.resize(1366, 768)
        window.show()
        window.documents.open_any(bench)
        deadline = time.monotonic() + OPEN_WITHIN_S
        while not window.runs.state.read_only and time.monotonic() < deadline:
            QApplication.processEvents()
            time.sleep(0.01)
        end = time.monotonic() + SETTLE_S
        while time.monotonic() < end:
            QApplication.processEvents()
            time.sleep(0.01)
        window.grab().save(str(picture))
        window.closing.may_close = True
        window.close()


if __name__ == "__main__":
    raise SystemExit(main())
