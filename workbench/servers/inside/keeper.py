"""Keeps a server alive on a machine reached over SSH, even if the connection drops.

Runs there with any Python from 3.9 on, on Linux; self-contained. Each call answers with one line of JSON:

    keeper.py find [EXECUTABLE]       {"script", "python", "version", "site_packages", "changed"}
    keeper.py port                    {"port"}: a free one
    keeper.py scratch FOLDER          {"path", "sockets"}: of a private folder, short enough for the names of
                                      sockets, and where vLLM's lie by the user's own settings (or null)
    keeper.py start FOLDER            {"pid"}; standard input has {"command": […], "env": {…}}
    keeper.py follow FOLDER OFFSET    the log from byte OFFSET on; {"exit"} on standard error at its end
    keeper.py listens FOLDER PORT     {"listens"}: whether the server or a descendant of it does
    keeper.py stop FOLDER PATIENCE    {"living": [[pid, name], …]}: what lives even so
    keeper.py remove FOLDER           {}: with all that the server left elsewhere and that is provably its own

FOLDER has the server's log, its roll (pids with the ticks at which they started, shared memory that they map)
and its exit code. A process is touched only if pid and start agree.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_ASK = (
    "import importlib.metadata as m, json; d = m.distribution('vllm'); "
    "print(json.dumps({'version': d.version, 'site_packages': str(d.locate_file(''))}))"
)
_ITSELF = ("-m", f"{__package__}.keeper") if __package__ else (__file__,)
"""A copy of the program runs modules, not files."""
_ASK_S = 50.0
_LOOK_S = 1.0
_POLL_S = 0.1
_FAREWELL_S = 3.0
"""Children of a parent that ended in order end by themselves within this time."""
_KILLED_S = 15.0
"""Wait for a killed process: the kernel has to free gigabytes first."""
_SHARED = "/dev/shm"  # noqa: S108  # where Linux has shared memory, not a scratch file of ours
_PASSING = re.compile(r"(?:psm_|sem\.mp-|nccl-|torch_|vllm_offload_|vllm_ec_)[\w.-]+", re.ASCII)
"""Names that are new for each process, so no later process looks for them."""
_RENDEZVOUS = re.compile(
    rb"local_rank=\d+ distributed_init_method=file://(/.*/vllm_dist_[0-9a-f]{32}) backend="
)
_MOST_LOG = 8 << 20  # a server's start stands in the first part of its log
_MOST_PATH = 107
_SOCKET_NAME = 37  # a slash and a uuid, as vLLM names its sockets
_Mark = Any
"""[pid, ticks from the boot to its start, name]."""


# -- processes --------------------------------------------------------------------------------------------


def identify_process(pid: int) -> _Mark | None:
    """Return the identity of a living process; a zombie counts as dead."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    return None if fields[0] in "ZX" else [pid, int(fields[19]), name]


def alive(mark: _Mark) -> bool:
    """Return whether the process still lives."""
    found = identify_process(mark[0])
    return found is not None and found[1] == mark[1]


def with_descendants(pid: int) -> list[_Mark]:
    """Return the process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, left = [], [pid]
    while left:
        one = left.pop()
        left += children.get(one, [])
        found.append(identify_process(one))
    return [mark for mark in found if mark is not None]


def wait_gone(marks: list[_Mark], seconds: float) -> bool:
    """Wait until none lives; return False after `seconds`."""
    deadline = time.monotonic() + seconds
    while any(alive(mark) for mark in marks):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def wait_for(path: Path, seconds: float) -> bool:
    """Wait until a file exists; return False after `seconds`."""
    deadline = time.monotonic() + seconds
    while not path.exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def send(mark: _Mark, number: int) -> None:
    """Send a signal, if it is still the same process."""
    if alive(mark):
        with contextlib.suppress(OSError):  # it has just gone, or isn't ours to end
            os.kill(mark[0], number)


# -- calls ------------------------------------------------------------------------------------------------


def find(executable: str | None) -> dict[str, Any]:
    """Return the vLLM that `executable` names (script, Python, environment); None: the one on PATH."""
    wanted = executable or "vllm"
    path = Path(wanted).expanduser()
    if executable is None or not path.exists():
        found = shutil.which(wanted)
        if found is None:
            raise SystemExit(f"{wanted}: no such file, folder or command on that machine")
        path = Path(found)
    if path.is_dir():
        path = path / "bin" / "vllm"
    script = path.with_name("vllm") if path.name.startswith("python") else path
    python = path if path.name.startswith("python") else python_of(script)
    try:
        said = subprocess.run(
            [str(python), "-c", _ASK], capture_output=True, text=True, check=False, timeout=_ASK_S
        )
    except subprocess.TimeoutExpired:
        raise SystemExit(f"{wanted}: its Python {python} doesn't answer within {_ASK_S:g} s") from None
    if said.returncode or not script.is_file():
        raise SystemExit(f"{wanted}: not vLLM: its Python {python} has no distribution named vllm")
    distribution = json.loads(said.stdout)
    records = Path(distribution["site_packages"]).glob("vllm*.dist-info/*")
    changed = max((record.stat().st_mtime_ns for record in records), default=0)
    return {**distribution, "script": str(script), "python": str(python), "changed": changed}


def python_of(script: Path) -> Path:
    """Return the Python that the script's first line names, else the one beside it."""
    try:
        with script.open("rb") as file:
            first = file.readline(4096)
    except OSError as error:
        raise SystemExit(f"{script}: can't be read: {error.strerror}") from error
    words = first[2:].decode(errors="replace").split() if first.startswith(b"#!") else []
    for candidate in (*words[-1:], str(script.with_name("python3")), str(script.with_name("python"))):
        found = shutil.which(candidate)
        if found and "python" in Path(found).name:
            return Path(found)
    raise SystemExit(f"{script}: not vLLM's script: neither its first line nor its folder names a Python")


def scratch(folder: Path) -> dict[str, Any]:
    """Make a folder for sockets, which is removed with FOLDER."""
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    usual, short = tempfile.gettempdir(), "/tmp"  # noqa: S108  # for a private folder in it
    long = len(os.fsencode(usual)) + len("/vllmwb-12345678") + _SOCKET_NAME > _MOST_PATH
    path = tempfile.mkdtemp(prefix="vllmwb-", dir=short if long else usual)
    write(folder / "scratch", path)
    return {"path": path, "sockets": os.environ.get("VLLM_RPC_BASE_PATH")}


def start(folder: Path) -> dict[str, Any]:
    """Start a watcher in a session of its own, which starts the server; return when it has."""
    job = sys.stdin.buffer.read()
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    write(folder / "job", "taken")
    watcher = subprocess.Popen(
        [sys.executable, *_ITSELF, "watch", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    feed(watcher, job)
    while not (folder / "roll").exists():
        if watcher.poll() is not None:
            raise SystemExit("the watcher of the server has ended")
        time.sleep(_POLL_S)
    return {"pid": read(folder / "roll")["root"]}


def feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Write standard input and close it."""
    assert process.stdin is not None
    with process.stdin as stream:
        stream.write(data)


def watch(folder: Path) -> None:
    """Start the server and keep its roll until it ends."""
    job = json.loads(sys.stdin.buffer.read())
    others = shared_names()
    with (folder / "log").open("ab") as log:
        try:
            server = subprocess.Popen(
                job["command"],
                env={**os.environ, **job["env"]},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            log.write(f"{job['command'][0]}: can't be executed: {error.strerror}\n".encode())
            write(folder / "exit", {"exit": 127})
            write(folder / "roll", {"root": 0, "marks": []})
            return
    known: dict[int, _Mark] = {}
    shared: set[str] = set()
    while True:
        before = len(known) + len(shared)
        ended = (folder / "exit").exists()
        # After its end the pid may belong to another process.
        known.update((mark[0], mark) for mark in ([] if ended else with_descendants(server.pid)))
        living = [mark[0] for mark in known.values() if alive(mark)]
        new = shared_names() - others - shared
        shared |= held(new, living) if new else set()
        if len(known) + len(shared) != before:
            roll = {"root": server.pid, "marks": list(known.values()), "shared": sorted(shared)}
            write(folder / "roll", roll)
        if ended and not living:
            return  # descendants that outlive it are tracked to their end
        if ended:
            time.sleep(_POLL_S)
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                write(folder / "exit", {"exit": server.wait(_LOOK_S)})


def follow(folder: Path, offset: int) -> None:
    """Copy the log to standard output until the server or standard input ends."""
    with (folder / "log").open("rb") as log:
        log.seek(offset)
        while True:
            ended = (folder / "exit").exists()
            data = log.read()
            if data:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            elif ended:
                sys.stderr.write(json.dumps(read(folder / "exit")) + "\n")
                return
            elif select.select([sys.stdin], [], [], _POLL_S)[0] and not os.read(0, 4096):
                return


def stop(folder: Path, patience_s: float) -> dict[str, Any]:
    """Ask the server to end, wait, then end every process on its roll."""
    begun = (folder / "job").exists()
    if not wait_for(folder / "roll", _FAREWELL_S if begun else 0.0):
        return {"living": []}  # it never began, or was ended before
    roll = read(folder / "roll")
    marks = {mark[0]: mark for mark in roll["marks"]}
    root = marks.get(roll["root"])
    if root is not None:
        if alive(root):
            marks.update((mark[0], mark) for mark in with_descendants(root[0]))
        send(root, signal.SIGTERM)
        wait_gone([root], patience_s)
    rest = list(marks.values())
    if (root is not None and alive(root)) or not wait_gone(rest, _FAREWELL_S):
        for number, seconds in ((signal.SIGTERM, _FAREWELL_S), (signal.SIGKILL, _KILLED_S)):
            for mark in rest:
                send(mark, number)
            wait_gone(rest, seconds)
    if not wait_for(folder / "exit", _FAREWELL_S):  # its watcher was killed
        write(folder / "exit", {"exit": -9})
    return {"living": [[mark[0], mark[2]] for mark in rest if alive(mark)]}


def listens(folder: Path, port: int) -> dict[str, Any]:
    """Return whether one of the server's processes listens on `port`; True if we may not look."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if Path(table).exists():
            for line in Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                    inodes.add(f"socket:[{fields[9]}]")
    for mark in with_descendants(read(folder / "roll")["root"]):
        try:
            if any(str(entry.readlink()) in inodes for entry in Path(f"/proc/{mark[0]}/fd").iterdir()):
                return {"listens": True}
        except PermissionError:
            return {"listens": True}
        except OSError:
            continue
    return {"listens": False}


def free_port() -> dict[str, Any]:
    """Return a port that is free right now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return {"port": listener.getsockname()[1]}


def remove(folder: Path) -> dict[str, Any]:
    """Remove the server's files, after it has ended and its log is read."""
    remove_files(folder)
    if (folder / "scratch").exists():
        shutil.rmtree(read(folder / "scratch"), ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    return {}


# -- files that a server leaves ---------------------------------------------------------------------------


def shared_names() -> set[str]:
    """Return the names of shared memory that belongs to single processes."""
    with contextlib.suppress(OSError):
        return {name for name in os.listdir(_SHARED) if _PASSING.fullmatch(name)}  # noqa: PTH208  # names
    return set()


def held(names: set[str], pids: Iterable[int]) -> set[str]:
    """Return the shared memory that these processes map, by inode, as far as we may look."""
    mapped: set[int] = set()
    for pid in pids:
        with contextlib.suppress(OSError), Path(f"/proc/{pid}/maps").open("rb") as maps:
            mapped.update(int(line.split(None, 5)[4]) for line in maps if f" {_SHARED}/".encode() in line)
    found = set()
    for name in names:
        with contextlib.suppress(OSError):
            found |= {name} if os.lstat(f"{_SHARED}/{name}").st_ino in mapped else set()
    return found


def remove_files(folder: Path) -> None:
    """Remove its rendezvous file, which its log names, and its shared memory that no process maps."""
    left = set(read(folder / "roll").get("shared", [])) if (folder / "roll").exists() else set()
    left &= shared_names()
    if left:
        left -= held(left, (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()))
    paths = [f"{_SHARED}/{name}" for name in left]
    with contextlib.suppress(OSError), (folder / "log").open("rb") as log:
        paths += [os.fsdecode(found) for found in _RENDEZVOUS.findall(log.read(_MOST_LOG))]
    for path in paths:
        with contextlib.suppress(OSError):
            about = os.lstat(path)
            if stat.S_ISREG(about.st_mode) and about.st_uid == os.getuid():
                Path(path).unlink()


def read(path: Path) -> Any:
    """Return the content that `write` wrote."""
    return json.loads(path.read_text())


def write(path: Path, content: object) -> None:
    """Write JSON atomically."""
    scratch = path.with_suffix(".new")
    scratch.write_text(json.dumps(content))
    scratch.replace(path)


def main(words: list[str]) -> None:
    """Carry out one call."""
    name, rest = words[0], words[1:]
    folder = Path(rest[0]) if rest else Path()
    if name == "watch":
        watch(folder)
    elif name == "follow":
        follow(folder, int(rest[1]))
    else:
        answers: dict[str, Callable[[], dict[str, Any]]] = {
            "find": lambda: find(rest[0] if rest else None),
            "port": free_port,
            "scratch": lambda: scratch(folder),
            "start": lambda: start(folder),
            "listens": lambda: listens(folder, int(rest[1])),
            "stop": lambda: stop(folder, float(rest[1])),
            "remove": lambda: remove(folder),
        }
        sys.stdout.write(json.dumps(answers[name]()) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
