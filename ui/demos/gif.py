"""Writes an animated GIF: one palette, and of each frame only what changed. No Qt.

GIF89a with LZW as in its specification (Compuserve, 1990). Qt reads GIF but doesn't write it.
"""

import struct
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
"""Shape (height, width, 3): red, green, blue."""
_CLEAR, _END, _FIRST = 256, 257, 258
_MOST_CODES = 4096
_CELLS = 32
"""Colors are told apart by five bits a channel."""


class Palette:
    """The 256 most frequent colors of some frames; others become the nearest of them."""

    def __init__(self, frames: Iterable[Pixels]) -> None:
        counts = sum((np.bincount(_cells(frame), minlength=_CELLS**3) for frame in frames), np.zeros(1, int))
        chosen = np.argsort(counts)[::-1][:256]
        cells = np.stack(np.unravel_index(np.arange(_CELLS**3), (_CELLS,) * 3), axis=1)
        self.colours = np.rint(cells[chosen] * 255 / (_CELLS - 1)).astype(np.uint8)
        self._nearest = np.empty(_CELLS**3, dtype=np.uint8)
        for part in np.array_split(np.arange(_CELLS**3), 32):
            away = ((cells[part][:, None] - cells[chosen][None]) ** 2).sum(axis=2)
            self._nearest[part] = away.argmin(axis=1)

    def indices(self, frame: Pixels) -> Pixels:
        """Return the place of each pixel's color; shape (height, width)."""
        return self._nearest[_cells(frame)].reshape(frame.shape[:2])


def _cells(frame: Pixels) -> npt.NDArray[np.int64]:
    five = (frame >> 3).astype(np.int64)
    return (five[..., 0] * _CELLS**2 + five[..., 1] * _CELLS + five[..., 2]).ravel()


class GifWriter:
    """Add frames, then close. A frame that is like the one before only makes that one last longer."""

    def __init__(self, file: BinaryIO, palette: Palette) -> None:
        self._file, self._palette = file, palette
        self._shown: Pixels | None = None
        self._waiting: tuple[bytes, bytes] | None = None
        """Place and pixels of the last frame, whose duration may still grow."""
        self._ms = 0.0

    def add(self, frame: Pixels, ms: float) -> None:
        """Add a frame that lasts so many milliseconds; all have the same size."""
        pixels = self._palette.indices(frame)
        if self._shown is None:
            self._begin(pixels.shape[1], pixels.shape[0])
            box = (0, 0, pixels.shape[1], pixels.shape[0])
        else:
            changed = pixels != self._shown
            if not changed.any():
                self._ms += ms
                return
            box = _box(changed)
        self._flush()
        left, top, right, bottom = box
        place = struct.pack("<BHHHHB", 0x2C, left, top, right - left, bottom - top, 0)
        self._waiting = place, compressed(pixels[top:bottom, left:right].tobytes())
        self._shown, self._ms = pixels, self._ms + ms

    def close(self) -> None:
        """Write the last frame and the end."""
        self._flush()
        self._file.write(b";")

    def _begin(self, width: int, height: int) -> None:
        table = self._palette.colours.tobytes().ljust(768, b"\0")
        self._file.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + table)
        self._file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")

    def _flush(self) -> None:
        if self._waiting is None:
            return
        place, data = self._waiting
        # Times are in hundredths of a second; the rest goes to the next frame.
        hundredths = min(65535, round(self._ms / 10))
        self._ms -= hundredths * 10
        self._file.write(struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 4, hundredths, 0, 0) + place + b"\x08")
        for block in _blocks(data):
            self._file.write(bytes((len(block),)) + block)
        self._file.write(b"\0")


def _box(changed: npt.NDArray[np.bool_]) -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _blocks(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), 255):
        yield data[at : at + 255]


def compressed(pixels: bytes) -> bytes:
    """Return LZW codes of 9 to 12 bits."""
    out = bytearray()
    held, bits, size = _CLEAR, 9, 9
    table: dict[int, int] = {}
    following = _FIRST
    prefix = pixels[0]
    for pixel in memoryview(pixels)[1:]:
        key = prefix << 8 | pixel
        code = table.get(key)
        if code is not None:
            prefix = code
            continue
        held |= prefix << bits
        bits += size
        while bits >= 8:
            out.append(held & 255)
            held >>= 8
            bits -= 8
        prefix = pixel
        if following < _MOST_CODES:
            table[key] = following
            if following == 1 << size:
                size += 1
            following += 1
        else:
            held |= _CLEAR << bits
            bits += size
            table.clear()
            following, size = _FIRST, 9
    for code in (prefix, _END):
        held |= code << bits
        bits += size
        # The reader has added one entry more than was needed here.
        if code == prefix and following == 1 << size and size < 12:
            size += 1
    out += held.to_bytes(-(-bits // 8), "little")
    return bytes(out)
