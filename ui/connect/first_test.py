"""Experiments that a running server of others can carry out. No Qt."""

from urllib.parse import urlsplit

from ui.experiment.draft import Draft
from workbench.controls import CONTROLS

_INPUT, _OUTPUT = 500, 128
_CONCURRENCY = (4, 16)
"""Callers at once: a closed loop overloads no server."""
_DURATION_S = 30.0


def first_test(draft: Draft, name: str, max_model_len: int | None) -> Draft:
    """Return a short experiment on the draft's server that is valid on any: callers at once, no control.

    Args:
        draft: has the address, the model and the key's variable.
        name: of the experiment, with `{0}` for the server's host.
        max_model_len: tokens of the server's context; None if unknown.
    """
    longest = max_model_len or 1 << 20
    return Draft(
        name=name.format(host_of(draft.url)),
        target_kind="attached",
        url=draft.url,
        model=draft.model,
        api_key_env=draft.api_key_env,
        ca_file=draft.ca_file,
        baseline={},
        control="",
        values=(),
        input_tokens=min(_INPUT, longest // 2),
        output_tokens=min(_OUTPUT, longest // 4),
        loop="closed",
        concurrency=_CONCURRENCY,
        duration_s=_DURATION_S,
    )


def for_attached(draft: Draft) -> Draft:
    """Return the draft without what can't be set on a running server: its controls, their values."""
    baseline = {name: value for name, value in draft.baseline.items() if not _of_server(name)}
    kept = draft.with_fields(target_kind="attached", baseline=baseline)
    return kept.with_fields(control="", values=()) if _of_server(draft.control) else kept


def host_of(url: str) -> str:
    """Return the host and port of an address."""
    return urlsplit(url).netloc.rpartition("@")[2] or url


def _of_server(name: str) -> bool:
    return name in CONTROLS and CONTROLS[name].of_server
