import socket
from pathlib import Path

import pytest

from workbench.cli import main


def test_that_a_server_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert main(["engine", "calibrate", url, "--out", str(tmp_path / "p.json")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert url.removeprefix("http://") in error


def test_that_a_profile_that_can_not_be_written_is_refused_before_any_load(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "p.json"
    assert main(["engine", "calibrate", "http://127.0.0.1:1", "--out", str(out)]) == 2
    assert "there is a file where a folder is needed" in capsys.readouterr().err


def test_that_a_name_of_another_form_is_refused_before_any_load(capsys: pytest.CaptureFixture[str]):
    assert main(["engine", "calibrate", "http://127.0.0.1:1", "--minutes", "0"]) == 2
    assert "--minutes: 0 is out of range" in capsys.readouterr().err
    assert main(["engine", "calibrate", "http://127.0.0.1:1", "--name", "h100"]) == 2
    assert "write gpu/model/tpN" in capsys.readouterr().err
