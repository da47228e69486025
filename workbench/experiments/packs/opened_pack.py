"""A pack opened to be looked at: an order's experiments, or a result's bench file with its verdict."""

from pathlib import Path

from workbench.base import Record, require_writable_folder, write_atomic
from workbench.experiments.packs.check_result import PackVerdict, check_result
from workbench.experiments.packs.order import Order, read_order, unpack_order
from workbench.results import read_members
from workbench.results.exports.pack import RAW


class OpenedPack(Record, frozen=True, kw_only=True):
    """The files that were unpacked."""

    experiments: list[Path]
    """An order's experiment files; empty for a result."""
    bench: Path | None = None
    """A result's bench file."""
    order: Order | None = None
    verdict: PackVerdict | None = None


def open_pack(path: Path, folder: Path) -> OpenedPack:
    """Unpack an order or a result below `folder`; a result is checked against the order that it brings.

    Raises:
        Refusal: the file is neither, or can't be unpacked.
    """
    contents = read_members(path)
    below = folder / path.stem
    if RAW not in contents:
        return _open_order(read_order(path), below)
    verdict = check_result(path)
    require_writable_folder(below)
    bench = below / f"{path.stem}.bench"
    write_atomic(bench, contents[RAW])
    return OpenedPack(experiments=[], bench=bench, verdict=verdict)


def _open_order(order: Order, below: Path) -> OpenedPack:
    require_writable_folder(below)
    unpack_order(order, below)
    files = []
    for name in (name for name in order.members if name.startswith("experiments/")):
        file = below / Path(name).name
        write_atomic(file, order.members[name])
        files.append(file)
    return OpenedPack(experiments=files, order=order)
