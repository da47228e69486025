"""One window for each profile: a second start hands its file to the first window and ends."""

import hashlib
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

WAIT_MS = 2000
ANSWER_MS = 5000
"""A busy window answers within a second; one that hangs never does."""
_HEARD = b"heard\n"


class SingleInstance(QObject):
    """Holds the profile's lock while this window lives; takes over a lock whose holder died."""

    asked = Signal(str)
    """Another start wants this window in front, with this file ("" for none)."""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = QLockFile(str(folder / "window.lock"))
        self._lock.setStaleLockTime(0)
        digest = hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:16]
        self._name = f"vllm-workbench-{digest}"
        self._sockets: list[QLocalSocket] = []
        self._server = QLocalServer(self)
        self._server.newConnection.connect(self._accept)

    def claim(self) -> bool:
        """Become the profile's window; return False if there is one already."""
        if not self._lock.tryLock(0):
            return False
        QLocalServer.removeServer(self._name)
        self._server.listen(self._name)
        return True

    def hand_over(self, file: Path | None) -> bool:
        """Ask the profile's window to come forward with `file`; return False without an answer."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(WAIT_MS):
            return False
        socket.write((str(file.absolute()) if file else "").encode() + b"\n")
        # The system accepts the line even if the window hangs: only an answer shows that it was read.
        socket.flush()
        heard = socket.bytesAvailable() > 0 or socket.waitForReadyRead(ANSWER_MS)
        socket.disconnectFromServer()
        return heard

    def release(self) -> None:
        """Release the profile."""
        self._server.close()
        for socket in self._sockets:
            socket.abort()
        self._sockets.clear()
        self._lock.unlock()

    def _accept(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            self._sockets.append(socket)
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(self._read)
        self._read()

    def _read(self) -> None:
        """Read whole lines from all callers, and drop those that hung up."""
        for socket in list(self._sockets):
            while socket.canReadLine():
                self.asked.emit(bytes(socket.readLine().data()).decode(errors="replace").strip())
                socket.write(_HEARD)
                socket.flush()
            if socket.state() == QLocalSocket.LocalSocketState.UnconnectedState:
                self._sockets.remove(socket)
