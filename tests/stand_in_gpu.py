"""A stand-in for a GPU: an `nvidia-smi` whose answers a test chooses. No machine of the tests has one."""

import sys
from pathlib import Path
from typing import NamedTuple

TOTAL_MIB = 81_559
"""Of an 80 GB card, as its driver tells it."""


class Card(NamedTuple):
    """What it says of one card."""

    used_mib: int
    holder: str = ""
    """`pid, MiB` of the one process on it."""
    throttling: int = 0
    """NVML's clocks-event bits: 0x40 is heat, by hardware."""
    sm_clock_mhz: int = 1980


def stand_in_smi(folder: Path, *cards: Card) -> None:
    """Write `nvidia-smi` into a folder that is to come first on PATH."""
    lines = [
        f"{index}, GPU-{index}, NVIDIA H100 80GB HBM3, {TOTAL_MIB}, {card.used_mib}, 40, 300, 700, "
        f"{card.sm_clock_mhz}, {card.throttling:#x}"
        for index, card in enumerate(cards)
    ]
    holding = [f"GPU-{index}, {card.holder}" for index, card in enumerate(cards) if card.holder]
    texts = {"--query-gpu": "\n".join(lines), "--query-compute-apps": "\n".join(holding)}
    script = folder / "nvidia-smi"
    script.write_text(f"#!{sys.executable}\nimport sys\nprint({texts!r}[sys.argv[1].partition('=')[0]])\n")
    script.chmod(0o755)
