"""What serving many at once adds to times that were taken one kind of load at a time.

Steps that hold prompts and decodes, requests that come and go, a front that shares processors with the
engine: a mixed run shows what they cost.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from workbench.engine.calibrate.fit import Fit, with_more
from workbench.engine.calibrate.prediction import completed, jobs_of_records, ttft_s
from workbench.engine.calibrate.streams import mixed_rows
from workbench.engine.replay import Replay
from workbench.engine.scheduler import SchedulerConfig
from workbench.results import RequestRecord


def fit_under_load(
    fit: Fit, records: Sequence[RequestRecord], config: SchedulerConfig, *, time_scale: float = 1.0
) -> Fit:
    """The fit, and what a mixed run takes more of: a step, a prompt token, a decode, the front's time.

    Args:
        fit: to loads of one kind at a time.
        records: of the mixed run; prompts unique.
        config: the server's settings.
        time_scale: the server's seconds in one of the records'.

    Raises:
        InputError: nothing of the run completed with two tokens or more.
    """
    done = completed(records)
    model = with_more(fit.step_model, mixed_rows(done, time_scale=time_scale))
    jobs = jobs_of_records(done, time_scale)
    replay = Replay(jobs, config, model)
    replay.run()
    lives = [replay.tally.lives[job.request] for job in jobs]
    explained = np.array([(life.first_token or life.due) - life.due for life in lives])
    unexplained_us = 1e6 * float(np.median(ttft_s(done) * time_scale - explained))
    return msgspec.structs.replace(
        fit, step_model=model, request_overhead_us=max(fit.request_overhead_us, unexplained_us)
    )
