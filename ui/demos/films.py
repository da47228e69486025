"""A demo's replays cut into samples, one run of the window for each variant. No widgets."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ui.demos.story import DemoText
from ui.language.translation import translate_demo
from ui.live import COLUMNS, LiveState, RunSeries, RunView
from ui.live.prompts import PromptTracks
from ui.live.series import Floats
from ui.steps.stage_data import StageData, stage_data
from ui.steps.step_arrays import KnownRequest, arrays_of

if TYPE_CHECKING:
    from workbench.engine import Demo, Film

FRAMES = 400
"""Samples of one replay."""
LONGEST = 1.5
"""Other replays are shown up to this many times the length of the shortest one."""
_WINDOWS = 20
"""Rates and percentiles look back on 1/20 of a replay."""


class DemoFilms:
    """A demo's replays: `state` with one run for each variant, and each run's rows by time."""

    def __init__(self, demo: "Demo", films: "list[Film]") -> None:
        self.told = DemoText(
            translate_demo(demo.title),
            translate_demo(demo.question),
            tuple(map(translate_demo, demo.narration)),
            tuple((translate_demo(variant.name), translate_demo(variant.say)) for variant in demo.variants),
        )
        self.name = demo.name
        self.length = min(max(film.end for film in films), LONGEST * min(film.end for film in films))
        self.state = LiveState(phase="demo", name=self.told.title, simulated=True, profile=demo.profile)
        self.state.target, self.state.trace = demo.profile, demo.trace.name
        self.names: list[str] = []
        self._rows: dict[str, tuple[Floats, list[list[float | None]]]] = {}
        self._films: dict[str, Film] = {}
        self._prompts: dict[str, list[_PromptPoint]] = {}
        self.stages: dict[str, StageData] = {}
        """Stage data of each variant by its name; all have the same number of lanes."""
        self._figures: dict[str, dict[str, Any]] = {}
        for number, (variant, film) in enumerate(zip(demo.variants, films, strict=True)):
            name = translate_demo(variant.name)
            run = _run_of(name, variant.settings, demo.settings(variant), number, self.length)
            self.state.runs[run.name] = run
            self.names.append(run.name)
            run.prompts.know(film.step_tokens)
            self._rows[run.name] = rows_of(film, min(film.end, self.length), self.length / FRAMES)
            self._prompts[run.name] = _prompt_points(film)
            self._films[run.name] = film
            self.stages[run.name] = _stage_of(film)
            # The figures of a replay that is cut off would cover more than is shown.
            self._figures[run.name] = figures_of(film) if film.end <= self.length else {}

        lanes = max(stage.lanes for stage in self.stages.values())
        scales = [stage.scales for stage in self.stages.values()]
        for name, stage in self.stages.items():
            shared = replace(
                stage.scales,
                queue=max(each.queue for each in scales),
                time_s=max(each.time_s for each in scales),
            )
            self.stages[name] = replace(stage, lanes=lanes, scales=shared)

    def show_until(self, name: str, t: float) -> bool:
        """Add the run's samples up to `t` simulated seconds; return True at its end."""
        run = self.state.runs[name]
        times, rows = self._rows[name]
        shown, upto = len(run.series), int(np.searchsorted(times, t, side="right"))
        for place in range(shown, upto):
            run.series.append_values(float(times[place]), rows[place])
        self._show_prompts(run, t)
        return upto >= len(times)

    def rewind(self, name: str) -> None:
        """Show the run from its start again."""
        run = self.state.runs[name]
        run.series, run.prompts, run.row = RunSeries(), PromptTracks(), {}
        run.prompts.know(self._films[name].step_tokens)
        self._prompts[name] = _prompt_points(self._films[name])

    def close_run(self, name: str) -> None:
        """Show the run's own figures at its end."""
        run = self.state.runs[name]
        run.status, run.row = "done", self._figures[name]

    def _show_prompts(self, run: RunView, t: float) -> None:
        points, shown = self._prompts[run.name], 0
        while shown < len(points) and points[shown].at <= min(t, self.length):
            shown += 1
        for point in points[:shown]:
            run.prompts.add(point.prompt, point.tokens, [(point.at, point.computed)])
        del points[:shown]


def _stage_of(film: "Film") -> StageData:
    from workbench.advice.blame import build_step_index  # noqa: PLC0415 - loads when a demo is asked for

    index = build_step_index(film.record.splitlines(keepends=True), 0.0, where="demo")
    known = {
        name: KnownRequest(name, number, cls)
        for number, (name, cls) in enumerate(film.classes.items(), start=1)
    }
    return stage_data(arrays_of(index, known))


def _run_of(
    name: str, changed: dict[str, Any], settings: dict[str, Any], number: int, length: float
) -> RunView:
    # A variant that changes several controls has no control under test.
    control, value = next(iter(changed.items())) if len(changed) == 1 else (None, None)
    return RunView(
        name=name,
        control=control if number else None,
        value=value,
        limits=settings,
        simulated=True,
        duration_s=length,
    )


class _PromptPoint(NamedTuple):
    """The progress of a long prompt at one time."""

    at: float
    prompt: str
    tokens: int
    computed: int


def _prompt_points(film: "Film") -> list[_PromptPoint]:
    return sorted(
        _PromptPoint(at, prompt.name, prompt.tokens, computed)
        for prompt in film.prompts
        for at, computed in prompt.points
    )


def figures_of(film: "Film") -> dict[str, Any]:
    """Return the figures of a whole replay by their scorecard names, exact however few the requests."""
    found = film.played.figures
    return {
        "ttft_p50_ms": found.ttft_ms.p50,
        "ttft_p95_ms": found.ttft_ms.p95,
        "queue_mean_ms": found.queue_ms.mean,
        "itl_p50_ms": found.itl_ms.p50,
        "itl_p95_ms": found.itl_ms.p95,
        "offered_rps": found.requests / film.end,
        "completed_rps": found.completed / film.end,
    }


def rows_of(film: "Film", end: float, step: float) -> tuple[Floats, list[list[float | None]]]:
    """Return times, and for each a row of `COLUMNS`: what the plots show of a replay up to `end`."""
    times = np.arange(step, end + step / 2, step)
    at = np.searchsorted(film.t, times, side="right") - 1
    columns = {
        "running": _held(film.running, at),
        "waiting": _held(film.waiting, at),
        "kv_usage": _held(film.kv_usage, at),
        "preemptions": _held(film.preemptions, at),
    }
    window = end / _WINDOWS
    before = np.searchsorted(film.t, times - window, side="right") - 1
    for name, sums in (("input_tok_s", film.prompt_tokens), ("output_tok_s", film.output_tokens)):
        columns[name] = (_held(sums, at) - _held(sums, before)) / window
    columns |= _gaps(film, times, window) | _lives(film, times, window)
    shown = [columns.get(name, np.full(len(times), np.nan)) for name in COLUMNS]
    rows = [[None if np.isnan(value) else float(value) for value in row] for row in zip(*shown, strict=True)]
    return times, rows


def _held(values: Floats, at: "np.typing.NDArray[np.intp]") -> Floats:
    """Return the value at each index; 0 before the first."""
    return np.where(at >= 0, values[np.maximum(at, 0)], 0.0)


def _gaps(film: "Film", times: Floats, window: float) -> dict[str, Floats]:
    """Return percentiles of the gaps between tokens in the window before each time."""
    figures = np.full((2, len(times)), np.nan)
    starts = np.searchsorted(film.token_t, times - window, side="right")
    ends = np.searchsorted(film.token_t, times, side="right")
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if end > start:
            counts = film.token_count[start:end].astype(np.int64)
            gaps = np.repeat(film.token_gap_s[start:end], counts) * 1000
            figures[:, place] = np.percentile(gaps, [50, 95])
    return {"itl_p50_ms": figures[0], "itl_p95_ms": figures[1]}


def _lives(film: "Film", times: Floats, window: float) -> dict[str, Floats]:
    """Return figures of the requests over time: TTFT, its parts, rates, the oldest without a token."""
    lives = [life for life in film.played.lives if life is not None]
    due, queued, first, last = (
        np.array([np.nan if (stamp := getattr(life, name)) is None else stamp for life in lives])
        for name in ("due", "queue_end", "first_token", "last_token")
    )
    columns = {name: np.full(len(times), np.nan) for name in _OF_LIVES}
    answered = np.where(np.isnan(first), np.inf, first)
    for place, t in enumerate(times):
        recent = (first > t - window) & (first <= t)
        if recent.any():
            ttft = (first - due)[recent] * 1000
            columns["ttft_p50_ms"][place], columns["ttft_p95_ms"][place] = np.percentile(ttft, [50, 95])
            columns["queue_ms"][place] = np.mean((queued - due)[recent]) * 1000
            columns["prefill_ms"][place] = np.mean((first - queued)[recent]) * 1000
        open_ones = due[(due <= t) & (answered > t)]
        if len(open_ones):
            columns["oldest_waiting_s"][place] = t - open_ones.min()
        columns["offered_rps"][place] = np.count_nonzero((due > t - window) & (due <= t)) / window
        columns["completed_rps"][place] = np.count_nonzero((last > t - window) & (last <= t)) / window
    return columns


_OF_LIVES = (
    "ttft_p50_ms",
    "ttft_p95_ms",
    "queue_ms",
    "prefill_ms",
    "oldest_waiting_s",
    "offered_rps",
    "completed_rps",
)
