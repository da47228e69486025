"""A trial of a target in its own process: start its server, read back what it uses, stop it.

`python -m ui.probe` reads an experiment's TOML from standard input up to an empty byte; the end of standard
input ends it. It prints JSON lines: `{"state": …, "detail": …, "message": …}`, `{"log": …}`,
`{"effective": …, "abilities": …, "command": …}`, `{"memory": …}` (the event's fields),
`{"error": …, "message": …}`. A message is the detail or error as data, or null.
No Qt.
"""

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.base import Message, WorkbenchError, mask_message, mask_sentence, mask_text, mask_value
from workbench.controls import Value
from workbench.experiments import Experiment, MemoryWatch
from workbench.servers import Server, TargetSpec, abilities_of, explanation_of, make_server

END = b"\0"


def say(**fields: Any) -> None:
    """Print one JSON line at once."""
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


async def try_out(experiment: Experiment) -> None:
    """Start the baseline's server, print what it uses, stop it.

    Raises:
        WorkbenchError: it can't be started.
    """
    controls = experiment.configuration(None)
    server = make_server(experiment.target, controls)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT"):
        loop.add_signal_handler(getattr(signal, name), stop.set)
    threading.Thread(target=_until_closed, args=(loop, stop), daemon=True).start()
    work = asyncio.create_task(_live(server, experiment.target, controls))
    waiting = asyncio.create_task(stop.wait())
    await asyncio.wait({work, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if not work.done():
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        say(error="stopped")
        return
    await work


async def _live(server: Server, target: TargetSpec, controls: Mapping[str, Value]) -> None:
    known = target.secrets()
    memory = MemoryWatch(target, lambda event: say(memory=msgspec.to_builtins(event)))

    def log(line: str) -> None:
        memory.feed(line)
        say(log=mask_text(line, known))

    try:
        await server.start(
            log,
            lambda state, detail: say(state=str(state), **_detail(detail, known), command=server.command),
        )
        effective = await server.effective()
        able = msgspec.to_builtins(abilities_of(effective.version, target.kind))
        told = mask_value(msgspec.to_builtins(effective))
        say(effective=told, abilities=able, command=server.command, url=server.url)
        await memory.report(controls, effective)
    finally:
        await server.stop()


def _detail(said: Message | str, known: Sequence[str]) -> dict[str, Any]:
    """Return a text as `detail` and a message as `message` too, without secrets."""
    data = mask_message(said, known) if isinstance(said, Message) else None
    return {"detail": mask_sentence(str(said), known), "message": msgspec.to_builtins(data)}


def _until_closed(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Set `stop` at the end of standard input."""
    # Unbuffered: a thread in a buffered read would crash the interpreter at its end.
    while os.read(0, 1024):
        pass
    loop.call_soon_threadsafe(stop.set)


def _order() -> str:
    text = b""
    while not text.endswith(END):
        byte = os.read(0, 1)
        if not byte:
            break
        text += byte
    return text.removesuffix(END).decode()


def main() -> int:
    """Run the trial; return 1 if the server can't be started."""
    try:
        experiment = Experiment.from_toml(_order(), where="the experiment")
        asyncio.run(try_out(experiment))
    except WorkbenchError as error:
        detail = _detail(explanation_of(error), ())
        say(error=detail["detail"], message=detail["message"])
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
