"""Makes golden cases: `python -m workbench_scheduler.golden ORDER`.

The order is a JSON object:
    out       a folder
    families  whether the sixty workloads are played, sync and async
    cases     golden cases whose workloads are played again
    random    how many random workloads are played
    seed      of these
    records   whether our step recorder writes down each case too
The answer is the last line of standard output: `version`, `made`, `endless`, `broken` (case and error),
`lacking` (settings); or `missing`, a package (`stubs` beside this folder can stand in for it).
"""

import gzip
import importlib
import json
import logging
import random
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..writer import RecordWriter  # noqa: TID252  # in there the package has no other name
from .families import family_cases
from .parts import LACKING, Parts, quiet
from .player import CasePlayer
from .workload import random_config, random_limits, random_requests

Planned = tuple[str, str, dict[str, Any], list[dict[str, Any]], list[tuple[int, str, int]]]


def _planned(order: "dict[str, Any]") -> Iterator[Planned]:
    """Yield name, family, settings, requests and limit changes of each case."""
    if order["families"]:
        for name, family, config, requests in family_cases():
            for is_async in (False, True):
                mode = "async" if is_async else "sync"
                yield f"{name}-{mode}", family, {**config, "async_scheduling": is_async}, requests, []
    for path in order["cases"]:
        case = json.loads(_unpacked(Path(path).read_bytes()))
        requests = [{"abort_mid": None, "eos_at": None, **request} for request in case["requests"]]
        config = {"long_prefill_token_threshold_adaptive": False, **case["config"]}
        limits = [tuple(change) for change in case.get("limits", ())]
        yield f"{case['case']}-{len(requests)}", case["family"], config, requests, limits
    for number in range(order["random"]):
        draw = random.Random(f"{order['seed']}-{number}")  # noqa: S311  # a workload, not a secret
        config = random_config(draw)
        requests = random_requests(draw, config)
        yield f"random-{order['seed']}-{number}", "random", config, requests, random_limits(draw, config)


def _unpacked(data: bytes) -> bytes:
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


class _Maker:
    """Plays what is planned and writes a file for each."""

    def __init__(self, parts: Parts, order: "dict[str, Any]") -> None:
        self._parts = parts
        self._out = Path(order["out"])
        self._records = order["records"]
        self.made = self.endless = 0
        self.broken: list[dict[str, str]] = []

    def make(self, planned: Planned) -> None:
        """Make one case; note it if vLLM itself fails."""
        name, family, config, requests, limits = planned
        config = {**config, **{key: LACKING[key] for key in self._parts.lacking}}
        if not self._parts.aborts_in_step:
            requests = [_between_steps(one) for one in requests]
        writer = RecordWriter(str(self._out / f"{name}.steps.jsonl")) if self._records else None
        try:
            player = CasePlayer(self._parts, config, requests, limits, writer)
            rows = player.rows()
        except Exception as error:  # noqa: BLE001  # another version's internals may raise anything
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{place.filename.rpartition('vllm/')[2]}:{place.lineno}"
            self.broken.append({"case": name, "error": f"{type(error).__name__}: {error} ({where})"})
            return
        finally:
            if writer is not None:
                writer.close()
        if rows is None:
            self.endless += 1
            (self._out / f"{name}.steps.jsonl").unlink(missing_ok=True)
            return
        case = {
            "case": name,
            "family": family,
            "vllm_version": self._parts.version,
            "scheduler": "AsyncScheduler" if config["async_scheduling"] else "Scheduler",
            "config": config,
            "summary": {"steps": len(rows), "settings_absent": list(self._parts.lacking)},
            "requests": requests,
            "limits": player.limits,
            "steps": rows,
        }
        (self._out / f"{name}.json").write_text(json.dumps(case, separators=(",", ":")))
        self.made += 1


def _between_steps(request: "dict[str, Any]") -> "dict[str, Any]":
    """Return the request for a version that applies aborts only between two steps."""
    mid = request["abort_mid"]
    return request if mid is None else {**request, "abort_mid": None, "abort_step": mid + 1}


class _Log(logging.Handler):
    """Collects vLLM's log: it inspects models in another process, whose errors appear only there."""

    _MISSING = re.compile(r"No module named '(\w+)")

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(logging.Formatter())
        self._text = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self._text += self.format(record) + "\n"

    def missing(self, error: Exception) -> "str | None":
        """Return the missing package; None for another error."""
        found = self._MISSING.findall(f"{self._text}\n{error}")
        return next((name for name in found if name != "vllm"), None)


def main(order: "dict[str, Any]") -> "dict[str, Any]":
    """Carry out an order; return the answer."""
    quiet()
    with tempfile.TemporaryDirectory() as folder:
        log = _Log()
        try:
            importlib.import_module("vllm.logger")  # sets its log up, and would drop our handler
            logging.getLogger("vllm").addHandler(log)
            parts = Parts(Path(folder))
        except Exception as error:
            missing = log.missing(error)
            if missing is None:
                raise
            return {"missing": missing}
        maker = _Maker(parts, order)
        for planned in _planned(order):
            maker.make(planned)
    return {
        "version": parts.version,
        "made": maker.made,
        "endless": maker.endless,
        "broken": maker.broken,
        "lacking": list(parts.lacking),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(json.loads(Path(sys.argv[1]).read_text()))) + "\n")
