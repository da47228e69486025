from .server import SshServer as SshServer
