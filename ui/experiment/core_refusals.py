"""The core's refusal of a draft whose fields are each valid, put beside the field it is about."""

from collections.abc import Iterable

from ui.experiment.draft import Draft
from ui.experiment.file_fields import has_row, row_of
from ui.language.number_text import sentence
from ui.language.texts import said
from ui.language.translation import current_language
from workbench.base import InputError, Place, Refusal


def core_refusal(draft: Draft) -> Iterable[tuple[str, str]]:
    """Yield the form's row and the sentence, if the core refuses the draft."""
    from ui.experiment.draft_file import checked_text  # noqa: PLC0415 - the core room loads when first needed

    try:
        checked_text(draft)
    except Refusal as error:
        table, key = error.place.table or "", error.place.key or ""
        # The text names the key if the row beside it doesn't.
        place = "" if has_row(table, key) or not key else str(Place(table=table or None, key=key))
        yield row_of(table, key, draft.loop), sentence(error.text(current_language(), place=place))
    except InputError as error:
        yield "kind", sentence(said(error))
