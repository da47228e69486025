"""The core's refusal of a draft whose fields are each valid, put beside the field it is about."""

import re
from collections.abc import Iterable

from ui.core_words import said
from ui.experiment.draft import Draft
from ui.experiment.file_fields import row_of
from ui.number_text import sentence
from workbench.base import InputError, Refusal


def core_refusal(draft: Draft) -> Iterable[tuple[str, str]]:
    """Yield the form's row and the sentence, if the core refuses the draft."""
    from ui.experiment.draft_file import checked_text  # noqa: PLC0415 - the core room loads when first needed

    try:
        checked_text(draft)
    except Refusal as error:
        row = row_of(error.place.table or "", error.place.key or "", draft.loop)
        yield row, sentence(said(error.message))
    except InputError as error:
        text = str(error).removeprefix(f"{draft.name}: ")
        place = re.search(r"\[(\w+)\](?: (\w+))?", text)
        table, key = place.groups() if place else ("", "")
        yield row_of(table, key or "", draft.loop), said(sentence(text))
