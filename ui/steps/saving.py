"""The stage as a picture in a file."""

from pathlib import Path

from PySide6.QtCore import QBuffer, QPoint, QRect, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from workbench.base import write_atomic

PICTURE_WIDTH = 1920
"""Least pixels of a saved PNG, enough for a slide."""


def save_stage(stage: QWidget, legend: QWidget, path: Path) -> None:
    """Write the stage with its legend above as PNG, or as SVG by the file's extension.

    Raises:
        InputError: the file can't be written.
    """
    size = QSize(stage.width(), stage.height() + legend.height())
    held = QBuffer()
    held.open(QBuffer.OpenModeFlag.WriteOnly)
    if path.suffix.lower() == ".svg":
        drawing = QSvgGenerator()
        drawing.setOutputDevice(held)
        drawing.setSize(size)
        drawing.setViewBox(QRect(QPoint(0, 0), size))
        painter = QPainter(drawing)
        _draw(painter, stage, legend)
        painter.end()
    else:
        scale = max(1.0, PICTURE_WIDTH / size.width())
        image = QImage(size * scale, QImage.Format.Format_RGB32)
        image.fill(stage.palette().base().color())
        painter = QPainter(image)
        painter.scale(scale, scale)
        _draw(painter, stage, legend)
        painter.end()
        image.save(held, "PNG")  # type: ignore[call-overload]  # the stubs want bytes where Qt takes text
    write_atomic(path, bytes(held.data().data()))


def _draw(painter: QPainter, stage: QWidget, legend: QWidget) -> None:
    painter.fillRect(QRect(0, 0, stage.width(), legend.height()), stage.palette().base())
    legend.render(painter, QPoint(8, 0), renderFlags=QWidget.RenderFlag.DrawChildren)
    stage.render(painter, QPoint(0, legend.height()))
