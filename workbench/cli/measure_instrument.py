"""`measure --calibrate` and `--probe-tokenizer`: what the instrument adds, and what it spares the server."""

import argparse
import asyncio
import os

from workbench.base import InputError
from workbench.load import Calibration, LoadOptions, Target, TokenizerCost, calibrate, tokenizer_cost
from workbench.servers import TargetSpec, make_server


def run(arguments: argparse.Namespace) -> Calibration | TokenizerCost:
    """Carry out either.

    Raises:
        InputError: a URL is missing, or nobody listens there.
    """
    if arguments.calibrate:
        return asyncio.run(calibrate(url=arguments.url, workers=arguments.workers))
    if arguments.url is None:
        raise InputError("URL is missing: --probe-tokenizer needs a server")
    return asyncio.run(_probe(arguments))


async def _probe(arguments: argparse.Namespace) -> TokenizerCost:
    spec = TargetSpec(
        kind="attached", url=arguments.url, model=arguments.model, api_key_env=arguments.api_key_env
    )
    server = make_server(spec, {})
    await server.start(lambda _: None, lambda _, __: None)
    try:
        effective = await server.effective()
        target = Target(
            url=server.url or arguments.url,
            model=server.model or effective.model or "",
            api_key=spec.api_key(os.environ),
        )
        options = LoadOptions(
            seed=arguments.seed,
            vocab_size=effective.vocab_size,
            time_scale=effective.time_scale or 1.0,
        )
        return await tokenizer_cost(target, options)
    finally:
        await server.stop()
