"""An empty bench file for whoever needs no other."""

import pytest

from workbench.results import BenchFile


@pytest.fixture
def bench(tmp_path):
    file = BenchFile.create(tmp_path / "b.bench")
    yield file
    file.close()
