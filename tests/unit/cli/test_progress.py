"""A limit that is changed while a run goes on is told in the progress, and so is a refusal."""

import io

from workbench.base import message
from workbench.cli.progress import ConsoleProgress
from workbench.experiments import LiveLimitChanged, Notice, ServerLog, ServerState, notice


def changed(new: int, refusal: str | None) -> LiveLimitChanged:
    return LiveLimitChanged(
        run="baseline",
        run_t=3.0,
        name="max_num_active_seqs",
        asked=3,
        old=16,
        new=new,
        accepted=refusal is None,
        refusal=refusal,
        by="user",
    )


def test_that_changes_and_refusals_are_told() -> None:
    stream = io.StringIO()
    progress = ConsoleProgress(stream)
    progress(changed(3, None))
    progress(changed(16, "max_num_active_seqs must be a whole number from 1 to 16, not 99"))
    assert stream.getvalue().splitlines() == [
        "  max_num_active_seqs 16 → 3 (by user)",
        "  not changed: max_num_active_seqs must be a whole number from 1 to 16, not 99",
    ]


def test_that_why_a_server_failed_is_said_once() -> None:
    stream = io.StringIO()
    progress = ConsoleProgress(stream)
    progress(ServerState(state="failed", detail="no such GPU"))
    progress(ServerLog(line="Traceback"))
    progress(notice("error", message("experiments.run_failed", run="baseline", why="no such GPU")))
    progress(ServerState(state="failed", detail="it was killed"))
    progress(Notice(level="info", text="another thing"))
    assert stream.getvalue().splitlines() == [
        "  error: baseline: no such GPU",
        "  server failed: it was killed",
        "  info: another thing",
    ]
