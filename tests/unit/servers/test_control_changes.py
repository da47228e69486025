"""A failure's message names the controls that its fix changes, with the values that the log states."""

import pytest

from workbench.base import Message, message
from workbench.servers import control_changes
from workbench.vllm_dialect import ControlChange


def failure(template: str, **values: str) -> Message:
    return message(
        "dialect.failure",
        cause=Message(kind=f"dialect.{template}", values=values),
        fix=Message(kind=f"dialect.{template}_fix", values=values),
    )


SELINUX = message("base.both", first=failure("gpu_busy"), second=message("servers.selinux_fix"))


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            failure("context_over_kv", limit="1008"),
            (ControlChange("max_model_len", 1008), ControlChange("gpu_memory_utilization")),
        ),
        (
            failure("budget_below_seats", budget="32", seats="64"),
            (ControlChange("max_num_batched_tokens", 64), ControlChange("max_num_seqs", 32)),
        ),
        (failure("context_over_model", limit=""), (ControlChange("max_model_len"),)),
        (SELINUX, (ControlChange("gpu_memory_utilization"),)),
        (
            message("servers.flag_is_control", flag="-q", control="quantization"),
            (ControlChange("quantization"),),
        ),
        (failure("port_in_use"), ()),
        (message("servers.nothing"), ()),
    ],
)
def test_a_message_names_its_controls(said: Message, found: tuple[ControlChange, ...]) -> None:
    assert control_changes(said) == found
