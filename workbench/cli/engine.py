"""`engine`: the embedded engine: serve it, replay a trace through it, check it against vLLM, calibrate it."""

import argparse
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any, NoReturn

from workbench.cli.output import say
from workbench.profiles import list_profiles

HELP = "the embedded engine: serve, replay in virtual time, check against vLLM's own decisions, calibrate"

_PARTS = {
    "serve": ("workbench.engine.server.command", "serve over HTTP with simulated step times"),
    "replay": ("workbench.cli.engine_replay", "replay a trace in virtual time and print what it comes to"),
    "check": (
        "workbench.cli.engine_check",
        "compare golden cases and recordings with ours",
    ),
    "fork": (
        "workbench.cli.engine_fork",
        "play a recorded run on from one of its steps with a limit changed",
    ),
    "golden": (
        "workbench.cli.engine_golden",
        "have a vLLM make golden cases, check them, and find the rules that it follows",
    ),
    "demo": (
        "workbench.cli.engine_demo",
        "show what the scheduler does: five demonstrations, exactly replayed",
    ),
    "calibrate": ("workbench.cli.engine_calibrate", "fit a step-time profile to a server"),
}


class _LatePartParser(argparse.ArgumentParser):
    """Imports the part that it parses for only when it parses: none pays for another's libraries."""

    module_name = ""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Configure, then parse."""
        if self.module_name:
            module = importlib.import_module(self.module_name)
            self.module_name = ""
            module.configure(self)
            self.set_defaults(part=module.run)
        known, unknown = super().parse_known_args(args, namespace)
        if unknown and self._as_vllm():
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        """Exit with one line, as every command; `serve` writes it as `vllm serve` does."""
        if self._as_vllm():
            super().error(message)
        self.exit(2, f"error: {self.prog}: {message} (--help says every option)\n")

    def _as_vllm(self) -> bool:
        return self.prog.endswith(" serve")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the parts that this installation has."""
    parser.add_argument("--list-profiles", action="store_true", help="the profiles there are, one a line")
    parts = parser.add_subparsers(dest="part_name", metavar="PART", parser_class=_LatePartParser)
    for name, (module_name, text) in _PARTS.items():
        if _exists(module_name):
            parts.add_parser(name, help=text, description=text).module_name = module_name
    parser.set_defaults(part=None, parser=parser)


def _exists(module_name: str) -> bool:
    try:
        return importlib.util.find_spec(module_name) is not None
    except ModuleNotFoundError:
        return False


def run(arguments: argparse.Namespace) -> int:
    """Carry out one part."""
    if arguments.list_profiles:
        print_profiles()
        return 0
    part: Callable[[argparse.Namespace], int] | None = arguments.part
    if part is None:
        arguments.parser.error(f"name one of {', '.join(_PARTS)}, or --list-profiles")
        return 2
    return part(arguments)


def print_profiles() -> None:
    """Print one profile a line, its name first."""
    for profile in list_profiles():
        error, blocks = profile.known_error or "error unknown", profile.num_gpu_blocks
        say(
            f"{profile.name}  {profile.kind}  {error}  {blocks} KV blocks of {profile.block_size}  "
            f"vLLM {profile.vllm_version}"
        )
