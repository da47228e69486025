"""What the tests of the traces room share."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[4] / "shared" / "data"


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """The path of a shared sample; skips the test where the samples aren't on this machine."""

    def _shared(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip("the shared samples are not on this machine")
        return path

    return _shared


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of the given text or bytes and returns its path."""

    def _write(content: str | bytes, name: str = "trace.txt", *, gzipped: bool = False) -> Path:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if gzipped else data)
        return path

    return _write
