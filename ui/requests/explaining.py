"""The ledger of a run, computed once for all panels that show it. In a background's thread."""

from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.advice.blame import Blame

_lock = Lock()


def explain(path: Path, run: str) -> "Blame | None":
    """Split the time of a run's requests; None without a step record.

    Raises:
        WorkbenchError: the file or the record can't be read.
    """
    with _lock:
        return _explained(path, path.stat().st_mtime_ns, run)


@lru_cache(maxsize=2)
def _explained(path: Path, _changed: int, run: str) -> "Blame | None":
    from workbench.experiments import explain_run  # noqa: PLC0415 - loads when first asked for
    from workbench.results import BenchFile  # noqa: PLC0415 - as above

    with BenchFile.open(path) as bench:
        entry = bench.counted_runs().get(run)
        return explain_run(bench, entry) if entry and entry.facts.get("steps_zero") is not None else None
