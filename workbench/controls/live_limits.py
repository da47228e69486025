"""Limits that a running server can change without a restart.

Each has a setter in `engine/live_limits.py` (embedded engine) and in
`servers/inside/workbench_scheduler/limits.py` (real vLLM, which can't import this package); tests hold the
three lists together.
"""

WITHHELD_BLOCKS = "parked_kv_blocks"
"""KV-cache blocks withheld from requests: simulates the capacity of a smaller card, not its bandwidth."""

LIVE_CONTROLS = ("max_num_active_seqs", "max_num_batched_tokens", "long_prefill_token_threshold")
"""The live limits that are also controls of an experiment."""

LIVE_LIMITS = (*LIVE_CONTROLS, WITHHELD_BLOCKS)
"""All live limits, in the order in which the window shows them."""
