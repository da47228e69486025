"""`python -m workbench engine serve`: an OpenAI-compatible server with simulated step times."""

import argparse
import socket
import sys
import traceback
from typing import Any

from workbench.base import mask_arguments
from workbench.engine.server import flags, log_lines
from workbench.engine.server.front import run_front
from workbench.engine.server.httpserver import bind
from workbench.engine.server.launch import EngineChild, EngineStartError
from workbench.engine.server.settings import Settings, VllmRefusal, api_keys, resolve

HELP = "serve an OpenAI-compatible API with vLLM's scheduler and simulated step times"
configure = flags.configure


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped. Exit codes are vLLM's: 0 stopped or engine lost while serving, 1 not started.

    Raises:
        Refusal: a value of our own flags can't be used.
    """
    try:
        settings = resolve(arguments, _non_default(arguments))
    except VllmRefusal as refusal:
        return _refuse(refusal)
    try:
        listener = bind(settings.host, settings.port)
    except OSError as error:
        return _address_taken(settings, error)
    with listener:
        return _serve(settings, api_keys(arguments), listener)


def _serve(settings: Settings, keys: tuple[str, ...], listener: socket.socket) -> int:
    scheduler = settings.scheduler
    log_lines.banner(settings.model, settings.version, settings.non_default)
    log_lines.configured(
        settings.model,
        scheduler.max_model_len,
        scheduler.max_num_batched_tokens,
        chunked=scheduler.enable_chunked_prefill,
    )
    try:
        child = EngineChild(settings)
    except EngineStartError as error:
        cause = "Engine core initialization failed. See root cause above. EngineFailed core proc(s): {}"
        sys.stderr.write(f"RuntimeError: {cause}\nerror: the engine did not start: {error}\n")
        return 1
    try:
        run_front(settings, keys, listener, child)
    finally:
        child.reap(2.0)
    return 0


def _non_default(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the given arguments by vLLM's names, with secrets masked."""
    parser = argparse.ArgumentParser()
    flags.configure(parser)
    given = vars(arguments)
    changed = {
        action.dest: given[action.dest]
        for action in parser._actions  # noqa: SLF001 - argparse tells its actions no other way
        if action.dest in given and given[action.dest] != action.default
    }
    if "api_key" in changed:
        changed["api_key"] = mask_arguments(["--api-key", *changed["api_key"]])[1:]
    return changed


def _refuse(refusal: VllmRefusal) -> int:
    """Print a refusal in pydantic's words, as vLLM's configuration classes do."""
    head = f"{refusal.field}\n  " if refusal.field else "  Value error, "
    sys.stderr.write(
        f"pydantic_core._pydantic_core.ValidationError: 1 validation error for {refusal.config}\n"
        f"{head}{refusal} [type={refusal.error_type}]\n"
        f"error: {f'{refusal.field}: ' if refusal.field else ''}{refusal}\n"
    )
    return 1


def _address_taken(settings: Settings, error: OSError) -> int:
    log_lines.banner(settings.model, settings.version, settings.non_default)
    sys.stderr.write("".join(traceback.format_exception_only(error)))
    sys.stderr.write(f"error: port {settings.port} on {settings.host} can't be used: {error.strerror}\n")
    return 1
