"""A stand-in for docker's command line, no docker: containers are processes, written down in a folder.

STAND_IN_DOCKER is that folder; while a file `hangs` lies there, nothing is answered. It can pull the images
`vllm:1` and `plain:1` (no vLLM in it). A container outlives the process of its `run`, as docker's do.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

STATE = Path(os.environ["STAND_IN_DOCKER"])
VLLM = Path(os.environ["STAND_IN_VLLM"])


def fail(text: str, code: int = 1) -> None:
    print(text, file=sys.stderr)
    sys.exit(code)


def pid_of(name: str) -> int | None:
    try:
        pid = int((STATE / name).read_text())
        os.kill(pid, 0)
        zombie = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (OSError, ValueError):
        return None
    return None if zombie else pid


def run(words: list[str]) -> None:
    options: dict[str, list[str]] = {}
    while words[0].startswith("-"):
        flag = words.pop(0)
        options.setdefault(flag, []).append("" if flag == "--rm" else words.pop(0))
    image, rest = words[0], words[1:]
    (STATE / "last-run").write_text(json.dumps({"options": options, "rest": rest}))
    for mount in options.get("-v", []):
        here, there = mount.split(":")[:2]
        rest = [word.replace(there, here, 1) for word in rest]
    hidden = (STATE / "enforcing").exists() and options.get("--security-opt") != ["label=disable"]
    if hidden and options.get("-v"):
        # As SELinux has it where it is enforced and a folder isn't labelled for containers.
        fail(f"python3: can't open file '{rest[0]}': [Errno 13] Permission denied", 2)
    if options["--entrypoint"] == ["python3"]:
        path = "" if image == "plain:1" else os.environ["PYTHONPATH"]
        settings = {**os.environ, "PYTHONPATH": path}
        sys.exit(subprocess.run([sys.executable, *rest], env=settings, check=False).returncode)
    passed = environment(options["-e"], options.get("-v", []))
    if options.get("--gpus") == ["none-here"]:
        fail(
            "docker: Error response from daemon: could not select device driver with capabilities: [[gpu]]",
            125,
        )
    log = STATE / f"log-{options['--name'][0]}"
    with log.open("wb") as output:
        container = subprocess.Popen(
            [str(VLLM), *rest], env=passed, start_new_session=True, stdout=output, stderr=subprocess.STDOUT
        )
    (STATE / options["--name"][0]).write_text(str(container.pid))
    signal.signal(signal.SIGTERM, lambda *_: container.terminate())
    code = show(log, container)
    (STATE / options["--name"][0]).unlink(missing_ok=True)
    sys.exit(code if code >= 0 else 128 - code)


def environment(settings: list[str], mounts: list[str]) -> dict[str, str]:
    """NAME is passed on, NAME=VALUE is set; folders of the container are those that were mounted there.

    The stand-in's own modules are in the image, as it were: they come after what is set.
    """
    passed = {name: os.environ[name] for name in settings if "=" not in name}
    for setting in settings:
        name, _, value = setting.partition("=")
        for mount in mounts:
            here, there = mount.split(":")[:2]
            value = value.replace(there, here)
        passed |= {name: value} if "=" in setting else {}
    image = os.environ["PYTHONPATH"]
    path = f"{passed['PYTHONPATH']}:{image}" if "PYTHONPATH" in passed else image
    return {**passed, "PATH": os.environ["PATH"], "PYTHONPATH": path}


def show(log: Path, container: "subprocess.Popen[bytes]") -> int:
    """The log goes to the daemon, which outlives whoever watches it."""
    with log.open("rb") as lines:
        while True:
            code = container.poll()
            sys.stdout.buffer.write(lines.read())
            sys.stdout.buffer.flush()
            if code is not None:
                return code
            time.sleep(0.05)


def stop(name: str, patience_s: float) -> None:
    pid = pid_of(name)
    if pid is None:
        fail(f"Error response from daemon: No such container: {name}")
        return
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + patience_s
    while pid_of(name) is not None and time.monotonic() < deadline:
        time.sleep(0.05)
    if pid_of(name) is not None:
        os.killpg(pid, signal.SIGKILL)


def main(words: list[str]) -> None:
    while (STATE / "hangs").exists():
        with (STATE / "unanswered").open("a") as asked:
            asked.write(f"{words[0]}\n")
        time.sleep(600)
    match words:
        case ["image", "inspect", _, "{{range .Config.Env}}{{println .}}{{end}}", "vllm:1"]:
            print("PATH=/usr/bin\nPYTHONPATH=/opt/image\nVLLM_PLUGINS=its_own\n")
        case ["image", "inspect", _, _, image]:
            if not (STATE / f"image-{image}").exists():
                fail(f"Error: No such image: {image}")
            print("sha256:0123456789abcdef")
        case ["pull", ("vllm:1" | "plain:1") as image]:
            (STATE / f"image-{image}").touch()
        case ["pull", image]:
            fail(f"Error response from daemon: manifest for {image} not found: manifest unknown")
        case ["run", *rest]:
            run(rest)
        case ["stop", "-t", seconds, name]:
            stop(name, float(seconds))
        case ["rm", "-f", name]:
            stop(name, 0.0)
        case ["inspect", _, _, name]:
            print(pid_of(name) or 0)
        case _:
            fail(f"docker: {words} is not a docker command")


if __name__ == "__main__":
    main(sys.argv[1:])
