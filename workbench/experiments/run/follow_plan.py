"""Follow a running plan from another process: read its events, send it a command."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.base import Place, Refusal, WorkFailure, encode_line, now
from workbench.experiments.run.events import Command
from workbench.experiments.run.plan_registry import RunningPlan, has_sockets, running_plan

_PIECE = 1 << 16
_LOOK_S = 0.05


def require_running(bench: Path) -> RunningPlan:
    """Return the plan that runs into `bench`.

    Raises:
        Refusal: there is none, or this system has no sockets.
    """
    if not has_sockets():
        raise Refusal("experiments.no_sockets")
    plan = running_plan(bench)
    if plan is None:
        raise Refusal("experiments.no_running_plan", Place(file=str(bench)))
    return plan


def lines_of(
    plan: RunningPlan, command: str | None = None, *, patience_s: float | None = None
) -> Iterator[bytes]:
    """Yield the plan's event lines until it ends; the first lines describe its state.

    Args:
        plan: the plan to follow.
        command: sent first.
        patience_s: longest wait; None waits without limit.

    Raises:
        Refusal: the plan has just ended.
        WorkFailure: the plan still runs after `patience_s`.
    """
    deadline = None if patience_s is None else now() + patience_s
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        _connect(link, plan)
        if command is not None:
            link.sendall(encode_line(Command(command=command)))
        rest = b""
        while piece := _piece(link, deadline, patience_s):
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines


def wait_closed(bench: Path, patience_s: float) -> bool:
    """Wait until the plan's process has closed the bench file; return False after `patience_s`."""
    deadline = now() + patience_s
    while running_plan(bench) is not None:
        if now() >= deadline:
            return False
        time.sleep(_LOOK_S)
    return True


def _connect(link: socket.socket, plan: RunningPlan) -> None:
    try:
        link.connect(plan.socket)
    except (FileNotFoundError, ConnectionError) as error:
        raise Refusal("experiments.no_running_plan", Place(file=plan.bench)) from error


def _piece(link: socket.socket, deadline: float | None, patience_s: float | None) -> bytes:
    """Return the next bytes; empty if the plan's process closed the connection or is gone."""
    if deadline is not None:
        link.settimeout(max(0.001, deadline - now()))
    try:
        return link.recv(_PIECE)
    except TimeoutError as error:
        raise WorkFailure("experiments.still_ending", waited_s=patience_s) from error
    except ConnectionError:
        return b""
