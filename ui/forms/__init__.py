"""Parts that all forms are made of: collapsible sections, rows with room for a problem, fields, chips."""

from ui.forms.chips import ChipsEditor
from ui.forms.fields import Choice, OptionalNumber, PathField, TextField, beside
from ui.forms.form import Form
from ui.forms.numbers import DecimalField, WholeField
from ui.forms.section import Section

__all__ = [
    "ChipsEditor",
    "Choice",
    "DecimalField",
    "Form",
    "OptionalNumber",
    "PathField",
    "Section",
    "TextField",
    "WholeField",
    "beside",
]
