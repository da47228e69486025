"""A floor that is kept is one that a calibration can have found; anything else isn't there."""

import math

import msgspec
import pytest

from workbench.base import InputError, data_folder
from workbench.load import Calibration, recent_resolution, store_resolution, stored_resolution

FOUND = Calibration(
    client_delay_p99_ms=1.0, ttft_floor_ms=0.8, itl_floor_ms=0.05, limit_tokens_per_s=40_000,
    limited_by="client", workers=1, cpu_us_per_token=12.0, remote=False, levels=[],
)  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {"utc": "2026-11-30T09:00:00"},
        {"utc": "yesterday"},
        {"utc": "\u0000"},
        {"ttft_floor_ms": 1e308},
        {"ttft_floor_ms": -1e308},
        {"itl_floor_ms": -0.1},
        {"client_delay_p99_ms": -5.0},
        {"limit_tokens_per_s": 0.0},
        {"limit_tokens_per_s": 1e300},
    ],
)
def test_that_a_floor_which_no_calibration_finds_is_not_there(changed: dict[str, object]) -> None:
    kept = store_resolution(FOUND, None)
    assert kept is not None
    assert (stored_resolution(), recent_resolution()) == (kept, kept)
    place = data_folder() / "calibration.json"
    place.write_bytes(msgspec.json.encode([{**msgspec.to_builtins(kept), **changed}]))
    assert (stored_resolution(), recent_resolution()) == (None, None)


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"[" * 100_000, b"[{}]", b"[" + b"9" * 5000 + b"]"])
def test_that_rubbish_in_the_file_is_no_floor_and_the_next_calibration_writes_it_anew(content: bytes) -> None:
    data_folder().mkdir(parents=True, exist_ok=True)
    (data_folder() / "calibration.json").write_bytes(content)
    assert stored_resolution() is None
    kept = store_resolution(FOUND, None)
    assert kept is not None
    assert stored_resolution() == kept
    assert math.isfinite(kept.ttft_floor_ms)


def test_that_a_data_folder_which_can_not_be_made_is_said() -> None:
    data_folder().parent.mkdir(parents=True, exist_ok=True)
    data_folder().write_text("a file where the folder would be")
    with pytest.raises(InputError, match="a file where a folder is needed"):
        store_resolution(FOUND, None)
