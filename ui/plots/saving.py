"""Saving and copying a plot's picture and data."""

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintDevice, QPainter
from PySide6.QtSvg import QSvgGenerator

from ui.live import Curves
from ui.plots.specs import CurveSpec
from workbench.base import write_atomic

PICTURE_WIDTH = 1600
"""Pixels of a saved PNG, enough for a slide."""


def save_picture(item: pg.PlotItem, path: Path, background: QColor, note: str = "") -> None:
    """Write the plot as PNG, or as SVG by the file's extension, with `note` in its upper right corner.

    pyqtgraph's SVG exporter fails on curves with gaps (0.14), so Qt draws the scene itself.

    Raises:
        InputError: the file can't be written.
    """
    source = item.sceneBoundingRect()
    held = QBuffer()
    held.open(QBuffer.OpenModeFlag.WriteOnly)
    if path.suffix.lower() == ".svg":
        target = QRectF(0, 0, source.width(), source.height())
        drawing = QSvgGenerator()
        drawing.setOutputDevice(held)
        drawing.setSize(target.size().toSize())
        drawing.setViewBox(target)
        _draw(item, drawing, target, source, background, note)
    else:
        height = round(PICTURE_WIDTH * source.height() / source.width())
        image = QImage(PICTURE_WIDTH, height, QImage.Format.Format_RGB32)
        _draw(item, image, QRectF(image.rect()), source, background, note)
        image.save(held, "PNG")  # type: ignore[call-overload]  # the stubs want bytes where Qt takes text
    write_atomic(path, bytes(held.data().data()))


def _draw(
    item: pg.PlotItem, device: QPaintDevice, target: QRectF, source: QRectF, background: QColor, note: str
) -> None:
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(target, background)
    item.scene().render(painter, target, source)
    if note:
        font = painter.font()
        font.setPixelSize(max(10, round(target.height() / 24)))
        painter.setFont(font)
        painter.setPen(item.getAxis("left").textPen())
        painter.drawText(target.adjusted(0, 4, -8, 0), Qt.AlignmentFlag.AlignRight, note)
    painter.end()


def data_text(
    series: Curves, curves: Sequence[CurveSpec], separator: str = ",", *, simulated: bool = False
) -> str:
    """Return the samples of these curves as a table with a header, in their own units; empty for unknown.

    A table of simulated figures has a column that says so.
    """
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    said = ["simulated"] if simulated else []
    writer.writerow(["run_t_s", *(curve.column for curve in curves), *said])
    columns = [series.column(curve.column) for curve in curves]
    for row in zip(series.times(), *columns, strict=True):
        writer.writerow(
            [*("" if math.isnan(value) else f"{value:.6g}" for value in row), *("true" for _ in said)]
        )
    return out.getvalue()
