"""Text of `explain` in lines of at most 80 characters: totals, the worst requests, predictions."""

import textwrap
from collections.abc import Iterator, Sequence

from workbench.advice.blame import Blame, Part, RequestBlame
from workbench.base import Message
from workbench.experiments import Prediction
from workbench.results import stored_reasons
from workbench.results.bench.entries import RunEntry

_WIDTH = 80
_BAR = 20
"""Characters of a bar of 100 %."""
_LEAST_SHARE = 0.005
"""Smaller parts are one line together."""
_NAMED_SHARE = 0.05
"""Parts from this share on name their culprits."""
_MOST_PAIRS = 6


def run_lines(run: RunEntry, ledger: Blame, predicted: Prediction | None) -> Iterator[str]:
    """Yield the totals of a run, who lost time to whom, and the prediction."""
    yield from _wrapped(run.name)
    if reasons := stored_reasons(run.summary):
        yield from _wrapped(f"invalid: {'; '.join(map(str, reasons))}", indent=2)
    whole = sum(ledger.totals.values())
    yield f"  all requests' time: {whole / 1000:,.1f} s"
    small = 0.0
    for cause, ms in sorted(ledger.totals.items(), key=lambda pair: -pair[1]):
        if ms < _LEAST_SHARE * whole:
            small += ms
        else:
            yield _bar("", _words(cause), ms, whole, unit="s")
    if small:
        yield _bar("", _words("smaller"), small, whole, unit="s")
    pairs = [
        (ms, f"{victim} lost {ms / 1000:,.1f} s to {culprit}")
        for victim, row in ledger.matrix.items()
        for culprit, ms in row.items()
        if len(ledger.matrix) > 1 and whole and ms >= _LEAST_SHARE * whole
    ]
    for _, text in sorted(pairs, reverse=True)[:_MOST_PAIRS]:
        yield from _wrapped(text, indent=4)
    if predicted is not None:
        yield from _run_prediction(predicted)


def request_lines(one: RequestBlame, predicted: Sequence[Prediction] = ()) -> Iterator[str]:
    """Yield the parts of a request's time, who caused the largest ones, and the predictions."""
    total = one.e2e_ms
    ended = "didn't end" if total is None else f"{total:,.1f} ms"
    yield from _wrapped(f"request {one.request} ({one.cls}): {ended}", indent=2)
    whole = total or sum(part.ms for part in one.parts)
    small = 0.0
    for part in one.parts:
        if part.ms < _LEAST_SHARE * whole:
            small += part.ms
            continue
        yield _bar("" if part.measured else "~", _words(part.cause), part.ms, whole, unit="ms")
        if part.culprits and part.ms >= _NAMED_SHARE * whole:
            yield from _wrapped(_by(part, one.cls), indent=6)
    if small:
        yield _bar("", _words("smaller"), small, whole, unit="ms")
    if one.unexplained_ms is not None and abs(one.unexplained_ms) >= 0.05:
        yield _bar("", _words("unexplained"), one.unexplained_ms, whole, unit="ms")
    yield from _request_predictions(predicted)


def _by(part: Part, own: str) -> str:
    """Return who caused a part: the worst requests, with classes other than `own`, and how many more."""
    named = [
        f"{each.request}{'' if each.cls == own else f' ({each.cls})'} {each.ms:,.0f} ms"
        for each in part.culprits[:2]
    ]
    others = part.culprit_count - len(named)
    more = f" and {others} {'other' if others == 1 else 'others'}" if others > 0 else ""
    return f"by {', '.join(named)}{more}"


def _bar(mark: str, words: str, ms: float, whole: float, *, unit: str) -> str:
    share = ms / whole if whole else 0.0
    value = f"{mark}{ms / 1000:,.1f} s" if unit == "s" else f"{mark}{ms:,.1f} ms"
    bar = "█" * min(_BAR, round(_BAR * max(share, 0.0)))
    return f"    {words:<32} {value:>13} {100 * share:4.0f} % {bar}".rstrip()


def _run_prediction(predicted: Prediction) -> Iterator[str]:
    before, after = predicted.result.before, predicted.result.after
    yield from _wrapped(f"predicted in the engine {_change(predicted)}:", indent=2)
    for name, old, new in (
        ("E2E mean", before.e2e_ms.mean, after.e2e_ms.mean),
        ("TTFT mean", before.ttft_ms.mean, after.ttft_ms.mean),
        ("TTFT p95", before.beyond_trace("ttft_ms", "p95"), after.beyond_trace("ttft_ms", "p95")),
        ("ITL p95", before.beyond_trace("itl_ms", "p95"), after.beyond_trace("itl_ms", "p95")),
    ):
        if old is not None and new is not None:
            yield f"    {name:<10} {old:10,.1f} → {new:,.1f} ms"
    if predicted.result.error is not None:
        off = round(100 * predicted.result.error, 1) or 0.0
        yield f"    the replay of the run as it was is off by {off:+.1f} %"


def _request_predictions(predicted: Sequence[Prediction]) -> Iterator[str]:
    known = [(each, each.request) for each in predicted if each.request is not None]
    if not known:
        return
    error = known[0][1].error or 0.0
    yield "    predicted in the engine, whose replay of this request as it was is off by"
    yield f"    {round(100 * error, 1) or 0.0:+.1f} %:"
    for prediction, effect in known:
        if effect.after_ms is not None:
            saved = effect.after_ms - effect.before_ms
            figures = f"{effect.before_ms:,.1f} → {effect.after_ms:,.1f} ms ({saved:+,.1f} ms)"
            yield from _wrapped(f"{_change(prediction)}: {figures}", indent=6)


def _change(predicted: Prediction) -> str:
    if predicted.without is not None:
        return f"without request {predicted.without}"
    return f"with {', '.join(f'{name} = {value}' for name, value in predicted.changes.items())}"


def _wrapped(text: str, *, indent: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
    )


def _words(cause: str) -> str:
    return str(Message(kind=f"blame.{cause}"))
