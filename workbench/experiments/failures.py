"""Why requests of a run failed, in one line: a run can end as planned and have been refused throughout."""

from collections import Counter
from collections.abc import Sequence

from workbench.results import Outcome, RequestRecord

_SHOWN = 300
"""Characters of an error; a server may answer a page."""


def failure_note(records: Sequence[RequestRecord]) -> str | None:
    """`160 of 160 requests failed, 158 with: HTTP 400: …`; None where none did."""
    failed = [record for record in records if record.outcome is Outcome.FAILED]
    if not failed:
        return None
    (error, times), *_ = Counter(record.error or "no reason given" for record in failed).most_common(1)
    which = "all" if times == len(failed) else f"{times}"
    return f"{len(failed)} of {len(records)} requests failed, {which} with: {error[:_SHOWN]}"
