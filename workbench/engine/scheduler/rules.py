"""Differences between the schedulers of vLLM's versions, as switches.

The table was checked against the schedulers of 0.11 to 0.33: with its version's row, every golden case of 23
releases is decided step for step as by vLLM. A new release needs a row only if it differs from all before it
(`engine golden` reports that).
"""

from itertools import product

import msgspec

from workbench.base import Message, Record, message
from workbench.vllm_dialect import MODELLED_VERSION, NEWEST_CHECKED, OLDEST_CHECKED, Version, version_of


class Rules(Record, frozen=True, kw_only=True):
    """Switches; each holds from some version on."""

    oversized_prompt_blocks: bool = True
    """With chunked prefill off, a prompt above the budget left ends admission for the step; before, the
    prompts behind it were tried (`Scheduler.schedule`, waiting loop)."""
    keyless_blocks_first: bool = True
    """Freed blocks without a hash go to the head of the free queue; before, all went to the tail
    (`BlockPool.free_blocks`)."""
    threshold_in_company_only: bool = True
    """The long-prefill threshold holds while more than one request is there; before, also for a single one
    (`Scheduler.schedule`)."""
    self_preemption_goes_on: bool = True
    """Under priority, a request that had to preempt itself doesn't end the running loop
    (`Scheduler.schedule`, running loop)."""

    def switched_on(self) -> list[str]:
        """Return the names of the switches that are on."""
        return [name for name in self.__struct_fields__ if getattr(self, name)]


class RulesRow(Record, frozen=True, kw_only=True):
    """Rules that hold from a version on."""

    since: Version
    rules: Rules


def _row(since: str, *switched_on: str) -> RulesRow:
    values = {name: name in switched_on for name in Rules.__struct_fields__}
    return RulesRow(since=Version.parse(since), rules=Rules(**values))


RULES = (
    _row("0.0"),
    _row("0.12", "oversized_prompt_blocks"),
    _row("0.24", "oversized_prompt_blocks", "keyless_blocks_first"),
    _row("0.31", "oversized_prompt_blocks", "keyless_blocks_first", "threshold_in_company_only"),
    _row(
        "0.33",
        "oversized_prompt_blocks",
        "keyless_blocks_first",
        "threshold_in_company_only",
        "self_preemption_goes_on",
    ),
)
"""Oldest first. `engine golden` prints the row that a new version needs."""


def row_text(version: str, rules: Rules) -> str:
    """Return the row as it stands in `RULES`."""
    words = ", ".join(f'"{word}"' for word in (str(Version.parse(version)), *rules.switched_on()))
    return f"_row({words}),"


def rules_for(version: str | None) -> Rules:
    """Return the rules of the newest row that is not newer; those of the modelled version if unknown."""
    return row_for(version).rules


def row_for(version: str | None) -> RulesRow:
    """Return the row of a version's rules."""
    known = version_of(version) or Version.parse(MODELLED_VERSION)
    return [row for row in RULES if row.since <= known][-1]


def rules_span(row: RulesRow) -> str:
    """Return the checked versions for which a row holds, such as `0.24 to 0.30`."""
    first = max(row.since, Version.parse(OLDEST_CHECKED))
    newer = [other.since for other in RULES if other.since > row.since]
    if not newer:
        last = Version.parse(NEWEST_CHECKED)
    else:
        last = msgspec.structs.replace(newer[0], minor=newer[0].minor - 1)
    return str(first) if first == last else f"{first} to {last}"


def rules_caveat(version: str | None) -> Message | None:
    """Return a caveat for results under the rules of `version`; None if that version was checked."""
    known = version_of(version)
    if known is None:
        return message("engine.version_unknown", modelled=MODELLED_VERSION)
    if Version.parse(OLDEST_CHECKED) <= known <= Version.parse(NEWEST_CHECKED):
        return None
    kind_values = {"version": str(version), "oldest": OLDEST_CHECKED, "newest": NEWEST_CHECKED}
    return message("engine.version_unchecked", span=rules_span(row_for(version)), **kind_values)


def all_rules() -> list[Rules]:
    """Return every combination of switches."""
    names = Rules.__struct_fields__
    return [
        Rules(**dict(zip(names, values, strict=True))) for values in product((False, True), repeat=len(names))
    ]
