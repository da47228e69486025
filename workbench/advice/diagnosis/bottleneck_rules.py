"""All bottlenecks in order of precedence: at each moment the first whose condition holds is named.

Admission and sequence limit don't hold while requests are preempted, because rejections and full slots are
then consequences. Uneven engines come before the limits, which look at all
engines together. The sequence limit comes before the KV cache, because vLLM checks it first.
"""

from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.bottlenecks import (
    admission,
    blocked_head,
    client,
    decode_starved,
    front_end,
    kv_cache,
    livelock,
    one_request,
    sequence_limit,
    stuck,
    token_budget,
    uneven_engines,
)
from workbench.advice.diagnosis.rule import BottleneckRule

BOTTLENECK_RULES: tuple[BottleneckRule, ...] = (
    livelock.RULE,
    stuck.RULE,
    admission.RULE,
    uneven_engines.RULE,
    one_request.RULE,
    sequence_limit.RULE,
    kv_cache.RULE,
    decode_starved.RULE,
    token_budget.RULE,
    blocked_head.RULE,
    client.RULE,
    front_end.RULE,
)

RULE_OF: dict[Bottleneck, BottleneckRule] = {rule.bottleneck: rule for rule in BOTTLENECK_RULES}
