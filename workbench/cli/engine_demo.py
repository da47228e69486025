"""`engine demo`: the teaching demos, each variant replayed exactly in virtual time."""

import argparse
import shlex
import textwrap
from pathlib import Path

from workbench.base import Place, Refusal, require_writable_file
from workbench.cli.output import say
from workbench.engine import (
    DEMO_SUFFIX,
    Demo,
    Variant,
    demo_figure,
    list_demos,
    load_demo,
    open_demo,
    play,
    save_demo,
)
from workbench.profiles import load_profile

_WIDTH = 100


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the demo and its variant."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help=f"demo name or {DEMO_SUFFIX} file; omit it to list the demos",
    )
    parser.add_argument("--variant", metavar="V", help="only this one of its settings")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=f"write it as one file (*{DEMO_SUFFIX}) that the window plays",
    )


def run(arguments: argparse.Namespace) -> int:
    """List the demos, or tell one with the numbers that it comes to."""
    if arguments.name is None:
        if arguments.out is not None:
            raise Refusal("engine.demo_to_write", known=[demo.name for demo in list_demos()])
        for demo in list_demos():
            say(f"{demo.name}  {demo.title}. {demo.question}")
        return 0
    path = Path(arguments.name)
    demo = open_demo(path) if path.suffix.lower() == DEMO_SUFFIX else load_demo(arguments.name)
    if arguments.out is not None:
        require_writable_file(arguments.out)
        save_demo(demo, arguments.out)
        say(f"wrote {arguments.out}; play it: vllm-workbench --play {shlex.quote(str(arguments.out))}")
        return 0
    variants = [one for one in demo.variants if arguments.variant in (None, one.name)]
    if not variants:
        known = [one.name for one in demo.variants]
        raise Refusal("base.not_one_of", Place(key="variant"), value=arguments.variant, choices=known)
    _introduce(demo)
    for variant in variants:
        _tell(demo, variant)
    return 0


def _introduce(demo: Demo) -> None:
    profile = load_profile(demo.profile_source)
    shared = ", ".join(f"{name} = {_shown(value)}" for name, value in demo.shared_settings.items())
    say(f"{demo.title}. {demo.question}\n")
    behind = f"{profile.kind.replace('_', ' ')}; known error {profile.known_error}"
    for text in (*demo.narration, f"Simulated on {profile.name} ({behind}), exactly replayed: {shared}."):
        say(textwrap.fill(text, _WIDTH))


def _tell(demo: Demo, variant: Variant) -> None:
    played = play(demo, variant)
    changed = ", ".join(f"{name} = {_shown(value)}" for name, value in variant.settings.items())
    say(f"\n{variant.name}  ({changed or 'nothing changed'})")
    say(textwrap.fill(variant.say, _WIDTH, initial_indent="  ", subsequent_indent="  "))
    for asked in variant.expect:
        whose = f" of {asked.cls}" if asked.cls else ""
        value = demo_figure(played, asked)
        say(f"    {asked.figure + whose:<28}{value:>12,.6g}   expected {asked.value:,.6g}")


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
