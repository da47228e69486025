"""`measure --calibrate` and `--probe-tokenizer`: what the instrument adds, and what it spares the server."""

import argparse
import asyncio
import sys
from pathlib import Path

import msgspec

from workbench.base import Place, Refusal, write_atomic
from workbench.cli.measure_order import headers_of
from workbench.cli.measure_text import calibration_text, tokenizer_text
from workbench.cli.output import say
from workbench.load import (
    Calibration,
    LoadOptions,
    Target,
    TokenizerCost,
    calibrate,
    store_resolution,
    tokenizer_cost,
)
from workbench.servers import TargetSpec, check_target, make_server, plain_url

_MOST_WORKERS = 1024


def run(arguments: argparse.Namespace) -> int:
    """Carry out either and tell; 1 where a calibration found no rate that this machine holds.

    Raises:
        InputError: a URL is missing or is none, or nobody listens there.
    """
    if arguments.url is not None:
        plain_url(arguments.url, Place(key="url"))
    if arguments.workers is not None and not 1 <= arguments.workers <= _MOST_WORKERS:
        raise Refusal(
            "base.out_of_range",
            Place(key="workers"),
            value=arguments.workers,
            minimum=1,
            maximum=_MOST_WORKERS,
        )
    if arguments.calibrate:
        found = asyncio.run(calibrate(url=arguments.url, workers=arguments.workers))
        store_resolution(found, arguments.url)
        _answer(found, calibration_text(found), arguments.json)
        return 0 if found.limit_tokens_per_s else 1
    if arguments.url is None:
        raise Refusal("cli.url_missing", Place(key="url"))
    cost = asyncio.run(_probe(arguments))
    _answer(cost, tokenizer_text(cost), arguments.json)
    return 0


def _answer(record: Calibration | TokenizerCost, text: str, where: str | None) -> None:
    if where is None:
        say(text)
        return
    json = msgspec.json.format(msgspec.json.encode(record), indent=1).decode() + "\n"
    if where == "-":
        sys.stdout.write(json)
    else:
        write_atomic(Path(where), json)
    say(text, file=sys.stderr)


async def _probe(arguments: argparse.Namespace) -> TokenizerCost:
    spec = TargetSpec(
        kind="attached",
        url=arguments.url,
        model=arguments.model,
        api_key_env=arguments.api_key_env,
        headers=headers_of(arguments.header),
        ca_file=arguments.ca_file,
    )
    check_target(spec, where="measure")
    server = make_server(spec, {})
    await server.start(lambda _: None, lambda _, __: None)
    try:
        effective = await server.effective()
        target = Target(
            url=server.url or arguments.url,
            model=server.model or effective.model or "",
            api_key=spec.api_key(),
            headers=spec.all_headers(),
            ca_file=spec.ca_file,
        )
        options = LoadOptions(
            seed=arguments.seed,
            vocab_size=effective.vocab_size,
            time_scale=effective.time_scale or 1.0,
        )
        return await tokenizer_cost(target, options)
    finally:
        await server.stop()
