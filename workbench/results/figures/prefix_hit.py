"""The share of prompt tokens found in the prefix cache, by the counters of the server's version."""

from workbench.results.figures.run_frame import Conditions
from workbench.results.run_records import ServerDelta
from workbench.vllm_dialect import metrics, version_has


def prefix_share(server: ServerDelta | None, conditions: Conditions) -> float | None:
    """Return the share (0 to 1) of looked-up prompt tokens that were found; None: unknown.

    vLLM before 0.27 counts a look-up at every attempt to admit a request, so a request that waits for KV
    blocks is counted in every step. Then the share comes from the finished requests: the prompt tokens that
    prefill did not have to compute.
    """
    if server is None:
        return None
    simulated = conditions.simulated_scale is not None
    if (
        not simulated
        and version_has("behavior", "prefix_counted_at_admission", conditions.vllm_version) is False
    ):
        return _of_finished(server)
    if not server.prefix_queries or server.prefix_hits is None:
        return None
    return server.prefix_hits / server.prefix_queries


def _of_finished(server: ServerDelta) -> float | None:
    prompts = server.histograms.get(metrics.PROMPT_TOKENS_H.name)
    computed = server.histograms.get(metrics.PREFILL_COMPUTED.name)
    if prompts is None or computed is None or not prompts.sum:
        return None
    return 1 - computed.sum / prompts.sum
