"""One server of ours under load: does this vLLM start, take limits, and record what it decides?"""

import asyncio
import random
import tempfile
from pathlib import Path
from typing import NamedTuple

import httpx

from workbench.base import WorkbenchError
from workbench.engine import check_file
from workbench.servers import (
    EffectiveConfig,
    FlagList,
    LiveLimit,
    Server,
    TargetSpec,
    make_server,
    step_record_files,
)
from workbench.telemetry import MetricsPage
from workbench.vllm_dialect import METRICS, version_has

_CONTROLS = {
    "max_num_seqs": 12,
    "max_num_batched_tokens": 256,
    "max_model_len": 1024,
    "block_size": 32,
    "num_gpu_blocks_override": 48,
    "long_prefill_token_threshold": 64,
    "scheduling_policy": "priority",
}
"""Small enough that requests wait, are cut into chunks and preempted."""
_REQUESTS = 48
_LEAVE = 11
"""Every so-manieth client leaves early."""


class Served(NamedTuple):
    """What was seen of a server, in the words of the table."""

    own: str
    records: str
    limits: str


async def serve_once(venv: str, model: str, flags: FlagList) -> Served:
    """Start it, load it, change its limits meanwhile, stop it, and look at its record."""
    spec = TargetSpec(
        kind="local",
        model=model,
        executable=venv,
        args=["--served-model-name", "tiny", "--enforce-eager", "--dtype", "float32"],
        env={"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"},
        record_steps=True,
        live_limits=True,
    )
    controls = {name: value for name, value in _CONTROLS.items() if _has(flags, name)}
    server = make_server(spec, controls)
    with tempfile.TemporaryDirectory() as folder:
        server.steps_folder = Path(folder)
        try:
            await server.start(lambda _: None, lambda _, __: None)
            effective = await server.effective()
            limits, problems = await _under_load(server)
            own = _own(effective, [*problems, *_strange_metrics(await _page(server), effective)])
        except WorkbenchError as error:
            return Served(own=f"no: {error}", records="–", limits="–")
        finally:
            await server.stop()
        return Served(own=own, records=_records(Path(folder)), limits=_limits(limits))


def _has(flags: FlagList, name: str) -> bool:
    return flags.has("--" + name.replace("_", "-"))


def _own(effective: EffectiveConfig, problems: list[str]) -> str:
    read = f"yes; {len(effective.arguments)} settings read back"
    notes = [str(note).partition(";")[0] for note in effective.notes]
    return "; ".join([read, *notes, *problems])


async def _under_load(server: Server) -> tuple[list[LiveLimit], list[str]]:
    assert server.url is not None
    draw = random.Random(7)  # noqa: S311  # a workload, not a secret
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=300.0) as client:
        work = [asyncio.create_task(_ask(client, number, draw)) for number in range(_REQUESTS)]
        limits = await _changed(server)
        answers = await asyncio.gather(*work)
    wrong = [answer for answer in answers if answer != httpx.codes.OK]
    return limits, [f"{len(wrong)} of {len(answers)} answers were {wrong[0]}"] if wrong else []


async def _ask(client: httpx.AsyncClient, number: int, draw: random.Random) -> int:
    shared = list(range(100, 164)) if number % 3 == 0 else []
    prompt = [*shared, *(100 + (31 * number + place) % 1900 for place in range(draw.randint(20, 300)))]
    body = {
        "model": "tiny",
        "prompt": prompt,
        "max_tokens": draw.randint(20, 120),
        "ignore_eos": number % 4 != 0,
        "priority": number % 4,
        "stream": True,
    }
    await asyncio.sleep(0.02 * number)
    async with client.stream("POST", "/v1/completions", json=body) as stream:
        async for _ in stream.aiter_lines():
            if number % _LEAVE == _LEAVE - 1:
                break
        return stream.status_code


async def _changed(server: Server) -> list[LiveLimit]:
    """Each limit that can be changed is lowered for a while and put back."""
    limits = await server.live_limits()
    possible = [limit for limit in limits if limit.reason is None]
    for limit in possible:
        assert limit.minimum is not None
        assert limit.maximum is not None
        await asyncio.sleep(1.0)
        await server.set_limit(limit.name, min(limit.maximum, max(limit.minimum, limit.maximum // 3)))
    await asyncio.sleep(2.0)
    for limit in possible:
        assert limit.value is not None
        await server.set_limit(limit.name, limit.value)
    return limits


def _limits(limits: list[LiveLimit]) -> str:
    possible = [limit.name for limit in limits if limit.reason is None]
    lacking = [limit.name for limit in limits if limit.reason is not None]
    return f"all {len(possible)}" if not lacking else f"{len(possible)}; not {', '.join(lacking)}"


def _records(folder: Path) -> str:
    """What the record comes to when our scheduler replays it."""
    files = [file for first in folder.glob("*.steps.jsonl") for file in step_record_files(first)]
    if not files:
        return "none"
    verdicts = []
    for file in files:
        try:
            verdicts.append(check_file(file))
        except WorkbenchError as error:
            return f"not comparable: {error}"
    if all(verdict.identical for verdict in verdicts):
        return f"identical, {sum(verdict.steps for verdict in verdicts):,} steps"
    return "; ".join(str(verdict) for verdict in verdicts)


async def _page(server: Server) -> MetricsPage:
    async with httpx.AsyncClient(base_url=server.url or "", trust_env=False, timeout=60.0) as client:
        return MetricsPage.parse((await client.get("/metrics")).text)


def _strange_metrics(page: MetricsPage, effective: EffectiveConfig) -> list[str]:
    """Families that the table of facts has otherwise than this page."""
    lacking = set(page.missing())
    wrong = [
        metric.name
        for metric in METRICS
        if version_has("metric", metric.name, effective.version) == (metric.name in lacking)
    ]
    return [f"metrics otherwise than the table says: {', '.join(wrong)}"] if wrong else []
