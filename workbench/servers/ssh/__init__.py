"""Servers on machines that are reached over SSH."""

from workbench.servers.ssh.rolls import RemoteRoll, remote_left_overs
from workbench.servers.ssh.server import SshServer

__all__ = ["RemoteRoll", "SshServer", "remote_left_overs"]
