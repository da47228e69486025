"""Servers on machines that are reached over SSH."""

from workbench.servers.ssh.server import SshServer

__all__ = ["SshServer"]
