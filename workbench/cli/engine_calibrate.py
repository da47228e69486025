"""`engine calibrate`: a step-time profile of a server that is up."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TextIO

import msgspec

from workbench.base import Message, Place, data_folder, require_writable_folder, write_atomic
from workbench.cli.output import say
from workbench.experiments.calibration import CalibrationOrder, CalibrationResult, calibrate_server
from workbench.profiles import save_profile
from workbench.servers import complete_address, plain_url

_SETTINGS = {
    "max_num_seqs": "its sequence limit",
    "max_num_batched_tokens": "its token budget",
    "num_gpu_blocks_override": "its KV blocks",
    "block_size": "tokens a KV block holds",
    "max_model_len": "its longest context",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the server, the time, where the profile goes."""
    parser.add_argument(
        "url", metavar="URL", help="such as http://127.0.0.1:8000; nothing else should load it"
    )
    parser.add_argument(
        "--out", type=Path, metavar="PROFILE.json", help="by default among your profiles, under its name"
    )
    parser.add_argument("--name", metavar="GPU/MODEL/tpN", help="default: from the server")
    parser.add_argument("--minutes", type=float, default=2.0, metavar="M", help="about (default 2)")
    parser.add_argument("--model", metavar="NAME", help="the server's first where not given")
    parser.add_argument("--api-key-env", metavar="NAME", help="environment variable that holds the key")
    parser.add_argument(
        "--log",
        metavar="FILE",
        help="the server's log with --enable-logging-iteration-details, or its step record: its own steps",
    )
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - is standard output")
    group = parser.add_argument_group("the server's flags, where it doesn't tell them itself")
    for name, text in _SETTINGS.items():
        group.add_argument("--" + name.replace("_", "-"), type=int, metavar="N", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Calibrate, save, report."""
    plain_url(arguments.url, Place(key="URL"))
    order = CalibrationOrder(
        url=complete_address(arguments.url),
        model=arguments.model,
        api_key_env=arguments.api_key_env,
        name=arguments.name,
        minutes=arguments.minutes,
        log=arguments.log,
        settings={name: getattr(arguments, name) for name in _SETTINGS},
    )
    if arguments.out is not None:
        require_writable_folder(arguments.out.absolute().parent)
    calibrated = asyncio.run(calibrate_server(order, _tell))
    path = arguments.out or data_folder() / "profiles" / f"{calibrated.profile.name.replace('/', '--')}.json"
    save_profile(calibrated.profile, path)
    if arguments.json == "-":
        sys.stdout.buffer.write(_as_json(calibrated))
        _report(calibrated, path, to=sys.stderr)
        return 0
    if arguments.json is not None:
        write_atomic(Path(arguments.json), _as_json(calibrated))
    _report(calibrated, path, to=sys.stdout)
    return 0


def _tell(said: Message) -> None:
    say(str(said), file=sys.stderr, flush=True)


def _as_json(calibrated: CalibrationResult) -> bytes:
    plain = {**msgspec.to_builtins(calibrated), "notes": [str(note) for note in calibrated.notes]}
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"


def _report(calibrated: CalibrationResult, path: Path, *, to: TextIO) -> None:
    profile, fit, hold_out = calibrated.profile, calibrated.fit, calibrated.hold_out
    model = profile.step_model
    step = (
        f"{model.a:.0f} + {model.b:.4g} a prompt token + {model.c:.4g} a decode + {model.d:.4g} a token of "
        f"context + {model.e:.4g} a unit of attention"
    )
    lines = [
        f"{profile.name}: step = {step}, in µs",
        f"a request outside the engine: {fit.request_overhead_us / 1000:.1f} ms",
        f"mean residual {fit.residual_pct:.1f} % over {fit.decode_rows + fit.prefill_rows} kinds of steps",
        f"equal loads: ±{fit.spread_pct:.1f} %",
        f"hold-out, {hold_out.requests} requests at {calibrated.hold_out_rps:.3g}/s (mean, ms):",
    ]
    for name, compared in (("TTFT", hold_out.ttft_ms), ("TPOT", hold_out.tpot_ms)):
        lines.append(
            f"  {name}  measured {compared.measured.mean:.2f}  predicted {compared.predicted.mean:.2f}  "
            f"error {compared.error_pct:+.1f} %"
        )
    lines += [*map(str, calibrated.notes), f"saved as {path}"]
    say("\n".join(lines), file=to)
