"""All profiles: the shipped ones and those of the user's calibrations."""

import difflib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Place, Record, Refusal, data_folder, decode_json, resource, write_atomic
from workbench.profiles.cards import known_card
from workbench.profiles.default_kv_blocks import BLOCK_SIZE, MemoryTable, pool_of, usable_length
from workbench.profiles.profile import KnownError, Profile, ProfileKind
from workbench.profiles.step_model import StepModel


def read_profile(path: Path) -> Profile:
    """Read one profile.

    Raises:
        Refusal: the file can't be read or is no profile; names the file and the field.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(path)), cause=error.strerror) from error
    return decode_json(data, Profile, where=str(path))


def save_profile(profile: Profile, path: Path) -> None:
    """Write one profile as JSON, replacing the file in one step.

    Raises:
        Refusal: the folder can't be written to.
    """
    write_atomic(path, msgspec.json.format(msgspec.json.encode(profile), indent=2) + b"\n")


class _StepModelRow(Record, frozen=True):
    gpu: str
    model: str
    tp: int
    a: float
    b: float
    c: float
    d: float
    e: float
    kind: ProfileKind
    vllm_version: str
    source: str
    known_error: KnownError
    overhead_a: float = 0.0
    overhead_c: float = 0.0


class _StepModels(Record, frozen=True):
    units: str
    overhead: str
    rows: list[_StepModelRow]


def list_profiles() -> list[Profile]:
    """Return the shipped profiles in file order, then the user's by name; these replace shipped ones."""
    profiles = {profile.name: profile for profile in _shipped()}
    profiles |= {profile.name: profile for profile in _users()}
    return list(profiles.values())


def load_profile(name: str) -> Profile:
    """Return the profile called `name`, or read the file `name` if it ends in `.json`.

    Raises:
        Refusal: no profile has that name; lists similar names.
    """
    if name.endswith(".json"):
        return read_profile(Path(name))
    profiles = {profile.name: profile for profile in list_profiles()}
    found = profiles.get(name) or profiles.get(_catalogue_name(name))
    if found is not None:
        return found
    near = difflib.get_close_matches(name, profiles, n=3, cutoff=0.4) or sorted(profiles)[:3]
    raise Refusal("profiles.unknown", name=name, near=near)


def _catalogue_name(name: str) -> str:
    """Return the profile's name with the catalogue's name of the card instead of the driver's."""
    gpu, slash, rest = name.partition("/")
    card = known_card(gpu)
    return name if card is None else f"{card.name}{slash}{rest}"


@cache
def _shipped() -> tuple[Profile, ...]:
    models = _table("step_models.json", _StepModels)
    memory = _table("memory.json", MemoryTable)
    return tuple(_profile(row, memory) for row in models.rows)


def _table(name: str, kind: type[Any]) -> Any:
    path = resource("profiles", name)
    return decode_json(path.read_bytes(), kind, where=str(path))


def _profile(row: _StepModelRow, memory: MemoryTable) -> Profile:
    card = next(card for card in memory.cards if card.gpu == row.gpu)
    model = next(model for model in memory.models if model.model == row.model)
    pool = pool_of(memory, card, model, row.tp)
    return Profile(
        name=f"{row.gpu}/{row.model}/tp{row.tp}",
        step_model=StepModel(a=row.a + row.overhead_a, b=row.b, c=row.c + row.overhead_c, d=row.d, e=row.e),
        source=row.source,
        vllm_version=row.vllm_version,
        kind=row.kind,
        num_gpu_blocks=pool.blocks,
        kv_source=pool.source,
        block_size=BLOCK_SIZE,
        max_num_seqs=card.max_num_seqs,
        max_num_batched_tokens=card.max_num_batched_tokens,
        max_model_len=usable_length(model, pool.blocks),
        known_error=row.known_error,
    )


def _users() -> list[Profile]:
    folder = data_folder() / "profiles"
    return [read_profile(path) for path in sorted(folder.glob("*.json"))]
