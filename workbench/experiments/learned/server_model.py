"""The step model of a server, refined by each run that measured it.

A run adds its normal equations to those of the runs before, so that the model is a fit to all of them, and
no row is kept. Older runs weigh less, since servers change.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from workbench.base import UNREADABLE, InputError, Record, data_folder, write_atomic
from workbench.controls import Value
from workbench.engine import Row, SchedulerConfig
from workbench.engine.calibrate import fit_rows
from workbench.experiments.run.command_flags import flag_values
from workbench.profiles import StepModel
from workbench.servers import TargetSpec

_MOST_ROWS = 2000
"""Rows beyond this add no weight: a long run must not outvote the others."""
_FADES = 0.8
"""Weight of the earlier runs when another one is added."""
_KEPT_ERRORS = 20
_UNKNOWN_ERROR = 0.2
"""Error of a run that is too short to be judged."""
_OF_CONTROLS = ("max-num-seqs", "max-num-batched-tokens", "num-gpu-blocks-override", "max-model-len")
"""Flags that don't change the time of a given step."""


class SeenRange(Record, frozen=True, kw_only=True):
    """The largest steps that a model was fitted to."""

    decodes: float
    """Requests that decode."""
    context: float
    """Mean context of a decode, in tokens."""
    prefill: float
    """Prompt tokens of a step."""

    def together(self, other: "SeenRange") -> "SeenRange":
        """Return the range of both."""
        return SeenRange(
            decodes=max(self.decodes, other.decodes),
            context=max(self.context, other.context),
            prefill=max(self.prefill, other.prefill),
        )


class TrainingRows(Record, frozen=True, kw_only=True):
    """Rows of one run for the fit of its server's step times."""

    rows: list[Row]
    """Steps, or sums of steps."""
    seen: SeenRange
    config: SchedulerConfig
    configured: dict[str, Value]
    """Controls that the run set; others have the server's defaults."""
    version: str | None


class ServerModel(Record, frozen=True, kw_only=True):
    """The step model of one server, its error, and the range in which it was seen."""

    server: str
    version: str | None
    step_model: StepModel
    overhead_s: float = 0.0
    """Time of a request outside the engine."""
    time_error: float
    """Median relative error of the steps' times on the last run, before the model learned from it."""
    seen: SeenRange
    runs: list[str]
    """Runs that it learned from."""
    errors: dict[str, list[float]] = msgspec.field(default_factory=dict)
    """Signed relative errors of earlier predictions, by figure."""
    config: SchedulerConfig
    configured: dict[str, Value]
    unset: dict[str, Value] = msgspec.field(default_factory=dict)
    """Values that the server has where no run sets the control."""
    gram: list[list[float]]
    moment: list[float]


def server_key(target: TargetSpec) -> str:
    """Return what identifies a server before it starts: place, model, and flags that change its steps."""
    flags = {name: value for name, value in flag_values(target.args).items() if name[2:] not in _OF_CONTROLS}
    named = (target.host, target.url, target.image, target.model, target.executable, target.profile)
    text = msgspec.json.encode([target.kind, named, sorted(flags.items())])
    return hashlib.sha256(text).hexdigest()[:20]


def learned_model(target: TargetSpec) -> ServerModel | None:
    """Return what is known about the target's steps; None: nothing, or the file is unreadable."""
    try:
        return msgspec.json.decode((_folder() / f"{server_key(target)}.json").read_bytes(), type=ServerModel)
    except (OSError, *UNREADABLE):
        return None


def save_model(target: TargetSpec, model: ServerModel) -> None:
    """Store it for later plans.

    Raises:
        Refusal: the folder can't be written to.
    """
    _folder().mkdir(parents=True, exist_ok=True)
    write_atomic(_folder() / f"{server_key(target)}.json", msgspec.json.encode(model))


def _folder() -> Path:
    return data_folder() / "learned"


def refined(known: ServerModel | None, found: TrainingRows, *, server: str, run: str) -> ServerModel:
    """Return the model with another run in it; another vLLM version starts afresh.

    Raises:
        Refusal: the run has too few steps.
    """
    if known is not None and known.version != found.version:
        known = None
    gram, moment = _normal_equations(found.rows)
    if known is not None:
        gram, moment = gram + _FADES * np.array(known.gram), moment + _FADES * np.array(known.moment)
    unset = {} if known is None else dict(known.unset)
    unset |= {
        name: value
        for name in ("max_num_seqs", "max_num_batched_tokens", "long_prefill_token_threshold")
        if name not in found.configured and isinstance(value := getattr(found.config, name), int)
    }
    return ServerModel(
        server=server,
        version=found.version,
        step_model=_solved(gram, moment),
        overhead_s=0.0 if known is None else known.overhead_s,
        time_error=_halves_error(found.rows) if known is None else _time_error(found.rows, known.step_model),
        seen=found.seen if known is None else found.seen.together(known.seen),
        runs=[*([] if known is None else known.runs), run],
        errors={} if known is None else known.errors,
        config=found.config,
        configured=found.configured,
        unset=unset,
        gram=gram.tolist(),
        moment=moment.tolist(),
    )


def with_errors(model: ServerModel, errors: Mapping[str, float]) -> ServerModel:
    """Return the model with the errors of a run's predictions noted."""
    noted = {
        name: [*model.errors.get(name, []), *([errors[name]] if name in errors else [])][-_KEPT_ERRORS:]
        for name in {*model.errors, *errors}
    }
    return msgspec.structs.replace(model, errors=noted)


def _table(rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray]:
    contents = np.array([(row.steps, row.P, row.D, row.K, row.Q) for row in rows], dtype=np.float64)
    return contents, np.array([row.us for row in rows], dtype=np.float64)


def _normal_equations(rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return matrix and right side of the run's robust fit on relative errors."""
    rows = [row for row in rows if row.us > 0]
    fit = fit_rows(rows)
    contents, us = _table(rows)
    model = fit.model
    off = np.abs(contents @ np.array([model.a, model.b, model.c, model.d, model.e]) / us - 1)
    spread = 1.4826 * float(np.median(off))
    trust = np.minimum(1.0, 1.345 * spread / np.maximum(off, 1e-9)) if spread else np.ones(len(us))
    relative = contents / us[:, None]
    share = min(1.0, _MOST_ROWS / len(us))
    return share * (relative * trust[:, None]).T @ relative, share * relative.T @ trust


def _solved(gram: np.ndarray, moment: np.ndarray) -> StepModel:
    """Return the non-negative solution of normal equations."""
    from scipy.optimize import nnls  # noqa: PLC0415  # slow to import, and only a fit needs it

    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    scaled = gram / np.outer(scale, scale) + 1e-10 * np.eye(len(moment))
    root = np.linalg.cholesky(scaled)
    solved, _ = nnls(root.T, np.linalg.solve(root, moment / scale))
    return StepModel(*(float(value) for value in solved / scale))


def _time_error(rows: Sequence[Row], model: StepModel) -> float:
    contents, us = _table(rows)
    modelled = contents @ np.array([model.a, model.b, model.c, model.d, model.e])
    return float(np.median(modelled / us) - 1)


def _halves_error(rows: Sequence[Row]) -> float:
    """Return the error on a run's second half of a model fitted to its first."""
    middle = len(rows) // 2
    try:
        return _time_error(rows[middle:], fit_rows(rows[:middle]).model)
    except InputError:
        return _UNKNOWN_ERROR
