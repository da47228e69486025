"""All rules about a run as a whole, in the order of their findings."""

from workbench.advice.diagnosis.rule import RunRule
from workbench.advice.diagnosis.whole_run import (
    clocks_held_back,
    diverging,
    kv_forecast,
    late_client,
    restarted,
    server_figures,
    stutter,
    ttft_elsewhere,
)

RUN_RULES: tuple[RunRule, ...] = (
    restarted.RULE,
    late_client.RULE,
    clocks_held_back.RULE,
    diverging.RULE,
    stutter.RULE,
    kv_forecast.RULE,
    server_figures.RULE,
    ttft_elsewhere.RULE,
)
