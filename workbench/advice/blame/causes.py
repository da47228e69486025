"""The causes that a request's time is split into."""

from typing import Literal, get_args

Cause = Literal[
    "client_admission",
    "client_late",
    "front_end",
    "sequence_limit",
    "token_budget",
    "kv_blocks",
    "blocked_head",
    "admission",
    "not_scheduled",
    "prefill_compute",
    "decode_compute",
    "others_prefill",
    "others_decode",
    "preempted_wait",
    "recompute",
    "output_path",
]
"""In the order of a request's life.

- `client_admission`: the client's in-flight limit held the request back.
- `client_late`: the load generator sent it late.
- `front_end`: HTTP, tokenization, and the way to the engine.
- `sequence_limit`, `token_budget`, `kv_blocks`, `blocked_head`, `admission`: why it waited in the queue.
- `not_scheduled`: it waited for the step under way, or for an unrecorded reason.
- `prefill_compute`, `decode_compute`: its own share of the steps that computed it.
- `others_prefill`, `others_decode`: the time that other requests added to those steps.
- `preempted_wait`, `recompute`: waiting after a preemption, and computing again what was lost.
- `output_path`: from the engine's last step to the client.
"""

CAUSES: tuple[Cause, ...] = get_args(Cause)

WAITS: dict[str, Cause] = {
    "seat": "sequence_limit",
    "budget": "token_budget",
    "kv": "kv_blocks",
    "preempted_this_step": "kv_blocks",
}
"""Maps the scheduler's reason why the head of the queue waits to a cause."""
