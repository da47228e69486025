"""Tests in another order: `--shuffle SEED`, or `--shuffle random` for a new one, which is printed.

Modules change places, and the tests within each; so what a module shares is still made once.
"""

import random

import pytest
from xdist.workermanage import WorkerController

_NEW = "random"


def add_option(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.addoption(
        "--shuffle", metavar="SEED", default=None,
        help=f"run the tests in another order: a number, or {_NEW!r} for a new number, which is printed",
    )  # fmt: skip


def configure(config: pytest.Config) -> None:
    """Draw a new number, or take the one that all workers of this run were given."""
    given = getattr(config, "workerinput", {}).get("shuffle")
    if given:
        config.option.shuffle = given
    elif config.option.shuffle == _NEW:
        config.option.shuffle = str(random.SystemRandom().randrange(10**6))


def pytest_configure_node(node: WorkerController) -> None:
    """Pytest-xdist's hook: give a worker the number."""
    node.workerinput["shuffle"] = node.config.option.shuffle


def said(config: pytest.Config) -> str:
    """The line that names the order; empty: it's the usual one."""
    seed = config.option.shuffle
    return f"shuffled; the same order again: --shuffle {seed}" if seed else ""


def shuffle(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Change the order of modules, and of the tests in each."""
    seed = config.option.shuffle
    if not seed:
        return
    draw = random.Random(seed)
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(str(item.path), []).append(item)
    groups = list(modules.values())
    draw.shuffle(groups)
    for group in groups:
        draw.shuffle(group)
    items[:] = [item for group in groups for item in group]
