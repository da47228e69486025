"""After a step was decided, before it runs: its tokens count as computed (rule 1.2-4)."""

from workbench.engine.scheduler.request import Request
from workbench.engine.scheduler.running_phase import Shares
from workbench.engine.scheduler.step import Step


def launch(step: Step, shares: Shares, *, is_async: bool) -> None:
    """Advance each request by its share, note who yields no token, add up what the step model asks for."""
    silent: list[Request] = []
    decodes = contexts = prefilled = 0
    attended = 0.0
    for request, count in shares.items():
        before = request.computed
        after = request.computed = before + count
        request.in_flight += count
        if after < request.tokens + request.placeholders:
            silent.append(request)
        elif is_async:
            request.placeholders += 1
        if count == 1 and before >= request.prompt_len:
            decodes += 1
            contexts += after
        else:
            prefilled += count
            attended += count * (before + count / 2)
    if silent:
        step.silent = frozenset(silent)
    step.P += prefilled
    step.D += decodes
    step.K += contexts
    step.Q += attended
