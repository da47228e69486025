"""What a write replaces, and what it must never replace."""

import os
import stat
from pathlib import Path

import pytest

from workbench.base import InputError
from workbench.base.files import require_writable_file, require_writable_folder, write_atomic


@pytest.mark.skipif(os.name == "nt", reason="named pipes are POSIX")
def test_that_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomic(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_that_a_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    write_atomic(tmp_path / "link.csv", "new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="permission bits are POSIX")
def test_that_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "private.csv"
    path.write_text("old")
    path.chmod(0o600)
    write_atomic(path, "new")
    assert path.stat().st_mode & 0o777 == 0o600


def test_that_a_file_in_a_folders_place_and_a_folder_in_a_files_place_are_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for inside in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(InputError, match="there is a file where a folder is needed"):
            require_writable_folder(inside)
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        require_writable_file(tmp_path)
    require_writable_file(tmp_path / "new" / "file.json")
    assert (tmp_path / "new").is_dir()
