"""The comparison as one printable page: PDF by Qt."""

import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QMarginsF, QRectF, QSizeF, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextDocument,
)

from ui.compare.comparison import Sheet
from ui.compare.demand_chart import paint_charts
from ui.language import number_text
from ui.language.texts import said
from ui.look.theme import readable
from ui.look.tokens import HUES, MARK_CONTRAST, TEXT_CONTRAST
from workbench.base import write_atomic

_MARGIN_MM = 14.0
_DPI = 150
_CSS_DPI = 96
"""Pixels of HTML in an inch."""
_CHART = (1400, 380)
_FONTS = (9.5, 9.0, 8.5, 8.0, 7.5, 7.0)
"""Tried from the largest until all fits on one page."""


class Paper:
    """The light colors of a chart on paper, whatever the window's theme."""

    background = QColor("white")
    text = QColor("black")
    secondary = QColor("#595959")
    grid = QColor("#e0e0e0")

    def mark(self, meaning: str) -> QColor:
        """Return the color of a curve."""
        return readable(QColor(HUES[meaning]), self.background, MARK_CONTRAST)

    def ink(self, meaning: str) -> QColor:
        """Return the color of a text."""
        return readable(QColor(HUES[meaning]), self.background, TEXT_CONTRAST)


def write_page(sheet: Sheet, path: Path) -> Path:
    """Write the page.

    Raises:
        InputError: it can't be written.
    """
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-") as folder:
        scratch = Path(folder) / "page.pdf"
        writer = QPdfWriter(str(scratch))
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
        writer.setPageMargins(margins, QPageLayout.Unit.Millimeter)
        writer.setResolution(_DPI)
        writer.setTitle(_t("Comparison of systems"))
        size = QSizeF(writer.width(), writer.height())
        document = _fitting(sheet, size, writer)
        painter = QPainter(writer)
        document.drawContents(painter, QRectF(0, 0, size.width(), size.height()))
        painter.end()
        del writer
        write_atomic(path, scratch.read_bytes())
    return path


def _fitting(sheet: Sheet, size: QSizeF, writer: QPdfWriter) -> QTextDocument:
    """Return the document in the largest font with which it fits on one page."""
    document = QTextDocument()
    for points in _FONTS:
        document = QTextDocument()
        document.documentLayout().setPaintDevice(writer)
        font = QFont()
        font.setPointSizeF(points)
        document.setDefaultFont(font)
        document.addResource(QTextDocument.ResourceType.ImageResource, QUrl("chart"), _chart(sheet))
        document.setHtml(page_html(sheet, round(size.width() * _CSS_DPI / _DPI)))
        document.setPageSize(size)
        if document.pageCount() == 1:
            break
    return document


def _chart(sheet: Sheet) -> QImage:
    image = QImage(*_CHART, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    font = QFont()
    font.setPixelSize(20)
    painter.setFont(font)
    paint_charts(painter, QRectF(0, 0, *_CHART), sheet, Paper())
    painter.end()
    return image


def page_html(sheet: Sheet, width: int) -> str:
    """Return the page's content; `width` is that of the chart, in pixels of HTML."""
    demand = sheet.demand
    stated = _t("Demand: peak {0}, mean {1} accepted requests a second; {2} % headroom, {3} spare.").format(
        number_text.significant(demand.peak_rps),
        number_text.significant(demand.mean_rps),
        number_text.plain(100 * demand.headroom),
        demand.spare,
    )
    parts = [
        f"<h2>{escape(_t('Comparison of systems'))}</h2>",
        f"<p><b>{escape(said(sheet.recommendation))}</b></p>",
        f"<p>{escape(stated)}</p>",
        _list(_t("Missing for a decision"), [said(each) for each in sheet.missing]),
        _table(_t("Systems"), _system_rows(sheet)),
        f'<p><img src="chart" width="{width}"></p>',
        f"<p><small>{escape(_t('Bands: price, rate and demand a tenth better or worse.'))}</small></p>",
    ]
    if sheet.scenarios:
        parts.append(_table(_t("What would change it"), _scenario_rows(sheet)))
    parts += [_table(_t("Who measured what"), _evidence_rows(sheet))]
    return "".join(parts)


def _system_rows(sheet: Sheet) -> list[list[str]]:
    head = [
        _t("System"),
        _t("Accepted (req/s)"),
        _t("Servers"),
        _t("Per 1,000 accepted, {0}").format(sheet.currency or "–"),
        _t("All servers, an hour"),
        _t("Energy of an accepted response (J)"),
        _t("Offer"),
    ]
    rows = [head]
    for line, title in zip(sheet.lines, sheet.titles, strict=True):
        bound = "" if line.capacity_found else "≤ "
        rows.append(
            [
                title,
                ("" if line.capacity_found else "≥ ") + number_text.significant(line.accepted_rps),
                bound + number_text.count(line.servers),
                bound + number_text.significant(line.per_1k_reserved),
                bound + number_text.significant(line.cost_per_hour),
                _t("not measured")
                if line.j_per_accepted is None
                else number_text.significant(line.j_per_accepted),
                line.offer or "–",
            ]
        )
    return rows


def _scenario_rows(sheet: Sheet) -> list[list[str]]:
    head = [_t("If"), _t("Cheapest"), _t("Servers"), _t("Per 1,000 accepted, {0}").format(sheet.currency)]
    return [
        head,
        *(
            [
                said(each.said),
                each.title if each.same else f"▶ {each.title}",
                number_text.count(each.servers),
                number_text.significant(each.per_1k),
            ]
            for each in sheet.scenarios
        ),
    ]


def _evidence_rows(sheet: Sheet) -> list[list[str]]:
    head = [_t("System"), _t("Measured by"), _t("On"), "vLLM", _t("Load from"), _t("File")]
    rows = [head]
    for line, title, evidence in zip(sheet.lines, sheet.titles, sheet.evidence, strict=True):
        simulated = sheet.decisions[len(rows) - 1].simulated
        device = evidence.gpu or _t("unknown")
        rows.append(
            [
                title,
                f"{evidence.tool or _t('unknown')}, {(evidence.measured_utc or '')[:10]}",
                _t("simulated: {0}").format(device) if simulated else device,
                evidence.vllm_version or _t("unknown"),
                evidence.load_place or _t("unknown"),
                Path(line.path).name,
            ]
        )
    return rows


def _list(title: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    rows = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<p><b>{escape(title)}</b></p><ul>{rows}</ul>"


def _table(title: str, rows: Sequence[Sequence[str]]) -> str:
    head, *others = rows
    lines = ["<tr>" + "".join(f'<th align="left">{escape(cell)}</th>' for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in others]
    return f'<p><b>{escape(title)}</b></p><table width="100%" cellpadding="3">{"".join(lines)}</table>'


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("comparison page", text)
