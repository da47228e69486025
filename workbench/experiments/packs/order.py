"""The order: experiments with their trace in one file, for others to measure on their own server."""

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from workbench import __version__
from workbench.base import UNREADABLE, Place, Record, Refusal, mask_value, message, utc_now
from workbench.experiments.findings.gate import VERDICTS
from workbench.experiments.plan.plan import make_plan
from workbench.experiments.plan.workload import read_workload, trace_file
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.experiment_text import to_toml
from workbench.experiments.spec.tables import Quality, TraceChoice
from workbench.results import PackKey, Signer, changed_members, read_members, signer_of, write_members
from workbench.servers import TargetSpec
from workbench.traces import Trace, canonical_bytes

ORDER_SUFFIX = ".wbpack"
_FORM = 1
_ORDER = "order.json"
_EXPERIMENTS = "experiments/"
_TRACES = "traces/"
_TEXTS = "texts/"

Evidence = Literal["configuration", "start_log", "machine", "clock", "calibration", "gpu", "step_record"]
EVIDENCE: tuple[Evidence, ...] = (
    *("configuration", "start_log", "machine", "clock", "calibration", "gpu", "step_record"),
)
USUAL_EVIDENCE: tuple[Evidence, ...] = ("configuration", "start_log", "machine", "clock", "calibration")
"""Evidence that every server of ours gives."""


class OrderTerms(Record, frozen=True, kw_only=True):
    """The order's own terms, besides its experiments."""

    workbench_order: int
    """The form of the file."""
    id: str
    """Drawn for this order, so that no two are the same."""
    created_utc: str
    created_by: str
    trace_sha256: str
    require: list[str]
    """Verdicts that the results must give, as of `run --require`."""
    evidence: list[Evidence]
    texts: bool = False
    """True if the file holds prompts besides lengths and hashes."""


class Order(Record, frozen=True, kw_only=True):
    """An order as it was read."""

    terms: OrderTerms
    experiments: list[Experiment]
    members: dict[str, bytes]
    """All members of the file by their names."""
    content: bytes
    """The file itself."""
    signer: Signer | None
    """The buyer's key; None: not signed."""

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        return hashlib.sha256(self.content).hexdigest()


def write_order(
    experiments: Sequence[Experiment],
    base: Path,
    path: Path,
    *,
    require: Sequence[str] = ("valid",),
    evidence: Sequence[Evidence] = USUAL_EVIDENCE,
    texts: bool = False,
    key: PackKey | None = None,
) -> OrderTerms:
    """Write the order of experiments that share a baseline.

    The trace of a file is packed as lengths, times and hashes. Prompts are packed only with `texts`. The
    target keeps what is to be measured and loses where the buyer measures it.

    Args:
        experiments: the experiments, from files in the folder `base`.
        base: the folder of their relative paths.
        path: the order's file.
        require: verdicts that the results must give.
        evidence: evidence that each run must bring.
        texts: whether to pack the prompts of experiments that send them.
        key: signs the order; None: unsigned.

    Raises:
        Refusal: the experiments can't be measured together, the trace can't be read, or prompts would be
            packed without `texts`.
    """
    make_plan(experiments)
    first = experiments[0]
    workload = read_workload(first.trace, first.load, base=base)
    sha256 = workload.trace.sha256(first.trace.seed)
    members: dict[str, bytes] = {}
    trace = _packed_trace(first.trace, workload.trace, sha256, base, members, texts=texts)
    quality = _with_prompts(first.quality, base, members, texts=texts)
    target = _without_place(first.target)
    for number, experiment in enumerate(experiments, 1):
        packed = msgspec.structs.replace(experiment, trace=trace, quality=quality, target=target)
        members[f"{_EXPERIMENTS}{number}.toml"] = to_toml(packed).encode()
    terms = OrderTerms(
        workbench_order=_FORM,
        id=secrets.token_hex(8),
        created_utc=utc_now(),
        created_by=f"vLLM Workbench {__version__}",
        trace_sha256=sha256,
        require=list(dict.fromkeys(require)),
        evidence=list(dict.fromkeys(evidence)),
        texts=any(name.startswith(_TEXTS) for name in members),
    )
    whole = [(_ORDER, msgspec.json.format(msgspec.json.encode(terms), indent=1)), *members.items()]
    if key is None:
        write_members(path, whole)
    else:
        write_members(path, whole, public_key=key.public_file(), sign=key.sign)
    return terms


def _refuse_texts(texts: bool, key: str) -> None:  # noqa: FBT001 - the user's answer
    if not texts:
        raise Refusal("packs.holds_texts", Place(key="texts"), key=key)


def _packed_trace(
    choice: TraceChoice, trace: Trace, sha256: str, base: Path, members: dict[str, bytes], *, texts: bool
) -> TraceChoice:
    """Add the trace's file to the members; return the choice that names it there."""
    if choice.file is None:
        return choice
    if choice.replay_text:
        _refuse_texts(texts, "trace.replay_text")
        return _with_files(choice, base, members)
    name = f"{_TRACES}{sha256}.jsonl"
    members[name] = canonical_bytes(trace)
    return TraceChoice(file=name, seed=choice.seed, max_len=choice.max_len, speedup=choice.speedup)


def _with_files(trace: TraceChoice, base: Path, members: dict[str, bytes]) -> TraceChoice:
    """Return the choice with its files packed as they are."""
    assert trace.file is not None
    file = _packed_file(trace_file(trace.file, base), members)
    tokenizer = None if trace.tokenizer is None else _packed_file(trace_file(trace.tokenizer, base), members)
    return msgspec.structs.replace(trace, file=file, tokenizer=tokenizer)


def _with_prompts(
    quality: Quality | None, base: Path, members: dict[str, bytes], *, texts: bool
) -> Quality | None:
    if quality is None:
        return None
    _refuse_texts(texts, "quality.prompts")
    file = _packed_file(trace_file(quality.prompts, base), members)
    return msgspec.structs.replace(quality, prompts=file)


def _packed_file(path: Path, members: dict[str, bytes]) -> str:
    """Pack a file as it is, and return its name in the pack."""
    try:
        content = path.read_bytes()
    except OSError as error:
        cause = error.strerror or str(error)
        raise Refusal("base.unreadable_file", Place(file=str(path)), cause=cause) from error
    name = f"{_TEXTS}{hashlib.sha256(content).hexdigest()[:16]}/{path.name}"
    members[name] = content
    return name


_KEPT_OF_TARGET = (
    *("kind", "profile", "time_scale", "model", "image", "gpus", "shm_size", "args", "record_steps"),
    *("live_limits", "kv"),
)
"""Keys of a target that say what is measured; the others say where the buyer finds it."""
_ANY_SERVER = "http://127.0.0.1:8000"


def _without_place(target: TargetSpec) -> TargetSpec:
    """Return what is to be measured, without the buyer's addresses, paths, keys and secrets."""
    kept = {name: getattr(target, name) for name in _KEPT_OF_TARGET}
    kept["args"] = mask_value(kept["args"])
    if kept["kind"] == "ssh":
        kept["kind"] = "local"
    spec = TargetSpec(**kept)
    return msgspec.structs.replace(spec, url=_ANY_SERVER) if spec.kind == "attached" else spec


def read_order(path: Path) -> Order:
    """Read an order and check that it is whole.

    Raises:
        Refusal: no order, of a newer form, or changed since it was made.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        cause = error.strerror or str(error)
        raise Refusal("base.unreadable_file", Place(file=str(path)), cause=cause) from error
    place = Place(file=str(path))
    members = read_members(path, (_ORDER, "SHA256SUMS"))
    changed = list(changed_members(members))
    if changed:
        raise Refusal("packs.order_changed", place, changes=changed)
    try:
        terms = msgspec.json.decode(members[_ORDER], type=OrderTerms)
    except UNREADABLE as error:
        raise Refusal("packs.no_order", place, why=str(error)) from error
    if terms.workbench_order > _FORM or set(terms.require) - VERDICTS.keys():
        raise Refusal("packs.newer_order", place, form=terms.workbench_order, known=_FORM)
    signer = signer_of(members)
    if not isinstance(signer, Signer) and signer.kind != "exports.not_signed":
        raise Refusal("packs.order_changed", place, changes=[signer])
    return Order(
        terms=terms,
        experiments=list(_experiments(members, str(path))),
        members=members,
        content=content,
        signer=signer if isinstance(signer, Signer) else None,
    )


def _experiments(members: dict[str, bytes], where: str) -> Iterator[Experiment]:
    names = [name for name in members if name.startswith(_EXPERIMENTS) and name.endswith(".toml")]
    if not names:
        raise Refusal("packs.no_order", Place(file=where), why=message("packs.no_experiments"))
    for name in sorted(names, key=lambda each: (len(each), each)):
        try:
            text = members[name].decode()
        except UnicodeDecodeError as error:
            raise Refusal("packs.no_order", Place(file=where), why=str(error)) from error
        experiment = Experiment.from_toml(text, where=f"{where}: {name}")
        prompts = None if experiment.quality is None else experiment.quality.prompts
        files = (experiment.trace.file, experiment.trace.tokenizer, prompts)
        for file in files:
            # Another file of this machine must not be read because an order names it.
            if file is not None and file not in members:
                raise Refusal("packs.file_outside", Place(file=where), name=name, named=file)
        yield msgspec.structs.replace(experiment, target=_without_place(experiment.target))


def unpack_order(order: Order, folder: Path) -> None:
    """Write the order's traces and prompts into the folder, at the paths that its experiments name.

    Raises:
        Refusal: the folder can't be written to.
    """
    for name, content in order.members.items():
        if not name.startswith((_TRACES, _TEXTS)):
            continue
        file = folder / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        except OSError as error:
            cause = error.strerror or str(error)
            raise Refusal("base.unwritable_file", Place(file=str(file)), cause=cause) from error
