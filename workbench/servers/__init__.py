"""A server's life: the embedded engine, a local vLLM, or one that is already there, behind one interface."""

from typing import TYPE_CHECKING

from workbench.base.lazy import on_first_use

if TYPE_CHECKING:
    from workbench.servers.asking import Said, ask
    from workbench.servers.attached import plain_url
    from workbench.servers.differences import moved
    from workbench.servers.elsewhere import ElsewhereRoll, left_overs_elsewhere
    from workbench.servers.factory import make_server, require_target, sweep_elsewhere
    from workbench.servers.flags import Flag, FlagList, flags_of
    from workbench.servers.golden import GoldenMade, GoldenOrder, make_golden
    from workbench.servers.install import Found, Install, find_install, find_installs
    from workbench.servers.lacking import lacking_controls
    from workbench.servers.leftovers import LeftOver, end_left_over, find_left_overs
    from workbench.servers.read_back import model_folder
    from workbench.servers.server import (
        LIVE_LIMITS,
        Effective,
        LiveLimit,
        MachineWatch,
        OnLog,
        OnState,
        Reached,
        Server,
        ServerFailedError,
        State,
        There,
    )
    from workbench.servers.spec import TargetSpec, check_target
    from workbench.servers.ssh.there import reached
    from workbench.servers.ways import records_of

__all__ = [
    "LIVE_LIMITS",
    "Effective",
    "ElsewhereRoll",
    "Flag",
    "FlagList",
    "Found",
    "GoldenMade",
    "GoldenOrder",
    "Install",
    "LeftOver",
    "LiveLimit",
    "MachineWatch",
    "OnLog",
    "OnState",
    "Reached",
    "Said",
    "Server",
    "ServerFailedError",
    "State",
    "TargetSpec",
    "There",
    "ask",
    "check_target",
    "end_left_over",
    "find_install",
    "find_installs",
    "find_left_overs",
    "flags_of",
    "lacking_controls",
    "left_overs_elsewhere",
    "make_golden",
    "make_server",
    "model_folder",
    "moved",
    "plain_url",
    "reached",
    "records_of",
    "require_target",
    "sweep_elsewhere",
]

__getattr__ = on_first_use(
    __name__,
    {
        "asking": ("Said", "ask"),
        "attached": ("plain_url",),
        "differences": ("moved",),
        "elsewhere": ("ElsewhereRoll", "left_overs_elsewhere"),
        "factory": ("make_server", "require_target", "sweep_elsewhere"),
        "flags": ("Flag", "FlagList", "flags_of"),
        "golden": ("GoldenMade", "GoldenOrder", "make_golden"),
        "install": ("Found", "Install", "find_install", "find_installs"),
        "lacking": ("lacking_controls",),
        "leftovers": ("LeftOver", "end_left_over", "find_left_overs"),
        "read_back": ("model_folder",),
        "server": (
            *("LIVE_LIMITS", "Effective", "LiveLimit", "MachineWatch", "OnLog", "OnState"),
            *("Reached", "Server", "ServerFailedError", "State", "There"),
        ),
        "spec": ("TargetSpec", "check_target"),
        "ssh.there": ("reached",),
        "ways": ("records_of",),
    },
)
