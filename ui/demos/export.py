"""Exports a demo as an animation: GIF, or MP4 by ffmpeg."""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QImage
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from ui.demos.films import DemoFilms
from ui.demos.gif import GifWriter, Palette, Pixels
from ui.look.theme import Theme
from ui.steps.legend import Legend
from ui.steps.stage_view import StageView
from workbench.base import Place, Refusal, WorkbenchError, WorkFailure, require_writable_file

SIZE = QSize(960, 540)
FRAMES_A_S = 10
_WHOLE_S = 58.0
_QUESTION_S, _SAID_S, _ANSWER_S = 5.0, 4.0, 8.0
_LONGEST_PLAY_S = 16.0
_MARGIN = 12
_WAIT_MS = 10


def animation_kinds() -> tuple[str, ...]:
    """Return the endings of files that can be written here."""
    return (".gif", ".mp4") if shutil.which("ffmpeg") else (".gif",)


@dataclass(frozen=True, slots=True)
class _Shot:
    """One frame: the variant's place, the time in it, the lines above, and how long it lasts."""

    variant: int
    upto: float
    lines: str
    ms: float


def _shots(reel: DemoFilms) -> Iterator[_Shot]:
    told, count = reel.told, len(reel.names)
    yield _Shot(0, 0.0, told.narration[0], 1000 * _QUESTION_S)
    left = (_WHOLE_S - _QUESTION_S - _ANSWER_S) / count - _SAID_S
    frames = max(2, round(min(_LONGEST_PLAY_S, left) * FRAMES_A_S))
    for variant, (name, said) in enumerate(told.variants):
        for number in range(frames):
            yield _Shot(variant, reel.length * number / frames, f"{name} …", 1000 / FRAMES_A_S)
        yield _Shot(variant, reel.length, f"{name}: {said}", 1000 * _SAID_S)
    yield _Shot(count - 1, reel.length, "\n".join(told.narration), 1000 * _ANSWER_S)


class _Page(QWidget):
    """Content of a frame."""

    def __init__(self, theme: Theme, reel: DemoFilms) -> None:
        super().__init__()
        self._reel = reel
        self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self.question, self.lines = QLabel(reel.told.question), QLabel()
        for label, factor, weight in ((self.question, 1.3, QFont.Weight.DemiBold), (self.lines, 1.1, None)):
            font = QFont(self.font())
            font.setPointSizeF(font.pointSizeF() * factor)
            if weight is not None:
                font.setWeight(weight)
            label.setFont(font)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        # The stage keeps its place whatever stands above it.
        width, flags = SIZE.width() - 3 * _MARGIN, Qt.TextFlag.TextWordWrap
        texts = {shot.lines for shot in _shots(reel)}
        space = QRect(0, 0, width, SIZE.height())
        self.lines.setFixedHeight(
            max(self.lines.fontMetrics().boundingRect(space, flags, text).height() for text in texts)
        )
        self.lines.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.view, self.legend = StageView(theme), Legend(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        for part in (self.question, self.lines, self.legend):
            column.addWidget(part)
        column.addWidget(self.view, 1)
        self.setFixedSize(SIZE)
        self.show()

    def show_shot(self, shot: _Shot) -> bool:
        """Show a shot; return whether all of it is painted."""
        data = self._reel.stages[self._reel.names[shot.variant]]
        self.lines.setText(shot.lines)
        self.legend.show_classes(data.arrays.classes)
        self.view.show_film(data, self._reel.length, shot.upto)
        frame = self.view.scene.frame if self.view.scene is not None else None
        return frame is not None and frame.data is data

    def pixels(self) -> Pixels:
        """Return the page as it is; shape (height, width, 3)."""
        image = QImage(SIZE, QImage.Format.Format_RGB888)
        image.fill(self.palette().window().color())
        self.render(image)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(SIZE.height(), image.bytesPerLine())
        return rows[:, : 3 * SIZE.width()].reshape(SIZE.height(), SIZE.width(), 3).copy()


class _Sink(Protocol):
    def add(self, frame: Pixels, ms: float) -> None:
        """Write a frame that lasts so many milliseconds."""

    def close(self) -> None:
        """Complete the file."""

    def abort(self) -> None:
        """Stop writing."""


class _GifSink:
    def __init__(self, path: Path, samples: list[Pixels]) -> None:
        self._file = path.open("wb")
        self._gif = GifWriter(self._file, Palette(samples))

    def add(self, frame: Pixels, ms: float) -> None:
        self._gif.add(frame, ms)

    def close(self) -> None:
        self._gif.close()
        self._file.close()

    def abort(self) -> None:
        self._file.close()


class _Mp4Sink:
    def __init__(self, path: Path) -> None:
        size = f"{SIZE.width()}x{SIZE.height()}"
        words = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size]
        words += ["-r", str(FRAMES_A_S), "-i", "-", "-pix_fmt", "yuv420p", "-f", "mp4", str(path)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self._path = path

    def add(self, frame: Pixels, ms: float) -> None:
        assert self._process.stdin is not None
        for _ in range(max(1, round(ms * FRAMES_A_S / 1000))):
            try:
                self._process.stdin.write(frame.tobytes())
            except BrokenPipeError:
                # ffmpeg has ended, and says why.
                self.close()
                raise

    def close(self) -> None:
        _, said = self._process.communicate()
        code = self._process.returncode
        if code:
            lines = said.decode(errors="replace").split("\n")
            cause = next((line.strip() for line in reversed(lines) if line.strip()), f"exit code {code}")
            raise WorkFailure("ui.not_encoded", Place(file=str(self._path)), cause=cause)

    def abort(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
            self._process.communicate()


class DemoExport(QObject):
    """Writes a demo's animation frame by frame, between the window's own events."""

    progressed = Signal(int, int)
    """Frames done, and of how many."""
    done = Signal(Path)
    failed = Signal(object)
    """The error (`Sayable`)."""

    def __init__(self, parent: QObject, theme: Theme, reel: DemoFilms, path: Path) -> None:
        super().__init__(parent)
        self._page = _Page(theme, reel)
        self._path, self._part = path, path.with_name(f".{path.name}.part")
        shots = list(_shots(reel))
        # The last moments of all variants show every color.
        self._samples = [shot for shot in shots if shot.ms > 1000 / FRAMES_A_S]
        self._pixels: list[Pixels] = []
        self._shots, self._number = shots, 0
        self._sink: _Sink | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)

    def start(self) -> None:
        """Begin; `done` or `failed` follows.

        Raises:
            Refusal: the file can't be written, or has an ending that can't.
        """
        if self._path.suffix.lower() not in animation_kinds():
            raise Refusal("ui.animation_kind", Place(file=str(self._path)), known=list(animation_kinds()))
        require_writable_file(self._path)
        self._timer.start(_WAIT_MS)

    def cancel(self) -> None:
        """Stop and leave no file."""
        self._timer.stop()
        if self._sink is not None:
            self._sink.abort()
            self._sink = None
        self._part.unlink(missing_ok=True)
        self._page.deleteLater()

    def _step(self) -> None:
        try:
            if len(self._pixels) < len(self._samples):
                if self._page.show_shot(self._samples[len(self._pixels)]):
                    self._pixels.append(self._page.pixels())
            elif self._number < len(self._shots):
                self._write(self._shots[self._number])
            else:
                self._finish()
        except WorkbenchError as error:
            self.cancel()
            self.failed.emit(error)
        except OSError as error:
            self.cancel()
            self.failed.emit(str(error))

    def _write(self, shot: _Shot) -> None:
        if self._sink is None:
            mp4 = self._path.suffix.lower() == ".mp4"
            self._sink = _Mp4Sink(self._part) if mp4 else _GifSink(self._part, self._pixels)
        if self._page.show_shot(shot):
            self._sink.add(self._page.pixels(), shot.ms)
            self._number += 1
            self.progressed.emit(self._number, len(self._shots))

    def _finish(self) -> None:
        self._timer.stop()
        assert self._sink is not None
        sink, self._sink = self._sink, None
        sink.close()
        self._part.replace(self._path)
        self._page.deleteLater()
        self.done.emit(self._path)
