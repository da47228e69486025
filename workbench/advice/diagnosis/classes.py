"""What each class of requests felt: where its first tokens lose time, against the others and the targets."""

from workbench.advice.diagnosis.view import RunView
from workbench.advice.diagnosis.words import millis, number


def class_sentences(view: RunView) -> dict[str, list[str]]:
    """By class, only where there is more than one."""
    classes = view.figures.get("classes")
    if not isinstance(classes, dict) or len(classes) < 2:
        return {}
    best = _best(view, list(classes))
    said = {name: _of_class(view, name, best) for name in classes}
    return {name: sentences for name, sentences in said.items() if sentences}


def _best(view: RunView, names: list[str]) -> float | None:
    known = [ttft for name in names if (ttft := _ttft(view, name)) is not None]
    return min(known, default=None)


def _ttft(view: RunView, name: str) -> float | None:
    p95 = view.figure("classes", name, "ttft_ms", "p95")
    return view.figure("classes", name, "ttft_ms", "p50") if p95 is None else p95


def _of_class(view: RunView, name: str, best: float | None) -> list[str]:
    ttft = _ttft(view, name)
    if ttft is None:
        return []
    which = "p50" if view.figure("classes", name, "ttft_ms", "p95") is None else "p95"
    sentences = []
    held = {**view.objectives, **view.class_objectives.get(name, {})}
    target = held.get("ttft_p95_ms")
    if target is not None:
        sentences.append(_against("TTFT", which, ttft, target))
    elif best is not None and ttft > 2 * best:
        sentences.append(f"TTFT {which} {millis(ttft)}, {number(ttft / best)} times the quickest class's.")
    queue = view.figure("classes", name, "queue_ms", "p95")
    if sentences and queue is not None and which == "p95":
        sentences.append(
            f"{millis(queue)} of it in the queue." if queue < ttft else "All of it in the queue."
        )
    for figure, words in (("itl", "inter-token latency"), ("e2e", "end to end")):
        value, limit = view.figure("classes", name, f"{figure}_ms", "p95"), held.get(f"{figure}_p95_ms")
        if value is not None and limit is not None:
            sentences.append(_against(words, "p95", value, limit))
    errors = view.figure("classes", name, "error_rate")
    if errors:
        sentences.append(f"{errors * 100:.1f} % failed or were refused.")
    return sentences


def _against(words: str, which: str, value: float, target: float) -> str:
    return f"{words} {which} {millis(value)} {'misses' if value > target else 'meets'} {millis(target)}."
