"""A trial of a target in its own process: start its server, read back what it uses, stop it.

`python -m ui.probe` reads an experiment's TOML from standard input up to an empty byte; the end of standard
input ends it. It prints one `TrialReport` as JSON in each line. No Qt.
"""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence

import msgspec

from ui.conductor.trial_report import TrialReport
from workbench.base import Message, WorkbenchError, mask_message, mask_sentence, mask_text, mask_value
from workbench.controls import Value
from workbench.experiments import Event, Experiment, MemoryReported, MemoryWatch
from workbench.servers import EffectiveConfig, Server, TargetSpec, abilities_of, explanation_of, make_server

END = b"\0"


def say(report: TrialReport) -> None:
    """Print a report as one line at once."""
    sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
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
        say(TrialReport(error="stopped"))
        return
    await work


async def _live(server: Server, target: TargetSpec, controls: Mapping[str, Value]) -> None:
    known = target.secrets()
    memory = MemoryWatch(target, _report_memory)

    def log(line: str) -> None:
        memory.feed(line)
        say(TrialReport(log=mask_text(line, known)))

    try:
        await server.start(
            log,
            lambda state, detail: say(
                TrialReport(
                    state=str(state),
                    detail=mask_sentence(str(detail), known),
                    message=_masked(detail, known),
                    command=server.command,
                )
            ),
        )
        effective = await server.effective()
        say(
            TrialReport(
                effective=msgspec.convert(mask_value(msgspec.to_builtins(effective)), EffectiveConfig),
                abilities=tuple(abilities_of(effective.version, target.kind)),
                command=server.command,
                url=server.url,
            )
        )
        await memory.report(controls, effective)
    finally:
        await server.stop()


def _report_memory(event: Event) -> None:
    if isinstance(event, MemoryReported):
        say(TrialReport(memory=event))


def _masked(said: Message | str, known: Sequence[str]) -> Message | None:
    """Return a message without secrets; None for a text."""
    return mask_message(said, known) if isinstance(said, Message) else None


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
        reason = explanation_of(error)
        say(TrialReport(error=mask_sentence(str(reason), ()), message=_masked(reason, ())))
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
