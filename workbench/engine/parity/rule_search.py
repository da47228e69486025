"""Search for the scheduler rules of a vLLM: golden cases under its version's rules, then under all others."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.base import Record
from workbench.engine.parity.check_files import check_file, read_case
from workbench.engine.parity.golden_case import Case
from workbench.engine.parity.play_golden import check_case
from workbench.engine.parity.verdict import ParityVerdict
from workbench.engine.scheduler import Rules, all_rules, rules_for

RECORD = ".steps.jsonl"
"""End of a step record's name; other files of the folder are cases."""


class Judgement(Record, frozen=True, kw_only=True):
    """Comparison of all cases of a folder."""

    cases: int
    steps: int
    records: int
    """Step records, compared under the version's own rules."""
    differing: tuple[ParityVerdict, ...]
    """Differing cases under the rules that the table has for the version."""
    fitting: Rules | None
    """Other rules under which all cases are identical; None: not needed, or none fit."""

    @property
    def smallest(self) -> ParityVerdict | None:
        """The case with the earliest difference, which is the easiest to inspect."""
        found = [verdict for verdict in self.differing if verdict.difference is not None]
        return min(found, key=lambda verdict: verdict.steps, default=None)


def judge(folder: Path) -> Judgement:
    """Compare every case and record of a folder.

    Raises:
        Refusal: a file can't be read, or is neither.
    """
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    verdicts = {path: check_file(path) for path in paths}
    differing = {path: verdict for path, verdict in verdicts.items() if not verdict.identical}
    cases = [read_case(path) for path in differing if not path.name.endswith(RECORD)]
    records = sum(path.name.endswith(RECORD) for path in paths)
    return Judgement(
        cases=len(paths) - records,
        steps=sum(verdict.steps for verdict in verdicts.values()),
        records=records,
        differing=tuple(differing.values()),
        fitting=_fitting(cases, [path for path in paths if path not in differing]),
    )


def _fitting(differing: Sequence[Case], others: Iterable[Path]) -> Rules | None:
    """Return the rules nearest to the version's own under which all cases are identical."""
    if not differing:
        return None
    own = rules_for(differing[0].vllm_version).switched_on()
    candidates = sorted(all_rules(), key=lambda rules: len({*rules.switched_on()} ^ {*own}))
    rest = [path for path in others if not path.name.endswith(RECORD)]
    for rules in candidates:
        if all(check_case(case, rules).identical for case in differing) and all(
            check_case(read_case(path), rules).identical for path in rest
        ):
            return rules
    return None
