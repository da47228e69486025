"""Reads a run's step record for the stage, in a thread. No Qt."""

from pathlib import Path

from ui.steps.stage_data import StageData, stage_data
from ui.steps.step_arrays import KnownRequest, arrays_of
from workbench.experiments import open_step_indexes, sent_request_id
from workbench.results import BenchFile


def read_stage(path: Path, run: str) -> list[StageData]:
    """Return what the stage draws of a run, one for each engine; empty if the file lacks the run.

    Raises:
        WorkbenchError: not a bench file, or no readable record of steps.
    """
    with BenchFile.open(path) as bench:
        entry = bench.counted_runs().get(run)
        if entry is None:
            return []
        indexes = open_step_indexes(bench, entry)
        rows = bench.request_values(entry.id, ("request_id", "index", "cls"))
    sent = {str(name): KnownRequest(str(name), int(number), str(cls or "")) for name, number, cls in rows}
    stages = []
    for index in indexes:
        known = {}
        for engine_id in index.requests.ids:
            name = engine_id if engine_id in sent else sent_request_id(engine_id, sent)
            if name is not None:
                known[engine_id] = sent[name]
        stages.append(stage_data(arrays_of(index, known)))
    return stages
