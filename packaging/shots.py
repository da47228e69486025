"""Screenshots of the window from a demo run, light and dark, at 1366×768 and at 200 %, into a folder.

python packaging/shots.py docs/images [--seconds S]
python packaging/shots.py FOLDER --rooms-of BENCH     every room, at both scales, in both languages
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget

from ui.app import make_application, make_window
from ui.folders import ProfileFolders
from ui.main_window import MainWindow
from ui.run_controller import RunController
from ui.settings import SettingsFile
from workbench.base import require_writable_folder

SIZE = (1366, 768)
NARROW = (1024, 700)
SETTLE_S = 0.6
COLOUR_BITS = 5
PLAN_WITHIN_S = 600
KV_CLIFF_S = 4.0
ROOMS = ("scorecard", "requests", "session", "server", "log")
LANGUAGES = ("en", "zh_CN")


class Photographer:
    """Drives one window and takes its pictures."""

    def __init__(self, folder: Path, profile: Path, language: str = "en") -> None:
        self._folder = folder
        self._application = make_application(sys.argv[:1])
        folders = ProfileFolders.under(profile)
        folders.prepare()
        SettingsFile(folders.config / "settings.json").change(language=language)
        self.window: MainWindow = make_window(self._application, folders)
        self.window.resize(*SIZE)
        self.window.show()
        self.settle()

    def settle(self, seconds: float = SETTLE_S) -> None:
        """Let the window live for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            QApplication.processEvents()
            time.sleep(0.005)

    def wait(self, until: Callable[[], bool]) -> None:
        """Let it live until something holds."""
        deadline = time.monotonic() + PLAN_WITHIN_S
        while not until():
            if time.monotonic() > deadline:
                raise SystemExit(f"still {self.window.runs.state.phase} after {PLAN_WITHIN_S} s")
            self.settle(0.05)

    def take(self, name: str, appearance: str = "light") -> None:
        """Write `window-<name>-<appearance>.png`."""
        self.window.theme.pin("dark" if appearance == "dark" else "light")
        self.settle()
        if self.window.centre.currentWidget() is not self.window.start_page:
            self.window.plots.draw_all()
        path = self._folder / f"window-{name}-{appearance}.png"
        save_small(self.window.grab().toImage(), path)
        print(path)

    def both(self, name: str) -> None:
        """In light and in dark."""
        self.take(name, "light")
        self.take(name, "dark")

    def close(self) -> None:
        """End whatever runs, and the window."""
        self.window.runs.client.end()
        self.window.closing.may_close = True
        self.window.close()


def save_small(picture: QImage, path: Path) -> None:
    """As PNG of 256 colours: a third of the bytes, and nothing that a reader of the manual would miss.

    Colours are first rounded to `COLOUR_BITS` a channel, so that the many greys of smoothed letters don't
    crowd out the hues of thin curves.
    """
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    step = 255 / (2**COLOUR_BITS - 1)
    rounded = np.ascontiguousarray((np.round(pixels / step) * step).round().astype(np.uint8))
    rounded[..., 3] = 255
    colours, counts = np.unique(rounded.view(np.uint32), return_counts=True)
    table = [int(colour) for colour in colours[np.argsort(counts)[::-1][:256]]]
    size = image.width(), image.height(), image.bytesPerLine()
    flags = Qt.ImageConversionFlag.AvoidDither | Qt.ImageConversionFlag.ThresholdDither
    coarse = QImage(rounded.data, *size, QImage.Format.Format_RGB32)
    small = coarse.convertToFormat(QImage.Format.Format_Indexed8, table, flags)
    if not small.save(str(path), quality=0):
        raise SystemExit(f"{path}: can't be written")


def of_a_demo(folder: Path, profile: Path, seconds: float) -> Path:
    """The demo from the empty window to its report; returns its bench file."""
    camera = Photographer(folder, profile)
    window, runs = camera.window, camera.window.runs
    window.settings.change(demo_seconds=seconds)
    camera.both("empty")
    window.start_page.demo.click()
    camera.wait(lambda: bool(runs.state.runs) or not runs.running)
    camera.take("starting")
    camera.wait(lambda: runs.state.index == 3 or not runs.running)
    last = runs.state.current_run()
    camera.wait(lambda: (last is not None and last.series.last_time() > seconds / 2) or not runs.running)
    camera.both("running")
    camera.wait(lambda: not runs.running)
    unfit = [run.name for run in runs.state.runs.values() if run.row and run.row.get("valid") is False]
    if unfit:
        raise SystemExit(f"invalid: {', '.join(unfit)}; this machine is too busy to be pictured")
    camera.both("finished")
    of_rooms(camera)
    for section, _, _ in window.experiment.sections:
        section.header.setChecked(section is not window.experiment.sections[2][0])
    camera.take("forms")
    bench = Path(runs.state.bench)
    camera.close()
    return bench


def of_rooms(camera: Photographer) -> None:
    """The rooms at the bottom, and all nine plots."""
    window = camera.window
    for name in ("requests", "session", "server", "log"):
        window.docks[name].raise_()
        camera.settle(1.0)
        if name == "session":
            window.docks["session"].widget().begin()
        if name == "server":
            examination = window.docks["server"].widget().findings.examination
            camera.wait(lambda of=examination: not of.running)
            hide_places(window)
        camera.take(name)
    window.docks["scorecard"].raise_()
    window.plot_choice.all.trigger()
    camera.settle(1.0)
    camera.take("nine-plots")
    window.plot_choice.first.trigger()


def hide_places(window: MainWindow) -> None:
    """Paths of the machine that takes the pictures don't belong into a manual."""

    def hidden(text: str) -> str:
        return text.replace(sys.executable, "python").replace(str(Path.home()), "~")

    room = window.docks["server"].widget()
    for line in room.findChildren(QLineEdit):
        line.setText(hidden(line.text()))
        line.setCursorPosition(0)
    for table in room.findChildren(QListWidget):
        for place in range(table.count()):
            table.item(place).setText(hidden(table.item(place).text()))


def of_live_limits(folder: Path, profile: Path) -> None:
    """A run under way, whose seats are taken away and given back."""
    camera = Photographer(folder, profile)
    window, runs = camera.window, camera.window.runs
    window.settings.change(demo_seconds=60.0)
    window.start_page.demo.click()
    row = window.limits.rows["max_num_active_seqs"]
    for until_s, seats in ((15.0, 6), (27.0, 14), (40.0, None)):
        camera.wait(lambda until=until_s: _seconds(runs) > until or not runs.running)
        if seats is not None:
            row.slider.setValue(seats)
    camera.take("live-limits")
    camera.close()


def _seconds(runs: RunController) -> float:
    run = runs.state.current_run()
    return run.series.last_time() if run is not None and len(run.series) else 0.0


def of_a_teaching_demo(folder: Path, profile: Path) -> None:
    """The KV cliff: its question, its first film in the middle, its second at the end."""
    camera = Photographer(folder, profile)
    window, player = camera.window, camera.window.demos
    window.actions_["demo.kv-cliff"].trigger()
    camera.wait(window.banner.isVisible)
    camera.take("demo-question")
    player.step()
    name = player.current or ""
    camera.wait(lambda: window.runs.state.runs[name].series.last_time() > KV_CLIFF_S)
    camera.take("demo-playing")
    for _ in range(3):
        player.step()
    camera.settle(1.5)
    camera.take("demo-said", "dark")
    camera.close()


def of_a_bench_file(folder: Path, profile: Path, bench: Path, name: str) -> None:
    """A bench file opened read-only, at whatever scale this process has."""
    camera = Photographer(folder, profile)
    camera.window.documents.open_any(bench)
    camera.wait(lambda: camera.window.runs.state.read_only)
    camera.settle(2.0)
    camera.take(name)
    camera.window.resize(*NARROW)
    camera.take(f"{name}-narrow")
    camera.close()


def of_every_room(folder: Path, profile: Path, bench: Path, language: str, name: str) -> None:
    """Every room of a bench file in one language, light and dark, at whatever scale this process has."""
    camera = Photographer(folder, profile, language)
    window = camera.window
    window.documents.open_any(bench)
    camera.wait(lambda: window.runs.state.read_only)
    camera.settle(2.0)
    for room in ROOMS:
        window.docks[room].raise_()
        camera.settle()
        camera.both(f"{name}-{room}")
    for section, _, _ in window.experiment.sections:
        section.unfold()
    camera.both(f"{name}-forms")
    camera.close()


def in_chinese(folder: Path, profile: Path, bench: Path) -> None:
    """The same bench file in Chinese."""
    camera = Photographer(folder, profile, "zh_CN")
    camera.window.documents.open_any(bench)
    camera.wait(lambda: camera.window.runs.state.read_only)
    camera.settle(2.0)
    camera.take("chinese")
    camera.close()


def at_scale(folder: Path, factor: int, *words: str) -> None:
    """Pictures by a process of its own, for Qt takes its scale at the start."""
    environment = {**os.environ, "QT_SCALE_FACTOR": str(factor)}
    subprocess.run([sys.executable, __file__, str(folder), *words], env=environment, check=True)


def everywhere(folder: Path, bench: Path) -> None:
    """Every room at both scales, in both languages."""
    for factor in (1, 2):
        for language in LANGUAGES:
            name = f"{language}-{factor}00"
            at_scale(folder, factor, "--rooms-of", str(bench), "--language", language, "--name", name)


def main() -> int:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=40.0, help="simulated seconds of each demo run")
    parser.add_argument("--bench", type=Path, help="only of this bench file")
    parser.add_argument("--rooms-of", type=Path, help="every room of this bench file")
    parser.add_argument(
        "--language", choices=LANGUAGES, help="with --rooms-of: only in this one, at this scale"
    )
    parser.add_argument("--name", default="bench")
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    require_writable_folder(folder)
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-shots-") as profile:
        if arguments.rooms_of and not arguments.language:
            everywhere(folder, arguments.rooms_of)
            return 0
        if arguments.rooms_of:
            of_every_room(folder, Path(profile), arguments.rooms_of, arguments.language, arguments.name)
            return 0
        if arguments.bench:
            of_a_bench_file(folder, Path(profile), arguments.bench, arguments.name)
            return 0
        of_a_teaching_demo(folder, Path(profile) / "c")
        of_live_limits(folder, Path(profile) / "b")
        bench = of_a_demo(folder, Path(profile) / "a", arguments.seconds)
        for factor in (1, 2):
            at_scale(folder, factor, "--bench", str(bench), "--name", f"bench-{factor}00")
        in_chinese(folder, Path(profile) / "d", bench)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
