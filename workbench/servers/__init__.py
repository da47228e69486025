"""A server's life: the embedded engine, a local vLLM, or one that is already there, behind one interface."""

from workbench.servers.asking import Said, ask
from workbench.servers.attached import plain_url
from workbench.servers.differences import moved
from workbench.servers.elsewhere import ElsewhereRoll, left_overs_elsewhere
from workbench.servers.factory import make_server
from workbench.servers.flags import Flag, FlagList, flags_of
from workbench.servers.install import Found, Install, find_install, find_installs
from workbench.servers.leftovers import LeftOver, end_left_over, find_left_overs
from workbench.servers.server import LIVE_LIMITS, Effective, OnLog, OnState, Server, ServerFailedError, State
from workbench.servers.spec import TargetSpec, check_target

__all__ = [
    "LIVE_LIMITS",
    "Effective",
    "ElsewhereRoll",
    "Flag",
    "FlagList",
    "Found",
    "Install",
    "LeftOver",
    "OnLog",
    "OnState",
    "Said",
    "Server",
    "ServerFailedError",
    "State",
    "TargetSpec",
    "ask",
    "check_target",
    "end_left_over",
    "find_install",
    "find_installs",
    "find_left_overs",
    "flags_of",
    "left_overs_elsewhere",
    "make_server",
    "moved",
    "plain_url",
]
