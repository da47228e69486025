"""What all tables share: rows on the clipboard."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QApplication


def put_on_clipboard(lines: Sequence[Sequence[str]]) -> None:
    """Lines of cells, headers first, as tab-separated text and as an HTML table."""
    data = QMimeData()
    data.setText("\n".join("\t".join(line) for line in lines) + "\n")
    html = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in lines)
    data.setHtml(f"<table>{html}</table>")
    QApplication.clipboard().setMimeData(data)
