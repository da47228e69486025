"""How well a twin that is calibrated on the begin of a measured run predicts the rest of it.

    python tests/performance/bench_twin.py REQUESTS.jsonl META.json

The first third of the requests by arrival calibrates it, with their stamps. The rest is predicted from
arrival times and lengths alone. No stored profile is read. The last line is JSON; errors are signed and
relative, of the mean over the rest, and as medians of the requests' absolute errors. Without arguments: the
public runs.
"""

import json
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np

from workbench.engine import SchedulerConfig, TimedRequest, estimate_kv_blocks, fit_requests, replay_requests
from workbench.vllm_dialect import default_of

MEASURED = Path(__file__).parents[3] / "shared" / "data" / "measured"
BLOCK = 16


def read(path: Path) -> list[dict[str, Any]]:
    """The requests by arrival."""
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return sorted(rows, key=lambda row: row["arrival_time"])


def settings(
    meta: dict[str, Any], requests: list[TimedRequest], calibrating: list[dict[str, Any]]
) -> SchedulerConfig:
    """The server's settings as far as the run states them, else vLLM's defaults."""
    stated = meta.get("engine_kwargs") or {}
    resolved = (meta.get("resolved_config") or {}).get("scheduler_config") or {}
    version = meta.get("vllm_version")

    def value(name: str, default: Any) -> Any:
        known = [table[name] for table in (resolved, stated) if table.get(name) is not None]
        return known[0] if known else default

    cache = meta.get("kv_cache") or {}
    sequences = value("max_num_seqs", 256)
    blocks, block = cache.get("num_gpu_blocks"), cache.get("block_size") or BLOCK
    if blocks is None:
        blocks = estimate_kv_blocks(requests, queue_times(calibrating), sequences, block)
    # A cache that no request waited for holds them all.
    blocks = blocks or 1 + sum(1 + (one.prompt + one.output) // block for one in requests)
    longest = max(request.prompt + request.output for request in requests)
    return SchedulerConfig(
        num_gpu_blocks=blocks,
        block_size=block,
        max_model_len=max(longest + 1, stated.get("max_model_len") or 0),
        max_num_seqs=sequences,
        max_num_batched_tokens=value("max_num_batched_tokens", 2048),
        long_prefill_token_threshold=value("long_prefill_token_threshold", 0),
        enable_chunked_prefill=value("enable_chunked_prefill", True),
        enable_prefix_caching=bool(cache.get("enable_prefix_caching", True)),
        scheduler_reserve_full_isl=value(
            "scheduler_reserve_full_isl", bool(default_of("scheduler_reserve_full_isl", version))
        ),
        policy=value("policy", "fcfs"),
        async_scheduling=value("async_scheduling", bool(default_of("async_scheduling", version))),
        vllm_version=version,
    )


def queue_times(rows: list[dict[str, Any]]) -> list[float]:
    """Seconds that each waited for its first step."""
    return [row["scheduled_ts"] - row["queued_ts"] for row in rows]


def twin(requests_file: Path, meta_file: Path) -> dict[str, Any]:
    """Calibrate, predict, compare."""
    rows, meta = read(requests_file), json.loads(meta_file.read_text())
    third = len(rows) // 3
    # Two clocks: arrivals are wall time, the stamps monotonic. The quickest of the first third joins them.
    offset = min(row["queued_ts"] - row["arrival_time"] for row in rows[:third])
    zero = rows[0]["arrival_time"]

    def stamp(row: dict[str, Any], name: str) -> float:
        return float(row[name] - offset - zero)

    requests = [
        TimedRequest(
            row["arrival_time"] - zero,
            row["input_toks"],
            row["output_toks"],
            stamp(row, "first_token_ts") if n < third else None,
            stamp(row, "last_token_ts") if n < third else None,
        )
        for n, row in enumerate(rows)
    ]
    config = settings(meta, requests, rows[:third])
    fit = fit_requests(requests, config)
    # The stamps are the engine's own: nothing outside it is part of them.
    replay, made = replay_requests(requests, config, fit.model)
    lives = [replay.tally.lives[one] for one in made[third:]]
    predicted = np.array([(life.first_token, life.last_token) for life in lives], dtype=np.float64)
    measured = np.array([(stamp(row, "first_token_ts"), stamp(row, "last_token_ts")) for row in rows[third:]])
    return {
        **errors(requests[third:], predicted, measured),
        "calibrated_on": third,
        "predicted": len(rows) - third,
        "step_model_us": {name: getattr(fit.model, name) for name in "abcde"},
        "num_gpu_blocks": config.num_gpu_blocks,
        "run": requests_file.name.partition(".requests")[0],
    }


def errors(requests: list[TimedRequest], predicted: Any, measured: Any) -> dict[str, float]:
    """Signed relative errors of the means, and medians of the absolute errors of single requests."""
    due = np.array([request.due_s for request in requests])
    steps = np.array([max(1, request.output - 1) for request in requests])
    result: dict[str, float] = {}
    for name, of in (
        ("ttft", lambda stamps: stamps[:, 0] - due),
        ("tpot", lambda stamps: (stamps[:, 1] - stamps[:, 0]) / steps),
        ("e2e", lambda stamps: stamps[:, 1] - due),
    ):
        ours, theirs = of(predicted), of(measured)
        result[f"{name}_mean_error"] = float(ours.mean() / theirs.mean() - 1)
        kept = theirs > 0
        result[f"{name}_median_request_error"] = statistics.median(
            np.abs(ours[kept] / theirs[kept] - 1).tolist()
        )
    return result


def main(words: list[str]) -> None:
    """Print one run's errors, or those of the public runs."""
    if words:
        found = [twin(Path(words[0]), Path(words[1]))]
    else:
        files = sorted(MEASURED.glob("*.requests.jsonl"))
        found = [
            twin(path, path.with_name(path.name.replace("requests.jsonl", "meta.json"))) for path in files
        ]
        if not files:
            print("no measured runs here, nothing compared")
    for one in found:
        for name in ("ttft", "tpot", "e2e"):
            mean, each = one[f"{name}_mean_error"], one[f"{name}_median_request_error"]
            print(
                f"{one['run']}  {name}: mean {100 * mean:+.1f} %, median of the requests {100 * each:.1f} %"
            )
        print(json.dumps(one))


if __name__ == "__main__":
    main(sys.argv[1:])
