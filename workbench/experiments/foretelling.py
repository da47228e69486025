"""At which rate an experiment's load will saturate its baseline, before anything is run."""

from workbench.advice import Load, Saturation, saturation
from workbench.experiments.experiment import Experiment
from workbench.profiles import load_profile
from workbench.traces import Trace, ideal_hit_tokens

_MOST_CACHED = 0.99
"""A prompt that is all cached would cost nothing."""


def foretold(experiment: Experiment, trace: Trace) -> Saturation | None:
    """By the embedded engine's profile; None of a real server, whose step times aren't known.

    Raises:
        InputError: a request that the baseline's KV pool can't hold.
    """
    if experiment.target.kind != "embedded" or not experiment.target.profile:
        return None
    hits = ideal_hit_tokens(trace)
    cached = 0.0 if hits is None else float(hits.sum() / trace.input_length.sum())
    if experiment.baseline.get("enable_prefix_caching") is False:
        cached = 0.0
    load = Load(
        input_tokens=float(trace.input_length.mean()),
        output_tokens=float(trace.output_length.mean()),
        cached_share=min(cached, _MOST_CACHED),
    )
    return saturation(load, load_profile(experiment.target.profile), experiment.baseline)
